#!/usr/bin/env bash
# A Debian package in build/package, built for any CPU with AVX2.
set -eu
cd "$(dirname "$0")/.."
command -v dpkg-shlibdeps >/dev/null || { echo "dpkg-shlibdeps is missing: apt-get install dpkg-dev" >&2; exit 2; }
cmake --preset package >/dev/null
cmake --build --preset package
(cd build/package && cpack -G DEB >cpack.log) || { cat build/package/cpack.log >&2; exit 1; }
ls build/package/*.deb
