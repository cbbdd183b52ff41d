#!/usr/bin/env bash
# A simulated gummy bear in out/demo, with pictures: demo.sh FOLDER_OF_THE_COMMAND
set -eu
cd "$(dirname "$0")/.."
pliant=$1/pliant
out=out/demo

# bold on a terminal only
if [ -t 1 ]; then bold=$'\033[1m' plain=$'\033[0m'; else bold='' plain=''; fi
say() { printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"; }
run() {
    say "$@"
    "$@"
}

rm -rf "$out"
mkdir -p "$out"

run "$pliant" run scenes/demo.json -o "$out/run"
run "$pliant" render "$out/run" --sheet 4x2 --size 400x360 -o "$out/sheet.png"
movie=""
if command -v ffmpeg >/dev/null; then
    movie=$out/bear.mp4
    run "$pliant" render "$out/run" --size 640x576 -o "$movie"
fi

printf '\nA gummy bear, simulated:\n'
printf '  %-28s %s\n' "$out/sheet.png" "eight moments of it"
[ -z "$movie" ] || printf '  %-28s %s\n' "$movie" "the film"
printf '  %-28s %s\n' "$out/run" "the recording, its metrics, its resolved scene"
printf '\nNext, a bear four times as soft:\n'
printf '  %s run scenes/demo.json --set bodies[0].material.young=4000 -o out/soft && %s render out/soft -o out/soft.png\n' \
    "$pliant" "$pliant"
