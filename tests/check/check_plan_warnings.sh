#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# socle-image plan warns of what a guest would never tell: a rdinit= that the kernel would
# follow past our /init, by the kernel's own rules for words and quotes; a line that not every
# launch keeps whole; and of nothing else.  plan and initramfs warn of a root= for a kernel
# that mounts it itself where no initramfs is unpacked.
set -euo pipefail

image=${BUILD:-build}/socle-image
status=0

plan() { { "$image" plan --agent-in-initramfs "$@" --cmdline "$line" >/dev/null; } 2>&1; }

# Words for a line, and what is warned of; nothing where that is empty.
while IFS='|' read -r line program; do
	said=$(plan) || status=1
	[[ -z $program && -z $said || $said == "socle-image plan: warning: rdinit=$program makes "* ]] || {
		echo "$line: $said"
		status=1
	}
done <<'END'
quiet|
rdinit|
xrdinit=/bin/sh|
quiet -- rdinit=/bin/sh|
unrelated="a rdinit=/bin/sh"|
rdinit=/init|
rdinit=/bin/sh rdinit=/init|
rdinit=/bin/sh|/bin/sh
rdinit=/init rdinit=/bin/sh|/bin/sh
quiet rdinit="/bin/sh"|/bin/sh
"rdinit=/bin/a b"|/bin/a b
END
line=rdinit=
[[ $(plan) == *"rdinit= makes"* && $(plan --json) == *"rdinit= makes"* ]] ||
	{ echo "the empty rdinit= gets no warning"; status=1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
head="# Linux/x86 6.12.0 Kernel Configuration"
# The root is the initramfs, so that nothing else is asked of the kernel.
warnings()
{
	case $1 in
	plan) plan --kernel "$2" ;;
	initramfs) "$image" initramfs --init "${SOCLE_INIT:?}" --file "sbin/init=$SOCLE_INIT" \
		--kernel "$2" --cmdline "$line" --output "$work/initramfs" 2>&1 ;;
	esac
}
# kernel NAME OPTION...: what boots, and these options
kernel()
{
	local option

	echo "$head" >"$work/$1"
	for option in X86_64 BLK_DEV_INITRD BINFMT_ELF PROC_FS SYSFS DEVTMPFS TMPFS NET PRINTK \
		BLOCK VIRTIO_PCI; do
		echo "CONFIG_$option=y" >>"$work/$1"
	done
	printf 'CONFIG_%s\n' "${@:2}" >>"$work/$1"
}
kernel can VIRTIO_BLK=y EROFS_FS=y
kernel modular VIRTIO_BLK=m EROFS_FS=y BLK_DEV_NVME=y SQUASHFS=m MODULES=y
kernel own VIRTIO_BLK=y EROFS_FS=y 'INITRAMFS_SOURCE="list"'
sed -i 's/^CONFIG_EROFS_FS=y/# CONFIG_EROFS_FS is not set/' "$work/modular"
while read -r name warned line; do
	for command in plan initramfs; do
		said=$(warnings "$command" "$work/$name") || { echo "$command, $name: $said"; status=1; }
		told=no
		[[ $said != *"it mounts root=/dev/vda1 itself"* ]] || told=yes
		[[ $told == "$warned" ]] || {
			echo "$command of $line for the kernel \"$name\": $said"
			status=1
		}
	done
done <<'END'
can yes root=/dev/vda1
can yes root=LABEL=x quiet root=/dev/vda1
can no quiet
can no quiet -- root=/dev/vda1
modular no root=/dev/vda1
own no root=/dev/vda1
END
# expect WORDS LENGTH OPTION...: what is said of a line of that many bytes.
long() { printf 'quiet %0*d' "$(($1 - 6))" 0; }
expect()
{
	local want=$1 length=$2
	shift 2
	line=$(long "$length")
	said=$(plan "$@") || true
	# shellcheck disable=SC2053
	[[ $said == $want ]] || { echo "$length bytes, $*: $said"; status=1; }
}
expect "" 2032
expect "*warning: of this line of 2033 bytes a kernel that UEFI starts sees no more than 2033" 2033
expect "" 2033 --launch direct
expect "" 2032 --launch efi
expect "socle: FAILED step=plan volume=- code=CMDLINE_TRUNCATED: *cuts it at 2033" 2033 --launch efi
expect "" 2046 --launch direct
expect "socle: FAILED * code=CMDLINE_TRUNCATED: *" 2047 --launch direct
expect "" 894 --arch s390x
expect "*895 bytes a kernel with CONFIG_COMMAND_LINE_SIZE=896 sees no more than 895" 895 --arch s390x
expect "" 4094 --arch s390x --launch direct

# A serial number that no virtio-blk disk can have.
for serial in 0123456789abcdef0123 0123456789abcdef01234; do
	line="socle.layer=SERIAL=$serial,data_blocks=1,root_hash=$(printf '%064d' 0)"
	said=$(plan) || status=1
	[[ ${#serial} == 20 && -z $said || ${#serial} == 21 && $said == *"has 21 bytes"* ]] ||
		{ echo "${#serial} bytes of a serial number: $said"; status=1; }
done
exit $status
