# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""meshio reads what pliant writes, and pliant what meshio writes, with equal counts, volume and data."""
import contextlib
import io

import mesh_checks

try:
    import meshio
    import numpy
except ImportError as missing:
    mesh_checks.skip(f"python3-meshio is not there: {missing}")

checks = mesh_checks.Checks("meshio")
sample = checks.path("sample.msh")
mesh_checks.sample(sample)


def cells(mesh, kind):
    return [tuple(c) for block in mesh.cells if block.type == kind for c in block.data]


def compare(path, mesh, found):
    points = found.points.tolist()
    tets, triangles = cells(found, "tetra"), cells(found, "triangle")
    if path.endswith(".stl"):
        checks.same(f"{path}: triangles", len(triangles), mesh["triangles"])
    else:
        checks.same(f"{path}: vertices", len(points), mesh["vertices"])
        checks.same(f"{path}: triangles", len(triangles), mesh["triangles"])
        checks.same(f"{path}: tets", len(tets), mesh["tets"])
    tolerance = mesh_checks.tolerance_of(path)
    checks.same(f"{path}: area", mesh_checks.area(points, triangles), mesh["area"], tolerance)
    if tets:
        checks.same(f"{path}: volume", mesh_checks.volume(points, tets), mesh["volume"], tolerance)


# what pliant writes
for path, mesh in checks.written(sample, (".msh", ".vtu", ".mesh", ".obj", ".ply", ".stl")):
    with contextlib.redirect_stdout(io.StringIO()):  # it remarks on what it skips
        found = meshio.read(path)
    compare(path, mesh, found)
    if path.endswith(".msh"):
        checks.same(f"{path}: group names", sorted(found.field_data), ["body", "skin"])
    if path.endswith(".vtu"):
        regions = {int(v) for block in found.cell_data["region"] for v in block}
        checks.same(f"{path}: numbers of regions", regions, {1, 2})

# what meshio writes, with a field on the points and one on the cells
mesh, error = checks.describe(sample)
with contextlib.redirect_stdout(io.StringIO()):
    model = meshio.read(sample)
    model = meshio.Mesh(model.points, model.cells)
    model.point_data["heat"] = numpy.arange(len(model.points)) * 0.5
    model.cell_data["number"] = [numpy.arange(len(block.data)) for block in model.cells]
    files = {"vtk42.vtk": ("vtk42", {}), "vtk51.vtk": ("vtk", {}), "text.vtk": ("vtk", {"binary": False}),
             "text42.vtk": ("vtk42", {"binary": False}), "zlib.vtu": ("vtu", {}),
             "plain.vtu": ("vtu", {"compression": None}), "text.vtu": ("vtu", {"binary": False}),
             "bin22.msh": ("gmsh22", {}), "text22.msh": ("gmsh22", {"binary": False}), "io.mesh": ("medit", {})}
    for name, (kind, options) in files.items():
        meshio.write(checks.path(name), model, file_format=kind, **options)
for name in files:
    read, error = checks.describe(checks.path(name))
    if not read:
        raise SystemExit(error)
    for key in ("vertices", "tets", "triangles"):
        checks.same(f"{name}: {key}", mesh[key], read[key])
    checks.same(f"{name}: volume", mesh["volume"], read["volume"], 1e-12)
    if name.endswith((".vtk", ".vtu")):
        sums = {(f["kind"], f["name"]): f["sum"] for f in read["fields"]}
        checks.same(f"{name}: heat", float(sum(model.point_data["heat"])), sums["vertex", "heat"], 1e-12)
        checks.same(f"{name}: number", float(sum(map(sum, model.cell_data["number"]))),
                    sums["tet", "number"] + sums["triangle", "number"], 1e-12)
checks.done()
