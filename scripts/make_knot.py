#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
#
# Writes scenes/meshes/knot.msh.gz, the rope of scenes/knot.json: tets around a trefoil that is cut open at one of its
# lobes and led out to both sides. No other packages are needed.
import gzip
import math
import os

UNIT, RADIUS, AROUND, STEP = 0.03, 0.36, 8, 0.24  # [m]; of the rope, its sides and its layers in units
OPEN, BEND, STRAIGHT = 0.65, 1.5, 5.0  # the cut to each side [rad]; radius and length of the ends


def add(a, s, b):
    return [a[k] + s * b[k] for k in range(3)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    return [x / math.sqrt(dot(a, a)) for x in a]


def trefoil(t):
    return [math.sin(t) + 2 * math.sin(2 * t), math.cos(t) - 2 * math.cos(2 * t), -1.15 * math.sin(3 * t)]


def way_out(start):
    """From an end of the knot round a quarter circle and along x."""
    side, points = math.copysign(1.0, start[0]), []
    for k in range(1, 41):
        a = 0.5 * math.pi * k / 40
        points.append([start[0] + side * BEND * (1 - math.cos(a)), start[1] - BEND * math.sin(a),
                       start[2] * 0.5 * (1 + math.cos(2 * a))])
    return points + [add(points[-1], side * STRAIGHT * k / 60, [1, 0, 0]) for k in range(1, 61)]


def resample(points, count):
    """Points at equal steps along a line through others."""
    at = [0.0]
    for a, b in zip(points, points[1:]):
        at.append(at[-1] + math.dist(a, b))
    out, k = [], 0
    for i in range(count):
        s = at[-1] * i / (count - 1)
        while k + 2 < len(at) and at[k + 1] < s:
            k += 1
        out.append(add(points[k], (s - at[k]) / (at[k + 1] - at[k]), add(points[k + 1], -1.0, points[k])))
    return out, at[-1]


def centre_line():
    knot = [trefoil(math.pi + OPEN + (2 * math.pi - 2 * OPEN) * k / 600) for k in range(601)]
    line, _ = resample(way_out(knot[0])[::-1] + knot + way_out(knot[-1]), 600)
    for _ in range(160):  # round the corners where the parts join
        line = ([line[0]] + [add(add([0.6 * x for x in b], 0.2, a), 0.2, c) for a, b, c in zip(line, line[1:], line[2:])]
                + [line[-1]])
    _, length = resample(line, 2)
    return resample(line, int(length / STEP) + 1)[0]


def vertices_around(line):
    out, across = [], [0.0, 1.0, 0.0]
    for i, x in enumerate(line):
        along = unit(add(line[min(i + 1, len(line) - 1)], -1.0, line[max(i - 1, 0)]))
        across = unit(add(across, -dot(across, along), along))  # turns as little as it can
        other = cross(along, across)
        out.append(x)
        for k in range(AROUND):
            a = 2 * math.pi * k / AROUND
            out.append(add(add(x, RADIUS * math.cos(a), across), RADIUS * math.sin(a), other))
    return [[UNIT * x[0], UNIT * (x[1] - line[0][1]), UNIT * x[2]] for x in out]


def prism(p):
    """Three tets. Each side is cut from its smallest vertex, so that neighbours agree; p[0] is the smallest of all."""
    k = p.index(min(p))
    p = [p[(k + i) % 3] for i in range(3)] + [p[3 + (k + i) % 3] for i in range(3)]
    if min(p[1], p[5]) < min(p[2], p[4]):
        return [(p[0], p[1], p[2], p[5]), (p[0], p[1], p[5], p[4]), (p[0], p[4], p[5], p[3])]
    return [(p[0], p[1], p[2], p[4]), (p[0], p[4], p[2], p[5]), (p[0], p[4], p[5], p[3])]


def outward(v, tet):
    a, b, c = (add(v[tet[k]], -1.0, v[tet[0]]) for k in (1, 2, 3))
    return tet if dot(cross(a, b), c) > 0 else (tet[0], tet[2], tet[1], tet[3])


def main():
    line = centre_line()
    vertices, tets = vertices_around(line), []
    for i in range(len(line) - 1):
        first = i * (AROUND + 1)
        for k in range(AROUND):
            low = [first, first + 1 + k, first + 1 + (k + 1) % AROUND]
            tets += [outward(vertices, t) for t in prism(low + [v + AROUND + 1 for v in low])]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(vertices))]
    lines += ["%d %.5f %.5f %.5f" % (i + 1, *v) for i, v in enumerate(vertices)]
    lines += ["$EndNodes", "$Elements", str(len(tets))]
    lines += ["%d 4 2 0 1 %d %d %d %d" % (i + 1, *(v + 1 for v in t)) for i, t in enumerate(tets)]
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes", "meshes")
    path = os.path.normpath(os.path.join(folder, "knot.msh.gz"))
    with gzip.GzipFile(path, "wb", 9, mtime=0) as out:
        out.write(("\n".join(lines + ["$EndElements", ""])).encode())
    print(f"{path}: {len(vertices)} vertices, {len(tets)} tets")


main()
