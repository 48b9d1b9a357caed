# Completions of aspen++ for bash: options and their values are asked of the compiler, files are bash's own.
_aspen_compiler() {
  local word=${COMP_LINE:0:COMP_POINT} typed line
  word=${word##*[[:space:]]}
  COMPREPLY=()
  [[ $word == -* ]] || return 0
  typed=${word##*[=,]} # bash breaks words at `=`, and values come alone
  while IFS= read -r line; do
    line=${line%%$'\t'*}
    if [[ $word == *=* ]]; then
      [[ $line == "$typed"* ]] && COMPREPLY+=("${2%"$typed"}$line")
    else
      COMPREPLY+=("$line")
    fi
  done < <("$1" "--autocomplete=$word" 2>/dev/null)
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _aspen_compiler aspen++
