#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# One name, one meaning: a source file's base name stands once in the tree, so that who reads
# "layer.c" in a message or in a log of the history need not ask which.
set -euo pipefail
. tests/check/common.sh

# What several rooms have in their own way, the same word for the same thing:
# each program's main, and the verb of verity/ (a device) and mount/ (a volume).
shared="main.c open.c"

while read -r count name; do
	[[ $count == 1 || " $shared " == *" $name "* ]] ||
		complain "$name: $(find lib verity mount init image-build kernel-config -name "$name" | sort | paste -sd' ')"
done < <(find lib verity mount init image-build kernel-config -name '*.c' -printf '%f\n' | sort | uniq -c)
exit $status
