#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Scripts and rules point one way, read from what they name outside of comments: no two
# folders source, call or read each other's files.
#
# check_scripts.sh [TREE]
set -euo pipefail

cd "${1:-.}"

# Lines "FOLDER FOLDER FILE": a file of the first names something that is in the second.
references()
{
	local file folder target

	for file in */*.sh */*.mk */*/*.sh; do
		folder=${file%%/*}
		while read -r target; do
			[[ ! -e $target || ${target%%/*} == "$folder" ]] || echo "$folder ${target%%/*} $file"
		done < <(grep -v '^[[:space:]]*#' "$file" |
			grep -oE '(^|[^A-Za-z0-9_/-]|\.\./)(deps|initramfs|kernel-config|tests)/[A-Za-z0-9_.-]+' |
			grep -oE '(deps|initramfs|kernel-config|tests)/.*' | sort -u)
	done
}

named=$(references)
[[ -n $named ]] || { echo "no script names another folder's file"; exit 1; }
if ! circle=$(cut -d" " -f1,2 <<<"$named" | sort -u | tsort 2>&1 >/dev/null); then
	echo "folders whose scripts lead back to each other: ${circle//tsort: /}"
	echo "$named"
	exit 1
fi
