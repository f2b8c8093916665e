#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# libsocle.a can be linked into any program: from outside nothing of it can be seen but
# what mount/runtime/socle.h declares, it has no state that the whole process shares, and
# a program that uses all of it links, and runs where this machine can run it.
set -euo pipefail

. tests/check/common.sh
declared=$(grep -oE '\bsocle_[a-z_]+\(' mount/runtime/socle.h | tr -d '(' | sort -u)

for arch in ${SOCLE_ARCHES:-x86_64}; do
	library=${BUILD:-build}/$arch/libsocle.a
	defined=$(nm -g --defined-only "$library" | awk 'NF == 3 { print $3 }' | sort)
	if [[ $defined != "$declared" ]]; then
		complain "$library: its global symbols are not those of socle.h:" "${defined//$'\n'/ }"
	fi
	# Data that can be written to, global or not.
	state=$(nm "$library" | awk '$2 ~ /^[BbDdC]$/ { print $3 }')
	if [[ -n $state ]]; then
		complain "$library: state of the whole process:" "${state//$'\n'/ }"
	fi
	# Their names are the libraries', hidden or not: a debugger shows them side by side.
	others=$(nm "$library" | awk '$2 ~ /^[Tt]$/ && $3 ~ /^(blkid|json)_/ { print $3 }')
	if [[ -n $others ]]; then
		complain "$library: names of the libraries below it:" "${others//$'\n'/ }"
	fi
	if nm -u "$library" | grep -E ' socle_'; then
		complain "$library: lacks functions of its own"
	fi
done
if [[ " ${SOCLE_ARCHES:-x86_64} " == *" $(uname -m) "* ]]; then
	said=$(echo '{' | "${BUILD:-build}/$(uname -m)/example-agent" /run/socle-check 2>&1) || true
	if [[ $said != "DESCRIPTION_INVALID : "* ]]; then
		complain "a program that uses libsocle.a does not say what it should: $said"
	fi
fi
# But for what make deb has packed.
archives=$(find "${BUILD:-build}" -path "${BUILD:-build}/deb" -prune -o -name libsocle.a -print | grep -vE "^${BUILD:-build}/[a-z0-9_]+/libsocle.a$") || true
if [[ -n $archives ]]; then
	complain "another archive bears the name: $archives"
fi
exit "$status"
