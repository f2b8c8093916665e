#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Dependencies point one way: init -> mount -> verity -> lib, and
# image-build -> init (the plan, for socle-image plan) -> mount -> verity -> lib.  Read from the #include lines, which are written
# from the root.
set -euo pipefail

declare -A may_include=(
	[lib]="lib"
	[verity]="verity lib"
	[mount]="mount verity lib"
	[init]="init mount verity lib"
	[image-build]="image-build kernel-config init mount verity lib"
)
status=0

for folder in "${!may_include[@]}"; do
	while IFS=: read -r file line include; do
		target=${include#*\"}
		target=${target%%\"*}
		if [[ $target != */* || ! -f $target ]]; then
			echo "$file:$line: \"$target\" is not a file of the tree, written from its root"
			status=1
		elif [[ " ${may_include[$folder]} " != *" ${target%%/*} "* ]]; then
			echo "$file:$line: $folder/ must not include $target"
			status=1
		fi
	done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null "$folder"/*.[ch])
done
exit $status
