#!/usr/bin/env bash
# Makes the man page and the shell completions from what the command's --help prints:
# manual.sh PLIANT OUT_FOLDER writes pliant.1, pliant.bash and _pliant there.
set -eu
pliant=$1
out=$2
mkdir -p "$out"
version=$("$pliant" --version | cut -d' ' -f2)
verbs=$("$pliant" --help | awk '/^usage/ { on = 1; next } /^`/ { on = 0 } on && /^  / { print $1 }')
summary_of() { "$pliant" --help | awk -v verb="$1" '$1 == verb && /^  / { sub(/^ *[^ ]+ +/, ""); print; exit }'; }
# an option's name, value (or -), and help, with tabs between
options_of() {
    "$pliant" "$1" --help | awk '/^options:/ { on = 1; next } on {
        left = substr($0, 3, 22); help = substr($0, 26)
        count = split(left, part, " ")
        print part[1] "\t" (count > 1 ? part[2] : "-") "\t" help }'
}
details_of() { "$pliant" "$1" --help | awk '/^usage:/ { next } /^options:/ { exit } { print }'; }
# backslashes, and lines that roff would take for requests
roff() { sed -e 's/\\/\\e/g' -e "s/^\([.']\)/\\\\\&\1/" -e 's/-/\\-/g'; }

man_page() {
    printf '.TH PLIANT 1 "" "pliant %s" "User commands"\n' "$version"
    printf '.SH NAME\npliant \\- multigrid simulation of deformable objects\n'
    printf '.SH SYNOPSIS\n.B pliant\n.I VERB ARGUMENTS\n'
    printf '.SH DESCRIPTION\npliant simulates soft solids and cloth that a scene in JSON describes.\n'
    for verb in $verbs; do
        printf '.SH "PLIANT %s"\n' "$(echo "$verb" | tr a-z A-Z)"
        "$pliant" "$verb" --help | sed -n '1s/^usage: //p' | roff
        printf '.PP\n.nf\n'
        details_of "$verb" | sed '1{/^$/d}' | roff
        printf '.fi\n'
        options_of "$verb" | while IFS=$'\t' read -r name value help; do
            [ "$value" = - ] && value=""
            printf '.TP\n.B %s\n%s\n' "$(printf '%s %s' "$name" "$value" | roff)" "$(printf '%s' "$help" | roff)"
        done
    done
    printf '.SH "EXIT STATUS"\n'
    "$pliant" --help | sed -n 's/^  \([0-9]\)  \(.*\)/.TP\n.B \1\n\2/p'
}

bash_completion() {
    echo '# bash completion for pliant'
    echo '_pliant() {'
    echo '    local word=${COMP_WORDS[COMP_CWORD]} options=""'
    echo '    COMPREPLY=()'
    echo '    if [ "$COMP_CWORD" -eq 1 ]; then'
    echo "        mapfile -t COMPREPLY < <(compgen -W \"$(echo $verbs) help version\" -- \"\$word\")"
    echo '        return'
    echo '    fi'
    echo '    case ${COMP_WORDS[1]} in'
    for verb in $verbs; do
        echo "    $verb) options=\"$(options_of "$verb" | cut -f1 | tr '\n' ' ' | sed 's/ $//')\" ;;"
    done
    echo '    esac'
    echo '    case $word in'
    echo '    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;'
    echo '    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;'
    echo '    esac'
    echo '}'
    echo 'complete -o filenames -F _pliant pliant'
}

zsh_completion() {
    echo '#compdef pliant'
    echo 'local -a verbs'
    echo 'verbs=('
    for verb in $verbs; do printf "    '%s:%s'\n" "$verb" "$(summary_of "$verb" | sed "s/'/'\\\\''/g")"; done
    echo ')'
    echo 'if (( CURRENT == 2 )); then _describe verb verbs; return; fi'
    echo 'local verb=$words[2]'
    echo 'shift words; (( CURRENT-- ))'
    echo 'case $verb in'
    for verb in $verbs; do
        echo "$verb) _arguments \\"
        options_of "$verb" | while IFS=$'\t' read -r name value help; do
            text=$(printf '%s' "$help" | sed -e "s/'/'\\\\''/g" -e 's/[]:[]/\\&/g')
            if [ "$value" = - ]; then printf "    '%s[%s]' \\\\\n" "$name" "$text"
            else printf "    '*%s[%s]:%s:_files' \\\\\n" "$name" "$text" "$(printf '%s' "$value" | sed 's/:/\\:/g')"; fi
        done
        echo "    '*:file:_files' ;;"
    done
    echo 'esac'
}

man_page >"$out/pliant.1"
bash_completion >"$out/pliant.bash"
zsh_completion >"$out/_pliant"
