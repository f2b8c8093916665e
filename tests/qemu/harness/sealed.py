# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
File systems with hash trees beside them, and disks of both, as the builders of
Kata's and of cloud images lay them out. Made by the field's own tools.
"""

from __future__ import annotations

import io
import os
import tarfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from harness import expect, gpt, mbr, oci
from harness.bed import Bed, Result
from harness.image import run_tool
from harness.oci import Entry
from harness.store import digest

SALT = "5a" * 32
BLOCK = 4096
IDENTITY = str(uuid.UUID(int=0x50C1E))

EXT4_MIB = 16  # a journal wants some of it

Layout = Callable[[Bed, "Sealed"], Path]


@dataclass(frozen=True)
class Sealed:
    """A file system, and its hash tree with and without a superblock in front of it."""

    data: bytes
    root_hash: str
    with_superblock: bytes
    bare_tree: bytes

    @property
    def blocks(self) -> int:
        return len(self.data) // BLOCK

    def fill(self, line: str) -> str:
        return (line.replace("HASH", self.root_hash).replace("SALT", SALT)
                .replace("BLOCKS", str(self.blocks)).replace("SECTORS", str(self.blocks * 8)))


def seal(bed: Bed, data: bytes) -> Sealed:
    path = bed.path("data")
    path.write_bytes(data)
    trees, root_hash = [], ""
    for name, option in [("superblock", []), ("bare", ["--no-superblock"])]:
        tree = bed.path(name)
        tree.unlink(missing_ok=True)
        said = run_tool("veritysetup", "format", path, tree, f"--salt={SALT}", *option)
        root_hash = next(x.split()[-1] for x in said.splitlines() if x.startswith("Root hash"))
        trees.append(tree.read_bytes())
    return Sealed(data, root_hash, *trees)


# --- file systems, of what an image's lowest layer has ------------------------------


def make_erofs(directory: Path, image: Path) -> None:
    """Kata's image_builder.sh; Debian's erofs-utils, for ours are built without LZ4."""
    run_tool("/usr/bin/mkfs.erofs", "-zlz4hc", "-Enoinline_data", "-T1", "--all-root",
             f"-U{IDENTITY}", image, directory)
    os.truncate(image, -(-image.stat().st_size // BLOCK) * BLOCK)


def make_ext4(directory: Path, image: Path) -> None:
    run_tool("mke2fs", "-q", "-F", "-t", "ext4", "-b", str(BLOCK), "-U", IDENTITY,
             "-E", f"hash_seed={IDENTITY},root_owner=0:0", "-d", directory, image,
             f"{EXT4_MIB}M")


MAKERS = {"erofs": make_erofs, "ext4": make_ext4}


def filesystem(bed: Bed, fstype: str, entries: list[Entry]) -> bytes:
    tar = oci.layer_tar(entries)

    def make(draft: Path) -> None:
        with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
            archive.extractall(draft / "root")
        MAKERS[fstype](draft / "root", draft / "image")

    return (bed.store.get(f"kata-{fstype}", digest(fstype, tar), make) / "image").read_bytes()


# --- disks -----------------------------------------------------------------------------


def disk(bed: Bed, name: str, *partitions: bytes) -> Path:
    path = bed.path(f"{name}.disk")
    mbr.write_disk(path, list(partitions))
    return path


def kata(bed: Bed, sealed: Sealed) -> Path:
    """Kata since 3.27: MBR, the file system, the tree without a superblock."""
    return disk(bed, "kata", sealed.data, sealed.bare_tree)


def kata_legacy(bed: Bed, sealed: Sealed) -> Path:
    """Kata until 3.26, and Microsoft's fork: with a superblock."""
    return disk(bed, "legacy", sealed.data, sealed.with_superblock)


def kata_plain(bed: Bed, sealed: Sealed) -> Path:
    """An image that was not measured."""
    return disk(bed, "plain", sealed.data)


def tree_behind(bed: Bed, sealed: Sealed) -> Path:
    """One device, or one partition of it, for both."""
    return disk(bed, "behind", sealed.data + sealed.bare_tree)


def _gpt(bed: Bed, *partitions: tuple[str, uuid.UUID, bytes]) -> Path:
    path, made = bed.path("gpt.disk"), []
    for name, identity, content in partitions:
        bed.path(name).write_bytes(content)
        made.append(gpt.Partition(bed.path(name), str(identity), name))
    gpt.write_disk(path, made, str(uuid.UUID(int=77)))
    return path


def peer_pod(bed: Bed, sealed: Sealed) -> Path:
    """GPT with root and root-verity, their ids the halves of the hash (systemd-repart)."""
    return _gpt(bed, ("root", uuid.UUID(sealed.root_hash[:32]), sealed.data),
                ("root-verity", uuid.UUID(sealed.root_hash[-32:]), sealed.with_superblock))


def bottlerocket(bed: Bed, sealed: Sealed) -> Path:
    """GPT whose first partition, the boot one, names the two behind it."""
    return _gpt(bed, ("boot", uuid.UUID(sealed.root_hash[:32]), bytes(BLOCK)),
                ("root", uuid.UUID(int=2), sealed.data),
                ("hash", uuid.UUID(int=3), sealed.with_superblock))


# --- and what a guest must have come to --------------------------------------------------


def expect_agent(result: Result, sealed: Sealed, names: list[str], fstype: str,
                 policy: str = "panic_on_corruption", agent: str = "/sbin/init") -> None:
    """The agent ran on verity devices of exactly these names, all of one hash, and no others."""
    report = result.report
    assert not report.failures, f"socle-init reported a failure: {result.outcome}"
    assert report.agent_finished, f"the agent did not finish: {result.outcome}"
    assert result.outcome.ended == result.outcome.off, f"expected a power-off: {result.outcome}"
    expect.handed_over_clean(result, agent)
    devices = report.all("dm")
    assert sorted(device["name"] for device in devices) == sorted(names), devices
    for device in devices:
        assert device["status"].split()[0] == "V", device
        assert device["read_only"] == 1 and device["target"] == "verity", device
        assert sealed.root_hash in device["table"].split(), device
        # Not what Kata's line says, but what it lost: corruption is no mere EIO.
        assert policy in device["table"].split(), device
    assert report.mounts()["/"].fstype == fstype, report.mounts()["/"]
