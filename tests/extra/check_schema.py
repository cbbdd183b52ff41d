# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
"""jsonschema takes docs/scene.schema.json for a schema, accepts what pliant accepts, and pliant refuses what it refuses."""
import copy
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError as missing:
    print(f"python3-jsonschema is not there: {missing}")
    sys.exit(77)

pliant = os.path.join(sys.argv[1], "pliant")


# what the format has and this version cannot run yet
NOT_YET = ["bodies[0].eigenfit=null", "bodies[0].contact.self=false"]


def check(path, overrides=()):
    """Whether pliant reads a file, and the scene that it makes of it, or None if this version cannot run it."""
    options = [word for value in overrides for word in ("--set", value)]
    done = subprocess.run([pliant, "check", "--skip-files", path] + options, capture_output=True, text=True)
    if done.returncode not in (0, 2):
        sys.exit(f"pliant check ended with {done.returncode}: {done.stderr}")
    is_read = done.returncode == 0 or "in this version" in done.stderr
    return is_read, json.loads(done.stdout) if done.returncode == 0 else None


def containers(node):
    """Every object and list of a document."""
    if isinstance(node, (dict, list)):
        yield node
        for child in node.values() if isinstance(node, dict) else node:
            yield from containers(child)


def damage(scene, dice):
    """Changes one thing at random."""
    place = dice.choice([c for c in containers(scene) if len(c) > 0])
    key = dice.choice(list(place)) if isinstance(place, dict) else dice.randrange(len(place))
    kind = dice.randrange(4)
    if kind == 0 and isinstance(place, dict):
        place[key + "x"] = place.pop(key)
    elif kind == 1:
        del place[key]
    else:
        place[key] = dice.choice([-1, 0, 0.5, 1e300, "word", True, [], {}, [1, 2, 3], {"value": 1}])


with open("docs/scene.schema.json", encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)

good = sorted(glob.glob("scenes/**/*.json", recursive=True) + glob.glob("bench/scenes/*.json") + glob.glob("tests/corpus/scene/good_*.json"))
for path in good:
    with open(path, encoding="utf-8") as file:
        scene = json.load(file)
    is_read, resolved = check(path)
    if is_read and not resolved:
        resolved = check(path, NOT_YET)[1]
    for document in (scene, resolved):
        problems = [] if document else ["pliant refuses it"]
        problems += [e.message for e in validator.iter_errors(document)] if document else []
        if problems:
            sys.exit(f"{path}: {problems[0]}")

dice = random.Random(1)
refused = accepted = 0
with tempfile.TemporaryDirectory() as folder, open(
    "tests/corpus/scene/good_everything.json", encoding="utf-8"
) as file:
    everything = json.load(file)
    path = os.path.join(folder, "damaged.json")
    for turn in range(400):
        scene = copy.deepcopy(everything)
        damage(scene, dice)
        with open(path, "w", encoding="utf-8") as out:
            json.dump(scene, out)
        is_right = validator.is_valid(scene)
        is_read = check(path)[0]
        if is_read and not is_right:
            sys.exit(f"pliant reads what the schema refuses: {json.dumps(scene)}")
        refused += not is_read
        accepted += is_right
print(f"{len(good)} scenes valid; of 400 damaged ones the schema refuses {400 - accepted}, pliant {refused}")
