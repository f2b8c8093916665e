#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# make install: exactly these files with these modes, whoever installs and where to; they
# are what was built, and know nothing of where that was.  uninstall leaves none of them.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

build=${BUILD:-build}
arch=${SOCLE_ARCH:-x86_64}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expected="bin/socle-image 755 $build/socle-image
lib/socle/$arch/socle-init 755 $build/$arch/socle-init
share/man/man1/socle-image.1 644 image-build/socle-image.1
share/man/man8/socle-init.8 644 init/socle-init.8"

# The make above us has handed down its flags and its job server.
run_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s BUILD="$build" ARCH="$arch" "$@"; }

list() { (cd "$1" && find . -type f -printf '%P %m\n' | sort); }

run_make install DESTDIR="$work/one root" PREFIX=/usr
(umask 077; run_make install DESTDIR="$work/other")
diff <(cut -d' ' -f1,2 <<<"$expected") <(list "$work/one root/usr") ||
	complain "< is missing, > was not expected"
[[ $(list "$work/one root") == "$(list "$work/one root/usr" | sed 's,^,usr/,')" ]] ||
	complain "files outside of PREFIX"
diff -r "$work/one root/usr" "$work/other/usr/local" || complain "two installations differ"
diff <(list "$work/one root/usr") <(list "$work/other/usr/local") ||
	complain "modes depend on the umask"
[[ -z $(find "$work/other/usr" -type d ! -perm 755) ]] || complain "a folder that others cannot enter"

while read -r name _ from; do
	cmp "$from" "$work/other/usr/local/$name" || complain "$name is not $from"
	for place in "$PWD/" "${SOCLE_CACHE:-$HOME/.cache}" "$HOME/."; do
		! grep -qaF -- "$place" "$work/other/usr/local/$name" || complain "$name has $place in it"
	done
done <<<"$expected"

run_make uninstall DESTDIR="$work/other"
[[ -z $(list "$work/other") ]] || complain "left by uninstall: $(list "$work/other")"
if said=$(run_make install BUILD="$work/none" DESTDIR="$work/nothing" 2>&1); then
	complain "installed what was not built"
fi
[[ $said == *"$work/none/socle-image is missing: run make first"* && ! -e $work/nothing ]] ||
	complain "without a build: $said"
exit "$status"
