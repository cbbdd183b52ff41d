# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""References of `pliant-bench s3-locking`, by CalculiX with elements of second order: tets (C3D10), rings (CAX8).

    python3 bench/references/s3_locking.py build/release/bin [cylinder_edge tube_cells]

Needs ccx (Debian: calculix-ccx). The mesh of the cylinder is pliant's, with a node in the middle of each edge; nodes of
its round side are put on their circles. The tube, whose corners at the plates need small elements, is axisymmetric
(CAX8). Law: NEO HOOKE, c10 (J^-2/3 I1 - 3) + (J - 1)^2 / d1, which is pliant's mooney_rivlin with mu2 = 0.
"""
import math
import os
import re
import subprocess
import sys
import tempfile

pliant = os.path.abspath(os.path.join(sys.argv[1], "pliant"))
edge = float(sys.argv[2]) if len(sys.argv) > 2 else 0.2
cells = int(sys.argv[3]) if len(sys.argv) > 3 else 12
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


def write_body(out, kind, points, elements, young):
    """Nodes, elements and law; lines of held nodes may follow."""
    mu, kappa = young / (2 * (1 + NU)), young / (3 * (1 - 2 * NU))
    out.write("*NODE, NSET=NALL\n")
    out.writelines(f"{i + 1}, {x:.12e}, {y:.12e}, {z:.12e}\n" for i, (x, y, z) in enumerate(points))
    out.write(f"*ELEMENT, TYPE={kind}, ELSET=EALL\n")
    out.writelines(f"{i + 1}, {', '.join(map(str, element))}\n" for i, element in enumerate(elements))
    out.write(f"*MATERIAL, NAME=RUBBER\n*HYPERELASTIC, NEO HOOKE\n{mu / 2:.12e}, {2 / kappa:.12e}\n"
              "*SOLID SECTION, ELSET=EALL, MATERIAL=RUBBER\n*BOUNDARY\n")


def run_job(node_count):
    """How far each node moves."""
    with open(path("job.inp"), "a") as out:
        out.write("*NODE PRINT, NSET=NALL, FREQUENCY=1000\nU\n*END STEP\n")
    run("ccx", "-i", "job")
    u = [None] * node_count
    for line in open(path("job.dat")):
        words = re.findall(r"[-+]?\d\.\d+(?:E[-+]?\d+)?", line)
        first = line.split()[:1]
        if len(words) == 3 and first[0].isdigit() and int(first[0]) <= node_count:
            u[int(first[0]) - 1] = list(map(float, words))
    return u


def mean_radius(points, moved, radius, height):
    """Of the nodes that were at this radius and height."""
    at = [m for p, m in zip(points, moved) if abs((p[0] ** 2 + p[1] ** 2) ** 0.5 - radius) < 1e-6 and abs(p[2] - height) < 1e-6]
    return sum((m[0] ** 2 + m[1] ** 2) ** 0.5 for m in at) / len(at)


def cylinder():
    points, tets, middles = quadratic_mesh("cylinder", "--edge", str(edge), "--set", "radius=0.5", "--set", "height=2")
    round_sides(points, middles, [0.5])
    with open(path("job.inp"), "w") as out:
        write_body(out, "C3D10", points, [[v + 1 for v in tet] for tet in tets], 3e5)
        out.writelines(f"{v + 1}, 1, 3\n" for v, p in enumerate(points) if p[2] < 1e-6)
        out.write("*STEP, NLGEOM, INC=1000\n*STATIC\n0.1, 1.0\n*CLOAD\n")
        out.writelines(f"{v + 1}, 3, {f:.12e}\n" for v, f in end_forces(points, tets, 2.0, 1e5).items())
    moved = [[p[k] + d[k] for k in range(3)] for p, d in zip(points, run_job(len(points)))]
    end = [m[2] for p, m in zip(points, moved) if p[2] > 2 - 1e-6]
    print(f"cylinder, {len(tets)} tets: length {sum(end) / len(end):.5f}, radius at half height {mean_radius(points, moved, 0.5, 1.0):.5f}")


def tube():
    """Half a section of the tube, elements of 8 nodes: as many over the wall as asked for, twice as many over the height."""
    n = cells
    nodes, elements = {}, []
    number = lambda i, j: nodes.setdefault((i, j), len(nodes) + 1)
    for i in range(0, 2 * n, 2):
        for j in range(0, 4 * n, 2):
            ring = ((0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1))
            elements.append([number(i + a, j + b) for a, b in ring])
    points = [(0.5 + 0.25 * i / n, 0.25 * j / n, 0.0) for i, j in nodes]
    foot = [v for (i, j), v in nodes.items() if j == 0]
    head = [v for (i, j), v in nodes.items() if j == 4 * n]
    with open(path("job.inp"), "w") as out:
        write_body(out, "CAX8", points, elements, 3e6)
        out.writelines(f"{v}, 1, 2\n" for v in foot)
        out.writelines(f"{v}, 1, 1\n" for v in head)
        out.write("*STEP, NLGEOM, INC=1000\n*STATIC\n0.02, 1.0, 1e-9\n*BOUNDARY\n")
        out.writelines(f"{v}, 2, 2, -0.3\n" for v in head)
    u = run_job(len(points))
    inner, outer = (u[nodes[i, 2 * n] - 1][0] for i in (0, 2 * n))
    print(f"tube, {len(elements)} axisymmetric elements: radii at half height {0.5 + inner:.5f} {1 + outer:.5f}")


cylinder()
tube()
