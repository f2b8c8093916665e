#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# configure.sh MACHINE TREE [debug]
#
# Configures a kernel's source tree: allnoconfig and the fragments.  An option
# that a fragment asks for and that is not in the result is an error, and is
# explained by Kconfig's own knowledge of what it depends on.  An option that the
# kernel does not know at all passes if the table `renamed` says what took its
# place, and that is there.
set -euo pipefail

machine=$1
tree=$(cd "$2" && pwd)
debug=${3:-}
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
# shellcheck source=deps/machine.sh
. "$here/../deps/machine.sh"
# shellcheck source=kernel-config/tree.sh
. "$here/tree.sh"

export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { echo "configure.sh: $*" >&2; }

merge()
{
	"$here/fragments.sh" "$machine" ${debug:+"$debug"} >"$work/fragments"
	(cd "$here/fragments" && xargs grep -h '^CONFIG_' <"$work/fragments") |
		sort -u >"$work/requested"
	# The same option with two values: one of them would be lost.
	local twice
	twice=$(cut -d= -f1 "$work/requested" | uniq -d)
	[[ -z $twice ]] || { say "two values are asked for:" "${twice//$'\n'/, }"; exit 1; }
}

allnoconfig()
{
	if ! kernel_make -s KCONFIG_ALLCONFIG="$work/requested" allnoconfig >"$work/log" 2>&1; then
		cat "$work/log" >&2
		exit 1
	fi
	grep '^CONFIG_' "$tree/.config" | sort >"$work/result"
	comm -23 "$work/requested" "$work/result" >"$work/missing"
}

# Builds explain_option.c with the tree's own Kconfig parser, and runs it with the
# environment that the kernel's make gives to that parser: caught by a Kconfig file
# whose only statement prints it.
explain_missing()
{
	local environment objects names

	# shellcheck disable=SC2016 # for Kconfig
	echo '$(shell,env -0 >"$(SOCLE_ENVIRONMENT)")' >"$work/Kconfig"
	SOCLE_ENVIRONMENT=$work/environment kernel_make -s \
		KBUILD_KCONFIG="$work/Kconfig" listnewconfig >>"$work/log" 2>&1
	mapfile -d '' -t environment <"$work/environment"
	mapfile -t objects < <(find "$tree/scripts/kconfig" -name '*.o' ! -name conf.o)
	gcc -I "$tree/scripts/kconfig" -I "$tree/scripts/include" -o "$work/explain" \
		"$here/explain_option.c" "${objects[@]}"
	mapfile -t names < <(sed 's/^CONFIG_//; s/=.*//' "$work/missing")
	(cd "$tree" && env -i "${environment[@]}" "$work/explain" "${names[@]}" 2>>"$work/log")
}

# Takes lines of explain; prints those that are errors.
judge()
{
	local option text instead

	while read -r option text; do
		instead=$(awk -v o="$option" '$1 == o { print $2 }' "$here/renamed")
		if [[ $text != unknown || -z $instead ]]; then
			echo "$option $text"
		elif [[ $instead == none ]]; then
			say "$option is not in this kernel; see kernel-config/renamed"
		elif [[ $instead == !* ]]; then
			! grep -q "^${instead#!}=" "$work/result" ||
				echo "$option unknown; ${instead#!} must be off in its place"
		else
			grep -q "^$instead=y" "$work/result" ||
				echo "$option unknown; $instead must be on in its place"
		fi
	done
}

# Names the fragment with each error.
report()
{
	local option text files

	while read -r option text; do
		files=$(cd "$here/fragments" && xargs grep -l "^$option=" <"$work/fragments")
		say "$option (${files//$'\n'/, }): $text"
	done
}

merge
allnoconfig
[[ -s $work/missing ]] || exit 0
explain_missing | judge >"$work/errors"
[[ -s $work/errors ]] || exit 0
say "$(wc -l <"$work/errors") of $(wc -l <"$work/requested") options are not in the" \
	"configuration of Linux $(kernel_make -s kernelversion) for $machine:"
report <"$work/errors"
exit 1
