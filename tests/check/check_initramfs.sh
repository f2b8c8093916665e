#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# What socle-image initramfs takes and refuses, and what inspect says of the result.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

image=${BUILD:-build}/socle-image
init=${SOCLE_INIT:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pack() { timeout 60 "$image" initramfs --init "$init" --output "$work/initramfs" "$@" 2>&1; }

# refuses WORDS OPTION...
refuses()
{
	local words=$1 said

	shift
	rm -f "$work/initramfs"
	said=$(pack "$@") && complain "taken: $*"
	# shellcheck disable=SC2053 # a pattern
	[[ $said == $words ]] || complain "$*: $said"
	[[ ! -e $work/initramfs ]] || complain "$*: there is an output"
}

# Programs that the kernel could not start as /init.
echo 'int f(void) { return 1; }' >"$work/f.c"
library() { gcc -shared -fPIC -nostdlib -o "$work/$1" "$work/f.c" "${@:2}"; }
library library.so
library entry.so -Wl,-e,f -Wl,-soname=entry.so
library needs.so -Wl,-e,f -Wl,--no-as-needed -lc
gcc -static-pie -nostdlib -Wl,-e,f -o "$work/pie" "$work/f.c"
mkfifo "$work/fifo"
init=$work/library.so refuses "*is a shared library, not a program"
init=$work/entry.so refuses "*is a shared library, not a program"
init=$work/needs.so refuses "*needs shared libraries*"
init=$work/fifo refuses "*is not a regular file"
init=$work/pie pack >/dev/null || complain "a static PIE is refused"
refuses "*fifo is not a regular file" --file "x=$work/fifo"

# What has an option of its own is checked by it.
echo nonsense=1 >"$work/policy"
for file in etc/socle/policy /etc/socle/policy ./etc//socle/./policy; do
	refuses "*use --policy, which checks it" --file "$file=$work/policy"
done
refuses "*use --manifest, which checks it" --file "etc/socle/manifest.json=$work/policy"
refuses "*/etc/socle/begun is packed twice" --file "etc/socle/begun=$work/policy"
refuses "*/etc/socle/complete is packed twice" --file "etc/socle/complete=$work/policy"

# The program for volumes at run time, and what a plan says of it.
cp "$init" "$work/socle-init"
cp "$init" "$work/socle-volume"
volumes=(--volumes --volume-program "$init")
said=$(pack "${volumes[@]}")
[[ -z $said ]] || complain "--volumes: $said"
cpio -i --quiet --to-stdout socle-volume <"$work/initramfs" | cmp - "$init" ||
	complain "/socle-volume is another program"
sum=$(sha256sum <"$work/initramfs")
init=$work/socle-init pack --volumes >/dev/null
[[ $(sha256sum <"$work/initramfs") == "$sum" ]] || complain "socle-volume beside --init is not taken"
rm "$work/socle-volume"
init=$work/socle-init refuses "*without --volume-program: open $work/socle-volume: No such file*" --volumes
refuses "*--volume-program needs --volumes*" --volume-program "$init"
refuses "*is a shared library, not a program" --volumes --volume-program "$work/library.so"
refuses "*socle-volume is packed twice" "${volumes[@]}" --file "socle-volume=$init"
refuses "*socle.volumes=yes needs --volumes*" --file "sbin/init=$init" --cmdline "socle.volumes=yes"
agent=(--file "sbin/init=$init")
said=$(pack "${volumes[@]}" "${agent[@]}" --cmdline "socle.volumes=yes")
[[ -z $said ]] || complain "socle.volumes=yes: $said"
said=$(pack "${volumes[@]}" "${agent[@]}" --cmdline "quiet")
[[ $said == *"warning: without socle.volumes=yes "* ]] || complain "no warning: $said"

own=(--file "sbin/init=$init" --cmdline "rdinit=/bin/sh")
[[ $(pack "${own[@]}") == "socle-image initramfs: warning: rdinit=/bin/sh makes "* ]] ||
	complain "rdinit= is not warned of"

# The mark is the last, in archives of each kind; a cut one is told, whatever is left of it.
for compression in none gzip zstd; do
	pack --compress "$compression" >/dev/null
	(($(stat -c %s "$work/initramfs") % 4 == 0)) || complain "$compression: not padded"
	"$image" inspect "$work/initramfs" | grep -qx "type: initramfs" ||
		complain "$compression: inspect does not know it"
	for percent in 50 97; do
		size=$(($(stat -c %s "$work/initramfs") * percent / 100))
		head -c "$size" "$work/initramfs" >"$work/cut"
		! "$image" inspect "$work/cut" >"$work/said" 2>&1 ||
			complain "$compression: inspect takes $percent % of it"
		grep -qE "cut|short" "$work/said" || complain "$compression: $(<"$work/said")"
	done
done
pack >/dev/null
[[ $(cpio -t --quiet <"$work/initramfs" | tail -n 1) == etc/socle/complete ]] ||
	complain "the mark is not the last entry"

# Behind one that is packed to no multiple of four a plain one is lost.
for level in {1..9}; do
	gzip -"$level"n <"$work/initramfs" >"$work/packed"
	(($(stat -c %s "$work/packed") % 4 == 0)) || break
done
(cd "$work" && echo policy | cpio -o -H newc --quiet >more.cpio)
cat "$work/packed" "$work/more.cpio" >"$work/both"
! "$image" inspect "$work/both" >"$work/said" 2>&1 || complain "inspect takes what the kernel does not"
grep -q "does not begin at a multiple of 4" "$work/said" || complain "$(<"$work/said")"
truncate -s %4 "$work/packed"
cat "$work/packed" "$work/more.cpio" >"$work/both"
"$image" inspect "$work/both" >/dev/null || complain "inspect refuses what the kernel takes"

# xz is as it comes a kind that the kernel does not unpack.
xz -c --check=crc64 "$work/initramfs" >"$work/xz"
! "$image" inspect "$work/xz" >"$work/said" 2>&1 || complain "inspect takes xz with CRC64"
grep -q "xz --check=crc32" "$work/said" || complain "$(<"$work/said")"
xz -c --check=crc32 "$work/initramfs" >"$work/xz"
"$image" inspect "$work/xz" | grep -q "compression: xz" || complain "xz is not looked into"
exit $status
