#!/usr/bin/env bash
# Builds for arm64 and Windows and tries the Debian package in a clean root: check_cross.sh BIN_FOLDER
# Takes minutes, so it runs only if PLIANT_CROSS=1 asks for it. A target whose compiler is not installed is left out by name.
set -u
[ "${PLIANT_CROSS:-}" = 1 ] || { echo "takes minutes; PLIANT_CROSS=1 runs it"; exit 77; }
said="" left_out=""
try() {
    local name=$1 reason
    shift
    reason=$("$@" 2>&1 >/dev/null)
    case $? in
    0) said="$said, $name" ;;
    77) left_out="$left_out; $name: $(echo "$reason" | tail -n 1)" ;;
    *) echo "$name: $reason"; exit 1 ;;
    esac
}
try "arm64 under qemu" bash scripts/cross.sh arm64
try "Windows under wine" bash scripts/cross.sh windows read_ write scene material math
try "the package in a clean Debian" bash -c 'bash scripts/package.sh && bash scripts/try_package.sh'
[ -n "$said" ] || { echo "nothing could be tried${left_out}"; exit 77; }
echo "works: ${said#, }$left_out"
