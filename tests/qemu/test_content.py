# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""What the guest sees of its layers: deletions, directories of many layers, links, attributes."""

from __future__ import annotations

import tarfile

from harness import expect, oci
from harness.bed import Bed, Result
from harness.oci import Entry

# 20 bytes as setcap writes them, with NULs and a newline among them.
CAPABILITY = bytes.fromhex("0100000200200000000a0000000000000000000a")

LONG_NAME = "n" * 255


def boot(bed: Bed, asked: list[str], *layers: list[Entry]) -> Result:
    """Boot the base and these layers; the agent looks at these paths."""
    image = bed.image(bed.base(*[f"path {path}" for path in asked]), *layers)
    result = bed.boot_layers(image)
    expect.success(result, image)
    return result


def tree(name: str, *files: str) -> list[Entry]:
    """The directory and, by their paths in it, files whose content is their path."""
    directories = {name}
    for path in files:
        parts = path.split("/")[:-1]
        directories |= {"/".join([name, *parts[:n]]) for n in range(1, len(parts) + 1)}
    return [*[oci.directory(directory) for directory in sorted(directories)],
            *[oci.file(f"{name}/{path}", path) for path in files]]


def test_deletions(bed: Bed) -> None:
    """What a layer deletes is gone, and nothing else is."""
    lowest = [
        *tree("gone", "file", "dir/file"), *tree("opaque", "old", "dir/old"),
        *tree("again", "dir2/foo"), *tree("again-opaque", "dir2/foo"), *tree("kept", "a", "b"),
        *tree("to-file", "inside"), oci.file("to-dir", "was a file"),
    ]
    middle = [
        oci.directory("gone"), oci.whiteout("gone/file"), oci.whiteout("gone/dir"),
        oci.whiteout("again"), oci.whiteout("kept/a"),
        # Nothing below has this name: no harm, and not seen.
        oci.whiteout("kept/never-there"),
        # A whiteout is one by its name, whatever its type and wherever it points.
        oci.hard_link("kept/.wh.linked", "opt/not-in-this-layer"),
        oci.directory("opaque"), oci.opaque("opaque"), oci.file("opaque/new", "new"),
        oci.whiteout("to-file"), oci.file("to-file", "now a file"),
        oci.whiteout("to-dir"), *tree("to-dir", "inside"),
    ]
    upper = [
        *tree("again", "dir2/bar"),
        oci.directory("again-opaque"), oci.opaque("again-opaque"),
        oci.directory("again-opaque/dir2"),
    ]
    result = boot(bed, ["/", "/gone", "/opaque", "/again", "/again/dir2", "/again-opaque",
                        "/again-opaque/dir2", "/kept", "/to-file", "/to-dir", "/opaque/dir/old"],
                  lowest, middle, upper)
    seen = {path: result.report.path(path).get("entries") for path in
            ["/gone", "/opaque", "/again", "/again/dir2", "/again-opaque", "/again-opaque/dir2",
             "/kept", "/to-dir"]}
    assert seen == {
        "/gone": [], "/opaque": ["new"], "/again": ["dir2"], "/again/dir2": ["bar"],
        "/again-opaque": ["dir2"], "/again-opaque/dir2": [], "/kept": ["b"],
        "/to-dir": ["inside"],
    }
    assert result.report.content("/to-file") == "now a file"
    expect.path_error(result, "path", "/opaque/dir/old", "ENOENT")
    left = [name for name in result.report.path("/")["entries"] if name.startswith(".wh.")]
    assert not left, left


def test_directories_of_many_layers(bed: Bed) -> None:
    """A directory over a directory changes its attributes and loses nothing."""
    result = boot(
        bed, ["/usr", "/usr/share", "/usr/share/a", "/usr/share/both", "/tmp"],
        [*tree("usr", "share/a", "share/both", "bin/x")],
        [oci.directory("usr", 0o750, uid=7, gid=8), oci.directory("usr/share"),
         oci.file("usr/share/both", "from the middle"), oci.file("usr/share/b", "b")],
        [oci.directory("tmp", 0o1777), oci.directory("usr", 0o711, uid=9, gid=10),
         oci.directory("usr/share"), oci.file("usr/share/c", "c")])
    usr = result.report.path("/usr")
    assert usr["entries"] == ["bin", "share"]
    assert (usr["mode"], usr["uid"], usr["gid"]) == (0o711, 9, 10)
    assert result.report.path("/usr/share")["entries"] == ["a", "b", "both", "c"]
    assert result.report.content("/usr/share/both") == "from the middle"
    assert result.report.path("/tmp")["mode"] == 0o1777


def test_files_of_every_kind(bed: Bed) -> None:
    """Links, modes, owners, attributes, devices, as they were packed."""
    names = ["one", "two", "three", "empty", "other-empty", "ping", "suid", "owned", "fifo",
             "null", "absolute", "dangling", LONG_NAME, "uml\u00e4ut", "user"]
    result = boot(bed, [f"/kinds/{name}" for name in names], [
        oci.directory("kinds"), oci.file("kinds/one", "linked"),
        oci.hard_link("kinds/two", "kinds/one"), oci.hard_link("kinds/three", "kinds/two"),
        oci.file("kinds/empty", ""), oci.file("kinds/other-empty", ""),
        oci.file("kinds/ping", "ping", 0o755, xattrs={"security.capability": CAPABILITY}),
        oci.file("kinds/user", "user", xattrs={"user.note": b"kept"}),
        oci.file("kinds/suid", "suid", 0o6755), oci.file("kinds/owned", "", uid=1000, gid=70000),
        Entry("kinds/fifo", type=tarfile.FIFOTYPE), oci.link("kinds/absolute", "/kinds/one"),
        Entry("kinds/null", type=tarfile.CHRTYPE, mode=0o666, major=1, minor=3),
        oci.link("kinds/dangling", "no/where"), oci.file(f"kinds/{LONG_NAME}", "long"),
        oci.file("kinds/uml\u00e4ut", "umlaut"),
    ])
    kinds = {name: result.report.path(f"/kinds/{latin(name)}") for name in names}
    assert {kinds[name]["inode"] for name in ("one", "two", "three")} == {kinds["one"]["inode"]}
    assert kinds["one"]["links"] == kinds["three"]["links"] == 3
    assert kinds["three"]["content"] == "linked"
    assert kinds["empty"]["links"] == kinds["other-empty"]["links"] == 1
    assert kinds["empty"]["inode"] != kinds["other-empty"]["inode"]
    assert kinds["ping"]["xattrs"] == {"security.capability": CAPABILITY.decode("latin-1")}
    assert kinds["user"]["xattrs"] == {"user.note": "kept"}
    assert kinds["suid"]["mode"] == 0o6755
    assert (kinds["owned"]["uid"], kinds["owned"]["gid"]) == (1000, 70000)
    assert kinds["fifo"]["type"] == "fifo"
    assert (kinds["null"]["type"], kinds["null"]["rdev"]) == ("char", 0x103)
    assert kinds["absolute"]["target"] == "/kinds/one"
    assert kinds["dangling"]["target"] == "no/where"
    assert kinds[LONG_NAME]["content"] == "long"
    assert kinds["uml\u00e4ut"]["content"] == "umlaut"


def latin(name: str) -> str:
    """The agent writes each byte of a name as one code point."""
    return name.encode().decode("latin-1")
