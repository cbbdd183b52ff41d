#!/usr/bin/env bash
# A picture of each scene in docs/images, four moments of it: pictures.sh FOLDER_OF_THE_COMMAND [SCENE...]
set -eu
cd "$(dirname "$0")/.."
pliant=$1/pliant
shift
[ $# -gt 0 ] || set -- scenes/*.json
mkdir -p docs/images

for scene in "$@"; do
    name=$(basename "$scene" .json)
    "$pliant" run "$scene" --quiet --force -o "out/pictures/$name"
    "$pliant" render "out/pictures/$name" --sheet 4x1 --size 320x280 -o "docs/images/$name.png"
done
