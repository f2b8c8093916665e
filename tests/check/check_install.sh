#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# make install: exactly these files with these modes, whoever installs and where to; they
# are what was built, and know nothing of where that was.  A program finds the library by
# pkg-config.  uninstall leaves none of them.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

build=${BUILD:-build}
arch=${SOCLE_ARCH:-x86_64}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expected="bin/socle-image 755 $build/socle-image
include/socle.h 644 mount/runtime/socle.h
lib/socle/$arch/libsocle.a 644 $build/$arch/libsocle.a
lib/socle/$arch/pkgconfig/socle.pc 644
lib/socle/$arch/socle-init 755 $build/$arch/socle-init
lib/socle/$arch/socle-volume 755 $build/$arch/socle-volume
lib/socle/$arch/sources 644 $build/$arch/sources
share/bash-completion/completions/socle-image 644 $build/completion/socle-image
share/man/man1/socle-image.1 644 image-build/socle-image.1
share/man/man8/socle-init.8 644 init/socle-init.8
share/man/man8/socle-volume.8 644 mount/socle-volume.8
share/zsh/site-functions/_socle-image 644 $build/completion/_socle-image"

# The make above us has handed down its flags and its job server.
run_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s BUILD="$build" ARCH="$arch" "$@"; }

list() { (cd "$1" && find . -type f -printf '%P %m\n' | sort); }

check_files()
{
	run_make install DESTDIR="$work/one root" PREFIX=/usr
	(umask 077; run_make install DESTDIR="$work/other" PREFIX=/usr)
	run_make install DESTDIR="$work/default"
	diff <(cut -d' ' -f1,2 <<<"$expected") <(list "$work/other/usr") ||
		complain "< is missing, > was not expected"
	[[ $(list "$work/default") == "$(list "$work/other/usr" | sed 's,^,usr/local/,')" ]] ||
		complain "PREFIX is not /usr/local: $(list "$work/default")"
	diff -r "$work/one root" "$work/other" || complain "two installations differ"
	diff <(list "$work/one root") <(list "$work/other") || complain "modes depend on the umask"
	[[ -z $(find "$work/other/usr" -type d ! -perm 755) ]] ||
		complain "a folder that others cannot enter"
}

check_contents()
{
	local name from place

	while read -r name _ from; do
		[[ -z $from ]] || cmp "$from" "$work/other/usr/$name" || complain "$name is not $from"
		for place in "$PWD/" "$work" "${SOCLE_CACHE:-$HOME/.cache}" "$HOME/."; do
			! grep -qaF -- "$place" "$work/other/usr/$name" || complain "$name has $place in it"
		done
	done <<<"$expected"
}

# One static program of the guest, made with nothing but what is installed.
check_library()
{
	local flags version compiler

	export PKG_CONFIG_SYSROOT_DIR=$work/other PKG_CONFIG_PATH=$work/other/usr/lib/socle/$arch/pkgconfig
	flags=$(pkg-config --static --cflags --libs socle)
	version=$(pkg-config --modversion socle)
	compiler=$(SOCLE_ARCH=$arch deps/sysroot.sh --dir)/bin/cc
	printf '#include <socle.h>\n#include <stdio.h>\n%s\n' \
		'int main(void) { puts(socle_version()); return 0; }' >"$work/user.c"
	# shellcheck disable=SC2086 # words
	"$compiler" "$work/user.c" -o "$work/user" $flags || complain "no program can be made with: $flags"
	[[ $arch != "$(uname -m)" || $("$work/user") == "$version" ]] || complain "socle.pc says $version"
	# shellcheck disable=SC2086
	"$compiler" tests/example/agent.c -o "$work/agent" $flags ||
		complain "the example cannot be made with: $flags"
	[[ $("$work/other/usr/bin/socle-image" --version) == "socle-image $version" ]] ||
		complain "socle.pc says $version, and socle-image another"
}

check_absence()
{
	local said

	run_make uninstall DESTDIR="$work/default"
	[[ -z $(list "$work/default") ]] || complain "left by uninstall: $(list "$work/default")"
	said=$(run_make install BUILD="$work/none" DESTDIR="$work/nothing" 2>&1) &&
		complain "installed what was not built"
	[[ $said == *"$work/none/socle-image is missing: run make first"* && ! -e $work/nothing ]] ||
		complain "without a build: $said"
}

check_files
check_contents
check_library
check_absence
exit "$status"
