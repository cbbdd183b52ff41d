#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
#
# Compares `pliant info --json` with the figures that the README of the folder PLIANT_DATA states for each file (measured by
# other programs): counts, size, radius ratios, boundary vertices, inverted tets, open and non-manifold edges, genus,
# self-intersections. Usage: check_info_figures.py BIN_FOLDER [DATA_FOLDER]; exit 77 if the data
# is not there.
import json
import math
import os
import re
import subprocess
import sys

# Read by no reader, or refused on purpose.
REFUSED = {
    "bad_input/polyfem_hexahedron.msh", "bad_input/polyfem_armadillo_order4.msh.gz",
    "bad_input/sofa_armadillo_4406_broken.vtu", "bad_input/softcon_octopus_1k_flipped.tet",
    "tets/vega_asian_dragon_1k.veg",
}
# Found by CGAL after splitting the vertices where these surfaces are no manifolds; see check_intersections_of_cow_as_cgal.
SPLIT_FIRST = {"surfaces/cow_3k.obj", "surfaces/asian_dragon_25k.obj.gz"}


def rows(readme):
    for line in readme:
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if len(cells) < 8 or not cells[0].startswith("`"):
            continue
        words = cells[0].strip("`").split()
        base = words[0]
        elements = cells[2].replace(",", "").split()[0]
        yield base, cells[1].replace(",", "").split()[0], elements, cells[6]


class Comparison:
    def __init__(self):
        self.compared = 0
        self.failed = 0

    def same(self, name, what, ours, theirs):
        self.compared += 1
        if ours != theirs:
            self.failed += 1
            print(f"{name}: {what} is {ours}, the README says {theirs}")

    # equal in all digits that are stated, which were rounded twice (0.94249 to 0.9425 to 0.943)
    def close(self, name, what, ours, stated):
        value = float(stated)
        if "." in stated and "e" not in stated:
            step = 10.0 ** -len(stated.split(".")[1])
        else:
            digits = len(stated.split("e")[0].replace(".", "").lstrip("0")) or 1
            step = 10.0 ** (math.floor(math.log10(value)) - digits + 1) if value else 1.0
        self.compared += 1
        if not abs(ours - value) <= 0.55 * step:
            self.failed += 1
            print(f"{name}: {what} is {ours}, the README says {stated}")


def defect(info, key):
    return info["defects"].get(key, {}).get("count", 0)


def stated(pattern, text):
    found = re.search(pattern, text)
    return found.group(1) if found else None


def compare(c, name, info, vertices, elements, text):
    tets = info["tets"] > 0
    c.same(name, "vertices", info["vertices"], int(vertices))
    c.same(name, "elements", info["tets"] if tets else info["triangles"], int(elements))
    size = re.search(r"size ([\d.e-]+) x ([\d.e-]+) x ([\d.e-]+)", text)
    for k in range(3) if size else ():
        c.close(name, "size " + "xyz"[k], info["high"][k] - info["low"][k], size.group(k + 1))
    ratios = re.search(r"radius ratio min ([\d.e-]+) / 1% ([\d.]+) / median ([\d.]+)", text)
    for k, key in enumerate(("radius_ratio_min", "radius_ratio_1_percent", "radius_ratio_median") if ratios else ()):
        c.close(name, key, info["quality"][key], ratios.group(k + 1))
    boundary = stated(r"(\d+) boundary vertices", text)
    if boundary:
        c.same(name, "boundary vertices", info["surface"]["vertices"], int(boundary))
    numbers = {
        "inverted_tets": r"(\d+) INVERTED", "unreferenced_vertices": r"(\d+) unreferenced",
        "open_edges": r"open, (\d+) boundary edges", "non_manifold_edges": r"(\d+) non-manifold (?:boundary )?edges",
        "non_manifold_vertices": r"(\d+) non-manifold vertices", "duplicate_triangles": r"(\d+) duplicate faces",
        "self_intersections": r"(\d+) self-intersecting",
    }
    for key, pattern in numbers.items():
        if key == "self_intersections" and (tets or name in SPLIT_FIRST):
            continue
        if key.startswith("non_manifold_vertices") and tets:
            continue  # the README does not count those of tets
        c.same(name, key, defect(info, key), int(stated(pattern, text) or 0))
    genus = stated(r"genus (\d+)", text)
    if genus:
        c.same(name, "genus", info["surface"]["genus"], int(genus))


def main():
    program = os.path.join(sys.argv[1], "pliant")
    data = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("PLIANT_DATA", "")
    readme = os.path.join(data, "README.md")
    if not os.path.exists(readme):
        print("PLIANT_DATA names no folder with real meshes and their README.md")
        return 77
    c = Comparison()
    files = 0
    with open(readme, encoding="utf-8") as lines:
        for name, vertices, elements, text in rows(lines):
            done = subprocess.run([program, "info", "--json", os.path.join(data, name)], capture_output=True, text=True)
            files += 1
            c.same(name, "exit status", done.returncode, 2 if name in REFUSED else 0)
            info = json.loads(done.stdout)
            if name in REFUSED:
                c.same(name, "an error is told", len(info.get("error", "")) > 20, True)
            elif done.returncode == 0:
                compare(c, name, info, vertices, elements, text)
    print(f"{files} files, {c.compared} figures compared, {c.failed} differ")
    return 1 if c.failed or files < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
