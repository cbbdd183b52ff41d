#!/usr/bin/env bash
# Large pictures of the scenes in scenes/heroes: heroes.sh FOLDER_OF_THE_COMMAND [NAME...]
# Originals of 3840x2160 go to out/heroes, smaller ones to docs/images. Takes about five minutes of one core.
set -eu
cd "$(dirname "$0")/.."
pliant=$1/pliant
shift
[ $# -gt 0 ] || set -- drape bears dragon tear pegs
out=out/heroes
mkdir -p "$out" docs/images

for name in "$@"; do
    options=()
    case $name in
    drape) options=(--azimuth 20 --elevation 24) ;;
    bears) options=(--azimuth 8 --elevation 10) ;;
    dragon) options=(--color-by stress --range 0:30000) ;;
    tear) options=(--frame 20 --azimuth 25) ;;
    pegs) options=(--frame 11 --azimuth 12) ;;
    esac
    "$pliant" run "scenes/heroes/$name.json" --quiet --force -o "$out/$name" >/dev/null
    "$pliant" render "$out/$name" "${options[@]}" --no-label --samples 8 --size 3840x2160 -o "$out/$name.png"
    "$pliant" render "$out/$name" "${options[@]}" --no-label --samples 16 --size 1600x900 -o "docs/images/hero_$name.png"
done
