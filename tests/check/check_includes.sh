#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Dependencies point one way, read from the #include lines, which are written from the root:
# each room may include itself and the rooms in its row, and no files include each other in
# a circle.
set -euo pipefail

# What is pure of mount/: text and bytes, no device.
pure="mount/volume.h mount/stack.h mount/upper.h mount/policy.h mount/describe mount/device/devref.h mount/fs/erofs.h mount/fs/fstype.h mount/fs/layers.h"

# ROOM: what it may include, rooms or single files.
declare -A may_include=(
	[lib]=""
	[verity]="lib"
	[mount/describe]="mount/volume.h mount/stack.h mount/upper.h mount/device/devref.h mount/fs/layers.h mount/fs/fstype.h verity lib"
	[mount/device]="mount/fs/erofs.h mount/fs/fstype.h verity lib"
	[mount/fs]="lib"
	[mount]="mount/device mount/fs verity lib"
	[mount/runtime]="mount mount/describe mount/device mount/fs verity lib"
	[mount/serve]="mount/describe/hostile_json.h mount/fs/make.h mount/runtime/socle.h lib"
	[mount/program]="mount/describe mount/stack.h mount/fs/layers.h mount/runtime/socle.h mount/serve lib"
	[init/plan]="$pure verity lib"
	[init/root]="init/plan mount/fs mount/policy_read.h lib"
	[init/tell]="init/plan lib"
	[init]="init/plan init/root init/tell mount mount/device mount/fs verity lib"
	[image-build/base]="mount/fs/erofs.h mount/fs/layers.h verity lib"
	[image-build/kernel]="image-build/base kernel-config lib"
	[image-build/tree]="image-build/base lib"
	[image-build/oci]="image-build/base image-build/tree lib"
	[image-build/plan]="image-build/base image-build/tree init/plan $pure verity lib"
	[image-build/disk/erofs]="image-build/base image-build/tree mount/fs/erofs.h lib"
	[image-build/disk]="image-build/base image-build/disk/erofs image-build/tree $pure verity lib"
	[image-build/bundle]="image-build/base image-build/disk image-build/kernel image-build/oci verity lib"
	[image-build/initramfs]="image-build/base image-build/kernel image-build/plan image-build/tree init/plan $pure verity lib"
	[image-build/inspect]="image-build/base image-build/bundle image-build/disk image-build/initramfs image-build/oci $pure verity lib"
	[image-build/diff]="image-build/base image-build/initramfs image-build/inspect verity lib"
	[image-build]="image-build/diff image-build/base image-build/bundle image-build/disk image-build/initramfs image-build/inspect image-build/kernel image-build/oci image-build/plan image-build/tree init/plan $pure verity lib"
)
status=0

includes() { grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null "$@"; }

# is_allowed ROOM FILE
is_allowed()
{
	local allowed

	for allowed in "$1" ${may_include[$1]}; do
		[[ $allowed != "$2" && $allowed != "${2%/*}" ]] || return 0
	done
	return 1
}

check_room()
{
	local room=$1 file line include target

	while IFS=: read -r file line include; do
		target=${include#*\"}
		target=${target%%\"*}
		if [[ $target != */* || ! -f $target ]]; then
			echo "$file:$line: \"$target\" is not a file of the tree, written from its root"
			status=1
		elif ! is_allowed "$room" "$target"; then
			echo "$file:$line: $room must not include $target"
			status=1
		fi
	done < <(includes "$room"/*.[ch])
}

while read -r room; do
	if [[ ! -v may_include[$room] ]]; then
		echo "$room is not a room of tests/check/check_includes.sh"
		status=1
		continue
	fi
	check_room "$room"
done < <(find lib verity mount init image-build -name '*.[ch]' -printf '%h\n' | sort -u)

# A file and its header are one; tsort names the members of a circle.
if ! circles=$(find lib verity mount init image-build -name '*.[ch]' -print0 | xargs -0 grep -E '^#include "' /dev/null |
	sed -E 's/\.[ch]:#include "/ /; s/\.[ch]"$//' | awk '$1 != $2' | tsort 2>&1 >/dev/null); then
	echo "files that include each other: ${circles//tsort: /}"
	status=1
fi
exit $status
