#!/bin/bash
# Unpacks Debian's libomp5-19 into .cache/libomp-19, for tests of the provider ompt. It cannot be installed beside
# libomp5-14, which libeztrace0 depends on; the runtime itself needs libc alone and runs from anywhere.
set -euo pipefail
cd "$(dirname "$0")/.."

target=.cache/libomp-19
[ ! -e $target/libomp.so.5 ] || exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || exit 1

mkdir -p .cache
work=$(mktemp -d "$PWD/.cache/libomp.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
(cd "$work" && apt-get download -qq libomp5-19 2>download.log) || { cat "$work/download.log" >&2; exit 1; }
dpkg-deb -x "$work"/libomp5-19_*.deb "$work/package"
mkdir -p $target
cp -L "$work"/package/usr/lib/llvm-19/lib/libomp.so.5 $target/libomp.so.5.new
mv $target/libomp.so.5.new $target/libomp.so.5
