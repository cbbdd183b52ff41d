#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
#
# Writes the surfaces of scenes/grid_car.json and scenes/grid_face.json: make_meshes.py [car] [face]
#
# Each is the zero set of a function that is negative inside, made of rounded solids like the gummy bear. The set is
# extracted on a lattice (one vertex per cell that it crosses, one quad per lattice edge that it crosses), then
# the vertices are moved onto it along its gradient. Closed by construction; no other packages are needed.
import math
import os
import sys


def box(p, centre, half, rounding):
    q = [abs(p[a] - centre[a]) - half[a] + rounding for a in range(3)]
    outside = math.sqrt(sum(max(v, 0.0) ** 2 for v in q))
    return outside + min(max(q), 0.0) - rounding


def ellipsoid(p, centre, radii):
    u = [(p[a] - centre[a]) / radii[a] for a in range(3)]
    k = math.sqrt(sum(v * v for v in u))
    g = math.sqrt(sum((u[a] / radii[a]) ** 2 for a in range(3)))
    return k * (k - 1.0) / g if g > 0.0 else -min(radii)


def wheel(p, centre, radius, width, rounding):
    """A cylinder along z with rounded rims."""
    d = (math.hypot(p[0] - centre[0], p[1] - centre[1]) - radius + rounding,
         abs(p[2] - centre[2]) - 0.5 * width + rounding)
    return math.hypot(max(d[0], 0.0), max(d[1], 0.0)) + min(max(d), 0.0) - rounding


def union(a, b, width):
    overlap = width - abs(a - b)
    return min(a, b) - (0.25 * overlap * overlap / width if overlap > 0.0 else 0.0)


def cut(a, b, width):
    """a without b."""
    return -union(-a, b, width)


def slope_cut(p, normal, point, value, width):
    """value without the half space that normal points into."""
    d = sum(normal[i] * (p[i] - point[i]) for i in range(3)) / math.sqrt(sum(n * n for n in normal))
    return -union(-value, -d, width)


def car(p):
    """4 m long, looks along +x, stands on y = 0, the same on both sides of z = 0."""
    q = (p[0], p[1], abs(p[2]))
    hull = box(q, (0.0, 0.65, 0.0), (2.0, 0.35, 0.82), 0.16)
    # bonnet and boot fall away from the cabin
    hull = slope_cut(q, (0.10, 1.0, 0.0), (0.75, 0.98, 0.0), hull, 0.06)
    hull = slope_cut(q, (-0.06, 1.0, 0.0), (-1.3, 0.98, 0.0), hull, 0.06)
    cabin = box(q, (-0.25, 1.08, 0.0), (1.15, 0.36, 0.74), 0.12)
    cabin = slope_cut(q, (0.62, 0.75, 0.0), (0.52, 1.15, 0.0), cabin, 0.06)    # windscreen
    cabin = slope_cut(q, (-0.60, 0.75, 0.0), (-1.10, 1.15, 0.0), cabin, 0.06)  # rear window
    cabin = slope_cut(q, (0.0, 0.36, 1.0), (0.0, 1.10, 0.72), cabin, 0.05)     # sides lean inwards
    value = union(hull, cabin, 0.06)
    # windows: shallow hollows in the sides
    value = cut(value, box(q, (-0.62, 1.16, 0.80), (0.36, 0.13, 0.16), 0.05), 0.06)
    value = cut(value, box(q, (0.18, 1.16, 0.80), (0.30, 0.13, 0.16), 0.05), 0.06)
    for x in (-1.2, 1.2):
        value = cut(value, wheel(q, (x, 0.33, 0.88), 0.47, 0.60, 0.04), 0.08)
        value = union(value, wheel(q, (x, 0.33, 0.66), 0.33, 0.26, 0.06), 0.04)
        value = union(value, wheel(q, (x, 0.33, 0.40), 0.16, 0.60, 0.04), 0.04)  # axle
    value = union(value, box(q, (2.0, 0.50, 0.0), (0.09, 0.09, 0.74), 0.07), 0.03)   # bumpers
    value = union(value, box(q, (-2.0, 0.50, 0.0), (0.09, 0.09, 0.74), 0.07), 0.03)
    return union(value, ellipsoid(q, (1.94, 0.72, 0.56), (0.09, 0.08, 0.13)), 0.03)  # lamps


def face(p):
    """A head 0.24 m tall that looks along +z, from the chin to the crown, on a neck that ends flat at y = -0.17."""
    q = (abs(p[0]), p[1], p[2])
    value = ellipsoid(q, (0.0, 0.030, -0.018), (0.076, 0.098, 0.094))                         # skull
    value = union(value, ellipsoid(q, (0.0, -0.030, 0.014), (0.058, 0.078, 0.066)), 0.035)    # jaw
    value = union(value, ellipsoid(q, (0.0, -0.094, 0.056), (0.022, 0.018, 0.018)), 0.022)    # chin
    value = union(value, ellipsoid(q, (0.034, -0.026, 0.054), (0.026, 0.022, 0.022)), 0.022)  # cheeks
    value = union(value, ellipsoid(q, (0.0, 0.031, 0.071), (0.046, 0.011, 0.013)), 0.016)     # brow
    value = cut(value, ellipsoid(q, (0.030, 0.010, 0.085), (0.018, 0.012, 0.018)), 0.016)     # eye sockets
    value = union(value, ellipsoid(q, (0.029, 0.009, 0.063), (0.014, 0.010, 0.012)), 0.010)   # eyes
    value = union(value, ellipsoid(q, (0.0, 0.002, 0.080), (0.009, 0.030, 0.016)), 0.012)     # nose
    value = union(value, ellipsoid(q, (0.0, -0.019, 0.094), (0.013, 0.011, 0.014)), 0.012)
    value = union(value, ellipsoid(q, (0.011, -0.023, 0.085), (0.009, 0.008, 0.010)), 0.009)  # nostrils
    value = union(value, ellipsoid(q, (0.0, -0.050, 0.077), (0.022, 0.007, 0.010)), 0.006)    # lips
    value = union(value, ellipsoid(q, (0.0, -0.063, 0.075), (0.019, 0.008, 0.010)), 0.006)
    value = cut(value, ellipsoid(q, (0.0, -0.0565, 0.088), (0.025, 0.0035, 0.010)), 0.007)    # between them
    value = union(value, ellipsoid(q, (0.077, -0.002, -0.020), (0.011, 0.030, 0.017)), 0.012)  # ears
    neck = box(q, (0.0, -0.115, -0.022), (0.050, 0.075, 0.050), 0.045)
    value = union(value, neck, 0.03)
    return -union(-value, q[1] + 0.17, 0.006)  # flat below


def surface(function, low, high, edge):
    """Vertices and triangles of the zero set."""
    size = [int(math.ceil((high[a] - low[a]) / edge)) + 1 for a in range(3)]
    at = lambda i, j, k: (low[0] + i * edge, low[1] + j * edge, low[2] + k * edge)
    values = {(i, j, k): function(at(i, j, k)) for k in range(size[2]) for j in range(size[1]) for i in range(size[0])}
    vertices, index = [], {}

    def vertex(cell):
        """The mean of the crossings on the edges of a cell, once per cell."""
        if cell in index:
            return index[cell]
        corners = [tuple(cell[a] + (n >> a & 1) for a in range(3)) for n in range(8)]
        total, count = [0.0, 0.0, 0.0], 0
        for n in range(8):
            for a in range(3):
                if n >> a & 1:
                    continue
                one, two = corners[n], corners[n | 1 << a]
                v, w = values[one], values[two]
                if (v < 0.0) == (w < 0.0):
                    continue
                t, x, y = v / (v - w), at(*one), at(*two)
                for d in range(3):
                    total[d] += x[d] + t * (y[d] - x[d])
                count += 1
        index[cell] = len(vertices)
        vertices.append([s / count for s in total])
        return index[cell]

    triangles = []
    for node, value in values.items():
        for a in range(3):
            other = tuple(node[d] + (d == a) for d in range(3))
            if other not in values or (value < 0.0) == (values[other] < 0.0):
                continue
            b, c = (a + 1) % 3, (a + 2) % 3
            ring = []
            for sb, sc in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
                cell = list(node)
                cell[b] += sb
                cell[c] += sc
                ring.append(vertex(tuple(cell)))
            if value >= 0.0:
                ring.reverse()
            d02 = math.dist(vertices[ring[0]], vertices[ring[2]])
            d13 = math.dist(vertices[ring[1]], vertices[ring[3]])
            if d02 <= d13:
                triangles += [(ring[0], ring[1], ring[2]), (ring[0], ring[2], ring[3])]
            else:
                triangles += [(ring[0], ring[1], ring[3]), (ring[1], ring[2], ring[3])]
    return vertices, triangles


def project(function, vertices, edge):
    """Vertices onto the zero set, at most half an edge in all."""
    step = 1e-4 * edge
    for x in vertices:
        for _ in range(3):
            value = function(x)
            slope = []
            for a in range(3):
                y = list(x)
                y[a] += step
                slope.append((function(y) - value) / step)
            square = sum(s * s for s in slope)
            if square < 0.05:
                break
            way = max(-0.25 * edge, min(0.25 * edge, value / math.sqrt(square)))
            for a in range(3):
                x[a] -= way * slope[a] / math.sqrt(square)


def smooth(vertices, triangles, weight):
    """Each vertex towards the middle of those around it."""
    total = [[0.0, 0.0, 0.0, 0] for _ in vertices]
    for t in triangles:
        for i in range(3):
            for j in (t[(i + 1) % 3], t[(i + 2) % 3]):
                for d in range(3):
                    total[t[i]][d] += vertices[j][d]
                total[t[i]][3] += 1
    for v, s in zip(vertices, total):
        for d in range(3):
            v[d] += weight * (s[d] / s[3] - v[d])


def write(path, title, vertices, triangles):
    with open(path, "w", encoding="ascii") as out:
        out.write(f"# {title}, made by scripts/make_meshes.py\n")
        for v in vertices:
            out.write("v %.4f %.4f %.4f\n" % tuple(v))
        for t in triangles:
            out.write("f %d %d %d\n" % (t[0] + 1, t[1] + 1, t[2] + 1))
    print(f"{path}: {len(vertices)} vertices, {len(triangles)} triangles")


SHAPES = {
    "car": (car, (-2.2, -0.1, -1.0), (2.2, 1.6, 1.0), 0.065, "a car"),
    "face": (face, (-0.1, -0.178, -0.12), (0.1, 0.14, 0.12), 0.0055, "a head"),
}


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes", "meshes")
    for name in sys.argv[1:] or SHAPES:
        function, low, high, edge, title = SHAPES[name]
        vertices, triangles = surface(function, low, high, edge)
        for _ in range(2):
            smooth(vertices, triangles, 0.5)
            project(function, vertices, edge)
        write(os.path.normpath(os.path.join(folder, name + ".obj")), title, vertices, triangles)


main()
