#!/usr/bin/env bash
# Large pictures of the scenes in scenes/heroes: heroes.sh FOLDER_OF_THE_COMMAND [NAME...]
# Originals of 3840x2160 go to out/heroes, smaller ones to docs/images. Takes about five minutes of one core.
set -eu
cd "$(dirname "$0")/.."
pliant=$1/pliant
shift
[ $# -gt 0 ] || set -- drape bears dragon tear pegs
out=out/heroes
mkdir -p "$out/skins" docs/images

# a creature that is drawn finer than the tets that move it: skin SHAPE EDGE
skin() {
    [ -f "$out/skins/$1.obj" ] || "$pliant" mesh --generate "$1" --edge "$2" --surface -o "$out/skins/$1.obj" >/dev/null 2>&1
    echo "$PWD/$out/skins/$1.obj"
}

for name in "$@"; do
    set_skin=() options=()
    case $name in
    drape) options=(--azimuth 20 --elevation 24) ;;
    bears)
        file=$(skin gummy_bear 0.0018)
        for k in 0 1 2 3; do set_skin+=(--set "bodies[$k].render.surface=$file"); done
        options=(--azimuth 8 --elevation 10)
        ;;
    dragon)
        set_skin=(--set "bodies[0].render.surface=$(skin dragon 0.0011)")
        options=(--color-by stress --range 0:30000)
        ;;
    tear) options=(--frame 20 --azimuth 25) ;;
    pegs)
        set_skin=(--set "bodies[0].render.surface=$(skin octopus 0.0015)")
        options=(--frame 11 --azimuth 12)
        ;;
    esac
    "$pliant" run "scenes/heroes/$name.json" --quiet --force "${set_skin[@]}" -o "$out/$name" >/dev/null
    "$pliant" render "$out/$name" "${options[@]}" --no-label --samples 8 --size 3840x2160 -o "$out/$name.png"
    "$pliant" render "$out/$name" "${options[@]}" --no-label --samples 16 --size 1600x900 -o "docs/images/hero_$name.png"
done
