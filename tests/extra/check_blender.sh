#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
#
# Blender, without a window, takes the rest OBJ with its PC2 cache and the animated .glb of an
# exported run, and has every vertex where pliant has it. A heavy check: Debian's blender brings half
# a gigabyte, so nothing installs it for this.
set -u
bin=$1
blender=${BLENDER:-blender}
command -v "$blender" >/dev/null || { echo "blender is not there"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$bin/pliant-make-recording" "$folder/run" || exit 1
for kind in pc2 glb; do "$bin/pliant" export "$folder/run" --to "$kind" >/dev/null || exit 1; done
# its exit status does not tell of a script that failed; its last line does
"$blender" --background --factory-startup --python "$here/blender_import.py" -- "$folder/run" >"$folder/log" 2>&1
if grep -q "^compared " "$folder/log"; then
    grep "^compared " "$folder/log"
    exit 0
fi
cat "$folder/log"
exit 1
