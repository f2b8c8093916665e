# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""An MBR disk around the bytes of up to four partitions, as Kata's image builder lays it out."""

from __future__ import annotations

import struct
from pathlib import Path

SECTOR = 512
ALIGNMENT = 2048  # sectors
LINUX = 0x83


def write_disk(disk: Path, partitions: list[bytes]) -> None:
    assert len(partitions) <= 4
    entries, start = b"", ALIGNMENT
    with open(disk, "wb") as out:
        for data in partitions:
            sectors = -(-len(data) // SECTOR)
            entries += struct.pack("<B3xB3xII", 0, LINUX, start, sectors)
            out.seek(start * SECTOR)
            out.write(data)
            start += -(-sectors // ALIGNMENT) * ALIGNMENT
        out.truncate(start * SECTOR)
        out.seek(0)
        out.write(bytes(446) + entries.ljust(64, b"\0") + b"\x55\xaa")
