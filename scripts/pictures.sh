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
    # finer than the edges by default
    for creature in gummy_bear:0.002 bunny:0.0015 octopus:0.0018 armadillo:0.0014 dragon:0.0013 human:0.016 car:0.03 letter:0.002 hand:0.0027; do
        name=${creature%:*}
        "$pliant" mesh --generate "$name" --edge "${creature#*:}" --surface -o "out/pictures/$name.obj" >/dev/null 2>&1
        "$pliant" render "out/pictures/$name.obj" --size 400x400 --samples 16 -o "docs/images/creature_$name.png"
    done
    # the bear of docs/guide.md and its modes, docs/modes.md
    "$pliant" mesh --generate gummy_bear -o out/pictures/bear.obj >/dev/null 2>&1
    sed -n '/^```json$/,/^```$/p' docs/guide.md | sed -n '2,/^```$/p' | sed '/^```$/d' >out/pictures/bear.json
    "$pliant" run out/pictures/bear.json --quiet --force -o out/pictures/guide_bear >/dev/null
    "$pliant" render out/pictures/guide_bear --sheet 5x1 --size 320x280 -o docs/images/guide_bear.png
    "$pliant" mesh --generate gummy_bear --edge 0.003 -o out/pictures/modes.msh >/dev/null 2>&1
    "$pliant" modes out/pictures/modes.msh -n 14 -o out/pictures/modes.plr >/dev/null
    "$pliant" render out/pictures/modes.plr --sheet 5x3 --size 240x260 --no-label -o docs/images/modes_bear.png
    set -- scenes/*.json scenes/paper/*.json
    [ -z "${PLIANT_DATA:-}" ] || set -- "$@" bench/scenes/*.json
fi
mkdir -p docs/images out/pictures

# the fine mesh, and how far from it the coarse one is: alone, with DAC, with EigenFit
compare_eigenfit() {
    local scene=$1 kind
    run() { "$pliant" run "$scene" --quiet --force -o "out/pictures/eigenfit_$1" "${@:2}"; }
    run fitted
    run dac --set bodies[0].eigenfit.dac=true
    run coarse --set bodies[0].eigenfit=null
    run fine --set bodies[0].eigenfit=null --set bodies[0].generate.edge=0.03
    "$pliant" render out/pictures/eigenfit_fine --frame 90 --size 260x380 --no-label -o docs/images/eigenfit_fine.png
    for kind in coarse dac fitted; do
        "$pliant" render "out/pictures/eigenfit_$kind" --color-by error --against out/pictures/eigenfit_fine --range 0:0.03 \
            --frame 90 --size 300x380 --no-label -o "docs/images/eigenfit_$kind.png"
    done
}

for scene in "$@"; do
    if [ "$scene" = scenes/eigenfit_armadillo.json ]; then
        compare_eigenfit "$scene"
        continue
    fi
    name=$(basename "$scene" .json)
    case $scene in
    scenes/paper/* | bench/scenes/*) case $name in pbd_* | grid_*) ;; *) name=galerkin_$name ;; esac ;;
    esac
    case $scene in
    bench/scenes/*) bash scripts/run_real_scene.sh "$bin" "$scene" --quiet --force -o "out/pictures/$name" ;;
    *) "$pliant" run "$scene" --quiet --force -o "out/pictures/$name" ;;
    esac
    camera=()
    case $name in
    *pachinko* | galerkin_armadillos) camera=(--azimuth 10 --elevation 8) ;;
    stacked_boxes) camera=(--show contacts) ;;
    knot) camera=(--azimuth 0 --elevation 25) ;;
    esac
    "$pliant" render "out/pictures/$name" --sheet 4x1 --size 320x280 "${camera[@]}" -o "docs/images/$name.png"
    if [ "$scene" = scenes/paper/pbd_dress.json ]; then
        "$pliant" run "$scene" --set bodies[0].hierarchy=0 --quiet --force -o out/pictures/pbd_dress_plain
        "$pliant" render out/pictures/pbd_dress_plain --sheet 4x1 --size 320x280 -o docs/images/pbd_dress_plain.png
    fi
done
