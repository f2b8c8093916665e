#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Every option of the kernel that a sentence of the guest's names is known to
# kernel-config/features.def: what init says is missing, kernel-check says before.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

# Compressions of foreign images; kernels that are ours do without.
foreign="EROFS_FS_ZIP_LZMA EROFS_FS_ZIP_DEFLATE SQUASHFS_LZO"

options=$(grep -rhoE '"[^"]*CONFIG_[^"]*"' --include="*.c" lib verity mount init |
	grep -oE 'CONFIG_[A-Z0-9_]+' | sed 's/CONFIG_//' | sort -u)

for option in $options; do
	[[ " $foreign " == *" $option "* ]] ||
		grep -qE "[\"|]${option}[\"|]" kernel-config/features.def ||
		complain "CONFIG_$option: named in the guest, unknown to kernel-config/features.def"
done
exit $status
