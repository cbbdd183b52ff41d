#!/usr/bin/env bash
# Installs what is missing of one group of Debian packages: deps.sh deps|deps-test|deps-extra|deps-bench|deps-view|deps-site
set -u

group=${1:-}
case "$group" in
deps) packages="gcc libc6-dev cmake ninja-build pkg-config libjansson-dev zlib1g-dev libpng-dev" ;;
deps-test) packages="locales libsuitesparse-dev libopenblas-dev libarpack2-dev" ;;
deps-extra) packages="python3-markdown python3-meshio python3-vtk9 python3-jsonschema gmsh tetgen calculix-ccx ffmpeg nodejs npm libwebsockets-dev chromium clang llvm libclang-rt-14-dev" ;;
deps-bench) packages="petsc-dev slepc-dev libhypre-dev libsuitesparse-dev libopenblas-dev libarpack2-dev libbullet-dev libfcl-dev mpi-default-bin libopenmpi-dev" ;;
deps-view) packages="libwebsockets-dev nodejs npm" ;;
deps-site) packages="python3 python3-markdown" ;;
*) echo "usage: deps.sh deps|deps-test|deps-extra|deps-bench|deps-view|deps-site" >&2; exit 2 ;;
esac

missing=""
for package in $packages; do
    # node and npm often come from elsewhere, in packages that conflict with Debian's
    case "$package" in nodejs) command -v node >/dev/null && continue ;; npm) command -v npm >/dev/null && continue ;; esac
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

# optional packages: CHOLMOD and ARPACK are for comparisons, and checks whose program is missing are skipped by name
can_do_without() {
    [ "$group" = deps-extra ] || [ "$group" = deps-bench ] && return 0
    for package in $1; do
        case "$package" in libsuitesparse-dev | libopenblas-dev | libarpack2-dev) ;; *) return 1 ;; esac
    done
}

echo "installing:$missing" >&2
if ! command -v apt-get >/dev/null; then
    echo "no apt-get here; install the equivalents of these Debian packages and try again:$missing" >&2
    can_do_without "$missing"
    exit
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "not root and no sudo; ask an administrator for: apt-get install$missing" >&2
        can_do_without "$missing"
        exit
    fi
    as_root="sudo"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
$as_root apt-get update >"$log" 2>&1 || { echo "apt-get update failed:" >&2; tail -n 3 "$log" >&2; }
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >"$log" 2>&1 && exit 0

# one by one, to name what cannot be had
failed=""
for package in $missing; do
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package" >"$log" 2>&1 || failed="$failed $package"
done
[ -z "$failed" ] && exit 0
echo "could not be installed:$failed" >&2
tail -n 3 "$log" >&2
can_do_without "$failed"
