# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""CalculiX solves the same linear tets: displacements agree to 1e-6 of the largest, stresses of elements to 1e-4."""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ccx = shutil.which("ccx")
if not ccx:
    print("calculix-ccx is not there")
    sys.exit(77)
pliant = os.path.abspath(os.path.join(sys.argv[1], "pliant"))
folder = tempfile.TemporaryDirectory()
path = lambda name: os.path.join(folder.name, name)

YOUNG, POISSON, DENSITY, GRAVITY = 2.1e11, 0.3, 7850.0, (1.0, -9.81, 2.0)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder.name, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
    return done.stdout


def read_medit(name):
    """Points and tets (numbers from 0) of a .mesh file that pliant wrote."""
    words = open(path(name)).read().split()
    at = words.index("Vertices")
    points = [tuple(map(float, words[at + 2 + 4 * i:at + 5 + 4 * i])) for i in range(int(words[at + 1]))]
    at = words.index("Tetrahedra")
    tets = [[int(w) - 1 for w in words[at + 2 + 5 * i:at + 6 + 5 * i]] for i in range(int(words[at + 1]))]
    return points, tets


def solve_by_pliant(name, low):
    """Displacements, von Mises stresses of tets and of vertices."""
    scene = {
        "pliant": 1, "frames": 1, "gravity": GRAVITY,
        "bodies": [{"name": "body", "mesh": name + ".mesh", "integrator": "quasistatic", "linear": "direct",
                    "tolerance": 1e-11, "linear_tolerance": 1e-12,
                    "material": {"law": "linear", "young": YOUNG, "poisson": POISSON, "density": DENSITY}}],
        "attachments": [{"body": "body", "where": {"box": {"min": [-9, -9, -9], "max": [9, low, 9]}}}],
        "output": {"record": "all", "fields": ["displacement", "stress", "element_stress"]},
    }
    json.dump(scene, open(path(name + ".json"), "w"))
    run(pliant, "run", name + ".json", "-o", name, "--quiet")
    run(pliant, "export", name, "--to", "vtu", "--ascii", "-o", name + "_vtu")
    piece = xml.etree.ElementTree.parse(path(name + "_vtu/body_00001.vtu")).getroot().find("UnstructuredGrid/Piece")
    values = {a.get("Name"): list(map(float, a.text.split()))
              for part in ("PointData", "CellData") for a in piece.find(part)}
    u = values["displacement"]
    return [u[3 * i:3 * i + 3] for i in range(len(u) // 3)], values["element_stress"], values["stress"]


def write_inp(name, points, tets, held):
    with open(path(name + ".inp"), "w") as out:
        out.write("*NODE, NSET=NALL\n")  # fields have at most 20 characters
        out.writelines(f"{i + 1}, {x:.13e}, {y:.13e}, {z:.13e}\n" for i, (x, y, z) in enumerate(points))
        out.write("*ELEMENT, TYPE=C3D4, ELSET=EALL\n")
        out.writelines(f"{i + 1}, {', '.join(str(v + 1) for v in tet)}\n" for i, tet in enumerate(tets))
        size = math.sqrt(sum(g * g for g in GRAVITY))
        out.write(f"*MATERIAL, NAME=STEEL\n*ELASTIC\n{YOUNG!r}, {POISSON!r}\n*DENSITY\n{DENSITY!r}\n"
                  "*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL\n*BOUNDARY\n")
        out.writelines(f"{v + 1}, 1, 3\n" for v in held)
        out.write(f"*STEP\n*STATIC\n*DLOAD\nEALL, GRAV, {size:.13e}, {', '.join(f'{g / size:.13e}' for g in GRAVITY)}\n"
                  "*NODE PRINT, NSET=NALL\nU\n*EL PRINT, ELSET=EALL\nS\n*END STEP\n")


def von_mises(s):
    xx, yy, zz, xy, xz, yz = s
    return math.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * (xy * xy + xz * xz + yz * yz))


def solve_by_calculix(name, points, tets, low):
    write_inp(name, points, tets, [v for v, p in enumerate(points) if p[1] <= low])
    run(ccx, "-i", name)
    number = r"[-+]?\d\.\d+(?:E[-+]?\d+)?"
    u, stress = [None] * len(points), [None] * len(tets)
    for line in open(path(name + ".dat")):
        words = re.findall(number, line)
        first = line.split()[:1]
        if len(words) == 3 and first[0].isdigit():
            u[int(first[0]) - 1] = list(map(float, words))
        if len(words) == 6 and first[0].isdigit():
            stress[int(first[0]) - 1] = von_mises(list(map(float, words)))
    return u, stress


def mean_at_vertices(points, tets, stress):
    """Weighted by volumes, as pliant says it does."""
    sums, weights = [0.0] * len(points), [0.0] * len(points)
    for tet, s in zip(tets, stress):
        a, b, c, d = ([points[v][k] - points[tet[0]][k] for k in range(3)] for v in tet)
        volume = abs(b[0] * (c[1] * d[2] - c[2] * d[1]) - b[1] * (c[0] * d[2] - c[2] * d[0])
                     + b[2] * (c[0] * d[1] - c[1] * d[0]))
        for v in tet:
            sums[v] += volume * s
            weights[v] += volume
    return [s / w for s, w in zip(sums, weights)]


def compare(what, ours, theirs, tolerance):
    largest = max(abs(x) for x in theirs)
    worst = max(abs(x - y) for x, y in zip(ours, theirs)) / largest
    if len(ours) != len(theirs) or not worst <= tolerance:
        raise SystemExit(f"{what}: {worst:.2e} of {largest:g} apart, {tolerance:g} allowed")
    return worst


worst_u = worst_stress = count = 0
for name, options in (("bar", ["bar", "--size", "0.2,1,0.2", "--edge", "0.05"]), ("bear", ["gummy_bear", "--edge", "0.008"])):
    run(pliant, "mesh", "--generate", *options, "--ascii", "-o", name + ".mesh")
    points, tets = read_medit(name + ".mesh")
    ys = [p[1] for p in points]
    low = min(ys) + 0.13 * (max(ys) - min(ys))  # what is below is held
    u, stress, at_vertices = solve_by_pliant(name, low)
    their_u, their_stress = solve_by_calculix(name, points, tets, low)
    worst_u = max(worst_u, compare(f"{name}: displacement", sum(u, []), sum(their_u, []), 1e-6))
    worst_stress = max(worst_stress, compare(f"{name}: stress", stress, their_stress, 1e-4))
    compare(f"{name}: stress at vertices", at_vertices, mean_at_vertices(points, tets, their_stress), 1e-4)
    count += len(tets)
print(f"{count} tets, displacements within {worst_u:.1e}, von Mises stresses within {worst_stress:.1e}")
