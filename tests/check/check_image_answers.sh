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
# A refusal as JSON has the shape of socle-volume's, behind the line for people.
answers 1 'socle: FAILED *{"error":{"code":"KEY_UNKNOWN","step":"plan","volume":null,"message":"*"}}' \
	plan --json --cmdline socle.no=1
printf '#%.0s' {1..99999} >"$work/long"
answers 1 "socle: FAILED * code=LIMIT_EXCEEDED: *" plan --policy "$work/long" --cmdline "$layer"

# Volumes at run time: the plan of a description, or the guest's own words.
volume='{"volume_type":"layer_raw_block","source":"/x","fs_type":"erofs"}'
echo "$volume" >"$work/volume"
echo "/dev/vda,root_hash=$digest,data_blocks=9" >"$work/own"
answers 0 "volume-0*data_device /dev/vda*hash_start 10*upper tmpfs" \
	plan --volume "$work/own" --upper tmpfs
answers 0 "*\"data_device\":\"SERIAL=b\"*\"upper\":\"none\"*" \
	plan --volume "$work/own" --from socle --device 0=SERIAL=b --json
answers 0 "volume-0*unverified*" \
	plan --volume "$work/volume" --device 0=/dev/vdb --allow-unverified 0
answers 1 "socle: FAILED step=describe volume=volume-0 code=VERITY_MISSING: *" \
	plan --volume "$work/volume" --device 0=/dev/vdb
answers 1 '*{"error":{"code":"VERITY_MISSING","step":"describe","volume":"volume-0","message":"*"}}' \
	plan --volume "$work/volume" --device 0=/dev/vdb --json
answers 1 "socle: FAILED step=describe volume=- code=DESCRIPTION_INVALID: *" \
	plan --volume "$work/volume" --from containerd
answers 1 "socle-image plan: open $work/no: No such file or directory" plan --volume "$work/no"
answers 1 "socle-image plan: open $work/no: No such file or directory" \
	plan --volume "$work/own" --sidecar "0=$work/no"
answers 1 "*code=LIMIT_EXCEEDED: the description has more than 1048576 bytes" \
	plan --volume /dev/zero
answers 2 "*--volume*" plan --device 0=/dev/vdb --cmdline "$layer"
answers 2 "*--volume*" plan --volume "$work/own" --cmdline "$layer"
answers 2 "*--from must be *" plan --volume "$work/own" --from nydus
for wrong in 0 x=/dev/vda 384=/dev/vda; do
	answers 2 "*--device takes N=REFERENCE*" plan --volume "$work/own" --device "$wrong"
done
answers 2 "*--device takes N=REFERENCE*" plan --volume "$work/own" --device 0=/dev/vda --device 0=/dev/vdb
answers 2 "*--sidecar takes N=FILE*" plan --volume "$work/own" --sidecar "$work/own"
answers 2 "*--allow-unverified takes*" plan --volume "$work/own" --allow-unverified 0=1

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
