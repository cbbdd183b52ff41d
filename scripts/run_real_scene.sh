#!/usr/bin/env bash
# `pliant run` for a scene of bench/scenes, whose meshes are not part of the project but lie in the folder PLIANT_DATA:
# run_real_scene.sh FOLDER_OF_THE_COMMAND SCENE OPTIONS_OF_RUN...
set -eu
pliant=$1/pliant
scene=$2
shift 2
: "${PLIANT_DATA:?names no folder with meshes}"

options=()
body=0
while read -r mesh; do
    options+=(--set "bodies[$body].mesh=$(cd "$PLIANT_DATA" && pwd)/$mesh")
    body=$((body + 1))
done < <(sed -n 's/.*"mesh": "\(.*\)",.*/\1/p' "$scene")
exec "$pliant" run "$scene" "${options[@]}" "$@"
