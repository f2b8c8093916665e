# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""A GPT disk around the bytes of its partitions (UEFI specification, chapter 5)."""

from __future__ import annotations

import struct
import uuid
import zlib
from dataclasses import dataclass
from pathlib import Path

SECTOR = 512
ENTRIES = 128
ENTRY_SIZE = 128
ALIGNMENT = 2048  # sectors
LINUX_DATA = uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4")


@dataclass(frozen=True)
class Partition:
    content: Path
    uuid: str
    label: str


def _header(own: int, other: int, table: int, last: int, table_crc: int, disk: uuid.UUID) -> bytes:
    def pack(crc: int) -> bytes:
        first_usable = 2 + ENTRIES * ENTRY_SIZE // SECTOR
        return struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, own, other,
                           first_usable, last, disk.bytes_le, table, ENTRIES, ENTRY_SIZE, table_crc)

    return pack(zlib.crc32(pack(0))).ljust(SECTOR, b"\0")


def write_disk(disk: Path, partitions: list[Partition], disk_uuid: str) -> None:
    table_sectors = ENTRIES * ENTRY_SIZE // SECTOR
    table, start = b"", ALIGNMENT
    with open(disk, "wb") as out:
        for partition in partitions:
            data = partition.content.read_bytes()
            sectors = -(-len(data) // SECTOR)
            table += struct.pack(
                "<16s16sQQQ72s", LINUX_DATA.bytes_le, uuid.UUID(partition.uuid).bytes_le,
                start, start + sectors - 1, 0, partition.label.encode("utf-16-le"))
            out.seek(start * SECTOR)
            out.write(data)
            start += -(-sectors // ALIGNMENT) * ALIGNMENT
        table = table.ljust(ENTRIES * ENTRY_SIZE, b"\0")
        end = start + table_sectors  # the backup header's sector
        identity = uuid.UUID(disk_uuid)
        crc = zlib.crc32(table)
        protective = struct.pack("<446xBBBBBBBBII48xH", 0, 0, 2, 0, 0xEE, 0xFF, 0xFF, 0xFF,
                                 1, end, 0xAA55)
        out.seek(0)
        out.write(protective + _header(1, end, 2, start - 1, crc, identity) + table)
        out.seek(start * SECTOR)
        out.write(table + _header(end, 1, start, start - 1, crc, identity))
