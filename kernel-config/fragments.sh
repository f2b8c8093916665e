#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# fragments.sh MACHINE [debug]: the fragments of an architecture, in the order in
# which they are merged, by Kata's rules: a word !ARCH in the first line of a
# common fragment keeps that architecture off.  Folders of our own: older/, options
# that newer kernels have no more, and refuse/, what build.sh puts into the kernel.
set -euo pipefail

machine=$1
debug=${2:-}
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
# shellcheck source=deps/machine.sh
. "$here/../deps/machine.sh"
: "$machine ${kernel_arch:?}"

cd "$here/fragments"
for file in common/*.conf; do
	# s390's tag is written !s390x there, so the beginning of a word counts.
	if ! head -n 1 "$file" | grep -q "^#.* !$kernel_arch"; then
		echo "$file"
	fi
done
printf '%s\n' "$kernel_arch"/*.conf "$kernel_arch"/confidential/*.conf \
	refuse/*.conf older/common/*.conf older/"$kernel_arch"/*.conf
[[ -z $debug ]] || printf '%s\n' debug/*.conf
