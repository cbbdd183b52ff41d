#!/usr/bin/env bash
# Checks with other people's programs: test_extra.sh BUILD_FOLDER [WORD...]
# Runs every tests/extra/check_*.{sh,py} (those with one of the words in their name) with the folder of
# the built programs as argument. A check ends with 0 passed, 77 skipped (its last line says why), else failed.
set -u
build=${1:?usage: test_extra.sh BUILD_FOLDER [WORD...]}
build=$(cd "$build" && pwd) || exit 2
shift
cd "$(dirname "$0")/.." || exit 2

is_chosen() {
    [ $# -eq 1 ] && return 0
    local name=$1 word
    shift
    for word in "$@"; do case "$name" in *"$word"*) return 0 ;; esac; done
    return 1
}

passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for check in tests/extra/check_*.sh tests/extra/check_*.py; do
    [ -f "$check" ] || continue
    name=$(basename "$check")
    is_chosen "$name" "$@" || continue
    # Debian's python, which has Debian's packages
    case "$check" in
    *.py) program=/usr/bin/python3 ;;
    *) program=bash ;;
    esac
    if ! command -v "$program" >/dev/null; then
        status=77
        echo "$program is not there" >"$log"
    else
        "$program" "$check" "$build/bin" >"$log" 2>&1
        status=$?
    fi
    case $status in
    0) passed=$((passed + 1)); echo "$name: passed: $(tail -n 1 "$log")" ;;
    77) skipped=$((skipped + 1)); echo "$name: skipped: $(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)); echo "$name: FAILED:"; sed 's/^/    /' "$log" ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
