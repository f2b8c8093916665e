#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# guest_program.sh PROGRAM MAX_BYTES: what every guest program must be: static (a
# PT_INTERP makes the kernel look for an interpreter that the initramfs has not),
# without an executable stack, below its size limit, and free of this machine's paths
# (they would make the measured bytes depend on where it was built).
set -euo pipefail

program=$1
max_bytes=$2

fail()
{
	echo "$program: $*" >&2
	exit 1
}

headers=$(readelf -lW "$program")
if grep -q INTERP <<<"$headers"; then
	fail "has a PT_INTERP: it is not static"
fi
if grep -E 'GNU_STACK.* RWE ' <<<"$headers"; then
	fail "has an executable stack"
fi
bytes=$(stat -c %s "$program")
if [[ $bytes -ge $max_bytes ]]; then
	fail "has $bytes bytes, and must stay below $max_bytes"
fi
for path in "$PWD"/{lib,verity,mount,init}/ "${SOCLE_CACHE:-$HOME/.cache/socle}/"; do
	if grep -qaF "$path" "$program"; then
		fail "has the path $path in it"
	fi
done
