#!/usr/bin/env bash
# bench.sh BIN_FOLDER: runs every bench and leaves its JSON in out/bench.
set -euo pipefail
bin=$1
cd "$(dirname "$0")/.."
mkdir -p out/bench
"$bin/pliant-bench" list | while read -r name _; do
    echo "== $name"
    "$bin/pliant-bench" "$name" --json >"out/bench/$name.json"
    python3 - "out/bench/$name.json" <<'PY' 2>/dev/null || cat "out/bench/$name.json"
import json, sys
for r in json.load(open(sys.argv[1]))["results"]:
    print("%-36s %12.6g %-10s %s" % (r["name"], r["value"], r["unit"], "" if r["paper"] is None else "(paper %g)" % r["paper"]))
PY
done
echo "results are in out/bench"
