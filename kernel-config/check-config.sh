#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# check-config.sh [--newest] [MACHINE...]: that the fragments survive, as configuration,
# on the kernel that build.sh builds, or on the newest one that Debian offers as source;
# for all architectures unless some are named.  Nothing is built.
set -euo pipefail

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
cache=${SOCLE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/socle}
suites=(trixie-backports sid experimental)
newest=''
usage="usage: check-config.sh [--newest] [x86_64 | s390x | aarch64]..."
[[ ${1:-} != --help ]] || { echo "$usage"; exit; }
[[ ${1:-} != --newest ]] || { newest=yes; shift; }
[[ ${1:-} != -* ]] || { echo "$usage" >&2; exit 2; }
[[ $# -gt 0 ]] || set -- x86_64 s390x aarch64

fetch() { "$here/../deps/fetch.sh" --arch amd64 "$@"; }

# "VERSION SUITE PACKAGE" of the source that a suite's meta package leads to.
offer_of()
{
	local suite=$1 line file version

	line=$(fetch --suite "$suite" deb:linux-source) || return 0
	read -r _ _ version _ file <<<"$line"
	echo "$version $suite $(dpkg-deb -f "$cache/downloads/$file" Depends |
		grep -oE 'linux-source-[0-9.]+' | head -n 1)"
}

# Newest first: Debian's order, in which ~rc1 comes before the release.
offers()
{
	local suite

	for suite in "${suites[@]}"; do
		offer_of "$suite"
	done | sort -V -r | awk '!seen[$1]++'
}

# A mirror may list a package and not have it: then the next one.
fetch_newest()
{
	local version suite package line

	while read -r version suite package; do
		if line=$(fetch --suite "$suite" "deb:$package"); then
			echo "check-config.sh: $package $version of $suite" >&2
			echo "$cache/downloads/${line##* }"
			return
		fi
	done < <(offers)
	echo "check-config.sh: no suite gave its kernel's source" >&2
	return 1
}

# The one of sources.lock.
fetch_locked()
{
	local line

	line=$(fetch deb:linux-source-6.12)
	echo "$cache/downloads/${line##* }"
}

# Of the source only what Kconfig reads and runs: a fortieth of it.
unpack()
{
	local package=$1 tree=$2 new=$cache/tmp.kconfig.$$

	rm -rf "$new"
	mkdir "$new"
	dpkg-deb --fsys-tarfile "$package" |
		tar -xO --wildcards './usr/src/*.tar.xz' |
		tar -C "$new" -xJ --no-same-owner --wildcards '*/Kconfig*' '*/Makefile*' \
			'*/Kbuild*' '*/scripts/*' '*/arch/*/tools/*' '*/tools/build/*' \
			'*/include/linux/kconfig.h'
	mv "$new"/linux-source-* "$tree"
	rmdir "$new"
}

if [[ -n $newest ]]; then
	package=$(fetch_newest)
else
	package=$(fetch_locked)
fi
# The next run finds it again.
tree=${package##*/}
tree=$cache/kconfig-${tree%_all.deb}
[[ -d $tree ]] || unpack "$package" "$tree"
status=0
for machine in "$@"; do
	if "$here/configure.sh" "$machine" "$tree"; then
		echo "the fragments for $machine are in force on ${package##*/}"
	else
		status=1
	fi
done
exit $status
