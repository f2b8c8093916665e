#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The pages of socle-image and socle-volume describe the options that --help prints, under
# each command, and no others.  What is said under layers goes for merge, too.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

image=${BUILD:-build}/socle-image

# described PAGE SECTION: its tagged paragraphs: .TP, then .B or the like and the option.
described()
{
	sed 's/\\-/-/g' "$1" |
		awk -v wanted="$2" '/^\.S[SH]/ { on = $2 == wanted } on' |
		grep -A1 '^\.T[PQ]' | grep -oP '^\.BI?R? \K--[a-z-]+' | sort
}

# helped PROGRAM COMMAND
helped() { "$1" "$2" --help | grep -oP '^  \K--[a-z-]+' | grep -vx -- --help | sort; }

commands=$("$image" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
[[ $commands == *layers* ]] || complain "--help lists: $commands"
for command in $commands; do
	diff <(helped "$image" "$command") <(described image-build/socle-image.1 "${command/merge/layers}") ||
		complain "$command: < only in --help, > only in the page"
done

volume=${SOCLE_INIT%/*}/socle-volume
commands=$("$volume" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[[ $commands == mount*list*serve ]] || complain "socle-volume --help lists: $commands"
for command in $commands; do
	diff <(helped "$volume" "$command") <(described mount/socle-volume.8 "${command^^}") ||
		complain "socle-volume $command: < only in --help, > only in the page"
done
exit "$status"
