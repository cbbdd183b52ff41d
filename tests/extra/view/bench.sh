#!/usr/bin/env bash
# Figures of `pliant view` for `pliant-bench view`, as lines NAME VALUE: bench.sh BIN_FOLDER SIZE...
set -u
bin=${1:?usage: bench.sh BIN_FOLDER SIZE...}
shift
cd "$(dirname "$0")/../../.." || exit 2
why=$(bash tests/extra/view/prepare.sh "$bin") || { echo "note $why"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node tests/extra/view/bench.mjs "$bin/pliant" "$PWD/build/view-test" "$work" "$@"
