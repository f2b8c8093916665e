#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The programs built here and those built from a copy of the sources in another
# directory are the same, byte for byte.
set -euo pipefail

build=${BUILD:-build}
arch=${SOCLE_ARCH:-x86_64}
copy=$(mktemp -d "${TMPDIR:-/tmp}/socle-copy-with-a-longer-name.XXXXXX")
trap 'rm -rf "$copy"' EXIT

git ls-files -co --exclude-standard -z |
	while IFS= read -r -d '' file; do
		[[ ! -f $file ]] || printf '%s\0' "$file"
	done | tar --null --files-from=- -cf - | tar -C "$copy" -xf -
# The make above us has handed down its flags and its job server.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$copy" BUILD=build ARCH="$arch" all

status=0
for program in "$arch/socle-init" socle-image; do
	cmp "$build/$program" "$copy/build/$program" || status=1
done
exit $status
