#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# kata.sh MACHINE INIT SOCLE-IMAGE DEST: lays out below DEST what Kata's packaging
# takes up. DEST may be Kata's own source tree: all of it is in one folder, which only
# build-kernel.sh -b socle reads, so no other kernel of Kata's changes. What was in that
# folder goes, for it is about one machine. kata.md says what to do with it.
#
# The same input gives the same files: bytes, modes, times. COCO_VERITY_PARAMS, which
# is what Kata's own build of a Secure Execution image calls it, is the line of
# root_hash_coco-extension.txt for the parmfile to carry.
set -euo pipefail

if [[ $# -ne 4 ]]; then
	echo "usage: initramfs/kata.sh MACHINE INIT SOCLE-IMAGE DEST" >&2
	exit 2
fi
machine=$1 init=$2 socle_image=$3 dest=$4
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
# shellcheck source=deps/machine.sh
. "$here/../deps/machine.sh"

fragments=$here/../kernel-config/fragments
[[ -n $dest ]] || { echo "kata.sh: specify where to: make kata DESTDIR=DIR" >&2; exit 2; }

ours=tools/packaging/kernel/configs/fragments/build-type/socle
files=()
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# put FILE MODE: standard input becomes that file of our folder.
put()
{
	local file=$dest/$ours/$1

	mkdir -p "${file%/*}"
	cat >"$file"
	chmod "$2" "$file"
	touch -d @0 "$file"
	files+=("$1")
}

# All of the machine's own but for what is not for Kata's tree: options that its kernel
# no longer has it would take for mistakes, and what kernel-config/build.sh puts in.
put_fragments()
{
	local file

	while read -r file; do
		put "$file" 644 <"$fragments/$file"
	done < <("$fragments.sh" "$machine" | grep -vE '^(older|refuse)/')
	put socle-initramfs.conf 644 <<-'END'
	# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
	#
	# socle-init in the kernel: in front of an image= as root, and what refuses to go on
	# where an initrd= was not unpacked.

	# Seen from the kernel's source tree, which Kata's script puts where it is called:
	# in tools/packaging/kernel.  It is taken as it is, without unpacking.
	CONFIG_INITRAMFS_SOURCE="../configs/fragments/build-type/socle/initramfs.cpio.gz"
	END
}

put_initramfs()
{
	local archive=$work/initramfs.cpio

	"$socle_image" initramfs --init "$init" --output "$archive"
	put initramfs.cpio.gz 644 < <(gzip -9n <"$archive")
}

# For a rootfs that osbuilder's initrd_builder.sh packs. It makes its link /init
# only where there is none; /sbin/init, the agent or systemd, is the rootfs' own.
put_overlay() { put initrd-overlay/init 755 <"$init"; }

# The guest sees this line and nothing of what the runtime says. Unlike Kata's own it
# has no agent.debug_console: that is a root shell for the host, and sealed for good.
parmfile()
{
	local line="panic=1 scsi_mod.scan=none swiotlb=262144"

	line+=" cgroup_no_v1=all systemd.unified_cgroup_hierarchy=1"
	[[ -z ${COCO_VERITY_PARAMS:-} ]] ||
		line+=" kata.extension.coco.verity_params=$COCO_VERITY_PARAMS"
	echo "$line"
}

check_parmfile()
{
	"$socle_image" plan --arch s390x --agent-in-initramfs --cmdline "$(parmfile)" >/dev/null
}

put_secure_execution()
{
	put se/parmfile 644 < <(parmfile)
	put se/ramdisk.cpio.gz 644 <"$dest/$ours/initramfs.cpio.gz"
}

# Every row whose file was laid out; a folder stands for all that is in it.
put_install()
{
	local what where

	{
		echo "For $machine. What goes where; initramfs/kata.md of socle has the steps."
		while IFS='|' read -r what where; do
			[[ ! -e $dest/$ours/$what ]] || printf '\n%s\n    %s\n' "$what" "$where"
		done <<-END
		socle-initramfs.conf|and the folders of fragments: build-kernel.sh -b socle reads them, called in tools/packaging/kernel
		initramfs.cpio.gz|is linked into that kernel; behind an initrd that exists, in one file, its /init stays
		initrd-overlay|over osbuilder's rootfs, before initrd_builder.sh
		se/ramdisk.cpio.gz|behind Kata's initrd, in one file: genprotimg --ramdisk
		se/parmfile|genprotimg --parmfile
		END
		printf '\nSHA-256:\n'
		(cd "$dest/$ours" && sha256sum "${files[@]}")
	} | put INSTALL 644
}

# Before anything is laid out: a line that the guest would refuse leaves DEST as it was.
[[ $machine != s390x ]] || check_parmfile
rm -rf "${dest:?}/$ours"
put_fragments
put_initramfs
put_overlay
[[ $machine != s390x ]] || put_secure_execution
put_install
echo "kata.sh: laid out in $dest/$ours; see INSTALL there"
