#!/usr/bin/env bash
# The man page has no mistake that groff sees, and bash completes verbs, options and files: check_manual.sh BIN_FOLDER
set -u
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bash scripts/manual.sh "$bin/pliant" "$work" || exit 1
failed=0
need() { if ! eval "$2"; then echo "$1"; failed=1; fi; }

if command -v groff >/dev/null; then
    warnings=$(groff -man -ww -Tutf8 "$work/pliant.1" 2>&1 >"$work/page")
    need "groff: $warnings" '[ -z "$warnings" ]'
    need "the page has no verb render" 'grep -q "PLIANT RENDER" "$work/pliant.1"'
fi
# what bash offers for a line whose last word is being typed
complete_line() {
    # shellcheck disable=SC1091
    . "$work/pliant.bash"
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _pliant
    echo "${COMPREPLY[*]}"
}
need "verbs are not completed" '[ "$(complete_line pliant re)" = "resume render" ]'
need "options are not completed" '[ "$(complete_line pliant run --fr)" = "--frames" ]'
need "files are not completed" '[ "$(complete_line pliant run READM)" = "README.md" ]'
for verb in $("$bin/pliant" --help | awk '/^  [a-z]/ { print $1 }'); do
    need "zsh does not know $verb" 'grep -q "^$verb) _arguments" "$work/_pliant"'
done
if command -v zsh >/dev/null; then need "zsh cannot read its completion" 'zsh -n "$work/_pliant"'; fi
[ "$failed" = 0 ] && echo "man page and completions"
exit "$failed"
