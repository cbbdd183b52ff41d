#!/usr/bin/env bash
# What checks and the bench of `pliant view` need: a program with the verb, the page, and playwright-core in build/view-test.
# prepare.sh BIN_FOLDER: ends with 77 and says why if something is not there.
set -u
bin=${1:?usage: prepare.sh BIN_FOLDER}
cd "$(dirname "$0")/../../.." || exit 2
for program in chromium node npm; do
    command -v $program >/dev/null || { echo "$program is not there"; exit 77; }
done
if "$bin/pliant" view ./not-there --no-open 2>&1 | grep -q libwebsockets; then echo "pliant was built without libwebsockets"; exit 77; fi
bash scripts/page.sh 2>/dev/null || { echo "the page could not be built (npm)"; exit 77; }
folder=build/view-test
mkdir -p "$folder"
if ! cmp -s tests/extra/view/package-lock.json "$folder/package-lock.json" || [ ! -d "$folder/node_modules/playwright-core" ]; then
    cp tests/extra/view/package.json tests/extra/view/package-lock.json tests/extra/view/.npmrc "$folder"
    (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error >npm.log 2>&1) || { echo "playwright-core could not be installed (npm)"; exit 77; }
fi
