#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# socle-image replaces a file by its output and nothing else: no device, pipe or link, and
# none of its own inputs.  And it packs no plan whose signature would not be found.
set -uo pipefail

build=$(realpath "${BUILD:-build}")
image=$build/socle-image
init=$build/x86_64/socle-init
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
status=0

# refused WORDS ARGUMENT...
refused()
{
	if "$image" "${@:2}" >said 2>&1 || ! grep -qF -- "$1" said; then
		echo "socle-image ${*:2}: expected a refusal with \"$1\", and got:"
		cat said
		status=1
	fi
}

cp "$init" init
echo verity=required >policy
mkfifo pipe
ln -s policy link
hash=$(printf 'a%.0s' {1..64})
layer=socle.layer=SERIAL=a,root_hash=$hash,data_blocks=2,signature=/etc/root.p7s

for output in pipe link .; do
	refused "is not a regular file" initramfs --init init --output "$output"
done
refused 'not "-"' initramfs --init init --output -
refused "is also an input" initramfs --init init --output init
refused "is also an input" initramfs --init init --policy policy --output policy
refused "is also an input" initramfs --init init --file etc/x=policy --output ./policy
refused "is also an input" merge --output policy policy
refused "pack it with --file" initramfs --init init --output out --cmdline "$layer"
refused "step=plan volume=layer-0 code=ROOT_HASH_INVALID" initramfs --init init --output out \
	--cmdline socle.layer=SERIAL=a,root_hash=12,data_blocks=2
if ! cmp -s init "$init" || [[ ! -p pipe || ! -L link || -e out || $(cat policy) != verity=required ]]; then
	echo "something was replaced:"
	ls -l
	status=1
fi
"$image" initramfs --init init --output out --file etc/root.p7s=policy --cmdline "$layer" ||
	status=1
"$image" initramfs --init init --output out || status=1
exit $status
