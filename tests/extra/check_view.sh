#!/usr/bin/env bash
# `pliant view` in a real browser: Debian's chromium, driven by playwright-core. check_view.sh BIN_FOLDER [PICTURE_FOLDER]
set -u
bin=${1:?usage: check_view.sh BIN_FOLDER [PICTURE_FOLDER]}
bin=$(cd "$bin" && pwd) || exit 2
pictures=${2:-}
cd "$(dirname "$0")/../.." || exit 2
bash tests/extra/view/prepare.sh "$bin" || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
timeout 900 node tests/extra/view/check.mjs "$bin/pliant" "$PWD/build/view-test" "$work" "$pictures"
