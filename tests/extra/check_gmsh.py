# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""The program gmsh reads what pliant writes and saves it as it understood it: equal counts, volume, groups."""
import shutil
import subprocess

import mesh_checks

if not shutil.which("gmsh"):
    mesh_checks.skip("gmsh is not there")

checks = mesh_checks.Checks("gmsh")
sample = checks.path("sample.msh")
mesh_checks.sample(sample)


def gmsh_reads(path):
    """Points, triangles, tets and groups in gmsh's own words: the file saved again as 2.2 text."""
    copy = path + ".saved.msh"
    done = subprocess.run(["gmsh", path, "-0", "-save_all", "-format", "msh22", "-o", copy],
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0 or "Error" in done.stdout + done.stderr:
        raise SystemExit(f"gmsh does not read {path}: {done.stdout[-500:]}{done.stderr[-500:]}")
    lines = open(copy).read().split("\n")
    at = lines.index("$Nodes")
    rows = [line.split() for line in lines[at + 2:at + 2 + int(lines[at + 1])]]
    points = {int(r[0]): [float(x) for x in r[1:4]] for r in rows}
    at = lines.index("$Elements")
    rows = [[int(x) for x in line.split()] for line in lines[at + 2:at + 2 + int(lines[at + 1])]]
    elements = {kind: [r[3 + r[2]:] for r in rows if r[1] == kind] for kind in (2, 4)}
    names = []
    if "$PhysicalNames" in lines:
        at = lines.index("$PhysicalNames")
        names = sorted(line.split('"')[1] for line in lines[at + 2:at + 2 + int(lines[at + 1])])
    return points, elements[2], elements[4], names


for path, mesh in checks.written(sample, (".msh", ".mesh", ".ply", ".stl")):
    if path.endswith("binary.ply"):
        continue  # gmsh takes all numbers of binary PLY for floats (it calls its reader experimental)
    points, triangles, tets, names = gmsh_reads(path)
    tolerance = mesh_checks.tolerance_of(path)
    checks.same(f"{path}: vertices", len(points), mesh["vertices"])
    checks.same(f"{path}: triangles", len(triangles), mesh["triangles"])
    checks.same(f"{path}: tets", len(tets), mesh["tets"])
    checks.same(f"{path}: area", mesh_checks.area(points, triangles), mesh["area"], tolerance)
    if tets:
        checks.same(f"{path}: volume", mesh_checks.volume(points, tets), mesh["volume"], tolerance)
    if path.endswith(".msh"):
        checks.same(f"{path}: groups", names, ["body", "skin"])
checks.done()
