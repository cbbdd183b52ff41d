#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""Draws the results of `pliant-bench methods --json`: plot_methods.py RESULTS.json
Writes docs/images/methods.svg and the table of docs/methods/choosing.md."""
import json
import math
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = os.path.join(ROOT, "docs/methods/choosing.md")
BEGIN, END = "<!-- table of scripts/plot_methods.py -->", "<!-- end of the table -->"
COLOURS = {"newton": "#c0392b", "linearised": "#d68910", "projective": "#1f618d", "grid": "#229954",
           "pbd": "#8e44ad", "mixed": "#16a085", "eigenfit": "#6d4c41"}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 330, 330, 62, 34, 46, 26


def load(path):
    """{body: {row: {"error": ..., "ms": ...}}} in the order of the bench, and the machine."""
    document = json.load(open(path))
    bodies = {}
    for result in document["results"]:
        body, row, quantity = result["name"].split(".")
        bodies.setdefault(body, {}).setdefault(row, {})[quantity] = result["value"]
    return bodies, document["machine"]


def powers(values):
    """Whole powers of ten around the values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def panel(body, rows, left, x_range, y_range):
    to_x = lambda ms: left + (WIDTH - GAP) * (math.log10(ms) - x_range[0]) / (x_range[1] - x_range[0])
    to_y = lambda e: TOP + HEIGHT * (y_range[1] - math.log10(e)) / (y_range[1] - y_range[0])
    out = [f"<text x='{left}' y='{TOP - 12}' font-weight='bold'>{body}</text>"]
    right, bottom = left + WIDTH - GAP, TOP + HEIGHT
    for p in range(x_range[0], x_range[1] + 1):
        x = to_x(10.0 ** p)
        out.append(f"<line x1='{x:.1f}' y1='{TOP}' x2='{x:.1f}' y2='{bottom}' stroke='#ddd'/>"
                   f"<text x='{x:.1f}' y='{bottom + 16}' text-anchor='middle'>{10.0 ** p:g}</text>")
    for p in range(y_range[0], y_range[1] + 1):
        y = to_y(10.0 ** p)
        out.append(f"<line x1='{left}' y1='{y:.1f}' x2='{right}' y2='{y:.1f}' stroke='#ddd'/>")
        if left == LEFT:
            out.append(f"<text x='{left - 6}' y='{y + 4:.1f}' text-anchor='end'>{100 * 10.0 ** p:g} %</text>")
    out.append(f"<text x='{(left + right) / 2:.0f}' y='{bottom + 36}' text-anchor='middle'>ms a frame</text>")
    taken = []  # places of names, so that none covers another
    for name, r in sorted(rows.items(), key=lambda item: item[1].get("error") or 0.0):
        if not r.get("error") or not r.get("ms"):
            continue
        x, y = to_x(r["ms"]), to_y(r["error"])
        colour = COLOURS.get(name.split("-")[0], "#2c3e50")
        out.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='{colour}'/>")
        width = 6.1 * len(name)
        at = x + 7 if x + 7 + width < right + GAP else x - 7 - width
        below = y + 4
        while any(abs(below - b) < 11 and at < a + w and a < at + width for a, b, w in taken):
            below -= 11
        taken.append((at, below, width))
        out.append(f"<text x='{at:.1f}' y='{below:.1f}' fill='{colour}' font-size='11'>{name}</text>")
    return out


def draw(bodies):
    measured = [r for rows in bodies.values() for r in rows.values() if r.get("error") and r.get("ms")]
    x_range, y_range = powers([r["ms"] for r in measured]), powers([r["error"] for r in measured])
    width, height = LEFT + WIDTH * len(bodies) + 20, TOP + HEIGHT + BOTTOM
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif' "
           "font-size='12'>", f"<rect width='{width}' height='{height}' fill='white'/>"]
    for k, (body, rows) in enumerate(bodies.items()):
        out += panel(body, rows, LEFT + k * WIDTH, x_range, y_range)
    return "\n".join(out + ["</svg>"]) + "\n"


def table(bodies, machine):
    names = list(dict.fromkeys(name for rows in bodies.values() for name in rows if name != "reference"))
    cell = lambda r: "" if r is None else "failed" if r.get("error") is None else f"{100 * r['error']:.2g} %, {r['ms']:.3g} ms"
    lines = ["| | " + " | ".join(bodies) + " |", "|---" * (len(bodies) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(cell(rows.get(name)) for rows in bodies.values()) + " |" for name in names]
    lines.append("| Newton at a quarter of the step | "
                 + " | ".join(f"0, {rows['reference']['ms']:.3g} ms" for rows in bodies.values()) + " |")
    return "\n".join(lines + ["", f"One thread of {machine['cpu']}."])


bodies, machine = load(sys.argv[1])
with open(os.path.join(ROOT, "docs/images/methods.svg"), "w") as out:
    out.write(draw(bodies))
page = open(PAGE).read()
before, rest = page.split(BEGIN)
with open(PAGE, "w") as out:
    out.write(f"{before}{BEGIN}\n{table(bodies, machine)}\n{END}{rest.split(END)[1]}")
print("docs/images/methods.svg and docs/methods/choosing.md")
