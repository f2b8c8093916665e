#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# socle-image diff: each attribute of a file that differs is one line, of images with and
# without verity, partitions, initramfs and folders of them; nothing is said of what is the
# same; and a file that cannot be read is trouble, not a difference.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

image=$(realpath "${BUILD:-build}/socle-image")
init=$(realpath "$SOCLE_INIT")
mkfs=$(deps/host.sh --dir)/bin/mkfs.erofs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# expect STATUS A B: socle-image diff ends so, and says exactly the lines of standard input.
expect()
{
	local said status=0

	said=$("$image" diff "$2" "$3" 2>&1) || status=$?
	[[ $status == "$1" ]] || complain "diff $2 $3: status $status, not $1"
	diff - <(echo -n "${said:+$said$'\n'}") || complain "diff $2 $3: < is due, > was said"
}

# Two tars, a.tar and b.tar, without need of anybody's rights.
make_tars()
{
	/usr/bin/python3 - <<-'EOF'
	import io, tarfile

	def write(path, second):
	    tar = tarfile.open(path, "w", format=tarfile.PAX_FORMAT)
	    def add(name, data=b"", **fields):
	        info = tarfile.TarInfo(name)
	        info.mtime, info.size, info.mode = 1000, len(data), 0o644
	        for key, value in fields.items():
	            setattr(info, key, value)
	        tar.addfile(info, io.BytesIO(data))
	    add(".", type=tarfile.DIRTYPE, mode=0o755)
	    add("dir", type=tarfile.DIRTYPE, mode=0o755)
	    add("dir/content", b"two\n" if second else b"one\n")
	    add("dir/mode", mode=0o4755 if second else 0o644)
	    add("dir/owner", uid=second, gid=2 * second)
	    add("dir/size", b"three\n" if second else b"one\n")
	    add("dir/target", type=tarfile.SYMTYPE, linkname="second" if second else "first")
	    add("dir/time", pax_headers={"mtime": "2000.500000000" if second else "1000.000000000"})
	    add("dir/linked", b"x")
	    add("device", type=tarfile.CHRTYPE, devmajor=1, devminor=5 if second else 3)
	    add("large", b"\0" * 500000 + (b"1" if second else b"0") + b"\0" * 99999)
	    add("xattrs", pax_headers={"SCHILY.xattr.user.both": "b" if second else "a",
	        "SCHILY.xattr.user.nul": "\0b" if second else "\0a",
	        "SCHILY.xattr.user.digits": "\1" if second else "0x01",
	        "SCHILY.xattr.user.only-b" if second else "SCHILY.xattr.user.only-a": "\1"})
	    if second:
	        add("dir/second", type=tarfile.LNKTYPE, linkname="dir/linked")
	        add("kind", type=tarfile.DIRTYPE, mode=0o644)
	    else:
	        add("dir/only-a", type=tarfile.DIRTYPE, mode=0o755)
	        add("kind")
	    tar.close()

	write("a.tar", 0)
	write("b.tar", 1)
	EOF
}

# What the trees differ in, each line with this in front.
differences()
{
	sed "s,^,$1," <<-'EOF'
	/device: device: 1:3 | 1:5
	/dir/content: content differs from byte 0 on
	/dir/linked: links: 1 | 2
	/dir/mode: mode: 0644 | 4755
	/dir/only-a: name: only in A: directory
	/dir/owner: uid: 0 | 1
	/dir/owner: gid: 0 | 2
	/dir/second: name: only in B: file of 1 bytes
	/dir/size: size: 4 | 6
	/dir/target: target: first | second
	/dir/time: mtime: 1000.000000000 | 2000.500000000
	/kind: kind: file | directory
	/large: content differs from byte 500000 on
	/xattrs: user.both: a | b
	/xattrs: user.digits: 0x30783031 | 0x01
	/xattrs: user.nul: 0x0061 | 0x0062
	/xattrs: user.only-a: only in A: 0x01
	/xattrs: user.only-b: only in B: 0x01
	EOF
}

# What the superblocks differ in, with this in front.  The sizes are the same.
superblocks()
{
	printf '%s\n' "${1:-}inodes: 14 | 13"
}

check_erofs()
{
	local side

	for side in a b; do
		"$mkfs" --quiet --tar=f -U 11111111-1111-1111-1111-111111111111 \
			"$side.erofs" "$side.tar" >/dev/null 2>&1
	done
	expect 1 a.erofs b.erofs < <(superblocks; differences '')
	expect 0 a.erofs a.erofs </dev/null
}

# The same behind a table of partitions, and with a tree behind each.
check_disk()
{
	local side

	for side in a b; do
		truncate -s 4M "$side.disk"
		sfdisk --quiet "$side.disk" <<-'EOF'
		label: dos
		label-id: 0x12345678
		start=2048, size=4096, type=83
		EOF
		dd if="$side.erofs" of="$side.disk" bs=1M seek=1 conv=notrunc status=none
	done
	expect 1 a.disk b.disk < <(superblocks 'partitions[0].'; differences 'partition 1 ')
}

check_initramfs()
{
	local side

	printf 'one\n' >file-a
	printf 'two\n' >file-b
	for side in a b; do
		"$image" initramfs --init "$init" --output "$side.cpio" --file "etc/file=file-$side"
	done
	expect 1 a.cpio b.cpio < <(echo 'etc/file: content differs'; marks)
	"$image" initramfs --init "$init" --output c.cpio
	expect 1 a.cpio c.cpio < <(
		cat <<-EOF
		size: $(stat -c %s a.cpio) | $(stat -c %s c.cpio)
		archives[0].entries: $(entries a.cpio) | $(entries c.cpio)
		archives[0].content_bytes: $(content a.cpio) | $(content c.cpio)
		etc/file: name: only in A: file of 4 bytes
		EOF
		marks
	)
}
# By which the guest knows that all of one archive was unpacked.
marks() { printf 'etc/socle/%s: content differs\n' begun complete; }
entries() { "$image" inspect "$1" | sed -n 's/ *entries: //p'; }
content() { "$image" inspect "$1" | sed -n 's/ *content_bytes: //p'; }

# A folder of files of several kinds; JSON by its members.
check_folders()
{
	mkdir -p a.d/sub b.d/sub
	cp a.erofs a.d/disk.img
	cp b.erofs b.d/disk.img
	echo '{"x": [1, {"y": "z"}], "gone": null}' >a.d/manifest.json
	echo '{"x": [1, {"y": "w"}, 3], "new": true}' >b.d/manifest.json
	printf 'same' | tee a.d/sub/same >b.d/sub/same
	printf 'ab' >a.d/sub/text
	printf 'aXc' >b.d/sub/text
	touch b.d/lone
	expect 1 a.d b.d < <(
		superblocks 'disk.img: '
		differences 'disk.img '
		cat <<-'EOF'
		lone: name: only in B
		manifest.json: x[1].y: z | w
		manifest.json: x[2]: only in B: 3
		manifest.json: gone: only in A: null
		manifest.json: new: only in B: true
		sub/text: size: 2 | 3
		sub/text: content differs from byte 1 on
		EOF
	)
	expect 0 a.d a.d </dev/null
	"$image" diff --json a.d/sub b.d/sub >said.json && complain "--json: status 0"
	/usr/bin/python3 - <<-'EOF' || complain "--json: $(cat said.json)"
	import json
	assert json.load(open("said.json")) == [
	    {"place": "text", "what": "size", "a": "2", "b": "3"},
	    {"place": "text", "what": "content differs from byte 1 on"}]
	EOF
}

check_trouble()
{
	expect 2 a.erofs none <<<'socle-image: B: none: No such file or directory'
	expect 2 a.erofs /dev/null <<<'socle-image: B: /dev/null: neither a file nor a directory'
	# Its root directory points to nowhere: no name of it is the other's.
	cp a.erofs damaged.erofs
	printf '\377\377' | dd of=damaged.erofs bs=1 seek=1038 conv=notrunc status=none
	"$image" diff a.erofs damaged.erofs >said 2>&1 && complain "a damaged erofs is no trouble"
	[[ $(tail -n 1 said) == "socle-image: B: "* ]] || complain "damaged: $(cat said)"
	"$image" diff a.erofs >/dev/null 2>&1 && complain "one operand is enough"
	expect 1 a.erofs a.d <<<'kind: file | directory'
}

make_tars
check_erofs
check_disk
check_initramfs
check_folders
check_trouble
exit "$status"
