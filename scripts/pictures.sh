#!/usr/bin/env bash
# A picture of each scene in docs/images, four moments of it: pictures.sh FOLDER_OF_THE_COMMAND [SCENE...]
# Scenes of bench/scenes need the folder PLIANT_DATA. Without scenes, the creatures are drawn too.
set -eu
cd "$(dirname "$0")/.."
pliant=$1/pliant
bin=$1
shift
if [ $# -eq 0 ]; then
    mkdir -p docs/images out/pictures
    for name in gummy_bear bunny octopus armadillo dragon human car letter; do
        "$pliant" mesh --generate $name -o out/pictures/$name.msh >/dev/null
        "$pliant" render out/pictures/$name.msh --size 280x280 -o docs/images/creature_$name.png
    done
    set -- scenes/*.json scenes/paper/*.json
    [ -z "${PLIANT_DATA:-}" ] || set -- "$@" bench/scenes/*.json
fi
mkdir -p docs/images out/pictures

for scene in "$@"; do
    name=$(basename "$scene" .json)
    case $scene in
    scenes/paper/* | bench/scenes/*) case $name in pbd_* | grid_*) ;; *) name=galerkin_$name ;; esac ;;
    esac
    options=()
    if [ "$name" = demo ]; then # as in demo.sh
        skin=$PWD/out/pictures/bear.obj
        "$pliant" mesh --generate gummy-bear --edge 0.0025 --surface -o "$skin"
        options=(--set "bodies[0].render.surface=$skin")
    fi
    case $scene in
    bench/scenes/*) bash scripts/run_real_scene.sh "$bin" "$scene" --quiet --force -o "out/pictures/$name" ;;
    *) "$pliant" run "$scene" --quiet --force "${options[@]}" -o "out/pictures/$name" ;;
    esac
    "$pliant" render "out/pictures/$name" --sheet 4x1 --size 320x280 -o "docs/images/$name.png"
done
