# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""What the checks of meshes with other programs share: a mesh of our own, pliant's converter, comparison."""
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile

SURFACES = (".obj", ".ply", ".stl")


class Checks:
    """Counts comparisons; the first difference ends the check with both values."""

    def __init__(self, needed):
        self.bin = sys.argv[1]
        self.count = 0
        self.needed = needed
        self.temporary = tempfile.TemporaryDirectory(prefix="pliant-extra-")
        self.folder = self.temporary.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def same(self, what, actual, expected, tolerance=0.0):
        self.count += 1
        if isinstance(expected, float):
            good = math.isclose(actual, expected, rel_tol=tolerance)
        else:
            good = actual == expected
        if not good:
            sys.exit(f"{what}: {self.needed} says {actual}, pliant says {expected}")

    def run(self, program, *arguments):
        done = subprocess.run([os.path.join(self.bin, program), *arguments], capture_output=True, text=True)
        if done.returncode not in (0, 2):
            sys.exit(f"{program} {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
        return done

    def describe(self, path):
        """What pliant finds in a file, or None and the error."""
        done = self.run("pliant-describe-test", path)
        return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr)

    def convert(self, source, target, *options):
        done = self.run("pliant", "mesh", source, "-o", target, *options)
        if done.returncode != 0:
            sys.exit(f"{target}: {done.stderr}")

    def written(self, source, endings):
        """Files that pliant writes from the source: path, what a reader should find."""
        for ending in endings:
            for name, options in (("binary", []), ("text", ["--ascii"])):
                path = self.path(name + ending)
                self.convert(source, path, *options)
                # a format of surfaces holds the boundary, others all of the source
                mesh, error = self.describe(path if ending in SURFACES else source)
                if not mesh:
                    sys.exit(error)
                yield path, mesh

    def done(self):
        print(f"{self.count} comparisons with {self.needed}")
        sys.exit(0)


def skip(why):
    print(why)
    sys.exit(77)


def sample(path, n=4):
    """A wavy box of 6 n^3 tets with its boundary, as Gmsh 2.2 text with physical groups."""
    index = {p: i for i, p in enumerate(itertools.product(range(n + 1), repeat=3))}
    tets, faces = [], {}
    for cell in itertools.product(range(n), repeat=3):
        for order in itertools.permutations(range(3)):
            corner, tet = list(cell), [index[cell]]
            for axis in order:
                corner[axis] += 1
                tet.append(index[tuple(corner)])
            if order not in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                tet[2], tet[3] = tet[3], tet[2]
            tets.append(tet)
            for a, b, c in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)):
                face = (tet[a], tet[b], tet[c])
                faces.setdefault(tuple(sorted(face)), []).append(face)
    boundary = [f[0] for f in faces.values() if len(f) == 1]
    with open(path, "w") as out:
        out.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 2 \"skin\"\n3 1 \"body\"\n"
                  f"$EndPhysicalNames\n$Nodes\n{len(index)}\n")
        for (i, j, k), number in index.items():
            x, y, z = i / n, j / n, k / n
            out.write(f"{number + 1} {x + 0.1 * math.sin(3 * y)!r} {y + 0.1 * z * x!r} {z / 3!r}\n")
        out.write(f"$EndNodes\n$Elements\n{len(boundary) + len(tets)}\n")
        for number, face in enumerate(boundary):
            out.write(f"{number + 1} 2 2 2 1 {face[0] + 1} {face[1] + 1} {face[2] + 1}\n")
        for number, tet in enumerate(tets):
            corners = " ".join(str(v + 1) for v in tet)
            out.write(f"{len(boundary) + number + 1} 4 2 1 1 {corners}\n")
        out.write("$EndElements\n")


def volume(points, tets):
    """Sum of the signed volumes."""
    total = []
    for tet in tets:
        a, b, c, d = (points[v] for v in tet)
        u, v, w = ([q - p for p, q in zip(a, e)] for e in (b, c, d))
        total.append(u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2])
                     + u[2] * (v[0] * w[1] - v[1] * w[0]))
    return math.fsum(total) / 6


def area(points, triangles):
    total = []
    for triangle in triangles:
        a, b, c = (points[v] for v in triangle)
        u, v = ([q - p for p, q in zip(a, e)] for e in (b, c))
        total.append(math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                                u[0] * v[1] - u[1] * v[0]) / 2)
    return math.fsum(total)


def tolerance_of(path):
    """Binary STL holds floats."""
    return 1e-5 if path.endswith(".stl") else 1e-12
