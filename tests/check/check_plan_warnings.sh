#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# socle-image plan warns of a rdinit= that the kernel would follow past our /init, by
# the kernel's own rules for words and quotes, and of nothing else.
set -euo pipefail

image=${BUILD:-build}/socle-image
status=0

plan() { { "$image" plan --agent-in-initramfs "$@" --cmdline "$line" >/dev/null; } 2>&1; }

# Words for a line, and what is warned of; nothing where that is empty.
while IFS='|' read -r line program; do
	said=$(plan) || status=1
	[[ -z $program && -z $said || $said == "socle-image plan: warning: rdinit=$program makes "* ]] || {
		echo "$line: $said"
		status=1
	}
done <<'END'
quiet|
rdinit|
xrdinit=/bin/sh|
quiet -- rdinit=/bin/sh|
unrelated="a rdinit=/bin/sh"|
rdinit=/init|
rdinit=/bin/sh rdinit=/init|
rdinit=/bin/sh|/bin/sh
rdinit=/init rdinit=/bin/sh|/bin/sh
quiet rdinit="/bin/sh"|/bin/sh
"rdinit=/bin/a b"|/bin/a b
END
line=rdinit=
[[ $(plan) == *"rdinit= makes"* && $(plan --json) == *"rdinit= makes"* ]] ||
	{ echo "the empty rdinit= gets no warning"; status=1; }
exit $status
