# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""References of `pliant-bench s3-locking`, by CalculiX with tets of second order (C3D10).

    python3 bench/references/s3_locking.py build/release/bin [cylinder_edge tube_edge]

Needs ccx (Debian: calculix-ccx). Meshes are pliant's, with a node in the middle of each edge; nodes of round sides are
put on their circles. Law: NEO HOOKE, c10 (J^-2/3 I1 - 3) + (J - 1)^2 / d1, which is pliant's mooney_rivlin with mu2 = 0.
"""
import math
import os
import re
import subprocess
import sys
import tempfile

pliant = os.path.abspath(os.path.join(sys.argv[1], "pliant"))
edges = [float(a) for a in sys.argv[2:4]] or [0.2, 0.2]
NU = 0.49
folder = tempfile.TemporaryDirectory()
path = lambda name: os.path.join(folder.name, name)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder.name)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-1000:]}")


def quadratic_mesh(*options):
    """Points and tets of 10 nodes, in CalculiX's order."""
    run(pliant, "mesh", "--generate", *options, "--ascii", "-o", "m.mesh")
    words = open(path("m.mesh")).read().split()
    at = words.index("Vertices")
    points = [list(map(float, words[at + 2 + 4 * i:at + 5 + 4 * i])) for i in range(int(words[at + 1]))]
    at = words.index("Tetrahedra")
    tets = [[int(w) - 1 for w in words[at + 2 + 5 * i:at + 6 + 5 * i]] for i in range(int(words[at + 1]))]
    middles = {}
    for tet in tets:
        for i, j in ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)):
            key = tuple(sorted((tet[i], tet[j])))
            if key not in middles:
                middles[key] = len(points)
                points.append([0.5 * (points[key[0]][k] + points[key[1]][k]) for k in range(3)])
            tet.append(middles[key])
    return points, tets, middles


def round_sides(points, middles, radii):
    radius = lambda p: (p[0] ** 2 + p[1] ** 2) ** 0.5
    for (a, b), m in middles.items():
        for r in radii:
            if abs(radius(points[a]) - r) < 1e-6 and abs(radius(points[b]) - r) < 1e-6:
                scale = r / radius(points[m])
                points[m][0] *= scale
                points[m][1] *= scale


def end_forces(points, tets, height, traction):
    """Nodal forces of an even traction on the end: a third of a triangle for each of its three middle nodes."""
    forces = {}
    on = lambda v: abs(points[v][2] - height) < 1e-6
    faces = {(0, 1, 2): (4, 5, 6), (0, 1, 3): (4, 8, 7), (1, 2, 3): (5, 9, 8), (0, 2, 3): (6, 9, 7)}
    for tet in tets:
        for corners, mids in faces.items():
            if all(on(tet[c]) for c in corners):
                a, b, c = (points[tet[k]] for k in corners)
                area = 0.5 * abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
                for m in mids:
                    forces[tet[m]] = forces.get(tet[m], 0.0) + traction * area / 3
    # the round end is larger than its triangles
    scale = traction * math.pi * 0.25 / sum(forces.values())
    return {v: scale * f for v, f in forces.items()}


def solve(points, tets, young, held, forces, moved):
    mu, kappa = young / (2 * (1 + NU)), young / (3 * (1 - 2 * NU))
    with open(path("job.inp"), "w") as out:
        out.write("*NODE, NSET=NALL\n")
        out.writelines(f"{i + 1}, {x:.12e}, {y:.12e}, {z:.12e}\n" for i, (x, y, z) in enumerate(points))
        out.write("*ELEMENT, TYPE=C3D10, ELSET=EALL\n")
        out.writelines(f"{i + 1}, {', '.join(str(v + 1) for v in tet)}\n" for i, tet in enumerate(tets))
        out.write(f"*MATERIAL, NAME=RUBBER\n*HYPERELASTIC, NEO HOOKE\n{mu / 2:.12e}, {2 / kappa:.12e}\n"
                  "*SOLID SECTION, ELSET=EALL, MATERIAL=RUBBER\n*BOUNDARY\n")
        out.writelines(f"{v + 1}, 1, 3\n" for v in held)
        out.write("*STEP, NLGEOM, INC=1000\n*STATIC\n0.1, 1.0\n")
        if forces:
            out.write("*CLOAD\n")
            out.writelines(f"{v + 1}, 3, {f:.12e}\n" for v, f in forces.items())
        if moved:
            out.write("*BOUNDARY\n")
            out.writelines(f"{v + 1}, 1, 2\n{v + 1}, 3, 3, {d:.12e}\n" for v, d in moved.items())
        out.write("*NODE PRINT, NSET=NALL, FREQUENCY=1000\nU\n*END STEP\n")
    run("ccx", "-i", "job")
    u = [None] * len(points)
    for line in open(path("job.dat")):
        words = re.findall(r"[-+]?\d\.\d+(?:E[-+]?\d+)?", line)
        first = line.split()[:1]
        if len(words) == 3 and first[0].isdigit():
            u[int(first[0]) - 1] = list(map(float, words))
    return [[p[k] + d[k] for k in range(3)] for p, d in zip(points, u)]


def mean_radius(points, moved, radius, height):
    """Of the nodes that were at this radius and height."""
    at = [m for p, m in zip(points, moved) if abs((p[0] ** 2 + p[1] ** 2) ** 0.5 - radius) < 1e-6 and abs(p[2] - height) < 1e-6]
    return sum((m[0] ** 2 + m[1] ** 2) ** 0.5 for m in at) / len(at)


def cylinder():
    points, tets, middles = quadratic_mesh("cylinder", "--edge", str(edges[0]), "--set", "radius=0.5", "--set", "height=2")
    round_sides(points, middles, [0.5])
    held = [v for v, p in enumerate(points) if p[2] < 1e-6]
    moved = solve(points, tets, 3e5, held, end_forces(points, tets, 2.0, 1e5), {})
    end = [m[2] for p, m in zip(points, moved) if p[2] > 2 - 1e-6]
    print(f"cylinder, {len(tets)} tets: length {sum(end) / len(end):.5f}, radius at half height {mean_radius(points, moved, 0.5, 1.0):.5f}")


def tube():
    points, tets, middles = quadratic_mesh("tube", "--edge", str(edges[1]), "--set", "inner_radius=0.5", "--set", "outer_radius=1", "--set", "height=1")
    round_sides(points, middles, [0.5, 1.0])
    held = [v for v, p in enumerate(points) if p[2] < 1e-6]
    moved = solve(points, tets, 3e6, held, {}, {v: -0.3 for v, p in enumerate(points) if p[2] > 1 - 1e-6})
    print(f"tube, {len(tets)} tets: radii at half height {mean_radius(points, moved, 0.5, 0.5):.5f} {mean_radius(points, moved, 1.0, 0.5):.5f}")


cylinder()
tube()
