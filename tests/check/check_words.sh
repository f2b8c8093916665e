#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Messages, the help of options and the man pages say it in the words that people search
# for: "is specified twice", "is not a number", "needs", "matches".
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

odd='(?<!here )\b(is|are) no (?!longer\b|more\b)|\bstands? twice\b|\bmust stand\b|\bwants\b|\bcannot be"|\bcould not be had\b'
texts='^[^"]*(?:"[^"]*"[^"]*)*?"[^"]*('

while IFS= read -r line; do
	complain "$line"
done < <(grep -rnP --include='*.c' --include='*.h' --include='*.def' "$texts$odd)" \
	lib verity mount init image-build kernel-config || true
	grep -nP "$odd" init/socle-init.8 image-build/socle-image.1 || true)
exit "$status"
