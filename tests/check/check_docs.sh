#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# In every text for people: a link leads to a file of the tree, and a target of make that
# is named is one that make help lists; README's tree is the tree.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

# The make above us has handed down its flags and its job server.
targets=$(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s help | awk '{ print $1 }')
[[ $targets == *install* ]] || complain "make help lists: $targets"

while read -r text; do
	while read -r link; do
		[[ $link == *:* || -e ${text%/*}/$link ]] || complain "$text: $link is not there"
	done < <(grep -oP '\]\(\K[^)#]+' "$text")
	while read -r target; do
		grep -qxF -- "$target" <<<"$targets" || complain "$text: there is no make $target"
	done < <(grep -oP '(\x60|^|\bsudo )make \K[a-z][a-z-]*(?=[\x60 ]|$)' "$text")
done < <(git ls-files -co --exclude-standard '*.md' | sed 's,^,./,')

# README's table of the tree has every room.
while read -r room; do
	parent=${room%/*}
	grep -qE "^\|.*\`($room|${room#"$parent"/})/\`.*\|" README.md || complain "README.md: nothing about $room/"
done < <(git ls-files -c '*.[ch]' '*.sh' '*.conf' | grep -vE '^(tests|kernel-config)/.*/' | sed 's,/[^/]*$,,' | sort -u)
exit "$status"
