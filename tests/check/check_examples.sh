#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# The EXAMPLES of the man pages, as they are printed there, on an image made here and the
# kernel of the tests: each block of socle-image.1 is run, those before it being done; each
# of socle-init.8 is a command line that must give a plan, or the policy for the last one;
# each mount of socle-volume.8 is run with --dry-run, as there are no disks here.
# QEMU is only asked for; that its files are there is what counts here.  README's commands
# are run as well.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

build=$(realpath "${BUILD:-build}")
arch=${SOCLE_ARCH:-x86_64}
[[ ${SOCLE_KERNEL:?} != *s390x* ]] || arch=s390x
emulator=
[[ $arch == "$(uname -m)" ]] || emulator=qemu-$arch
release=$(uname -r)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# blocks PAGE: the text between .nf and .fi of its EXAMPLES, as man shows it; a line of %% ends each
blocks()
{
	awk '/^\.SH/ { on = $2 == "EXAMPLES" }
		/^\.fi/ && on { print "%%"; text = 0 }
		text && on
		/^\.nf/ { text = 1 }' "$1" | sed 's/\\-/-/g; s/\\e/\\/g'
}

make_inputs()
{
	PYTHONPATH=tests/qemu "${PYTHON:-/usr/bin/python3}" - "$work/image" <<-'EOF2'
	import sys
	from pathlib import Path
	from harness import oci
	base = [oci.directory("sbin"), oci.file("sbin/init", "#!/bin/sh", mode=0o755)]
	layers = [base, [oci.file("etc/motd", "two layers")]]
	oci.write_layout(Path(sys.argv[1]), [oci.layer_tar(layer) for layer in layers])
	EOF2
	mkdir -p "$work"/{bin,boot,lib/modules}
	cp "${SOCLE_KERNEL%/*}/config" "$work/boot/config-$release"
	ln -s "$SOCLE_KERNEL" "$work/boot/vmlinuz-$release"
	ln -s "${SOCLE_MODULES:?}" "$work/lib/modules/$release"
	sed 's/=m$/=y/' "$work/boot/config-$release" >"$work/vmlinuz"
	ln -s "$build/socle-image" "$work/bin/socle-image"
	tee "$work/bin/qemu-system-s390x" >"$work/bin/qemu-system-x86_64" <<-'EOF2'
	#!/bin/bash
	[[ "$*" =~ -kernel\ ([^ ]+)\ -initrd\ ([^ ]+)\ .*file=([^ ,]+).*serial=(.+) ]]
	ls -L "${BASH_REMATCH[@]:1:3}" && [[ ${BASH_REMATCH[4]} =~ ^[0-9a-f]{12}$ ]] && touch asked-qemu
	EOF2
	chmod +x "$work"/bin/qemu-system-*
}

run_commands()
{
	local words="s,/usr/local/lib/socle/x86_64/,${SOCLE_INIT%/*}/,g; s,/boot/,$work/boot/,g; s,/lib/modules/,$work/lib/modules/,g"

	[[ $arch != s390x ]] || words+='; s,virtio-pci,virtio-ccw,g'
	blocks image-build/socle-image.1 | sed "/^%%/d; $words" >"$work/script"
	(cd "$work" && PATH=$work/bin:$PATH bash -eux script) >"$work/log" 2>&1 ||
		complain "socle-image.1: $(tail -n 5 "$work/log")"
	for made in root.img root.img.json disks/image.json initramfs.cpio built-in.cpio guest/manifest.json asked-qemu; do
		[[ -f $work/$made ]] || complain "socle-image.1: $made was not made"
	done
	# A command that the page describes has an example.
	for name in $("$build/socle-image" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
		grep -q "^[^#]*socle-image $name " "$work/script" || complain "socle-image.1: no example of $name"
	done
}

plan_lines()
{
	local block='' line='' count=0

	while read -r text; do
		if [[ $text != %% ]]; then
			block+="${block:+$'\n'}$text"
			continue
		fi
		if [[ $block == verity=* ]]; then
			echo "$block" >"$work/policy"
			"$build/socle-image" plan --policy "$work/policy" --cmdline "$line" >/dev/null ||
				complain "socle-init.8: with the policy"
		else
			line=${block//$'\n'/ }
			"$build/socle-image" plan --cmdline "$line" >/dev/null || complain "socle-init.8: $line"
		fi
		count=$((count + 1))
		block=
	done < <(blocks init/socle-init.8)
	[[ $count -ge 4 ]] || complain "socle-init.8: only $count examples"
}

# What socle-volume.8's commands are given: one volume in the words of each producer.
volume_inputs()
{
	local hash=2828282828282828282828282828282828282828282828282828282828282828

	echo "root_hash=$hash"
	echo "storage='$(cat <<-EOF2
	{ "driver": "scsi", "driver_options": [], "source": "1:0", "fstype": "erofs",
	  "options": [ "ro", "X-kata.dmverity-enabled=true", "X-kata.dmverity.roothash=$hash",
	               "X-kata.dmverity.hashoffset=4096" ], "mount_point": "/run/image" }
	EOF2
	)'"
	echo "volume=$(base64 -w0 <<-EOF2
	{ "volume_type": "image_raw_block", "source": "/host", "fs_type": "erofs", "options": [ "ro" ],
	  "dm_verity": { "hashtype": "sha256", "hash": "$hash", "blocknum": 5220,
	                 "blocksize": 512, "hashsize": 4096, "offset": 2674688 } }
	EOF2
	)"
	cat >"$work/mounts.json" <<-EOF2
	[ { "type": "erofs", "source": "/host/layer.erofs", "target": "",
	    "options": [ "ro", "loop", "X-containerd.dmverity=/host/layer.erofs.dmverity" ] } ]
	EOF2
	echo "{ \"roothash\": \"$hash\", \"hashoffset\": 4096 }" >"$work/layer.erofs.dmverity"
}

volume_commands()
{
	local mounts plans

	volume_inputs >"$work/volumes"
	blocks mount/socle-volume.8 |
		sed '/^%%/d; s/socle-volume mount/& --dry-run/; /socle-volume umount/d' >>"$work/volumes"
	cat >"$work/bin/socle-volume" <<-EOF2
	#!/bin/sh
	exec $emulator "$build/$arch/socle-volume" "\$@"
	EOF2
	chmod +x "$work/bin/socle-volume"
	(cd "$work" && PATH=$work/bin:$PATH bash -eu -o pipefail volumes) >"$work/plans" 2>"$work/log" ||
		complain "socle-volume.8: $(tail -n 5 "$work/log")"
	mounts=$(grep -c 'socle-volume mount' "$work/volumes")
	plans=$(grep -c '^volume-0$' "$work/plans") || true
	[[ $mounts -ge 4 && $plans -eq $mounts ]] || complain "socle-volume.8: $plans plans of $mounts examples"
}

# README's commands ("$ build/...") with what they print.
readme()
{
	local command='' expected=''

	while IFS= read -r text; do
		if [[ $text == '$ build/'* ]]; then
			command=${text#'$ build/'}
		elif [[ $text == '```'* && -n $command ]]; then
			said=$(bash -c "'$build'/$command" 2>&1) || true
			[[ $said == "$expected" ]] || complain "README.md: $command says: $said"
			command='' expected=''
		elif [[ -n $command ]]; then
			expected+="${expected:+$'\n'}$text"
		fi
	done <README.md
	[[ -n ${said:-} ]] || complain "README.md has no command"
}

make_inputs
readme
run_commands
plan_lines
volume_commands
exit "$status"
