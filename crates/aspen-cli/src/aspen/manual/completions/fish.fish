# Completions of aspen++ for fish: options and their values are asked of the compiler, files are fish's own.
function __aspen_compiler
    set -l word (commandline -ct)
    set -l before (string replace -r '[^=,]*$' '' -- $word)
    for line in (aspen++ --autocomplete=$word 2>/dev/null)
        if string match -q -- '*=*' $word
            echo $before$line
        else
            echo $line
        end
    end
end
complete -c aspen++ -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__aspen_compiler)'
