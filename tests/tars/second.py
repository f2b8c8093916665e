# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""A second reader of tars, by the rules of image-build/tree/tar_read.h, which are those of
Go's archive/tar but for what GUESSES says; and Python's tarfile for what that reads well.

words(tar) says what print_tars.c says of the same bytes, the reason of a refusal left out."""
import io
import re
import tarfile
import zlib

BLOCK = 512
SPECIAL_MAX = 1 << 20
CRC_BYTES = 1 << 20
LAST = 2 ** 63

# Where Go reads on and we refuse, since other readers see something else:
GUESSES = """a plus before a number of a pax header or before the length of a record;
GNU.sparse keys that are no version of it; a NUL in GNU.sparse.name; a pax header or a long name
that no entry follows, or a global header in between; bytes after the two blocks of zeroes.
The other way round: zeroes that are not whole blocks may end a tar after one that is."""


class Refused(Exception):
    pass


def need(so):
    if not so:
        raise Refused


def escape(data):
    return "".join(chr(b) if 0x20 < b < 0x7f and chr(b) not in "%,=;" else "%%%02X" % b for b in data)


def text(field):
    return field.split(b"\0", 1)[0]


def field_number(field):
    if field[0] & 0x80:
        bits = 8 * len(field) - 1
        value = int.from_bytes(field, "big") & ((1 << bits) - 1)
        value -= (value >> (bits - 1)) << bits
        need(-LAST <= value < LAST)
        return value
    digits = text(field.strip(b" \0"))
    need(re.fullmatch(rb"[0-7]*", digits))
    return int(digits or b"0", 8)


def is_number(field):
    try:
        field_number(field)
        return True
    except Refused:
        return False


def decimal(value):
    need(re.fullmatch(rb"-?[0-9]+", value))
    need(-LAST <= int(value) < LAST)
    return int(value)


def decimal_time(value):
    """In nanoseconds."""
    match = re.fullmatch(rb"(-?)([0-9]+)(?:\.([0-9]*))?", value)
    need(match)
    whole = int(match[2]) * 10 ** 9 + int((match[3] or b"")[:9].ljust(9, b"0"))
    decimal(match[1] + match[2])
    total = -whole if match[1] else whole
    need(total >= -LAST * 10 ** 9)
    return total


def pax_records(data):
    """The last value of each key, and the sparse pairs of version 0.0 in their order."""
    records, pairs = {}, []
    while data:
        match = re.match(rb"([0-9]+) ", data)
        need(match)
        length = int(match[1])
        need(match.end() < length <= len(data) and data[length - 1:length] == b"\n")
        key, equals, value = data[match.end():length - 1].partition(b"=")
        need(key and equals and b"\0" not in key)
        need(key not in (b"path", b"linkpath", b"uname", b"gname") or b"\0" not in value)
        if key in (b"GNU.sparse.offset", b"GNU.sparse.numbytes"):
            need(key == (b"GNU.sparse.numbytes" if len(pairs) % 2 else b"GNU.sparse.offset"))
            pairs.append(value)
        else:
            records[key] = value
        data = data[length:]
    return records, pairs


class Tar:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        need(0 <= size <= len(self.data) - self.at)
        self.at += size
        return self.data[self.at - size:self.at]

    def pad(self, size):
        self.at = min(self.at + -size % BLOCK, len(self.data))

    def entries(self):
        records, pairs, long, pending = {}, [], {}, False
        while self.at < len(self.data):
            block = self.take(BLOCK)
            if not any(block):
                break
            head = Header(block)
            if head.kind in b"xgLK":
                need(0 <= head.size <= SPECIAL_MAX)
                data = self.take(head.size)
                self.pad(head.size)
                if head.kind in b"LK":
                    long[head.kind] = text(data)
                else:
                    need(head.kind == b"x" or not pending)
                    records, pairs = pax_records(data)
                pending = head.kind != b"g"
                if pending:
                    continue
                yield "g"
            else:
                yield self.entry(head, records, pairs, long)
            records, pairs, long, pending = {}, [], {}, False
        need(not pending and not any(self.data[self.at:]))

    def entry(self, head, records, pairs, long):
        need(head.size >= 0 or head.kind in b"123456")
        said = {key: value for key, value in records.items() if value}
        uid = decimal(said[b"uid"]) if b"uid" in said else head.uid
        gid = decimal(said[b"gid"]) if b"gid" in said else head.gid
        size = decimal(said[b"size"]) if b"size" in said else head.size
        times = {key: decimal_time(said[key]) for key in (b"atime", b"ctime", b"mtime") if key in said}
        name = long.get(b"L") or said.get(b"path") or head.name
        link = long.get(b"K") or said.get(b"linkpath") or head.link
        kind = head.kind.replace(b"7", b"0")
        if kind == b"\0":
            kind = b"5" if name.endswith(b"/") else b"0"
        size = 0 if kind in b"123456" else size
        need(size >= 0)
        spots, real = None, size
        stored = size
        if kind == b"S":
            kind = b"0"
            real, spots = self.old_map(head)
        else:
            before = self.at
            name, real, spots = self.pax_map(said, pairs, name, kind, size, records)
            stored -= self.at - before
            need(stored >= 0)
        data = self.take(stored)
        self.pad(size)
        if kind not in b"0123456":
            return escape(kind)
        size, crc = 0, 0
        if kind == b"0":
            size, crc = real, zlib.crc32(unfold(data, spots, real))
        xattrs = sorted(item for item in records.items() if item[0].startswith(b"SCHILY.xattr."))
        mtime = times.get(b"mtime", head.mtime * 10 ** 9)
        return ",".join([
            kind.decode(), escape(name), escape(link) if kind in b"12" else "", "%o" % (head.mode & 0o7777),
            str(uid), str(gid), "%d.%09d" % (mtime // 10 ** 9, mtime % 10 ** 9),
            *(map(str, head.device) if kind in b"34" else ("", "")), str(size), "%08x" % crc,
            "".join(f"{escape(k)}={escape(v)};" for k, v in xattrs)])

    def old_map(self, head):
        need(head.dialect == "gnu")
        real, spots = field_number(head.block[483:495]), []
        block, at, count = head.block, 386, 4
        while True:
            for i in range(at, at + 24 * count, 24):
                if not block[i]:
                    break
                spots.append((field_number(block[i:i + 12]), field_number(block[i + 12:i + 24])))
            if not block[at + 24 * count]:
                return real, spots
            block, at, count = self.take(BLOCK), 0, 21

    def pax_map(self, said, pairs, name, kind, size, records):
        version = said.get(b"GNU.sparse.major"), said.get(b"GNU.sparse.minor")
        real = size
        if version in ((b"0", b"0"), (b"0", b"1"), (b"1", b"0")) or \
                version == (None, None) and (pairs or b"GNU.sparse.map" in said):
            need(kind not in b"123456")
            for key in (b"GNU.sparse.realsize", b"GNU.sparse.size"):
                real = decimal(said[key]) if key in said else real
            name = said.get(b"GNU.sparse.name", name)
            need(b"\0" not in name)
        else:
            need(not pairs and not any(key.startswith(b"GNU.sparse.") for key in records))
            return name, real, None
        if version[0] == b"1":
            numbers = self.lines(size)
        else:
            numbers = pairs or said.get(b"GNU.sparse.map", b"").split(b",")
            numbers = [decimal(n) for n in numbers if numbers != [b""]]
            need(len(numbers) == 2 * decimal(said.get(b"GNU.sparse.numblocks", b"")))
        return name, real, list(zip(numbers[::2], numbers[1::2]))

    def lines(self, size):
        start, got = self.at, b""
        count = None
        while count is None or got.count(b"\n") < 1 + 2 * count:
            need(self.at - start + BLOCK <= size)
            got += self.take(BLOCK)
            if count is None and b"\n" in got:
                count = decimal(got.split(b"\n")[0])
                need(0 <= count <= 1 << 20)
        return [decimal(line) for line in got.split(b"\n")[1:1 + 2 * count]]


class Header:
    def __init__(self, block):
        sums = [sum(block[:148]) + 256 + sum(block[156:])]
        sums.append(sums[0] - 256 * sum(b >> 7 for b in block[:148] + block[156:]))
        need(not block[148] & 0x80 and field_number(block[148:156]) in sums)
        self.block = block
        self.dialect = "v7"
        if block[257:263] == b"ustar\0":
            self.dialect = "star" if block[508:512] == b"tar\0" else "ustar"
        if block[257:265] == b"ustar  \0":
            self.dialect = "gnu"
        self.kind = block[156:157]
        self.mode, self.uid, self.gid = (field_number(block[at:at + 8]) for at in (100, 108, 116))
        self.size, self.mtime = field_number(block[124:136]), field_number(block[136:148])
        self.device = 0, 0
        if self.dialect != "v7":
            self.device = field_number(block[329:337]), field_number(block[337:345])
        prefix = self.prefix()
        self.name = (prefix + b"/" if prefix else b"") + text(block[:100])
        self.link = text(block[157:257])

    def prefix(self):
        block = self.block
        if self.dialect == "star":
            need(is_number(block[476:488]) and is_number(block[488:500]))
            return text(block[345:476])
        prefix = text(block[345:500])
        if self.dialect == "ustar":
            return prefix
        # Of Go before 1.8.
        if self.dialect == "gnu" and not (is_number(block[345:357]) and is_number(block[357:369])):
            return prefix if prefix.isascii() else b""
        return b""


def unfold(data, spots, real):
    """The beginning of a file as it is with its holes."""
    if spots is None:
        return data[:CRC_BYTES]
    end = 0
    need(real >= 0)
    for offset, size in spots:
        need(size >= 0 and end <= offset and offset + size <= real)
        end = offset + size
    need(sum(size for _, size in spots) == len(data))
    out = bytearray(min(real, CRC_BYTES))
    for offset, size in spots:
        if offset < len(out):
            part = data[:min(size, len(out) - offset)]
            out[offset:offset + len(part)] = part
        data = data[size:]
    return bytes(out)


def words(tar):
    out = []
    try:
        for word in Tar(tar).entries():
            out.append(word)
        out.append(".")
    except Refused:
        out.append("!")
    return out


def by_tarfile(tar):
    """The same of a tar without oddities, by Python's own reader. It differs in that it strips
    slashes from the end of directories' names and of pax paths, knows times as floating point
    and no nanoseconds, and has no list of attributes but the records."""
    out = []
    with tarfile.open(fileobj=io.BytesIO(tar), mode="r:", encoding="utf-8",
                      errors="surrogateescape") as archive:
        for info in archive:
            kind = {b"\0": b"0", b"7": b"0", b"S": b"0"}.get(info.type, info.type).decode()
            data = archive.extractfile(info).read(CRC_BYTES) if kind == "0" else b""
            name, link = (escape(s.encode("utf-8", "surrogateescape")) for s in (info.name, info.linkname))
            out.append(",".join([
                kind, name.rstrip("/"), link if kind in "12" else "", "%o" % (info.mode & 0o7777), str(info.uid),
                str(info.gid), "%d" % (info.mtime // 1),
                *(map(str, (info.devmajor, info.devminor)) if kind in "34" else ("", "")),
                str(info.size if kind == "0" else 0), "%08x" % zlib.crc32(data)]))
    return out


def as_tarfile(word):
    """One of our words with what by_tarfile() does not tell left out."""
    fields = word.split(",")
    fields[1] = fields[1].rstrip("/")
    fields[6] = fields[6].split(".")[0]
    return ",".join(fields[:11])
