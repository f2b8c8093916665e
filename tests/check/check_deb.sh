#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# make deb: two packages that hold what make install installs, the guest's byte for byte;
# lintian finds no error; made twice they are the same; another machine's guest is a
# package of that machine's.  And the completions that they bring complete.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

build=${BUILD:-build}
version=$(sed -n 's/^#define SOCLE_VERSION "\(.*\)"/\1/p' mount/runtime/socle.h)
work=$(mktemp -d)
debs=$work/debs
trap 'rm -rf "$work"' EXIT

declare -A debian=([x86_64]=amd64 [s390x]=s390x [aarch64]=arm64)

# The make above us has handed down its flags and its job server.
run_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s DEPS=no BUILD="$build" "$@" 2>&1; }

# pack ARCH: of what has been built, into $debs.
pack()
{
	[[ -f $build/$1/socle-volume ]] || { complain "$1 has not been built"; return; }
	run_make deb ARCH="$1" DEBS="$debs" >"$work/log" || { complain "make deb ARCH=$1: $(tail "$work/log")"; return; }
	(cd "$debs" && echo *.deb)
}

check_own()
{
	local arch=$1 name packages

	packages=$(pack "$arch")
	[[ $packages == "socle-guest_${version}_${debian[$arch]}.deb socle-image_${version}_${debian[$arch]}.deb" ]] ||
		complain "made: $packages"
	mkdir "$work/first" "$work/packed"
	cp "$debs"/*.deb "$work/first/"
	for name in "$work"/first/*.deb; do dpkg-deb -x "$name" "$work/packed"; done
	run_make install ARCH="$arch" DESTDIR="$work/installed" PREFIX=/usr \
		ZSH_FOLDER=share/zsh/vendor-completions
	# Debian packs man pages, strips programs of the build machine and adds its own papers.
	gunzip -r "$work/packed/usr/share/man"
	diff -rq "$work/installed" "$work/packed" | grep -v -e "Only in $work/packed/usr/share: doc" \
		-e "Only in $work/packed/usr/share: lintian" -e 'bin/socle-image differ' &&
		complain "the packages are not what is installed"
	"$work/packed/usr/bin/socle-image" --version | grep -qx "socle-image $version" ||
		complain "the packed socle-image is not version $version"
	[[ $(dpkg-deb -f "$work/first/socle-image_${version}_${debian[$arch]}.deb" Depends) == *libc6* ]] ||
		complain "socle-image depends on no library"
	! lintian --allow-root --fail-on error "$debs"/*.changes >"$work/said" 2>&1 &&
		complain "lintian: $(cat "$work/said")"
	pack "$arch" >/dev/null
	for name in "$work"/first/*.deb; do
		cmp "$name" "$debs/${name##*/}" || complain "${name##*/} is another the second time"
	done
}

check_other()
{
	local packages

	packages=$(pack "$1")
	[[ $packages == "socle-guest_${version}_${debian[$1]}.deb" ]] || complain "of $1: $packages"
	[[ $(dpkg-deb -c "$debs/$packages") == *" ./usr/lib/socle/$1/socle-init"* ]] ||
		complain "$packages has no socle-init of $1"
}

# complete WORD...: what bash offers for the last of them.
complete()
{
	# shellcheck disable=SC2016 # for the inner shell
	bash -c '. "$0"; COMP_WORDS=(socle-image "$@") COMP_CWORD=$#; COMPREPLY=()
		_socle_image; printf "%s " "${COMPREPLY[@]}"' "$build/completion/socle-image" "$@"
}

check_completion()
{
	local script=$build/completion/_socle-image

	[[ $(complete lay) == 'layers ' ]] || complain "bash, lay: $(complete lay)"
	[[ $(complete layers --sa) == '--salt ' ]] || complain "bash, --sa: $(complete layers --sa)"
	[[ $(complete merge --salt n) == 'none ' ]] || complain "bash, --salt n: $(complete merge --salt n)"
	[[ $(complete layers --output deb) == 'debian ' ]] || complain "bash, deb: $(complete layers --output deb)"
	[[ $(complete --v) == '--version ' ]] || complain "bash, --v: $(complete --v)"
	zsh -n "$script" || complain "zsh cannot read its script"
	# shellcheck disable=SC2016 # for zsh
	zsh -fc '_describe() { print -rl -- ${(P)2} }
		_arguments() { print -rl -- "$@" }
		words=(socle-image "") CURRENT=2; . "$1"; words=(socle-image merge "") CURRENT=3; . "$1"' \
		zsh "$script" >"$work/zsh" || complain "zsh: $(cat "$work/zsh")"
	grep -q 'layers:Turn each layer' "$work/zsh" || complain "zsh offers no commands: $(cat "$work/zsh")"
	grep -qx -- '--salt\[.*\]:content|none|HEX:(content none)' "$work/zsh" ||
		complain "zsh offers no values: $(cat "$work/zsh")"
}

check_completion
check_own "${SOCLE_ARCH:-x86_64}"
for arch in ${SOCLE_ARCHES:-}; do
	[[ $arch == "${SOCLE_ARCH:-x86_64}" ]] || check_other "$arch"
done
exit "$status"
