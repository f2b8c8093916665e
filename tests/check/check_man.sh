#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The man page of socle-init and lib/failure.def have the same failure codes: the
# page's are the tagged paragraphs (.TP, then .B CODE) that look like a code.  And no
# page has a control byte, such as the form feed that an unquoted \f becomes.
set -euo pipefail

page=init/socle-init.8
if grep -nP '[\x00-\x08\x0b-\x1f\x7f]' "$page" image-build/socle-image.1 mount/socle-volume.8 | cat -v | grep .; then
	echo "control bytes in a page"
	exit 1
fi

codes=$(sed -n 's/^FAIL(\([A-Z0-9_]*\),.*/\1/p' lib/failure.def | sort)
described=$(sed -n 's/^\.B \([A-Z][A-Z0-9]*\(_[A-Z0-9]\+\)\+\)$/\1/p' "$page" | sort -u)

[[ -n $codes ]] || { echo "lib/failure.def has no codes"; exit 1; }
differences=$(comm -3 <(echo "$codes") <(echo "$described"))
if [[ -n $differences ]]; then
	echo "left: only in lib/failure.def; right: only in $page (.B CODE)"
	echo "$differences"
	exit 1
fi
