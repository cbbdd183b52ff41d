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
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP, LEGEND = 310, 330, 52, 34, 46, 50, 130


def load(path):
    """{body: {row: {"error": ..., "ms": ...}}} in the order of the bench, and the machine."""
    document = json.load(open(path))
    bodies = {}
    for result in document["results"]:
        body, row, quantity = result["name"].split(".")
        bodies.setdefault(body, {}).setdefault(row, {})[quantity] = result["value"]
    return bodies, document["machine"]


def decades(values):
    """Half powers of ten around the values, with some room."""
    return math.floor(2.0 * math.log10(min(values)) - 0.2) / 2.0, math.ceil(2.0 * math.log10(max(values)) + 0.2) / 2.0


def ticks(span):
    return [10.0 ** p for p in range(math.ceil(span[0]), math.floor(span[1]) + 1)]


def marks(points):
    """Where letters stand: at their points, or above them where another one is. Ends with the points."""
    placed = []
    for letter, colour, x, y in sorted(points, key=lambda point: (-point[3], point[2])):
        at = y
        while any(math.hypot(x - a, at - b) < 15.0 for a, b in placed):
            at -= 3.0
        placed.append((x, at))
        if at != y:
            yield (f"<line x1='{x:.1f}' y1='{y:.1f}' x2='{x:.1f}' y2='{at:.1f}' stroke='{colour}'/>"
                   f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2' fill='{colour}'/>")
        yield (f"<circle cx='{x:.1f}' cy='{at:.1f}' r='8' fill='{colour}'/><text x='{x:.1f}' y='{at + 3.5:.1f}' "
               f"fill='white' font-size='10' text-anchor='middle'>{letter}</text>")


def panel(body, rows, letters, left, x_span, y_span):
    right, bottom = left + WIDTH - GAP, TOP + HEIGHT
    to_x = lambda ms: left + (right - left) * (math.log10(ms) - x_span[0]) / (x_span[1] - x_span[0])
    to_y = lambda e: TOP + HEIGHT * (y_span[1] - math.log10(e)) / (y_span[1] - y_span[0])
    out = [f"<text x='{left}' y='{TOP - 12}' font-weight='bold'>{body}</text>",
           f"<rect x='{left}' y='{TOP}' width='{right - left}' height='{HEIGHT}' fill='none' stroke='#bbb'/>",
           f"<text x='{(left + right) / 2:.0f}' y='{bottom + 36}' text-anchor='middle'>ms a frame</text>"]
    for value in ticks(x_span):
        x = to_x(value)
        out.append(f"<line x1='{x:.1f}' y1='{TOP}' x2='{x:.1f}' y2='{bottom}' stroke='#ddd'/>"
                   f"<text x='{x:.1f}' y='{bottom + 16}' text-anchor='middle'>{value:g}</text>")
    for value in ticks(y_span):
        y = to_y(value)
        out.append(f"<line x1='{left}' y1='{y:.1f}' x2='{right}' y2='{y:.1f}' stroke='#ddd'/>"
                   f"<text x='{left - 5}' y='{y + 4:.1f}' text-anchor='end'>{100 * value:g} %</text>")
    points = [(letters[name], colour_of(name), to_x(r["ms"]), to_y(r["error"])) for name, r in rows.items()
              if r.get("error") and r.get("ms")]
    return out + list(marks(points))


def colour_of(name):
    return COLOURS.get(name.split("-")[0], "#2c3e50")


def draw(bodies):
    measured = [r for rows in bodies.values() for r in rows.values() if r.get("error") and r.get("ms")]
    spans = decades([r["ms"] for r in measured]), decades([r["error"] for r in measured])
    names = list(dict.fromkeys(name for rows in bodies.values() for name in rows if name != "reference"))
    letters = {name: chr(ord("A") + k) for k, name in enumerate(names)}
    width, height = LEFT + WIDTH * len(bodies) + LEGEND, TOP + HEIGHT + BOTTOM
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif' "
           "font-size='12'>", f"<rect width='{width}' height='{height}' fill='white'/>"]
    for k, (body, rows) in enumerate(bodies.items()):
        out += panel(body, rows, letters, LEFT + k * WIDTH, *spans)
    for k, name in enumerate(names):
        x, y = LEFT + WIDTH * len(bodies) + 4, TOP + 8 + 20 * k
        out.append(f"<circle cx='{x}' cy='{y}' r='8' fill='{colour_of(name)}'/><text x='{x}' y='{y + 3.5}' "
                   f"fill='white' font-size='10' text-anchor='middle'>{letters[name]}</text>"
                   f"<text x='{x + 14}' y='{y + 4}'>{name}</text>")
    return "\n".join(out + ["</svg>"]) + "\n"


def table(bodies, machine):
    names = list(dict.fromkeys(name for rows in bodies.values() for name in rows if name != "reference"))
    percent = lambda e: f"{100 * e:.0f} %" if e >= 0.1 else f"{100 * e:.2g} %"
    cell = lambda r: ("" if r is None else "failed" if r.get("error") is None
                      else f"{percent(r['error'])}, {r['ms']:.3g} ms")
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
