#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The page of socle-image describes the options that --help prints, under each command,
# and no others.  What is said under layers goes for merge, too.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

image=${BUILD:-build}/socle-image

# The tagged paragraphs of a section: .TP, then .B or the like and the option.
described()
{
	sed 's/\\-/-/g' image-build/socle-image.1 |
		awk -v wanted="$1" '/^\.S[SH]/ { on = $1 == ".SS" && $2 == wanted } on' |
		grep -A1 '^\.T[PQ]' | grep -oP '^\.BI?R? \K--[a-z-]+' | sort
}

helped() { "$image" "$1" --help | grep -oP '^  \K--[a-z-]+' | grep -vx -- --help | sort; }

commands=$("$image" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
[[ $commands == *layers* ]] || complain "--help lists: $commands"
for command in $commands; do
	diff <(helped "$command") <(described "${command/merge/layers}") ||
		complain "$command: < only in --help, > only in the page"
done
exit "$status"
