#!/usr/bin/env bash
# A film of twenty seconds in out/film/film.mp4, four seconds of each of five scenes: film.sh FOLDER_OF_THE_COMMAND [WxH]
# Needs ffmpeg. The time of each scene is stretched or compressed to four seconds.
set -eu
cd "$(dirname "$0")/.."
pliant=$1/pliant
size=${2:-1280x720}
out=out/film
command -v ffmpeg >/dev/null || { echo "film.sh needs ffmpeg: apt-get install ffmpeg" >&2; exit 2; }
mkdir -p "$out"

# scene and options of its pictures
parts=(
    "demo --turn 30"
    "octopus --azimuth 20 --turn 40"
    "dress --azimuth 10"
    "pbd_tear"
    "twisted_bar --color-by stretch"
)
inputs=() graph="" count=0
for part in "${parts[@]}"; do
    read -r name options <<<"$part"
    "$pliant" run "scenes/$name.json" --quiet --force -o "$out/$name" >/dev/null
    frames=$("$pliant" check "scenes/$name.json" | sed -n 's/^ *"frames": *\([0-9]*\),*$/\1/p' | head -n 1)
    rate=$(awk "BEGIN { print ($frames + 1) / 4.0 }")
    # shellcheck disable=SC2086
    "$pliant" render "$out/$name" --size "$size" --no-label --fps "$rate" $options -o "$out/$name.mp4"
    inputs+=(-i "$out/$name.mp4")
    graph="$graph[$count:v]fps=30,setsar=1[v$count];"
    count=$((count + 1))
done
for k in $(seq 0 $((count - 1))); do graph="$graph[v$k]"; done
ffmpeg -v error -y "${inputs[@]}" -filter_complex "${graph}concat=n=$count:v=1:a=0[film]" -map '[film]' -t 20 \
    -pix_fmt yuv420p "$out/film.mp4"
echo "$out/film.mp4"
