#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# An option that is asked for and does not survive ends the configuration, and is named
# with its fragment and with what it depends on.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -r kernel-config deps "$work/"
sed -i '/^CONFIG_SPARSEMEM_VMEMMAP=/d' "$work/kernel-config/fragments/common/socle-pmem.conf"
if "$work/kernel-config/check-config.sh" x86_64 >"$work/log" 2>&1; then
	echo "a fragment whose dependency is missing was taken"
	exit 1
fi
cat "$work/log"
grep -q 'CONFIG_ZONE_DEVICE (common/socle-pmem.conf): is "n"; depends on:.*SPARSEMEM_VMEMMAP \[=n\]' \
	"$work/log"
