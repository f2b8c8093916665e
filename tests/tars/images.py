#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""images.py SOCLE_IMAGE: what `layers` and `merge` answer to images that are odd in one way
each, and where both must hold the same."""
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

BLOCK = 512


def header(kind, name, size=0, mode=0o644, link="", device=(0, 0)):
    block = bytearray(BLOCK)
    for at, value in ((0, name.encode()), (100, b"%07o" % mode), (108, b"%07o" % 0), (116, b"%07o" % 0),
                      (124, b"%011o" % size), (136, b"%011o" % 0), (148, b" " * 8), (156, kind.encode()),
                      (157, link.encode()), (257, b"ustar\0" b"00"), (329, b"%07o" % device[0]),
                      (337, b"%07o" % device[1])):
        block[at:at + len(value)] = value
    block[148:155] = b"%06o\0" % sum(block)
    return bytes(block)


def entry(kind, name, data=b"", **fields):
    return header(kind, name, len(data), **fields) + data + bytes(-len(data) % BLOCK)


def pax(kind, **records):
    """Records; in a key __ is for a point."""
    text = b""
    for key, value in records.items():
        body = f" {key.replace('__', '.')}={value}\n".encode()
        text += next(b"%d" % size + body for size in range(len(body), 999) if size == len(b"%d" % size + body))
    return entry(kind, "PaxHeader", text)


def sparse(name, size):
    """A file that is one hole."""
    return pax("x", GNU__sparse__map="0,0", GNU__sparse__numblocks=1, GNU__sparse__size=size) + entry("0", name)


def layout(directory, layers):
    blobs = directory / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def blob(data, kind):
        digest = hashlib.sha256(data).hexdigest()
        (blobs / digest).write_bytes(data)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data)}

    layers = [blob(layer + bytes(2 * BLOCK), "layer.v1.tar") for layer in layers]
    config = {"os": "linux", "architecture": "amd64",
              "rootfs": {"type": "layers", "diff_ids": [layer["digest"] for layer in layers]}}
    config = blob(json.dumps(config).encode(), "config.v1+json")
    manifest = blob(json.dumps({"schemaVersion": 2, "config": config, "layers": layers}).encode(), "manifest.v1+json")
    (directory / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [manifest]}))
    (directory / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    return [layer["digest"] for layer in layers]


def file_system(path, layer):
    """The digest of an erofs without its checksum and UUID, which come from the layers' diff_ids."""
    data = bytearray(path.read_bytes()[:layer["verity"]["data_blocks"] * 4096])
    data[1024 + 4:1024 + 8] = bytes(4)
    data[1024 + 48:1024 + 64] = bytes(16)
    return hashlib.sha256(data).hexdigest()


class Answer:
    def __init__(self, program, command, layers, options):
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            self.digests = layout(work / "in", layers)
            out = work / "out" if command == "layers" else work / "merged.img"
            run = subprocess.run([program, command, "--output", out, *options, work / "in"], text=True,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=60)
            self.status, self.said = run.returncode, run.stderr
            self.json = None
            if not self.status:
                path = out / "image.json" if command == "layers" else work / "merged.img.json"
                self.json = json.loads(path.read_text())
                self.images = [file_system(path.parent / layer["file"], layer) for layer in self.json["layers"]]


A, DIR = entry("0", "a", b"1"), entry("5", "d", mode=0o755)
BELOW = DIR + entry("0", "d/low", b"1") + entry("0", "gone", b"2")

# Both commands: words of the refusal, or of the warning, or nothing at all.
REFUSED = {
    "a device 0:0": ([DIR + entry("3", "d/x") + entry("1", "y", link="d/x")], "\"d/x\": a character device 0:0"),
    "a sparse file of 500 GiB": ([sparse("big", 500 << 30)], "--max-size"),
    "a sparse file of 2 TiB": ([sparse("big", 2 << 40)], "at most 1099511627776"),
    "two that are too much together": ([sparse("a", 40 << 30), sparse("b", 40 << 30)], "--max-size"),
    "a volume's label": ([entry("V", "label")], "type V, the label of a volume"),
    "an unknown type": ([entry("~", "x")], "unknown type (byte 0x7e)"),
    "a number of rubbish": ([pax("x", uid="0x10") + A], "\"0x10\", which is not a number"),
}
TOLD = {
    "a global header": ([pax("g", uid=7) + A], "a global pax header (\"uid\")"),
    "an attribute of macOS": ([pax("x", LIBARCHIVE__xattr__com__apple__provenance="AQI") + A], "com.apple.provenance"),
    "and in the other form": ([pax("x", SCHILY__xattr__com__apple__provenance="x") + A], "com.apple.provenance"),
    "an access list as text": ([pax("x", SCHILY__acl__access="user::rwx") + A], "access lists as text"),
}
SILENT = {
    "a global comment": [pax("g", comment="0123") + A],
    "an attribute twice": [pax("x", LIBARCHIVE__xattr__user__k="dg", SCHILY__xattr__user__k="v") + A],
    "an access list twice": [pax("x", SCHILY__acl__access="user::rwx", SCHILY__xattr__system__posix_acl_access="v") + A],
    "a link to a large file below": [entry("0", "f", bytes(range(256)) * 64), entry("1", "g", link="f")],
    "a link to a large file replaced": [entry("0", "f", b"1" * 9999) + entry("0", "f", b"2" * 99999),
                                        entry("1", "g", link="f") + entry("0", "f", b"3" * 5000)],
    "nothing but replaced": [entry("0", "f", b"1" * 9999) + entry("0", "f") + entry("0", "x", b"1")],
    "through a lower link": [DIR + entry("2", "l", link="/d"), entry("0", "l/x", b"2")],
}
# An image of one layer, after which both commands must make the same.
SAME = {
    "a whiteout with nothing below": [DIR + entry("0", "d/.wh.x") + entry("0", ".wh.top"), DIR],
    "an opaque mark with nothing below": [DIR + entry("0", "d/.wh..wh..opq"), DIR],
    "an opaque root": [BELOW, entry("0", ".wh..wh..opq") + A, A],
    "an opaque root in the middle": [BELOW, BELOW, entry("0", "d/.wh..wh..opq") + entry("0", ".wh..wh..opq") + A,
                                     DIR + A],
}


def main():
    program, failures = sys.argv[1], []

    def expect(label, so, answer):
        if not so:
            failures.append(f"{label}: status {answer.status}, {answer.said!r}, {answer.json}")

    for command in "layers", "merge":
        for label, (layers, words) in REFUSED.items():
            answer = Answer(program, command, layers, [])
            expect(f"{command}, {label}", answer.status == 1 and words in answer.said, answer)
        for label, (layers, words) in TOLD.items():
            answer = Answer(program, command, layers, [])
            expect(f"{command}, {label}", not answer.status and answer.said.count(words) == 1
                   and answer.said.count("\n") == 1, answer)
        for label, layers in SILENT.items():
            answer = Answer(program, command, layers, [])
            expect(f"{command}, {label}", not answer.status and not answer.said, answer)
        for options, status in ((["--max-size", "2M"], 0), (["--max-size", "1048577"], 0), (["--max-size", "1M"], 1)):
            answer = Answer(program, command, [A, sparse("b", 1 << 20)], options)
            expect(f"{command}, {options}", answer.status == status, answer)
        for value in "", "0", "1X", "1MM", "-1", "99999999999999999999", "16777216T":
            answer = Answer(program, command, [A], ["--max-size", value])
            expect(f"{command}, --max-size {value!r}", answer.status == 2, answer)
    for label, (*layers, plain) in SAME.items():
        stacked, merged, wanted = (Answer(program, command, tars, []) for command, tars in
                                   (("layers", layers), ("merge", layers), ("merge", [plain])))
        expect(label, stacked.images == merged.images == wanted.images, stacked)
        hidden = [layer["digest"] for layer in stacked.json.get("hidden", [])]
        expect(f"{label}, hidden", hidden == stacked.digests[-2::-1], stacked)
        expect(f"{label}, command line", stacked.json["cmdline"].count("socle.layer=") == 1, stacked)
    print("\n".join(failures) or "all as they should be")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
