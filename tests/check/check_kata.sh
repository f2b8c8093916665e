#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# make kata, for each of $SOCLE_ARCHES: every file is there, and the same wherever,
# whenever and by whomever it is laid out; fragments have the form that Kata's
# scripts read; the guest would boot by the parmfile.  Boots: tests/qemu/test_handover.py.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

build=${BUILD:-build}
image=$build/socle-image
ours=tools/packaging/kernel/configs/fragments/build-type/socle
extension=root_hash=$(printf '5a%.0s' {1..32}),salt=$(printf 'c3%.0s' {1..32})
extension+=,data_blocks=768,data_block_size=4096,hash_block_size=4096
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

lay_out() { initramfs/kata.sh "$1" "$build/$1/socle-init" "$image" "$2" >/dev/null; }

# Fragments with a tag that keeps this machine off are left out here: build-kernel.sh reads
# tags of common/ only.
expected_of()
{
	local machine=$1 kernel_arch name

	# shellcheck source=deps/machine.sh
	. deps/machine.sh
	for name in kernel-config/fragments/{common,"$kernel_arch","$kernel_arch"/confidential}/*.conf; do
		head -n 1 "$name" | grep -q "!$kernel_arch" || echo "${name#kernel-config/fragments/}"
	done
	printf '%s\n' socle-initramfs.conf initramfs.cpio.gz initrd-overlay/init INSTALL
	[[ $machine != s390x ]] || printf '%s\n' se/{parmfile,ramdisk.cpio.gz}
}

list() { (cd "$1" && find . -type f -printf '%P %m %T@\n' | sort); }

check_layout()
{
	local machine=$1 one=$work/$1 other=$work/$1-by-another

	lay_out "$machine" "$one"
	# What another machine's or an older layout left.
	mkdir -p "$other/$ours/other"
	touch "$other/$ours/other/left.conf"
	(umask 077; TZ=Asia/Tokyo LC_ALL=C.UTF-8 lay_out "$machine" "$other")
	diff -r "$one" "$other" || complain "$machine: two layouts differ"
	diff <(list "$one") <(list "$other") || complain "$machine: modes or times differ"
	diff <(expected_of "$machine" | sed "s,^,$ours/," | sort) <(list "$one" | cut -d' ' -f1) ||
		complain "$machine: < is missing, > was not expected"
	(cd "$one/$ours" && sed '1,/^SHA-256:/d' INSTALL | sha256sum --quiet -c) ||
		complain "$machine: the sums in INSTALL"
	[[ $(find "$one" -type f | wc -l) -eq $(sed '1,/^SHA-256:/d' "$one/$ours/INSTALL" | wc -l)+1 ]] ||
		complain "$machine: INSTALL has not the sum of every file"
}

# build-kernel.sh looks for !ARCH and !confidential in all of a file, hands the rest to
# merge_config.sh, and holds what came out against what was asked line by line.
check_fragments()
{
	find "$work/$1/$ours" -name '*.conf' -exec awk '
	/![a-z]/ && (FNR > 1 || !/^# (![a-z0-9_]+ ?)+$/) { print FILENAME ": tag in line " FNR; bad = 1 }
	!/^(#.*|CONFIG_[A-Za-z0-9_]+=(y|[0-9]+|"[^"]*"))?$/ { print FILENAME ": " $0; bad = 1 }
	END { exit bad }
	' {} + || complain "$1: not Kata's form"
}

# /init of the archive and of the overlay is the program, and no clock is in the archive.
check_initramfs()
{
	local archive=$work/$1/$ours/initramfs.cpio.gz

	[[ $(od -An -tx1 -N8 "$archive") == " 1f 8b 08 00 00 00 00 00" ]] ||
		complain "$1: the archive carries a name or a time"
	mkdir "$work/unpacked"
	(cd "$work/unpacked" && zcat "$archive" | cpio --quiet -i init)
	cmp "$work/unpacked/init" "$build/$1/socle-init" || complain "$1: /init of the archive"
	cmp "$work/$1/$ours/initrd-overlay/init" "$build/$1/socle-init" ||
		complain "$1: /init of the overlay"
	rm -r "$work/unpacked"
}

plan() { "$image" plan --arch s390x --agent-in-initramfs --cmdline "$(cat "$1")"; }

check_parmfile()
{
	local file=$ours/se/parmfile

	plan "$work/s390x/$file" >/dev/null || complain "the parmfile is refused"
	COCO_VERITY_PARAMS=$extension lay_out s390x "$work/coco"
	plan "$work/coco/$file" | grep -q 'extension-coco' ||
		complain "the parmfile does not ask for the extension"
	! grep -q debug_console "$work/s390x/$file" "$work/coco/$file" ||
		complain "the parmfile opens a shell"
	mkdir "$work/tmp"
	if COCO_VERITY_PARAMS=root_hash=00 TMPDIR=$work/tmp lay_out s390x "$work/bad" 2>/dev/null ||
		[[ -e $work/bad ]]; then
		complain "something was laid out with a parmfile that the guest refuses"
	fi
	rmdir "$work/tmp" || complain "a run that failed left temporary files"
}

for machine in ${SOCLE_ARCHES:?}; do
	check_layout "$machine"
	check_fragments "$machine"
	check_initramfs "$machine"
	[[ $machine != s390x ]] || check_parmfile
done
exit $status
