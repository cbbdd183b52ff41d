# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""Runs inside Blender: blender --background --python blender_import.py -- RUN_FOLDER (see check_blender.sh)."""
import os
import struct
import sys

import bpy
import numpy

# Debian 12: Blender's glTF importer still uses a name that numpy has dropped
if "bool" not in numpy.__dict__:
    numpy.bool = bool

run = sys.argv[sys.argv.index("--") + 1]
compared = 0


def cache_of(body):
    with open(os.path.join(run, "pc2", f"{body}.pc2"), "rb") as file:
        data = file.read()
    _, _, points, _, _, samples = struct.unpack("<12siiffi", data[:32])
    flat = struct.unpack_from(f"<{3 * points * samples}f", data, 32)
    return points, samples, flat


def import_obj(path):
    # as the file says: no turn from y up to z up
    if hasattr(bpy.ops.wm, "obj_import"):
        bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z")
    else:
        bpy.ops.import_scene.obj(filepath=path, axis_forward="Y", axis_up="Z", split_mode="OFF")
    return bpy.context.selected_objects[0]


def compare(what, found, expected):
    global compared
    error = max(abs(a - b) for a, b in zip(found, expected))
    compared += 1
    if error > 1e-5:
        raise SystemExit(f"{what}: Blender is {error} away from pliant")


def vertices_of(thing):
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [c for v in evaluated.data.vertices for c in evaluated.matrix_world @ v.co]


bpy.ops.wm.read_factory_settings(use_empty=True)
for body in ("ball", "flag"):
    points, samples, flat = cache_of(body)
    thing = import_obj(os.path.join(run, "pc2", f"{body}.obj"))
    if len(thing.data.vertices) != points:
        raise SystemExit(f"{body}: Blender has {len(thing.data.vertices)} vertices, the cache {points}")
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = os.path.join(run, "pc2", f"{body}.pc2")
    cache.frame_start = 0
    for frame in range(samples):
        bpy.context.scene.frame_set(frame)
        compare(f"{body}, frame {frame} of the cache", vertices_of(thing), flat[3 * points * frame :])

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=os.path.join(run, "run.glb"), merge_vertices=False)
meshes = [thing for thing in bpy.data.objects if thing.type == "MESH"]
if sorted(thing.name for thing in meshes) != ["ball", "flag"]:
    raise SystemExit(f"the .glb has {[thing.name for thing in meshes]}")
rate = bpy.context.scene.render.fps
for thing in meshes:
    points, samples, flat = cache_of(thing.name)
    for frame in range(samples):
        at = frame / samples * rate
        bpy.context.scene.frame_set(int(at), subframe=at - int(at))
        # glTF is y up, Blender z up: back to what the file says
        found = vertices_of(thing)
        turned = [c for k in range(0, len(found), 3) for c in (found[k], found[k + 2], -found[k + 1])]
        box = [max(turned[c::3]) for c in range(3)] + [min(turned[c::3]) for c in range(3)]
        part = flat[3 * points * frame : 3 * points * (frame + 1)]
        compare(f"{thing.name}, frame {frame} of the .glb", box,
                [max(part[c::3]) for c in range(3)] + [min(part[c::3]) for c in range(3)])
print(f"compared {compared} frames with Blender {bpy.app.version_string}")
