# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Tars at random: every dialect, every field of a header, right, odd and damaged.

tars(seed, count) yields the same bytes for the same seed, whatever the machine."""
import random

BLOCK = 512
TYPES = "0" * 12 + "\0" * 4 + "1122334455556677SSgLKVDXMNAZ"
NAMES = [b"a", b"b", b"d/", b"d/x", b"./e", b"/f/g", b"long" * 20, b"\xe6\x97\xa5", b"\xff\xfe",
         b"n" * 100, b"p/" + b"q" * 97 + b"/", b"", b"a b=c%", b"new\nline"]
MAGICS = [b"ustar\0" b"00"] * 4 + [b"ustar  \0"] * 4 + [b"\0" * 8] * 2 + \
    [b"ustar\0" b"  ", b"ustar\0xx", b"ustar \0\0", b"USTAR\0" b"00"]
DECIMALS = [b"0", b"1", b"7", b"1000", b"4294967294", b"0010", b"", b"-1", b"-0"]
RUBBISH = [b"0x10", b"+5", b"1e3", b" 5", b"5 ", b"1.5", b"--1", b"1_0", b"9" * 30, b"5\0", b"abc"]
TIMES = [b"0", b"1700000000.123456789", b"1.5", b"-1.5", b"-0.5", b"-7", b"1.", b"", b"12.0000000019",
         b"-2.000000001"]
BAD_TIMES = [b".5", b"1.5.5", b"1.x", b"-", b"1e9", b"+1", b" 1", b"1 "]
XATTRS = [b"user.k", b"user.overlay.opaque", b"security.capability", b"com.apple.x", b"trusted.t"]


def octal(rng, width, value):
    """value as writers have put it into a field of width bytes."""
    digits = b"%o" % value
    forms = [digits.rjust(width - 1, b"0") + b"\0"] * 6
    forms += [digits.rjust(width - 2, b" ") + b" \0", digits.rjust(width - 1, b"0") + b" ",
              digits.ljust(width, b"\0"), digits.rjust(width, b"0"), b" " + digits + b" ",
              b"\0" + digits, digits + b"\0junk"]
    return rng.choice(forms)[:width].ljust(width, b"\0")


def base_256(width, value):
    return bytes([0x80 if value >= 0 else 0xff]) + value.to_bytes(width - 1, "big", signed=value < 0)


def number(rng, width, value, odd):
    """odd is the chance of something else than this number; None for none, nor of an odd form."""
    if odd is None:
        return base_256(width, value) if value >= 8 ** (width - 1) or rng.random() < 0.1 else \
            b"%0*o\0" % (width - 1, value)
    if rng.random() < odd:
        return rng.choice([b"", b" " * width, b"8" * width, b"-1", b"0x1", b"+7", b"1_2", b"0o7",
                           b"\x80" * width, b"\xff" * width, b"\xc0" + b"\0" * (width - 1),
                           bytes(rng.randrange(256) for _ in range(width)),
                           base_256(width, rng.choice([-1, 5, 2097152, -2 ** 31]))])[:width].ljust(width, b"\0")
    if rng.random() < 0.1 and value < 2 ** 40:
        return base_256(width, value)
    return octal(rng, width, value)


def record(rng, key, value, odd=0.0):
    body = b" " + key + b"=" + value + b"\n"
    size = len(body) + 1
    while len(b"%d" % size) + len(body) != size:
        size = len(b"%d" % size) + len(body)
    if rng.random() < odd:
        return rng.choice([b"%d" % (size + rng.choice([-2, -1, 1, 9])) + body, b"+%d" % size + body,
                           b" %d" % size + body, b"0%d" % (size + 1) + body, body,
                           b"%d" % (size - 1) + body[:-1], b"%d" % size + body.replace(b"=", b"-")])
    return b"%d" % size + body


def header(rng, kind, name, size, odd=0.0, link=b"", patches=()):
    wild = odd is not None
    magic = rng.choice(MAGICS) if wild else MAGICS[0]
    block = bytearray(BLOCK)
    block[0:100] = name[:100].ljust(100, b"\0")
    block[100:108] = number(rng, 8, rng.choice([0o644, 0o755, 0o4755, 0o100644, 0, 0o1777]), odd)
    block[108:116] = number(rng, 8, rng.choice([0, 1000, 0o7777777]), odd)
    block[116:124] = number(rng, 8, rng.choice([0, 1000]), odd)
    block[124:136] = number(rng, 12, size, odd and odd / 2)
    block[136:148] = number(rng, 12, rng.choice([0, 1700000000, 2 ** 33 - 1]), odd)
    block[156:157] = kind.encode("latin1")
    block[157:257] = link[:100].ljust(100, b"\0")
    block[257:265] = magic
    block[265:297] = b"root".ljust(32, b"\0")
    if rng.random() < 0.8:
        block[329:337] = number(rng, 8, rng.choice([0, 1, 259]), odd)
        block[337:345] = number(rng, 8, rng.choice([0, 3, 70000]), odd)
    if wild and rng.random() < 0.25:
        prefix = rng.choice([b"some/where", b"deep/" * 31, b"\xc3\xbc", b"01234567012\0" b"01234567013\0",
                             b"x" * 131 + b"y" * 20, b"\0tail"])
        block[345:345 + len(prefix[:155])] = prefix[:155]
    if wild and rng.random() < 0.05:
        block[508:512] = b"tar\0"
        if rng.random() < 0.7:
            block[476:500] = octal(rng, 12, 5) + octal(rng, 12, 6)
    if wild and rng.random() < 0.04:
        block[rng.randrange(345, 500)] = rng.randrange(256)
    if wild and rng.random() < 0.03:
        block[483:495] = octal(rng, 12, 2176)
    for at, bytes_ in patches:
        block[at:at + len(bytes_)] = bytes_
    block[148:156] = b" " * 8
    total = sum(block)
    if wild and rng.random() < 0.1:
        total = sum(b - 256 if b & 0x80 else b for b in block)
    # A negative one, as summing signed chars can make it, has no octal digits.
    block[148:156] = rng.choice([b"%06o\0 ", b"%07o\0", b" %06o\0"]) % max(total, 0)
    return bytes(block)


def padded(data):
    return data + bytes(-len(data) % BLOCK)


def pax_value(rng, key, odd):
    if key in (b"uid", b"gid"):
        return rng.choice(RUBBISH if rng.random() < odd else DECIMALS)
    if key in (b"mtime", b"atime", b"ctime"):
        return rng.choice(BAD_TIMES if rng.random() < odd else TIMES)
    if key in (b"path", b"linkpath", b"uname"):
        return rng.choice(NAMES) + (b"\0z" if rng.random() < odd else b"")
    return bytes(rng.randrange(256) for _ in range(rng.randrange(5)))


def pax_records(rng, odd, size):
    """Records at random; of "size" only such as the entry has."""
    keys = [b"uid", b"gid", b"mtime", b"atime", b"ctime", b"path", b"linkpath", b"uname", b"comment",
            b"SCHILY.xattr." + rng.choice(XATTRS), b"SCHILY.xattr.", b"LIBARCHIVE.xattr.user.k",
            b"SCHILY.acl.access", b"SCHILY.devmajor", b"SCHILY.realsize", b"hdrcharset",
            b"SUN.holesdata", b"RHT.security.selinux", b"GNU.volume.label"]
    out = b""
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 5])):
        key = rng.choice(keys)
        out += record(rng, key, pax_value(rng, key, odd), odd / 3)
    if rng.random() < 0.1:
        out += record(rng, b"size", b"%d" % size)
    if rng.random() < 0.02 + odd / 5:
        out += record(rng, rng.choice([b"", b"k=", b"k\0y"]), b"v")
    if rng.random() < odd / 5:
        out += rng.choice([b"\0", b"garbage", b"5 a=\n", b"4 =\n"])
    return out


def special(rng, kind, data, odd=0.0):
    name = rng.choice([b"././@LongLink", b"x/PaxHeader", b"PaxHeaders.0"])
    return header(rng, kind, name, len(data), odd and odd / 4) + padded(data)


def pieces(rng, odd):
    """A sparse map: (offset, size) ascending, mostly."""
    at, out = 0, []
    for _ in range(rng.choice([0, 1, 1, 2, 3, 5, 30])):
        at += rng.choice([0, 1, 512, 4096, 70000])
        size = rng.choice([0, 1, 511, 512, 513])
        out.append((at, size))
        at += size
    real = at + rng.choice([0, 0, 1, 512, 100000])
    if rng.random() < odd:
        i = rng.randrange(len(out) + 1)
        out.insert(i, (rng.choice([0, 5, at + 1, -1, 2 ** 62, 2 ** 63 - 1]), rng.choice([1, -1, 2 ** 62])))
    if rng.random() < odd / 2:
        real = rng.choice([0, -1, at - 1, 2 ** 63 - 1])
    return out, real


def data_of(rng, spots, odd):
    size = sum(size for _, size in spots if 0 <= size < 100000)
    if rng.random() < odd / 2:
        size += rng.choice([-1, 1, 512])
    return bytes(rng.randrange(1, 256) for _ in range(max(size, 0)))


def old_sparse(rng, odd):
    spots, real = pieces(rng, odd)
    data = data_of(rng, spots, odd)

    def fields(some):
        return b"".join(number(rng, 12, max(n, 0) % 2 ** 33, odd / 9) for spot in some for n in spot)

    patches = [(257, b"ustar  \0" if rng.random() < 0.95 else b"ustar\0" b"00"), (345, bytes(41)),
               (386, fields(spots[:4]).ljust(96, b"\0")), (482, bytes([len(spots) > 4])),
               (483, number(rng, 12, max(real, 0) % 2 ** 33, odd / 9))]
    out = header(rng, "S", rng.choice(NAMES), len(data), odd / 9, patches=patches)
    rest = spots[4:]
    while rest:
        out += (fields(rest[:21]).ljust(504, b"\0") + bytes([len(rest) > 21])).ljust(BLOCK, b"\0")
        rest = rest[21:]
    return out + padded(data)


def pax_sparse(rng, odd):
    spots, real = pieces(rng, odd)
    data = data_of(rng, spots, odd)
    version = rng.choice(["0.0", "0.1", "1.0", "1.0"])
    records = b""
    if version == "1.0" or rng.random() < 0.3:
        major, minor = version.encode().split(b".")
        if rng.random() < odd:
            major = rng.choice([b"2", b"", b"01"])
        records += record(rng, b"GNU.sparse.major", major) + record(rng, b"GNU.sparse.minor", minor)
    if rng.random() < 0.8:
        records += record(rng, b"GNU.sparse.name", rng.choice(NAMES))
    records += record(rng, rng.choice([b"GNU.sparse.size", b"GNU.sparse.realsize"]), b"%d" % real)
    if version != "1.0":
        count = len(spots) + (rng.choice([-1, 1]) if rng.random() < odd / 3 else 0)
        records += record(rng, b"GNU.sparse.numblocks", b"%d" % count)
    if version == "0.0":
        for offset, size in spots:
            both = [record(rng, b"GNU.sparse.offset", b"%d" % offset),
                    record(rng, b"GNU.sparse.numbytes", b"%d" % size)]
            if rng.random() < odd / 9:
                both.reverse()
            records += b"".join(both)
    if version == "0.1":
        records += record(rng, b"GNU.sparse.map", b",".join(b"%d,%d" % spot for spot in spots))
    if version == "1.0":
        numbers = [len(spots)] + [n for spot in spots for n in spot]
        data = padded(b"".join(b"%d\n" % n for n in numbers)) + data
    if rng.random() < 0.2:
        records += pax_records(rng, odd, len(data))
    kind = "0" if rng.random() < 0.95 else "5"
    return special(rng, "x", records) + header(rng, kind, rng.choice(NAMES), len(data), odd / 9) + padded(data)


def member(rng, odd):
    chance = rng.random()
    if chance < 0.06:
        return old_sparse(rng, odd)
    if chance < 0.14:
        return pax_sparse(rng, odd)
    kind = rng.choice(TYPES)
    size = rng.choice([0, 1, 3, 511, 512, 513, 1030])
    if kind in "123456" and rng.random() < 0.7:
        size = 0
    data = bytes(rng.randrange(1, 256) for _ in range(size))
    out = b""
    for _ in range(rng.choice([0, 0, 1, 1, 1, 2])):
        out += special(rng, "x", pax_records(rng, odd, size), odd)
    if rng.random() < 0.1:
        out += special(rng, rng.choice("LK"), rng.choice(NAMES) + rng.choice([b"\0", b"", b"\0z"]), odd)
    if kind == "g":
        return out * (rng.random() < 0.1) + special(rng, "g", pax_records(rng, odd, size), odd)
    if kind in "LK":
        return out + special(rng, kind, rng.choice(NAMES) + b"\0", odd) + header(rng, "0", b"short", 0, odd)
    has_data = kind not in "123456" or rng.random() < 0.05
    return out + header(rng, kind, rng.choice(NAMES), size, odd, rng.choice(NAMES)) + \
        (padded(data) if has_data else b"")


def damage(rng, tar):
    """One change anywhere, mostly in a header; its sum is made right again, or not."""
    tar = bytearray(tar)
    if not tar:
        return bytes(tar)
    if rng.random() < 0.2:
        return bytes(tar[:rng.randrange(len(tar))])
    block = rng.randrange(len(tar) // BLOCK) * BLOCK if len(tar) >= BLOCK else 0
    tar[min(block + rng.randrange(BLOCK), len(tar) - 1)] = rng.choice([0, 32, 48, 49, 55, 83, 255, rng.randrange(256)])
    if rng.random() < 0.8 and len(tar) >= block + BLOCK:
        tar[block + 148:block + 156] = b" " * 8
        tar[block + 148:block + 156] = b"%06o\0 " % sum(tar[block:block + BLOCK])
    return bytes(tar)


def one(rng):
    odd = rng.choice([0, 0, 0, 0.02, 0.1, 0.3])
    tar = b"".join(member(rng, odd) for _ in range(rng.choice([0, 1, 1, 1, 2, 3])))
    tar += bytes(BLOCK) * rng.choice([0, 1, 2, 2, 2, 2, 20])
    return damage(rng, tar) if rng.random() < 0.15 else tar


def plain_member(rng):
    """Nothing that Python's tarfile is known to read in its own way."""
    kind = rng.choice("000\x00123456")
    data = bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 511, 512, 513]))) if kind in "0\0" else b""
    names = [b"a", b"d/x", b"./e", b"long" * 20, b"n" * 100, b"\xe6\x97\xa5", b"a b=c%"]
    magic, out, name = rng.choice([b"ustar\0" b"00", b"ustar  \0"]), b"", rng.choice(names)
    prefix = rng.choice([b"", b"some/where"]) if magic[5] == 0 else b""
    chance = rng.random()
    if chance < 0.1 and kind in "0\0":
        return plain_sparse(rng, names)
    if chance < 0.4:
        values = {b"path": rng.choice(names), b"linkpath": rng.choice(names), b"uid": b"4294967294",
                  b"gid": b"7", b"mtime": b"1700000000.5", b"SCHILY.xattr.user.k": b"v", b"comment": b"c"}
        out = special(rng, "x", b"".join(record(rng, k, v) for k, v in values.items() if rng.random() < 0.5), None)
    elif chance < 0.6:
        out = special(rng, "L", rng.choice(names) + b"\0", None) + special(rng, "K", rng.choice(names) + b"\0", None)
    patches = [(257, magic), (345, prefix)]
    return out + header(rng, kind, name, len(data), None, rng.choice(names), patches) + padded(data)


def plain_sparse(rng, names):
    spots, real = pieces(rng, 0)
    spots = [spot for spot in spots if spot[1]]
    data, name = data_of(rng, spots, 0), rng.choice(names)
    numbers = [len(spots)] + [n for spot in spots for n in spot]
    records = record(rng, b"GNU.sparse.name", name) + record(rng, b"GNU.sparse.numblocks", b"%d" % len(spots))
    if spots and rng.random() < 0.5:
        records += record(rng, b"GNU.sparse.size", b"%d" % real)
        records += record(rng, b"GNU.sparse.map", b",".join(b"%d" % n for n in numbers[1:]))
    else:
        records = record(rng, b"GNU.sparse.name", name) + record(rng, b"GNU.sparse.realsize", b"%d" % real)
        records += record(rng, b"GNU.sparse.major", b"1") + record(rng, b"GNU.sparse.minor", b"0")
        data = padded(b"".join(b"%d\n" % n for n in numbers)) + data
    return special(rng, "x", records, None) + header(rng, "0", b"short", len(data), None) + padded(data)


def plain_tars(seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        yield b"".join(plain_member(rng) for _ in range(rng.randrange(1, 6))) + bytes(2 * BLOCK)


def tars(seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        yield one(rng)
