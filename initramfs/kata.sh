#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# kata.sh MACHINE INIT SOCLE-IMAGE DEST: lays out below DEST what Kata's packaging
# takes up. DEST may be Kata's own source tree: what its build reads is where its
# build looks for it, the rest is in DEST/socle/. kata.md says what to do with it.
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

[[ -n $dest ]] || { echo "kata.sh: specify where to: make kata DESTDIR=DIR" >&2; exit 2; }

kernel=tools/packaging/kernel
fragments=$kernel/configs/fragments
files=()
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# put FILE MODE: standard input becomes DEST/FILE.
put()
{
	mkdir -p "$dest/${1%/*}"
	cat >"$dest/$1"
	chmod "$2" "$dest/$1"
	touch -d @0 "$dest/$1"
	files+=("$1")
}

put_fragments()
{
	local file

	for file in "$here"/../kernel-config/fragments/{common,"$kernel_arch","$kernel_arch"/confidential}/*.conf; do
		put "$fragments/${file#*/kernel-config/fragments/}" 644 <"$file"
	done
	# Only for build-kernel.sh -b socle: a kernel that starts with our /init.
	put "$fragments/build-type/socle/socle-initramfs.conf" 644 <<-'END'
	# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
	#
	# socle-init in the kernel, in front of an image= as root.

	# In the kernel's source tree; it is taken as it is, without unpacking.
	CONFIG_INITRAMFS_SOURCE="initramfs.cpio.gz"
	END
}

put_initramfs()
{
	local archive=$work/initramfs.cpio

	"$socle_image" initramfs --init "$init" --output "$archive"
	put "$kernel/initramfs.cpio.gz" 644 < <(gzip -9n <"$archive")
}

# For a rootfs that osbuilder's initrd_builder.sh packs. It makes its link /init
# only where there is none; /sbin/init, the agent or systemd, is the rootfs' own.
put_overlay() { put socle/initrd-overlay/init 755 <"$init"; }

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
	put socle/se/parmfile 644 < <(parmfile)
	put socle/se/ramdisk.cpio.gz 644 <"$dest/$kernel/initramfs.cpio.gz"
}

# Every row whose file was laid out; a folder stands for all that is in it.
put_install()
{
	local what where

	{
		echo "For $machine. What goes where; initramfs/kata.md of socle has the steps."
		while IFS='|' read -r what where; do
			[[ ! -e $dest/$what ]] || printf '\n%s\n    %s\n' "$what" "$where"
		done <<-END
		$fragments|into Kata's folders of the same names; raise $kernel/kata_config_version
		$fragments/build-type/socle|only counts for build-kernel.sh -b socle: a kernel with the initramfs in it
		$kernel/initramfs.cpio.gz|into the kernel's source tree, between setup and build; Kata until 3.26 takes it from here
		socle/initrd-overlay|over osbuilder's rootfs, before initrd_builder.sh
		socle/se/ramdisk.cpio.gz|behind Kata's initrd, in one file: genprotimg --ramdisk
		socle/se/parmfile|genprotimg --parmfile
		END
		printf '\nSHA-256:\n'
		(cd "$dest" && sha256sum "${files[@]}")
	} | put socle/INSTALL 644
}

# Before anything is laid out: a line that the guest would refuse leaves DEST as it was.
[[ $machine != s390x ]] || check_parmfile
put_fragments
put_initramfs
put_overlay
[[ $machine != s390x ]] || put_secure_execution
put_install
echo "kata.sh: laid out in $dest; see $dest/socle/INSTALL"
