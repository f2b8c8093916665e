# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""An MBR disk around the bytes of up to four partitions, as Kata's image builder lays it out."""

from __future__ import annotations

import struct
from pathlib import Path

ALIGNMENT = 1 << 20  # bytes
LINUX = 0x83


def write_disk(disk: Path, partitions: list[bytes], sector: int = 512, signature: int = 0) -> None:
    assert len(partitions) <= 4
    entries, start = b"", ALIGNMENT
    with open(disk, "wb") as out:
        for data in partitions:
            sectors = -(-len(data) // sector)
            entries += struct.pack("<B3xB3xII", 0, LINUX, start // sector, sectors)
            out.seek(start)
            out.write(data)
            start += -(-sectors * sector // ALIGNMENT) * ALIGNMENT
        out.truncate(start)
        out.seek(0)
        out.write(bytes(440) + struct.pack("<IH", signature, 0) + entries.ljust(64, b"\0") +
                  b"\x55\xaa")
