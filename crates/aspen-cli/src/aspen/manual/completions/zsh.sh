#compdef aspen++
# Options and their values are asked of the compiler; files are zsh's own.
local word=${words[CURRENT]} line
local -a found
if [[ $word == -* ]]; then
  for line in ${(f)"$(${words[1]} --autocomplete=$word 2>/dev/null)"}; do
    found+=(${line%%$'\t'*})
  done
  [[ $word == *=* ]] && compset -P '*[=,]'
  compadd -S '' -a found
else
  _files
fi
