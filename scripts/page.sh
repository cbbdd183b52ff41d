#!/usr/bin/env bash
# Bundles the page of `pliant view` into build/view/view.html, with the packages that viewer/package-lock.json pins.
set -eu
cd "$(dirname "$0")/.."
page=build/view/view.html
if [ -f "$page" ] && [ -z "$(find viewer/page viewer/build.mjs viewer/package-lock.json -newer "$page" | head -n 1)" ]; then exit 0; fi
command -v npm >/dev/null || { echo "npm is not installed; make deps-view installs it" >&2; exit 1; }
mkdir -p build/view
cp viewer/package.json viewer/package-lock.json viewer/.npmrc viewer/build.mjs build/view
cd build/view
npm ci --no-audit --no-fund --loglevel=error >npm.log 2>&1 || { echo "npm could not install the packages of the page:" >&2; tail -n 5 npm.log >&2; exit 1; }
node build.mjs ../../viewer/page view.html
echo "$page: $(wc -c <view.html) bytes" >&2
