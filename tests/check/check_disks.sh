#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# socle-image disk: each format as the tools read it that the field has for it (sfdisk,
# veritysetup, fsck.fat and mtools, openssl), the same bytes each time, and what is refused,
# of which no file is left.  Where producers' files are at hand (SOCLE_FIXTURES), theirs and ours
# are the same, byte for byte but for random ids.
set -uo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

image=$(realpath "${BUILD:-build}")/socle-image
fixtures=${SOCLE_FIXTURES:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export MTOOLS_SKIP_CHECK=1

run() { "$image" disk "$@" >said 2>&1 || complain "socle-image disk $*: $(cat said)"; }

# refused WORDS ARGUMENT...: status 1 for a file, 2 for the arguments, and nothing made.
refused()
{
	local status_of

	"$image" disk --output never "${@:2}" >said 2>&1
	status_of=$?
	if [[ $status_of != [12] ]] || ! grep -qF -- "$1" said; then
		complain "socle-image disk ${*:2}: expected \"$1\", got status $status_of: $(cat said)"
	fi
	[[ -z $(find . -name 'never*' -o -name '.never*') ]] || complain "socle-image disk ${*:2} left: $(ls -A)"
}

# same FILE FILE
same() { cmp "$1" "$2" || complain "$1 and $2 differ"; }

# field FILE KEY: a number or a text of the report, the first of this name
field() { sed -n "s/^ *\"$2\": \"\?\([^\",]*\)\"\?,\?\$/\1/p" "$1.json" | head -n 1; }

# part FILE NUMBER: a partition's bytes, by what sfdisk says of it
part()
{
	local start size sector

	sector=${3:-512}
	read -r start size < <(sfdisk --dump "$1" 2>sfdisk.err |
		sed -n "s/^[^ ]*$2 : start= *\([0-9]*\), size= *\([0-9]*\),.*/\1 \2/p")
	dd if="$1" bs="$sector" skip="$start" count="$size" status=none
}

# verified ROOT DATA HASH OPTION...
verified()
{
	veritysetup verify "$2" "$3" "$1" "${@:4}" >said 2>&1 || complain "veritysetup verify $*: $(cat said)"
}

# --- what goes in: a file system without a tree, and one with it ----------------------------

mkdir -p tree/sbin tree/big
head -c 1500000 /dev/zero | tr '\0' 'x' >tree/big/file
head -c 400000 "$image" >tree/sbin/init
/usr/bin/mkfs.erofs -Enoinline_data -T1 --all-root -U 0050c1e0-0000-4000-8000-000000000000 bare.erofs tree >/dev/null 2>&1
mke2fs -q -F -t ext4 -b 4096 -d tree bare.ext4 8M
salt=$(printf '5a%.0s' {1..32})

run --format verity --output layer.img --salt "$salt" bare.erofs
root=$(field layer.img root_hash)
blocks=$(field layer.img data_blocks)
size=$((blocks * 4096))
verified "$root" layer.img layer.img --hash-offset=$size
cmp -n "$(stat -c %s bare.erofs)" layer.img bare.erofs || complain "verity: not the file system"

# What is short of a whole block is zeros, and the tree is over them.
{ cat bare.erofs && printf tail; } >ragged.erofs
run --format hash-file --salt none --output ragged ragged.erofs
[[ $(stat -c %s ragged) == $((size + 4096)) ]] || complain "hash-file: $(stat -c %s ragged) bytes"
verified "$(field ragged root_hash)" ragged ragged.hash

# --- each format -------------------------------------------------------------------------------

run --format raw --output raw layer.img
cmp raw <(head -c $size layer.img) || complain "raw: not the file system"
grep -q cmdline raw.json && complain "raw: a command line for what nothing proves"

run --format verity --no-superblock --output bare.verity layer.img
verified "$root" bare.verity bare.verity --no-superblock --hash-offset=$size --salt="$salt" --data-blocks="$blocks"

run --format hash-file --fec 7 --output data layer.img
verified "$root" data data.hash --fec-device=data.fec --fec-roots=7
run --format hash-file --no-superblock --output data2 layer.img
verified "$root" data2 data2.hash --no-superblock --salt="$salt" --data-blocks="$blocks"
# veritysetup's own, of the same data and with the same id, are the same bytes.
uuid=$(blkid -p -s UUID -o value data.hash)
veritysetup format --uuid="$uuid" --salt="$salt" --fec-device=v.fec --fec-roots=7 data v.hash >/dev/null
same v.hash data.hash
same v.fec data.fec
run --format verity --fec 2 --output fec.img layer.img
veritysetup format --uuid="$uuid" --salt="$salt" --fec-device=v2.fec --fec-roots=2 data v2.hash >/dev/null
same <(tail -c +$(($(field fec.img fec_offset) + 1)) fec.img) v2.fec

for options in "" --dax-header; do
	# shellcheck disable=SC2086
	run --format kata $options --output kata layer.img
	sfdisk --verify kata >said 2>&1 || complain "sfdisk --verify kata $options: $(cat said)"
	part kata 1 >p1
	part kata 2 >p2
	[[ $(stat -c %s p1) == "$size" ]] || complain "kata: partition 1 is not the data"
	verified "$root" p1 p2 --no-superblock --salt="$salt" --data-blocks="$blocks"
	[[ $(cat kata.root_hash.txt) == "root_hash=$root,salt=$salt,data_blocks=$blocks,data_block_size=4096,hash_block_size=4096" ]] ||
		complain "kata: $(cat kata.root_hash.txt)"
done
# The second table, as persistent memory shows it, names the same bytes.
[[ $(stat -c %s kata) == $((128 << 20)) ]] || complain "kata --dax-header: not a multiple of 128 MiB"
tail -c +$(((2 << 20) + 1)) kata | head -c 16M >pmem
part pmem 1 | cmp - p1 || complain "kata --dax-header: the second table names other bytes"
part pmem 2 | cmp - p2 || complain "kata --dax-header: the second table names another tree"

run --format kata-extension --name coco --output extension layer.img
part extension 2 | cmp - p2 || complain "kata-extension: not Kata's tree"
grep -q "kata.extension.coco.verity_params=root_hash=$root,salt=$salt," extension.json || complain "kata-extension: no parameter"
run --format kata-extension --name a-longer-name --output extension layer.img
grep -q "longer than the 10 bytes" said || complain "kata-extension: no warning of a long name"

run --format containerd --output blob layer.img
blob=$(field blob root_hash)
verified "$blob" blob blob --hash-offset=$size
[[ $(cat blob.dmverity) == "{\"roothash\":\"$blob\",\"hashoffset\":$size}" ]] || complain "containerd: $(cat blob.dmverity)"
veritysetup dump blob --hash-offset=$size | grep -q 'Salt:.*0\{64\}$' || complain "containerd: another salt"

run --format verity --output two.img bare.ext4
cat >image.json <<-END
	{"layers": [{"file": "layer.img", "verity": {"root_hash": "$root"}},
	            {"file": "two.img", "verity": {"root_hash": "$(field two.img root_hash)"}}]}
END
for format in layers "kata-gpt --source 02"; do
	[[ $format == layers ]] || sed -i '2d; s/}},$/}}]}/' image.json
	# shellcheck disable=SC2086
	run --format $format --output many image.json
	sfdisk --verify many >said 2>&1 || complain "sfdisk --verify $format: $(cat said)"
	grep -q warning said && complain "$format: $(cat said)"
	part many 1 | cmp - layer.img || complain "$format: partition 1 is not the first layer"
done
"$image" plan --manifest many.manifest.json >said 2>&1 || complain "layers: the guest refuses the manifest: $(cat said)"
grep -q '"X-kata.partition-number=1"' many.storages.json || complain "kata-gpt: $(cat many.storages.json)"

openssl req -x509 -newkey rsa:2048 -nodes -days 36500 -subj /CN=test -keyout key.pem -out cert.pem 2>/dev/null
printf %s "$root" | openssl smime -sign -nocerts -noattr -binary -inkey key.pem -signer cert.pem -outform der -out root.p7s
for arch in x86_64 aarch64; do
	[[ $arch == x86_64 ]] && machine='\x64\x86' || machine='\x64\xaa'
	# As much of an EFI program as counts here.
	{ printf 'MZ%58s\x40\0\0\0PE\0\0'"$machine" && head -c 3000000 "$image"; } >program-$arch.efi
	run --format dps --arch $arch --uki program-$arch.efi --signature root.p7s --certificate cert.pem --output dps layer.img
	sfdisk --verify dps >said 2>&1 || complain "sfdisk --verify dps: $(cat said)"
	part dps 1 >esp
	fsck.fat -n -v esp >said 2>&1 || complain "fsck.fat: $(cat said)"
	grep -q "32 bit entries" said || complain "dps: not FAT32: $(cat said)"
	[[ $arch == x86_64 ]] && name=BOOTX64.EFI || name=BOOTAA64.EFI
	mcopy -n -i esp "::/EFI/BOOT/$name" got 2>said || complain "mcopy: $(cat said)"
	same got program-$arch.efi
	part dps 2 | cmp - p1 || complain "dps: partition 2 is not the data"
	part dps 3 >p3
	verified "$root" p1 p3
	part dps 4 | tr -d '\0' >signature.json
	rm -f got
done
[[ $(cat signature.json) == "{\"rootHash\":\"$root\",\"certificateFingerprint\":\"$(openssl x509 -in cert.pem -outform der | sha256sum | cut -d' ' -f1)\",\"signature\":\"$(base64 -w 0 root.p7s)\"}" ]] ||
	complain "dps: $(cat signature.json)"
sfdisk --dump dps | tr '[:upper:]' '[:lower:]' | tr -d - >said
for half in "${root:0:32}" "${root:32}"; do
	grep -q "uuid=$half" said || complain "dps: no id $half, half of the hash: $(cat said)"
done

run --format dps --arch x86_64 --sector-size 4096 --uki program-x86_64.efi --output dps4096 layer.img
dd if=dps4096 of=esp bs=1M skip=1 count=$(($(field dps4096 size | head -n 1) >> 20)) conv=sparse status=none
truncate -s "$(grep -m 1 -A 4 '"name": "esp"' dps4096.json | sed -n 's/.*"size": \([0-9]*\).*/\1/p')" esp
fsck.fat -n -v esp >said 2>&1 || complain "fsck.fat, sectors of 4096 bytes: $(cat said)"
grep -q "4096 bytes per logical sector" said || complain "dps4096: $(cat said)"

run --format nydus --output tarfs --source /cache/disk layer.img
nydus=$(field tarfs root_hash)
[[ $(cat tarfs.volume.json) == "{\"volume_type\":\"image_raw_block\",\"source\":\"/cache/disk\",\"fs_type\":\"erofs\",\"options\":[\"ro\"],\"dm_verity\":{\"hashtype\":\"sha256\",\"hash\":\"$nydus\",\"blocknum\":$blocks,\"blocksize\":4096,\"hashsize\":4096,\"offset\":$size}}" ]] ||
	complain "nydus: $(cat tarfs.volume.json)"
"$image" plan --volume tarfs.volume.json --device 0=SERIAL=x >said 2>&1 || complain "nydus: the guest refuses it: $(cat said)"

# --- the same bytes, and nothing left of a disk that cannot be written ----------------------------

mkdir elsewhere
cp layer.img cert.pem root.p7s program-x86_64.efi elsewhere
while read -r -a options; do
	run --output once --format "${options[@]}" layer.img
	(umask 077 && cd elsewhere && TZ=Asia/Tokyo LC_ALL=C.UTF-8 taskset -c 0 "$image" disk --output twice --format "${options[@]}" layer.img >/dev/null)
	same once elsewhere/twice
	(ulimit -f 500 && trap '' XFSZ && ! "$image" disk --output limited --format "${options[@]}" layer.img) >said 2>&1 ||
		complain "a full disk: $(cat said)"
	[[ $(wc -l <said) == 1 && -z $(find . -name '*limited*') ]] || complain "a full disk, ${options[*]}: $(cat said)"
done <<-'END'
	raw
	verity --fec 2
	verity --no-superblock
	hash-file --fec 24
	kata --dax-header
	kata-extension --name x
	kata-gpt --source 02
	layers
	layers --sector-size 4096
	dps --arch x86_64 --uki program-x86_64.efi --signature root.p7s --certificate cert.pem
	dps --arch s390x --sector-size 4096
	containerd
	nydus
	nydus --no-verity
END

# shellcheck disable=SC2046
run --format layers --output long $(printf 'layer.img %.0s' {1..12})
grep -q "a boot manifest has no such limit" said || complain "layers: no warning of a long line: $(cat said)"

# --- what is refused ------------------------------------------------------------------------------

head -c 100000 /dev/urandom >noise
: >empty
cp layer.img flipped.img
printf X | dd of=flipped.img bs=1 seek=5000 conv=notrunc status=none
head -c 4096 bare.erofs >short.erofs
refused "open missing.img: No such file" --format raw missing.img
refused "noise: no file system" --format kata noise
refused "empty: empty" --format kata empty
refused ".: neither a file" --format kata .
refused "its data do not match the hash tree" --format kata flipped.img
refused "data block 1 does not match" --format containerd flipped.img
refused "the file only" --format verity short.erofs
refused "takes at most 1 file system" --format kata layer.img layer.img
refused "Kata's parameters need a salt" --format kata --salt none layer.img
refused "is not a name of letters" --format kata-extension --name a/b layer.img
refused "an extension is an erofs" --format kata-extension --name x bare.ext4
refused "layers are erofs" --format kata-gpt bare.ext4
refused "machine 0x8664, not 0xaa64" --format dps --arch aarch64 --uki program-x86_64.efi layer.img
refused "noise: not an EFI program" --format dps --arch x86_64 --uki noise layer.img
refused "s390x has no UEFI" --format dps --arch s390x --uki program-x86_64.efi layer.img
refused "open missing" --format dps --uki missing layer.img
head -c 128 program-x86_64.efi >huge.efi
truncate -s 5G huge.efi
refused "FAT32 cannot hold" --format dps --arch x86_64 --uki huge.efi layer.img
refused "not a certificate" --format dps --signature root.p7s --certificate noise layer.img
refused "not a PKCS#7 signature" --format dps --signature noise --certificate cert.pem layer.img
refused "not a signature of the root hash" --format dps --salt aa --signature root.p7s --certificate cert.pem layer.img
refused "go together" --format dps --signature root.p7s layer.img
refused "needs --name" --format kata-extension layer.img
refused "does not take --name" --format kata --name x layer.img
refused "does not take --salt" --format nydus --salt none layer.img
refused "is not a format" --format floppy layer.img
refused "--format is missing" layer.img
refused "is missing" --format kata
refused "512 or 4096" --format dps --sector-size 2048 layer.img
refused "2 to 24" --format verity --fec 25 layer.img
refused "needs 0 further files" --format nydus layer.img two.img
sed 's/"root_hash": "../"root_hash": "zz/' image.json >lies.json
refused "not the one that image.json tells" --format layers lies.json
echo '{"layers": [{"file": "../layer.img", "verity": {"root_hash": "aa"}}]}' >outside.json
refused "layer 0: no file with a root hash" --format layers outside.json
echo '{"version": 1}' >none.json
refused "it has no layers" --format layers none.json
# No file that is read is replaced, also by what is written beside a disk.
mkdir inputs
cp layer.img inputs/a
cp image.json inputs/a.json
cp layer.img two.img inputs
cp root.p7s inputs/b.hash
for inputs in "raw --output inputs/a inputs/a" "layers --output inputs/a inputs/a.json" "raw --output inputs/layer.img inputs/a.json" \
	"dps --certificate cert.pem --signature inputs/b.hash --output inputs/b.hash inputs/a"; do
	# shellcheck disable=SC2086
	"$image" disk --format $inputs >said 2>&1 && complain "an input was replaced: $inputs"
	grep -q "is also an input" said || complain "$inputs: $(cat said)"
done
for pair in a=layer.img a.json=image.json layer.img=layer.img b.hash=root.p7s; do
	same "inputs/${pair%=*}" "${pair#*=}"
done
# --- the producers' own -----------------------------------------------------------------------------

if [[ -n $fixtures ]]; then
	for name in bootstrap/image.boot bootstrap/image.disk; do
		xz -dc "$fixtures/nydus/$name.xz" >"${name#*/}"
	done
	for n in 1 2 3; do
		xz -dc "$fixtures/layers/layer$n.tar.xz" >layer$n.tar
	done
	run --format nydus --output ours.disk image.boot layer3.tar layer1.tar layer2.tar
	same ours.disk image.disk
	refused "blocks, but the device table says" --format nydus image.boot layer1.tar layer3.tar layer2.tar
	refused "needs 3 further files" --format nydus image.boot layer1.tar
	refused "needs 3 more devices" --format verity image.boot
	for kind in verity-4096 tar-index-512; do
		for n in 1 2 3; do
			xz -dc "$fixtures/containerd/$kind/layer$n.erofs.xz" >theirs
			run --format containerd --output ours theirs
			# All but the 16 bytes of the superblock's id.
			at=$(($(field ours hash_start) * $(field ours hash_block_size) - $(field ours hash_block_size) + 16))
			dd if=/dev/zero bs=1 count=16 seek=$at of=ours conv=notrunc status=none
			dd if=/dev/zero bs=1 count=16 seek=$at of=theirs conv=notrunc status=none
			same ours theirs
			[[ $(tr -d ' \n' <"$fixtures/containerd/$kind/layer$n.erofs.dmverity") == "$(cat ours.dmverity)" ]] ||
				complain "containerd/$kind/layer$n: $(cat ours.dmverity)"
		done
	done
	xz -dc "$fixtures/filesystems/b512.img.xz" >larger.img
	refused "larger than the file system's" --format kata larger.img
fi
exit "$status"
