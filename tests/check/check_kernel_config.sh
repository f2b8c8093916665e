#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# kernel-config/fragments and kernel-config/features.def say the same: the fragments
# of each architecture have every feature, and without any one option that a feature
# needs kernel-check names that feature.  And every option has its reason before it.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

image=${BUILD:-build}/socle-image
fragments=kernel-config/fragments
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Lines "id name archs" and "id archs option|option": of features.def.
sed -n 's/^FEATURE(\([A-Z0-9_]*\), "\([^"]*\)", \([^,]*\),.*/\1 \2 \3/p' \
	kernel-config/features.def | tr -d '|' >"$work/features"
sed -n 's/^\(NEEDS\|BUILT_IN\)(\([A-Z0-9_]*\), \([^,]*\), "\([^"]*\)".*/\2 \3 \4/p' \
	kernel-config/features.def >"$work/rules"
# What a guard is against our kernels can do, so its option counts as any.
tr -d '\n' <kernel-config/features.def | grep -oE 'GUARD\([A-Z_]+, [^)]*\)' |
	sed -nE 's/GUARD\(([A-Z0-9_]*), ([A-Z0-9_ |]*),.*"([A-Z0-9_|]+)",[^"]*"[^"]*"\)/\1 \2 \3/p' >>"$work/rules"

# The features of an architecture that our kernels have.
features_of()
{
	awk -v a="${1^^}" '
	NR == FNR { if (/^[^#]/) left_out[$1]; next }
	!($2 in left_out) && (/ ANY$/ || $0 ~ " " a "( |$)") { print $1, $2 }
	' kernel-config/left-out "$work/features"
}

# What is left out has its name from features.def.
check_left_out()
{
	local name

	while read -r name; do
		grep -q "^[A-Z0-9_]* $name " "$work/features" ||
			complain "kernel-config/left-out: $name is no feature"
	done < <(grep '^[^#]' kernel-config/left-out)
}

check() { "$image" kernel-check --arch "$@"; }

check_features()
{
	local machine=$1 name requested=()

	while read -r _ name; do
		requested+=(--feature "$name")
	done < <(features_of "$machine")
	if ! check "$machine" "${requested[@]}" "$work/$machine" >"$work/out" 2>&1 ||
		grep -q '^    ' "$work/out"; then
		complain "$machine: the fragments do not have every feature:"
		cat "$work/out"
	fi
}

# One rule at a time: all of its options are taken out.
check_losses()
{
	local machine=$1 id name archs options

	while read -r id name; do
		while read -r _ archs options; do
			[[ $archs == ANY || " $archs " == *" ${machine^^} "* ]] || continue
			grep -vE "^CONFIG_($options)=" "$work/$machine" >"$work/without"
			if check "$machine" --feature "$name" "$work/without" >"$work/out"; then
				complain "$machine: $name is not missed without $options"
			elif ! grep -q "^$name .*missing" "$work/out"; then
				complain "$machine: without $options this is said:"
				cat "$work/out"
			fi
		done < <(grep "^$id " "$work/rules")
	done < <(features_of "$machine")
}

check_form()
{
	# Kata takes !arch anywhere in a file for a tag.
	if grep -n '![a-z]' "$fragments"/*/*.conf "$fragments"/*/*/*.conf | grep -v ':1:'; then
		complain "a word that begins with ! belongs into the first line"
	fi
	awk '
	FNR == 1 { reason = 0 }
	/^#/ { reason = !/^# (---|!|SPDX)/ && !/^#$/ }
	/^$/ { reason = 0 }
	/^CONFIG_/ && !reason { print FILENAME ":" FNR ": " $0 " has no reason"; bad = 1 }
	!/^(#.*|CONFIG_[A-Z0-9_a-z]+=([ym]|[0-9]+|"[^"]*"))?$/ { print FILENAME ":" FNR ": " $0; bad = 1 }
	END { exit bad }
	' "$fragments"/*/*.conf "$fragments"/*/*/*.conf || status=1
}

check_form
check_left_out
for machine in x86_64 s390x aarch64; do
	# With Kconfig's own first words what is not there is off, not just left out; and no
	# feature is younger than this.
	{
		echo "# Linux/$machine 99.0 Kernel Configuration"
		(cd "$fragments" && ../fragments.sh "$machine" | xargs cat)
	} >"$work/$machine"
	check_features "$machine"
	check_losses "$machine"
done
exit $status
