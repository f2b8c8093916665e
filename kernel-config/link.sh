#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# link.sh [debug] OUT [INITRAMFS]: build.sh's kernel of SOCLE_ARCH, linked anew with
# what belongs to one image, as OUT:
#   INITRAMFS		an archive that is not compressed; it is with the kernel, which
#			then takes no other
#   SOCLE_TRUSTED_KEYS=FILE.pem	certificates whose signatures of root hashes count
set -euo pipefail

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
debug=''
[[ ${1:-} != debug ]] || { debug=debug; shift; }
if [[ $# -lt 1 || $# -gt 2 || $1 == -* ]]; then
	echo "usage: link.sh [debug] OUT [INITRAMFS]" >&2
	exit 2
fi
result=$1
initramfs=${2:-}
machine=${SOCLE_ARCH:-x86_64}
# shellcheck source=deps/machine.sh
. "$here/../deps/machine.sh"
# shellcheck source=kernel-config/tree.sh
. "$here/tree.sh"

unset MAKEFLAGS MFLAGS MAKELEVEL
"$here/build.sh" ${debug:+"$debug"}
built=$("$here/build.sh" ${debug:+"$debug"} --dir)
tree=$(tree_of "$built")
log=$tree.log
[[ -d $tree ]] || { echo "link.sh: $tree is gone; remove $built, so that both are made again" >&2; exit 1; }

set_option() { "$tree/scripts/config" --file "$tree/.config" "$@"; }

# Kconfig offers INITRAMFS_FORCE only where the command line is built in as well, which
# this is not about, and so not at all on x86_64 and s390x.  The code needs no such thing.
offer_force() { sed -i '/^config INITRAMFS_FORCE$/,/^	help$/ { /^	depends on /d }' "$tree/usr/Kconfig"; }

# Each run says all of it again: the tree still has what the last one asked for.
configure()
{
	cp "$built/config" "$tree/.config"
	if [[ -n $initramfs ]]; then
		cp "$initramfs" "$tree/socle-initramfs.cpio"
		set_option --set-str INITRAMFS_SOURCE socle-initramfs.cpio \
			--enable INITRAMFS_COMPRESSION_NONE --enable INITRAMFS_FORCE
	fi
	if [[ -n ${SOCLE_TRUSTED_KEYS:-} ]]; then
		cp "$SOCLE_TRUSTED_KEYS" "$tree/certs/socle-trusted.pem"
		set_option --set-str SYSTEM_TRUSTED_KEYS certs/socle-trusted.pem
	fi
	kernel_make olddefconfig
	[[ -z $initramfs ]] || grep -qx CONFIG_INITRAMFS_FORCE=y "$tree/.config"
}

exec 7>"$tree.lock"
flock 7
echo "link.sh: linking the kernel${initramfs:+ with $initramfs}${SOCLE_TRUSTED_KEYS:+ and the keys of $SOCLE_TRUSTED_KEYS} (log: $log)" >&2
if ! { offer_force && configure && kernel_make -j"${SOCLE_JOBS:-$(nproc)}" "${kernel_image##*/}"; } >"$log" 2>&1; then
	tail -n 25 "$log" >&2
	echo "link.sh: the kernel could not be linked; the whole log is $log" >&2
	exit 1
fi
cp "$tree/$kernel_image" "$result.new"
mv "$result.new" "$result"
