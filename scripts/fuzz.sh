#!/usr/bin/env bash
# Fuzzes the readers of meshes, scenes, recordings and messages of pages under sanitizers: fuzz.sh [SECONDS per format, 180] [FORMAT, all]
# Seeds come from tests/corpus/FORMAT, new inputs go to build/fuzz/corpus/FORMAT, inputs that
# crashed to build/fuzz/crashes. After fixing a crash, keep its input in tests/corpus/FORMAT.
set -u
cd "$(dirname "$0")/.."
seconds=${1:-180}
formats=${2:-gmsh tetgen medit vtk vtu obj ply stl off scene recording view}

test -f build/asan/build.ninja || cmake --preset asan >/dev/null || exit 1
targets=""
for format in $formats; do targets="$targets fuzz_$format"; done
# shellcheck disable=SC2086
cmake --build --preset asan --target $targets >/dev/null || { echo "the fuzzers do not build" >&2; exit 1; }

failed=""
mkdir -p build/fuzz/crashes
for format in $formats; do
    found=build/fuzz/corpus/$format
    seeds=tests/corpus/$format
    mkdir -p "$found"
    options="-max_total_time=$seconds -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0"
    test -f "tests/fuzz/$format.dict" && options="$options -dict=tests/fuzz/$format.dict"
    test -d "$seeds" || seeds=""
    log=build/fuzz/$format.log
    # shellcheck disable=SC2086
    if build/asan/bin/fuzz_$format $options -artifact_prefix=build/fuzz/crashes/${format}_ "$found" $seeds >"$log" 2>&1; then
        echo "$format: clean after $seconds s, $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
    else
        echo "$format: FAILED, see $log and build/fuzz/crashes"
        failed="$failed $format"
    fi
done
test -z "$failed"
