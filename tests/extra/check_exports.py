# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""VTK reads the VTU, PLY and OBJ series and the index of an exported run; the PC2 and CSV agree with them."""
import csv
import os
import struct
import xml.etree.ElementTree as tree

import mesh_checks

try:
    import vtk
except ImportError as missing:
    mesh_checks.skip(f"python3-vtk9 is not there: {missing}")

checks = mesh_checks.Checks("VTK")
vtk.vtkObject.GlobalWarningDisplayOff()
FRAMES, BALL, FLAG = 12, 23 * 48 + 2, 17 * 17
run = checks.path("run")
checks.run("pliant-make-recording", run)
for kind in ("vtu", "ply", "obj", "pc2", "csv"):
    done = checks.run("pliant", "export", run, "--to", kind)
    checks.same(f"export to {kind}", done.returncode, 0)


def points(reader, path):
    reader.SetFileName(path)
    reader.Update()
    output = reader.GetOutput()
    return [output.GetPoint(i) for i in range(output.GetNumberOfPoints())], output


index = tree.parse(os.path.join(run, "vtu", "run.pvd")).getroot()
entries = index.findall("./Collection/DataSet")
checks.same("entries of run.pvd", len(entries), 2 * FRAMES)
frames = {}
for number, entry in enumerate(entries):
    checks.same("time of an entry", float(entry.get("timestep")), number // 2 / FRAMES, 1e-9)
    found, output = points(vtk.vtkXMLUnstructuredGridReader(), os.path.join(run, "vtu", entry.get("file")))
    body = "flag" if number % 2 else "ball"
    checks.same(f"{entry.get('file')}: vertices", len(found), FLAG if number % 2 else BALL)
    checks.same(f"{entry.get('file')}: speed", output.GetPointData().HasArray("speed"), 1 - number % 2)
    frames[body, number // 2] = found

# the same numbers by every way out; VTK's own readers of PLY and OBJ have floats
for (body, frame), expected in frames.items():
    for kind, reader in (("ply", vtk.vtkPLYReader()), ("obj", vtk.vtkOBJReader())):
        found, output = points(reader, os.path.join(run, kind, f"{body}_{frame:05d}.{kind}"))
        if kind == "obj" and body == "flag":
            checks.same("texture coordinates of the flag", output.GetPointData().GetTCoords() is not None, True)
        checks.same(f"{kind} {body} {frame}: vertices", len(found), len(expected))
        for a, b in zip(found[:: len(found) // 20], expected[:: len(found) // 20]):
            checks.same(f"{kind} {body} {frame}: position", max(abs(x - y) for x, y in zip(a, b)) < 1e-6, True)

with open(os.path.join(run, "pc2", "ball.pc2"), "rb") as file:
    cache = file.read()
magic, version, count, start, rate, samples = struct.unpack("<12siiffi", cache[:32])
checks.same("PC2 header", (magic, version, count, start, rate, samples), (b"POINTCACHE2\0", 1, BALL, 0.0, 1.0, FRAMES))
for frame in range(FRAMES):
    values = struct.unpack_from(f"<{3 * BALL}f", cache, 32 + 12 * BALL * frame)
    flat = [x for p in frames["ball", frame] for x in p]
    checks.same(f"PC2 sample {frame}", max(abs(a - b) for a, b in zip(values, flat)) < 1e-6, True)

with open(os.path.join(run, "run.csv"), newline="") as file:
    rows = list(csv.DictReader(file))
checks.same("rows of run.csv", len(rows), 2 * FRAMES)
for row in rows:
    middle = sum(p[1] for p in frames[row["body"], int(row["frame"])]) / len(frames[row["body"], int(row["frame"])])
    checks.same("middle_y", float(row["middle_y"]), middle, 1e-5)
print(f"{checks.count} comparisons")
