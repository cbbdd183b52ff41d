# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""meshio reads the VTU, PLY and OBJ series of an exported run; all say the same as the PC2 caches."""
import os
import struct

import mesh_checks

try:
    import meshio
    import numpy
except ImportError as missing:
    mesh_checks.skip(f"python3-meshio is not there: {missing}")

checks = mesh_checks.Checks("meshio")
FRAMES, BODIES = 12, {"ball": 23 * 48 + 2, "flag": 17 * 17}
run = checks.path("run")
checks.run("pliant-make-recording", run)
for kind in ("vtu", "ply", "obj", "pc2"):
    done = checks.run("pliant", "export", run, "--to", kind)
    checks.same(f"export to {kind}", done.returncode, 0)


def cache_of(body, count):
    """All samples of a PC2 file, read by the letter of its format."""
    with open(os.path.join(run, "pc2", f"{body}.pc2"), "rb") as file:
        data = file.read()
    magic, version, points, _, _, samples = struct.unpack("<12siiffi", data[:32])
    checks.same(f"{body}.pc2: head", (magic, version, points, samples), (b"POINTCACHE2\0", 1, count, FRAMES))
    return numpy.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)


for body, count in BODIES.items():
    cache = cache_of(body, count)
    triangles = None
    for frame in range(FRAMES):
        # meshio 5 takes one list per face in binary PLY; the flag's texture coordinates are a second
        for kind in ("vtu", "obj") if body == "flag" else ("vtu", "ply", "obj"):
            name = f"{kind}/{body}_{frame:05d}.{kind}"
            mesh = meshio.read(os.path.join(run, name))
            checks.same(f"{name}: vertices", len(mesh.points), count)
            # texts have nine digits, which is all of a float
            difference = float(numpy.abs(mesh.points.astype(numpy.float32) - cache[frame]).max())
            checks.same(f"{name}: positions equal", difference, 0.0)
            found = numpy.vstack([block.data for block in mesh.cells if block.type == "triangle"])
            if triangles is None:
                triangles = found
            checks.same(f"{name}: triangles equal", bool((found == triangles).all()), True)
            if kind == "vtu" and body == "ball":
                speed = mesh.point_data["speed"]
                checks.same(f"{name}: speeds", (speed.shape[0], bool(numpy.isfinite(speed).all())), (count, True))
print(f"{checks.count} comparisons")
