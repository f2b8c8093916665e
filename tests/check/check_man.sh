#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The man page of socle-init and lib/failure.def have the same failure codes: the
# page's are the tagged paragraphs (.TP, then .B CODE) that look like a code.
set -euo pipefail

page=init/socle-init.8
codes=$(sed -n 's/^FAIL(\([A-Z0-9_]*\),.*/\1/p' lib/failure.def | sort)
described=$(sed -n 's/^\.B \([A-Z][A-Z0-9]*\(_[A-Z0-9]\+\)\+\)$/\1/p' "$page" | sort -u)

[[ -n $codes ]] || { echo "lib/failure.def has no codes"; exit 1; }
differences=$(comm -3 <(echo "$codes") <(echo "$described"))
if [[ -n $differences ]]; then
	echo "left: only in lib/failure.def; right: only in $page (.B CODE)"
	echo "$differences"
	exit 1
fi
