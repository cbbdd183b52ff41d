#!/usr/bin/env bash
# Library and command for arm64 Linux in build/arm64, tried out with qemu: cross.sh arm64
# Needs Debian's gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user; the arm64 libraries are fetched by apt-get
# with lists of its own, and unpacked into build/arm64-root: nothing is installed.
set -eu
cd "$(dirname "$0")/.."
[ "${1:-}" = arm64 ] || { echo "usage: cross.sh arm64" >&2; exit 2; }
for program in aarch64-linux-gnu-gcc qemu-aarch64 apt-get dpkg-deb; do
    command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 77; }
done
root=$PWD/build/arm64-root

fetch() {
    local apt=$root/apt
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$root/debs"
    : >"$apt/status"
    local options=(-qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o "Dir::State=$apt" -o "Dir::State::Lists=$apt/lists"
        -o "Dir::State::Status=$apt/status" -o "Dir::Cache=$apt" -o Debug::NoLocking=1 -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update || return 1
    (cd "$root/debs" && apt-get "${options[@]}" download zlib1g zlib1g-dev libjansson4 libjansson-dev) || return 1
    for package in "$root"/debs/*.deb; do dpkg-deb -x "$package" "$root"; done
    rm -rf "$apt"
    touch "$root/complete"
}
[ -f "$root/complete" ] || fetch || { echo "arm64 packages cannot be fetched" >&2; exit 77; }

cmake -S . -B build/arm64 -G Ninja --toolchain "$PWD/cmake/arm64.cmake" -DPLIANT_SYSROOT="$root" -DCMAKE_BUILD_TYPE=Release \
    -DPLIANT_NATIVE=OFF -DPLIANT_VIEW=OFF -DPLIANT_TESTS=OFF -DPLIANT_BENCH=OFF >/dev/null
cmake --build build/arm64 --target pliant

# a smoke test: a mesh, a run that is resumed to the same bits, a picture
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pliant() { QEMU_LD_PREFIX=/usr/aarch64-linux-gnu qemu-aarch64 -E LD_LIBRARY_PATH="$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu" build/arm64/bin/pliant "$@"; }
pliant --version
pliant mesh --generate bunny --edge 0.006 -o "$work/bunny.msh" >/dev/null 2>&1
pliant info "$work/bunny.msh" >/dev/null
pliant run scenes/jelly_cube.json --frames 4 --quiet -o "$work/run" >/dev/null
pliant run scenes/jelly_cube.json --frames 2 --quiet -o "$work/half" >/dev/null
pliant render "$work/run" --size 160x120 --frame 4 -o "$work/run.png" >/dev/null
[ "$(head -c 8 "$work/run.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
[ "$(file -b build/arm64/bin/pliant 2>/dev/null | grep -c -E 'aarch64|^$')" -le 1 ]
echo "arm64: mesh, run and render work under qemu"
