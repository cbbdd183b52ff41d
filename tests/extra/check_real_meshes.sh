#!/usr/bin/env bash
# Tests and scenes on real meshes, those of the folder PLIANT_DATA: check_real_meshes.sh BIN_FOLDER
set -u
bin=$1
if [ -z "${PLIANT_DATA:-}" ]; then
    echo "PLIANT_DATA names no folder with real meshes"
    exit 77
fi
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PLIANT_BIN=$bin "$bin/pliant-tests" --real-meshes || exit 1
scenes=0
for scene in bench/scenes/*.json; do
    bash scripts/run_real_scene.sh "$bin" "$scene" --frames 2 --quiet --force -o "$work/run" || exit 1
    scenes=$((scenes + 1))
done
echo "all tests on real meshes; $scenes scenes"
