#!/usr/bin/env bash
# A picture of each scene in docs/images, four moments of it: pictures.sh FOLDER_OF_THE_COMMAND [SCENE...]
set -eu
cd "$(dirname "$0")/.."
pliant=$1/pliant
shift
[ $# -gt 0 ] || set -- scenes/*.json scenes/paper/{armadillo_7k,cloth_newton,cloth_projective,cloth_over_sphere,pachinko,dragon,octopus,pbd_dress,pbd_bunny}.json
mkdir -p docs/images out/pictures

for scene in "$@"; do
    name=$(basename "$scene" .json)
    case $scene in */paper/*)
        case $name in pbd_*) ;; *) name=galerkin_$name ;; esac
        mesh=$(sed -n 's/.*"mesh": "\(.*\)",.*/\1/p' "$scene")
        if [ -n "$mesh" ] && [ ! -e "$(dirname "$scene")/$mesh" ]; then
            echo "$scene: $mesh is not there, left out"
            continue
        fi ;;
    esac
    options=()
    if [ "$name" = demo ]; then # as in demo.sh
        skin=$PWD/out/pictures/bear.obj
        "$pliant" mesh --generate gummy-bear --edge 0.0025 --surface -o "$skin"
        options=(--set "bodies[0].render.surface=$skin")
    fi
    "$pliant" run "$scene" --quiet --force "${options[@]}" -o "out/pictures/$name"
    "$pliant" render "out/pictures/$name" --sheet 4x1 --size 320x280 -o "docs/images/$name.png"
done
