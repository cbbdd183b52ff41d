# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""VTK reads what pliant writes, and pliant what VTK writes in every layout it has, with equal counts, volume, data."""
import itertools

import mesh_checks

try:
    import vtk
except ImportError as missing:
    mesh_checks.skip(f"python3-vtk9 is not there: {missing}")

checks = mesh_checks.Checks("VTK")
vtk.vtkObject.GlobalWarningDisplayOff()
sample = checks.path("sample.msh")
mesh_checks.sample(sample)


def load(reader, path):
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def corners(grid, kind):
    found = []
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        if cell.GetCellType() == kind:
            found.append([cell.GetPointId(k) for k in range(cell.GetNumberOfPoints())])
    return found


def compare(path, mesh, grid):
    points = [grid.GetPoint(i) for i in range(grid.GetNumberOfPoints())]
    tets, triangles = corners(grid, vtk.VTK_TETRA), corners(grid, vtk.VTK_TRIANGLE)
    tolerance = 1e-5 if path.endswith((".ply", ".obj", ".stl")) else 1e-12  # VTK has floats there
    checks.same(f"{path}: vertices", len(points), mesh["vertices"])
    checks.same(f"{path}: tets", len(tets), mesh["tets"])
    checks.same(f"{path}: triangles", len(triangles), mesh["triangles"])
    checks.same(f"{path}: area", mesh_checks.area(points, triangles), mesh["area"], tolerance)
    if tets:
        checks.same(f"{path}: volume", mesh_checks.volume(points, tets), mesh["volume"], tolerance)


# what pliant writes
readers = {".vtu": vtk.vtkXMLUnstructuredGridReader, ".obj": vtk.vtkOBJReader, ".ply": vtk.vtkPLYReader,
           ".stl": vtk.vtkSTLReader}
for path, mesh in checks.written(sample, readers):
    grid = load(readers[path[-4:]](), path)
    compare(path, mesh, grid)
    if path.endswith(".vtu"):
        region = grid.GetCellData().GetArray("region")
        checks.same(f"{path}: range of regions", region.GetRange(), (1.0, 2.0))

# what VTK writes: a grid with data of several types
checks.convert(sample, checks.path("start.vtu"))
mesh, error = checks.describe(sample)
grid = load(vtk.vtkXMLUnstructuredGridReader(), checks.path("start.vtu"))
grid.GetCellData().RemoveArray("region")


def add(data, kind, name, components, count):
    array = kind()
    array.SetName(name)
    array.SetNumberOfComponents(components)
    array.SetNumberOfTuples(count)
    total = 0
    for i, k in itertools.product(range(count), range(components)):
        array.SetComponent(i, k, (i + k) % 100)
        total += (i + k) % 100
    data.AddArray(array)
    return float(total)


sums = {"heat": add(grid.GetPointData(), vtk.vtkDoubleArray, "heat", 1, grid.GetNumberOfPoints()),
        "flow": add(grid.GetPointData(), vtk.vtkFloatArray, "flow", 3, grid.GetNumberOfPoints()),
        "kind": add(grid.GetCellData(), vtk.vtkUnsignedCharArray, "kind", 1, grid.GetNumberOfCells()),
        "two words": add(grid.GetCellData(), vtk.vtkIdTypeArray, "two words", 2, grid.GetNumberOfCells())}


def compare_read(name, expected, expected_sums):
    read, error = checks.describe(checks.path(name))
    if not read:
        raise SystemExit(error)
    for key in ("vertices", "tets", "triangles"):
        checks.same(f"{name}: {key}", expected[key], read[key])
    for key in ("volume", "area"):
        checks.same(f"{name}: {key}", expected[key] + 1.0, read[key] + 1.0, 1e-6)
    found = {}
    for field in read["fields"]:
        found[field["name"]] = found.get(field["name"], 0.0) + field["sum"]
    for key, total in expected_sums.items():
        checks.same(f"{name}: sum of {key}", total, found.get(key), 1e-12)


def save(writer, name, data):
    writer.SetInputData(data)
    writer.SetFileName(checks.path(name))
    if writer.Write() != 1:
        raise SystemExit(f"VTK cannot write {name}")


for order, header, mode, packer in itertools.product(
        ("LittleEndian", "BigEndian"), (32, 64), ("Ascii", "Binary", "Appended", "AppendedBase64"),
        ("None", "ZLib", "LZ4", "LZMA")):
    writer = vtk.vtkXMLUnstructuredGridWriter()
    getattr(writer, f"SetByteOrderTo{order}")()
    writer.SetHeaderType(header)
    getattr(writer, f"SetDataModeTo{mode.replace('Base64', '')}")()
    writer.SetEncodeAppendedData(mode == "AppendedBase64")
    getattr(writer, f"SetCompressorTypeTo{packer}")()
    writer.SetBlockSize(1024)
    name = f"{order}_{header}_{mode}_{packer}.vtu"
    save(writer, name, grid)
    if mode != "Ascii" and packer in ("LZ4", "LZMA"):
        read, error = checks.describe(checks.path(name))
        checks.same(f"{name}: refused by name", read is None and f"vtk{packer}DataCompressor" in error, True)
    else:
        compare_read(name, mesh, sums)

surface_filter = vtk.vtkGeometryFilter()
surface_filter.SetInputData(grid)
surface_filter.Update()
surface = surface_filter.GetOutput()
points = [surface.GetPoint(i) for i in range(surface.GetNumberOfPoints())]
triangles = corners(surface, vtk.VTK_TRIANGLE)
outside = {"vertices": len(points), "tets": 0, "triangles": len(triangles), "volume": 0.0,
           "area": mesh_checks.area(points, triangles)}
for version, kind in itertools.product((42, 51), (vtk.VTK_ASCII, vtk.VTK_BINARY)):
    for writer, data, expected, expected_sums in ((vtk.vtkUnstructuredGridWriter(), grid, mesh, sums),
                                                  (vtk.vtkPolyDataWriter(), surface, outside, {})):
        writer.SetFileVersion(version)
        writer.SetFileType(kind)
        name = f"{version}_{kind}_{expected['tets']}.vtk"
        save(writer, name, data)
        compare_read(name, expected, expected_sums)
for writer, name in ((vtk.vtkPLYWriter(), "a.ply"), (vtk.vtkSTLWriter(), "a.stl")):
    for kind in (vtk.VTK_ASCII, vtk.VTK_BINARY):
        writer.SetFileType(kind)
        save(writer, name, surface)
        compare_read(name, outside, {})
save(vtk.vtkOBJWriter(), "a.obj", surface)
compare_read("a.obj", outside, {})
checks.done()
