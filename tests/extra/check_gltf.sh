#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
#
# Khronos' glTF validator finds no error and no warning in exported runs. It comes from npm and is
# kept in build/npm.
set -u
bin=$1
command -v node >/dev/null && command -v npm >/dev/null || { echo "nodejs and npm are not there"; exit 77; }
modules=$(cd "$bin/.." && pwd)/npm
mkdir -p "$modules"
if [ ! -d "$modules/node_modules/gltf-validator" ]; then
    npm install --silent --prefix "$modules" gltf-validator@2.0.0-dev.3.10 >/dev/null 2>&1 ||
        { echo "npm cannot fetch gltf-validator"; exit 77; }
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$bin/pliant-make-recording" "$folder/run" || exit 1
"$bin/pliant" export "$folder/run" --to glb >/dev/null || exit 1
"$bin/pliant" export "$folder/run" --to glb --every 100 -o "$folder/still.glb" >/dev/null || exit 1
# a surface with polygons, texture coordinates, normals and two materials
cat >"$folder/cube.obj" <<'OBJ'
v 0 0 0
v 0.1 0 0
v 0.1 0.1 0
v 0 0.1 0
v 0 0 0.1
v 0.1 0 0.1
v 0.1 0.1 0.1
v 0 0.1 0.1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vn 0 0 -1
vn 0 0 1
vn 0 -1 0
usemtl skin
f 1/1/1 4/2/1 3/3/1 2/4/1
f 1/1/3 2/2/3 6/3/3 5/4/3
f 5/1/2 6/2/2 7/3/2 8/4/2
usemtl hair
f 2/1 3/2 7/3 6/4
f 3/1 4/2 8/3 7/4
f 4/1 1/2 5/3 8/4
OBJ
echo '{"pliant": 1, "frames": 3, "bodies": [{"mesh": "cube.obj", "edge": 0.05}]}' >"$folder/cube.json"
"$bin/pliant" run "$folder/cube.json" -o "$folder/cube" --quiet >/dev/null 2>&1 || exit 1
"$bin/pliant" export "$folder/cube" --to glb >/dev/null || exit 1
# colliders that grow, spin, swing, rest, and the ground
cat >"$folder/colliders.json" <<'SCENE'
{"pliant": 1, "frames": 5, "bodies": [{"generate": {"shape": "box", "size_x": 0.3, "size_y": 0.3, "size_z": 0.3, "edge": 0.3},
 "transform": {"translate": [0, 2, 0]}}], "colliders": [
 {"sphere": {"center": [0, 0.5, 0], "radius": {"keyframes": [[0, 0.5], [1, 1]]}}},
 {"box": {"min": [0.8, 0, -0.3], "max": [1.4, 0.5, 0.3]}, "motion": {"spin_rate": 400}},
 {"capsule": {"from": [-1.2, 0.2, 0.5], "to": [-1.2, 0.8, -0.5], "radius": 0.2},
  "motion": {"oscillations": [{"translate": [0, 0.3, 0], "frequency": 1}]}},
 {"torus": {"center": [0, 0.2, 1.3], "radius": 0.5, "tube": 0.15}}, {"plane": {}}]}
SCENE
"$bin/pliant" run "$folder/colliders.json" -o "$folder/colliders" --quiet >/dev/null 2>&1 || exit 1
"$bin/pliant" export "$folder/colliders" --to glb >/dev/null || exit 1
cat >"$folder/validate.js" <<'JS'
const fs = require("fs");
const validator = require(process.argv[2] + "/node_modules/gltf-validator");
async function main() {
    let failed = false;
    for (const path of process.argv.slice(3)) {
        const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)));
        const { numErrors, numWarnings, messages } = report.issues;
        if (numErrors + numWarnings > 0) {
            console.log(path, JSON.stringify(messages.slice(0, 10), null, 1));
            failed = true;
        }
        console.log(`${numErrors} errors, ${numWarnings} warnings, ${report.info.drawCallCount} draw calls, ` +
            `${report.info.animationCount} animations, ${report.info.totalVertexCount} vertices`);
    }
    process.exit(failed ? 1 : 0);
}
main().catch((error) => { console.log(error); process.exit(1); });
JS
node "$folder/validate.js" "$modules" "$folder/still.glb" "$folder/cube/run.glb" "$folder/run/run.glb" "$folder/colliders/run.glb"
