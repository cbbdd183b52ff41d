#!/usr/bin/env bash
# run.sh BUILD_DIR: installs that build into a temporary folder and builds the consumer against it, with CMake and
# with pkg-config, static and shared.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S "$here" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/cmake" >/dev/null
"$work/cmake/consumer_static"
"$work/cmake/consumer_shared"

pc=$(dirname "$(find "$work/prefix" -name pliant.pc)")
lib=$(dirname "$pc")
export PKG_CONFIG_PATH="$pc"
# shellcheck disable=SC2046
cc "$here/consumer.c" -o "$work/shared" $(pkg-config --cflags --libs pliant) -Wl,-rpath,"$lib"
"$work/shared"
# shellcheck disable=SC2046
cc "$here/consumer.c" -o "$work/static" $(pkg-config --cflags pliant) "$lib/libpliant.a" $(pkg-config --static --libs-only-l pliant | sed 's/-lpliant//')
"$work/static"

# nothing but pl_ symbols leaves the shared library
foreign=$(nm -D --defined-only "$lib/libpliant.so" | awk '{print $3}' | grep -v '^pl_' || true)
[ -z "$foreign" ] || { echo "symbols without pl_: $foreign"; exit 1; }
"$work/prefix/bin/pliant" --version
