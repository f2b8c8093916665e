#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# socle-image does not put its own refusals into the guest's mouth, and does not pass
# over what it was asked to compare.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

image=${BUILD:-build}/socle-image
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
digest=$(printf '%064d' 1)
layer=socle.layer=SERIAL=a,root_hash=$digest,data_blocks=9
on_disk=socle.manifest=SERIAL=m,size=8,sha256=$digest

# answers STATUS WORDS COMMAND...: exactly this status, and all it says, matched by WORDS
answers()
{
	local want=$1 words=$2 said got=0

	shift 2
	said=$("$image" "$@" 2>&1) || got=$?
	# shellcheck disable=SC2053 # a pattern
	[[ $got == "$want" && $said == $words ]] || complain "$* ends with $got: $said"
}

answers 0 "*" plan --arch aarch64 --cmdline "$layer"
answers 0 "*" plan --arch arm64 --cmdline "$layer"
for json in "" --json; do
	answers 2 "socle-image plan: --arch *" plan ${json:+"$json"} --arch vax --cmdline "$layer"
	answers 2 "socle-image plan: * --manifest" plan ${json:+"$json"} --cmdline "$on_disk"
	answers 1 "socle-image plan: $work/no: No such file or directory" \
		plan ${json:+"$json"} --policy "$work/no" --cmdline "$layer"
	answers 1 "socle-image plan: $work/no: No such file or directory" \
		plan ${json:+"$json"} --manifest "$work/no"
	answers 1 "socle: FAILED step=plan volume=- code=KEY_UNKNOWN: *" \
		plan ${json:+"$json"} --cmdline socle.no=1
done
printf '#%.0s' {1..99999} >"$work/long"
answers 1 "socle: FAILED * code=LIMIT_EXCEEDED: *" plan --policy "$work/long" --cmdline "$layer"

answers 2 "* s390x is not os/architecture*" layers --platform s390x "$work"

truncate -s 64K "$work/zeros" "$work/kernel" "$work/disk"
for file in kernel disk; do
	printf '\x55\xaa' | dd of="$work/$file" bs=1 seek=510 conv=notrunc status=none
done
printf HdrS | dd of="$work/kernel" bs=1 seek=514 conv=notrunc status=none
answers 0 "*type: kernel image (bzImage)*" inspect "$work/kernel"
answers 0 "*type: MBR disk*" inspect "$work/disk"

for file in zeros kernel .; do
	answers 0 "*" inspect "$work/$file"
	answers 1 "*no verity superblock*" inspect --verify "$work/$file"
	answers 1 "*no verity superblock*" inspect --root-hash "$digest" "$work/$file"
done

# A layer's numbers are read as the guest reads them.
answers 2 "*--verify: *root_hash*" inspect --verify=SERIAL=a "$work/zeros"
answers 2 "*--verify: unknown key*" inspect "--verify=${layer#*=},no=1" "$work/zeros"
answers 2 "*--verify: hash_device=*" inspect \
	"--verify=${layer#*=},hash_device=SERIAL=b,hash_start=1" "$work/zeros"
for given in "$layer" "${layer#*=}"; do
	answers 1 "*the top of the tree does not match*" inspect "--verify=$given" "$work/zeros"
done
answers 1 "*it has no partitions*" inspect --partition 1 "$work/zeros"
answers 2 "*not the number of a partition*" inspect --partition 0 "$work/zeros"
mkfifo "$work/fifo"
answers 1 "*neither a file nor a block device*" inspect "$work/fifo"
exit $status
