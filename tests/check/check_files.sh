#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#
# socle-image inspect --files: every name of an erofs, as another program wrote it, with what
# stat(2) tells, its attributes and how its data is stored; and of each partition's.
set -euo pipefail

# shellcheck source=tests/check/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

image=$(realpath "${BUILD:-build}/socle-image")
mkfs=$(deps/host.sh --dir)/bin/mkfs.erofs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# expect FILE [OPTION...]: exactly the lines of standard input are said.
expect()
{
	local said

	said=$("$image" inspect --files "${@:2}" "$1" 2>&1) || complain "$*: status $?"
	diff - <(echo "$said") || complain "$*: < is due, > was said"
}

/usr/bin/python3 - <<'EOF'
import io, tarfile

tar = tarfile.open("tar", "w", format=tarfile.PAX_FORMAT)
def add(name, data=b"", **fields):
    info = tarfile.TarInfo(name)
    info.mtime, info.size, info.mode = 1000, len(data), 0o644
    for key, value in fields.items():
        setattr(info, key, value)
    tar.addfile(info, io.BytesIO(data))
add(".", type=tarfile.DIRTYPE, mode=0o755)
add("a\\b\nc", b"x", mode=0o4711, uid=70000, gid=2)
add("blocks", b"x" * 8192, pax_headers={"mtime": "-5.250000000"})
add("device", type=tarfile.BLKTYPE, devmajor=259, devminor=1048575)
add("dir", type=tarfile.DIRTYPE, mode=0o1777)
add("dir/empty")
add("dir/link", type=tarfile.SYMTYPE, linkname="to\tthere", mode=0o777)
add("dir/pipe", type=tarfile.FIFOTYPE)
add("dir/xattrs", pax_headers={"SCHILY.xattr.user.a": "text", "SCHILY.xattr.user.b": "\1"})
tar.close()
EOF
"$mkfs" --quiet --tar=f -Enoinline_data whole.erofs tar >/dev/null 2>&1
cat >list <<'EOF'
d0755 0:0 78 1000.000000000 plain /
-4711 70000:2 1 1000.000000000 plain /a\x5cb\x0ac
-0644 0:0 8192 -5.250000000 plain /blocks
b0644 0:0 259:1048575 1000.000000000 plain /device
d1777 0:0 97 1000.000000000 plain /dir
-0644 0:0 0 1000.000000000 plain /dir/empty
l0777 0:0 8 1000.000000000 plain /dir/link -> to\x09there
p0644 0:0 0 1000.000000000 plain /dir/pipe
-0644 0:0 0 1000.000000000 plain /dir/xattrs
    user.a=text
    user.b=\x01
EOF
# Directories are as large as whoever wrote them liked, and links as tight.
seen() { sed -E 's/^(d[0-7]+ [0-9:]+) [0-9]+/\1 -/; s/ (plain|inline) / - /'; }
"$image" inspect --files whole.erofs >said || complain "status $?"
diff <(seen <list) <(seen <said) || complain "< is due, > was said"
grep -q '^-0644 0:0 8192 .* plain /blocks$' said || complain "whole blocks are not plain"

# The same of a disk: its partitions one after the other, and JSON that says as much.
truncate -s 4M disk
sfdisk --quiet disk <<-'EOF'
label: dos
start=2048, size=2048, type=83
start=4096, size=2048, type=83
EOF
dd if=whole.erofs of=disk bs=1M seek=1 conv=notrunc status=none
dd if=whole.erofs of=disk bs=1M seek=2 conv=notrunc status=none
expect disk < <(echo 'partition 1:'; cat said; echo 'partition 2:'; cat said)
expect disk --partition 2 < <(echo 'partition 2:'; cat said)
"$image" inspect --files --json whole.erofs >lines
/usr/bin/python3 - <<'EOF' || complain "--json: $(cat lines)"
import json
files = {file["path"]: file for file in map(json.loads, open("lines"))}
assert list(files) == ["/", "/a\\x5cb\\x0ac", "/blocks", "/device", "/dir", "/dir/empty",
                       "/dir/link", "/dir/pipe", "/dir/xattrs"], list(files)
device, link = files["/device"], files["/dir/link"]
assert (device["type"], device["major"], device["minor"]) == ("b", 259, 1048575)
assert link["target"] == "to\\x09there" and link["size"] == 8
assert files["/dir/xattrs"]["xattrs"] == {"user.a": "text", "user.b": "\\x01"}
assert files["/blocks"]["mtime"] == "-5.250000000" and files["/blocks"]["links"] == 1
EOF

# What has no files, and what is damaged: said by name, with status 1.
"$image" inspect --files tar >said 2>&1 && complain "a tar's files are listed"
grep -qx 'socle-image: tar: only the files of an erofs are listed' said || complain "tar: $(cat said)"
printf '\377\377' | dd of=whole.erofs bs=1 seek=1038 conv=notrunc status=none
"$image" inspect --files whole.erofs >said 2>&1 && complain "a damaged erofs has files"
grep -q '^socle-image: whole.erofs: read ' said || complain "damaged: $(cat said)"
exit "$status"
