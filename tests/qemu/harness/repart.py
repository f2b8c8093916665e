# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
A disk as peer pods have it, made by Debian's systemd-repart: an ESP, a root, and
its hash tree behind a superblock, the ids of both the halves of the root hash.

Source: cloud-api-adaptor's mkosi.repart; the UAPI group's Discoverable Partitions
Specification for the types.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from pathlib import Path

from harness.image import run_tool

SECTOR = 512
TABLE = 2 * SECTOR
ENTRY_SIZE = 128

ROOT = uuid.UUID("4f68bce3-e8cd-4db1-96e7-fbcaf984b709")
ROOT_VERITY = uuid.UUID("2c7357ed-ebd2-46d9-aec1-23d437ec2bf5")

ESP_DEFINITION = """\
[Partition]
Type=esp
SizeMinBytes=1M
SizeMaxBytes=1M
"""

ROOT_DEFINITION = """\
[Partition]
Type=root
CopyBlocks={data}
Verity=data
VerityMatchKey=root
"""

VERITY_DEFINITION = """\
[Partition]
Type=root-verity
Verity=hash
VerityMatchKey=root
SizeMinBytes={tree_mib}M
SizeMaxBytes={tree_mib}M
"""

# What a host may add behind them: each a trap for a systemd that takes what it finds.
TRAP_DEFINITION = """\
[Partition]
Type={kind}
Format={fstype}
SizeMinBytes=16M
SizeMaxBytes=16M
"""
TRAPS = [("swap", "swap"), ("home", "ext4"), ("srv", "ext4"), ("tmp", "ext4")]


@dataclass(frozen=True)
class PeerPod:
    disk: Path
    root_hash: str

    def partitions(self) -> list[tuple[uuid.UUID, uuid.UUID]]:
        return partitions(self.disk)


def partitions(path: Path) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Type and id of each, as they stand in the table."""
    with open(path, "rb") as disk:
        disk.seek(TABLE)
        entries = [disk.read(ENTRY_SIZE) for _ in range(128)]
    return [(uuid.UUID(bytes_le=entry[:16]), uuid.UUID(bytes_le=entry[16:32]))
            for entry in entries if any(entry[:16])]


def make(data: Path, directory: Path) -> PeerPod:
    definitions, disk = directory / "repart.d", directory / "peer-pod.disk"
    definitions.mkdir()
    tree_mib = 2 + (data.stat().st_size >> 20) // 14  # of each 512 bytes a hash of 32, and theirs
    for name, text in [("00-esp", ESP_DEFINITION), ("10-root", ROOT_DEFINITION.format(data=data)),
                       ("20-root-verity", VERITY_DEFINITION.format(tree_mib=tree_mib))]:
        (definitions / f"{name}.conf").write_text(text)
    said = run_tool("systemd-repart", f"--definitions={definitions}", "--empty=create",
                    "--size=auto", "--dry-run=no", f"--seed={uuid.UUID(int=0x50c1e)}",
                    "--json=short", disk)
    hashes = {partition["roothash"] for partition in json.loads(said) if partition["roothash"]}
    assert len(hashes) == 1, said
    (directory / "root_hash").write_text(hashes.pop())
    return read(directory)


def add_traps(disk: Path, definitions: Path) -> None:
    """The same disk with a swap partition and file systems that nothing proves."""
    definitions.mkdir()
    for kind, fstype in TRAPS:
        (definitions / f"{kind}.conf").write_text(TRAP_DEFINITION.format(kind=kind, fstype=fstype))
    run_tool("systemd-repart", f"--definitions={definitions}", "--empty=refuse", "--dry-run=no",
             f"--size={disk.stat().st_size + (80 << 20)}", f"--seed={uuid.UUID(int=0x7a9)}", disk)


def read(directory: Path) -> PeerPod:
    return PeerPod(directory / "peer-pod.disk", (directory / "root_hash").read_text())
