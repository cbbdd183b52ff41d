#!/usr/bin/env bash
# Installs the Debian package in a fresh Debian that has nothing else, and runs it there: try_package.sh [FILE.deb]
# The root is made by debootstrap with this machine's mirror; root rights are needed. Without a file: that of `make package`.
set -eu
cd "$(dirname "$0")/.."
package=${1:-$(ls build/package/pliant_*.deb 2>/dev/null | head -n 1)}
[ -f "$package" ] || { echo "there is no package: make package" >&2; exit 77; }
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || { echo "needs root rights and debootstrap" >&2; exit 77; }
root=$(mktemp -d "${TMPDIR:-/tmp}/pliant-root-XXXXXX")
trap 'rm -rf "$root"' EXIT
mirror=$(grep -rhoE 'https?://[^ ]*/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n 1 | tr -d ' ')
debootstrap --variant=minbase bookworm "$root" "${mirror:-http://deb.debian.org/debian}" >"$root.log" 2>&1 ||
    { tail -n 3 "$root.log" >&2; rm -f "$root.log"; echo "debootstrap cannot reach its mirror" >&2; exit 77; }
rm -f "$root.log"

cp "$package" "$root/pliant.deb"
cp scenes/jelly_cube.json "$root/scene.json"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
# a proxy, if this machine has one
cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
if inside sh -c 'command -v pliant' >/dev/null; then echo "the root is not clean" >&2; exit 1; fi
inside apt-get -qq update >/dev/null 2>&1 || true
inside apt-get -qq install -y --no-install-recommends ./pliant.deb >/dev/null 2>"$root/log" || { cat "$root/log" >&2; exit 1; }

inside pliant --version
missing=$(inside sh -c 'ldd "$(command -v pliant)"' | grep 'not found' || true)
[ -z "$missing" ] || { echo "libraries are missing: $missing" >&2; exit 1; }
inside pliant mesh --generate bunny --edge 0.006 -o /bunny.msh >/dev/null 2>&1
inside pliant run /scene.json --frames 4 --quiet -o /out >/dev/null
inside pliant render /out --frame 4 --size 160x120 -o /out.png >/dev/null
test -s "$root/out.png"
for file in usr/share/man/man1/pliant.1.gz usr/share/man/man1/pliant.1 usr/share/bash-completion/completions/pliant; do
    [ -e "$root/$file" ] && echo "has /$file"
done
inside apt-get -qq purge -y pliant >/dev/null 2>&1
if inside sh -c 'command -v pliant' >/dev/null; then echo "purge leaves the command" >&2; exit 1; fi
echo "the package installs, runs and goes away in a clean Debian"
