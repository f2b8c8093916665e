#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# packages.sh [--missing] PACKAGE...
#
# Installs those of the named Debian packages that are not installed; with
# --missing it only prints them.  Of "ONE|OTHER" either will do, the first that
# this machine's Debian has.
set -euo pipefail

missing_packages()
{
	local wanted name names installed

	mapfile -t names < <(printf '%s\n' "$@" | tr '|' '\n')
	installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${names[@]}" 2>/dev/null |
		awk '$1 == "installed" { print " " $2 " " }' || true)
	for wanted in "$@"; do
		for name in ${wanted//|/ }; do
			[[ $installed != *" $name "* ]] || continue 2
		done
		echo "$wanted"
	done
}

first_to_be_had()
{
	local name

	for name in ${1//|/ }; do
		if apt-cache show "$name" >/dev/null 2>&1; then
			echo "$name"
			return
		fi
	done
	echo "${1%%|*}"
}

command -v dpkg-query >/dev/null || {
	echo "packages.sh: this is not a Debian machine; have the tools in place and" \
		"call make with DEPS=no" >&2
	exit 1
}
if [[ ${1:-} == --missing ]]; then
	shift
	missing_packages "$@"
	exit
fi

mapfile -t missing < <(missing_packages "$@")
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
	command -v sudo >/dev/null || {
		echo "packages.sh: these packages are missing, and there is neither root" \
			"nor sudo to install them: ${missing[*]}" >&2
		exit 1
	}
	as_root=(sudo)
fi

# Another apt may be at work; waiting for it beats failing.
apt_get()
{
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@" </dev/null
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Old lists name versions that the mirror may have dropped by now.  A list of some
# other source that cannot be read is no reason to stop.
echo "packages.sh: reading the package lists (apt-get update)" >&2
apt_get update >"$log" 2>&1 || tail -n 5 "$log" >&2
for i in "${!missing[@]}"; do
	missing[i]=$(first_to_be_had "${missing[i]}")
done
echo "packages.sh: installing ${#missing[@]} Debian packages: ${missing[*]}" >&2
if ! apt_get install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
	tail -n 25 "$log" >&2
	echo "packages.sh: the packages could not be installed" >&2
	exit 1
fi
