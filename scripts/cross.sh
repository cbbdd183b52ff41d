#!/usr/bin/env bash
# Builds library and command for another system in build/arm64 or build/windows, and tries them with qemu or wine:
# cross.sh arm64 | cross.sh windows [WORD...]
# arm64 needs Debian's gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user; windows needs gcc-mingw-w64-x86-64-posix,
# libz-mingw-w64-dev and wine64. Libraries that have no package for this machine are fetched by apt-get, with separate lists,
# into build/arm64-root and build/windows-root; nothing is installed. For windows the tests are built too, and those with one
# of the words in their names are run (all with the word "").
set -eu
cd "$(dirname "$0")/.."
target=${1:-}
shift || true

need() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 77; }
    done
}

# apt-get with lists and caches in a folder: fetch FOLDER ARGUMENT...
apt_in() {
    local apt=$1
    shift
    mkdir -p "$apt/lists/partial" "$apt/archives/partial"
    apt-get -qq -o "Dir::State=$apt" -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt" -o Debug::NoLocking=1 \
        -o APT::Sandbox::User=root "$@"
}

fetch_arm64() {
    local apt=$root/apt
    mkdir -p "$apt" "$root/debs"
    : >"$apt/status"
    local options=(-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o "Dir::State::Status=$apt/status")
    apt_in "$apt" "${options[@]}" update || return 1
    (cd "$root/debs" && apt_in "$apt" "${options[@]}" download zlib1g zlib1g-dev libjansson4 libjansson-dev) || return 1
    for package in "$root"/debs/*.deb; do dpkg-deb -x "$package" "$root"; done
    rm -rf "$apt"
    touch "$root/complete"
}

# this machine's package sources, as sources of source packages
source_lists() {
    mkdir -p "$1"
    local list
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list; do
        [ -f "$list" ] && sed -e 's/^Types:.*/Types: deb-src/' -e 's/^deb /deb-src /' "$list" >"$1/$(basename "$list")"
    done
    [ ! -f "$1/sources.list" ] || mv "$1/sources.list" "$1/machine.list"
}

# the upstream source of a package, unpacked and built for Windows: build_for_windows PACKAGE OPTION...
build_for_windows() {
    local package=$1
    shift
    (cd "$root/sources" && apt_in "$root/apt" -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$root/lists" \
        source --download-only --tar-only "$package") || return 1
    mkdir -p "$root/sources/$package"
    tar -xf "$root/sources/$package"_*.orig.tar.* -C "$root/sources/$package" --strip-components=1
    cmake -S "$root/sources/$package" -B "$root/sources/$package-build" -G Ninja --toolchain "$PWD/cmake/windows.cmake" \
        -DPLIANT_SYSROOT="$root" -DCMAKE_INSTALL_PREFIX="$root" -DCMAKE_BUILD_TYPE=Release "$@" >/dev/null || return 1
    cmake --build "$root/sources/$package-build" --target install >/dev/null
}

fetch_windows() {
    mkdir -p "$root/sources"
    source_lists "$root/lists"
    apt_in "$root/apt" -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$root/lists" update || return 1
    build_for_windows jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON || return 1
    build_for_windows libpng1.6 -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_EXECUTABLES=OFF || return 1
    rm -rf "$root/apt" "$root/sources" "$root/lists"
    touch "$root/complete"
}

configure() {
    cmake -S . -B "build/$target" -G Ninja --toolchain "$PWD/cmake/$target.cmake" -DPLIANT_SYSROOT="$root" \
        -DCMAKE_BUILD_TYPE=Release -DPLIANT_NATIVE=OFF -DPLIANT_VIEW=OFF -DPLIANT_BENCH=OFF "$@" >/dev/null
}

# a smoke test: a mesh, a run, the same run interrupted and resumed to the same bits, a picture, an export
try_command() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    pliant --version
    pliant mesh --generate bunny --edge 0.006 -o "$work/bunny.msh" >/dev/null 2>&1
    pliant info "$work/bunny.msh" >/dev/null
    pliant run scenes/jelly_cube.json --frames 4 --quiet -o "$work/run" >/dev/null
    cp -r "$work/run" "$work/again"
    rm "$work/again/checkpoint.plc"
    pliant resume "$work/again" --quiet >/dev/null 2>&1
    cmp "$work/run/frames.plr" "$work/again/frames.plr"
    pliant render "$work/run" --size 160x120 --frame 4 -o "$work/run.png" >/dev/null
    [ "$(head -c 8 "$work/run.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
    pliant export "$work/run" --to obj -o "$work/obj" >/dev/null
    [ "$(find "$work/obj" -name '*.obj' | wc -l)" -eq 5 ]
    if grep -q "$(printf '\r')" "$work/run/metrics.csv" "$work/run/scene.json"; then
        echo "lines of a run end in carriage returns" >&2
        return 1
    fi
    if pliant run scenes/jelly_cube.json --frames 2 --quiet -o "$work/run" 2>"$work/said"; then
        echo "a folder that is not empty was taken" >&2
        return 1
    fi
    grep -q "is not empty" "$work/said"
}

case $target in
arm64)
    need aarch64-linux-gnu-gcc qemu-aarch64 apt-get dpkg-deb
    root=$PWD/build/arm64-root
    [ -f "$root/complete" ] || fetch_arm64 || { echo "arm64 packages cannot be fetched" >&2; exit 77; }
    configure -DPLIANT_TESTS=OFF
    cmake --build build/arm64 --target pliant
    pliant() {
        QEMU_LD_PREFIX=/usr/aarch64-linux-gnu qemu-aarch64 \
            -E LD_LIBRARY_PATH="$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu" build/arm64/bin/pliant "$@"
    }
    try_command
    echo "arm64: mesh, run, render and export work under qemu"
    ;;
windows)
    wine=$(command -v wine64 || command -v /usr/lib/wine/wine64 || true)
    [ -n "$wine" ] || { echo "wine64 is not installed" >&2; exit 77; }
    need x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-windres apt-get
    [ -f /usr/x86_64-w64-mingw32/include/zlib.h ] || { echo "libz-mingw-w64-dev is not installed" >&2; exit 77; }
    root=$PWD/build/windows-root
    [ -f "$root/complete" ] || fetch_windows || { echo "sources of jansson and libpng cannot be fetched" >&2; exit 77; }
    configure -DPLIANT_TESTS=ON
    cmake --build build/windows --target pliant pliant_shared
    export WINEPREFIX=$PWD/build/windows-wine WINEDEBUG=-all
    pliant() { "$wine" build/windows/bin/pliant.exe "$@"; }
    try_command
    echo "windows: mesh, run, render and export work under wine"
    if [ $# -gt 0 ]; then
        cmake --build build/windows --target pliant-tests
        "$wine" build/windows/bin/pliant-tests.exe "$@"
    fi
    ;;
*)
    echo "usage: cross.sh arm64 | cross.sh windows [WORD...]" >&2
    exit 2
    ;;
esac
