#!/usr/bin/env bash
# Builds for arm64 and tries the Debian package in a clean root: check_cross.sh BIN_FOLDER
# Takes minutes, so it runs only if PLIANT_CROSS=1 asks for it.
set -u
[ "${PLIANT_CROSS:-}" = 1 ] || { echo "takes minutes; PLIANT_CROSS=1 runs it"; exit 77; }
bash scripts/cross.sh arm64 >/dev/null || exit
bash scripts/package.sh >/dev/null || exit
bash scripts/try_package.sh || exit
echo "arm64 works under qemu, the package works in a clean Debian"
