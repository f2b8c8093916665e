# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""A GPT disk around the bytes of its partitions (UEFI specification, chapter 5)."""

from __future__ import annotations

import struct
import uuid
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

ENTRIES = 128
ENTRY_SIZE = 128
TABLE_BYTES = ENTRIES * ENTRY_SIZE
ALIGNMENT = 1 << 20  # bytes
LINUX_DATA = uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4")


@dataclass(frozen=True)
class Partition:
    content: Path
    uuid: str
    label: str
    number: Optional[int] = None  # the one behind the last where not given
    beyond: bool = False  # its entry points behind the end of the disk


@dataclass(frozen=True)
class Geometry:
    """Sectors of one disk: where the two headers and the copy of the table lie."""

    sector: int
    end: int  # the last sector: the backup header's
    disk: uuid.UUID

    @property
    def table_sectors(self) -> int:
        return TABLE_BYTES // self.sector

    def header(self, own: int, other: int, table: int, table_crc: int) -> bytes:
        def pack(crc: int) -> bytes:
            last_usable = self.end - self.table_sectors - 1
            return struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, own, other,
                               2 + self.table_sectors, last_usable, self.disk.bytes_le, table,
                               ENTRIES, ENTRY_SIZE, table_crc)

        return pack(zlib.crc32(pack(0))).ljust(self.sector, b"\0")

    def protective_mbr(self) -> bytes:
        return struct.pack("<446xBBBBBBBBII48xH", 0, 0, 2, 0, 0xEE, 0xFF, 0xFF, 0xFF,
                           1, self.end, 0xAA55).ljust(self.sector, b"\0")


def entry(partition: Partition, first: int, sectors: int) -> bytes:
    return struct.pack("<16s16sQQQ72s", LINUX_DATA.bytes_le, uuid.UUID(partition.uuid).bytes_le,
                       first, first + sectors - 1, 0, partition.label.encode("utf-16-le"))


def write_disk(disk: Path, partitions: list[Partition], disk_uuid: str, sector: int = 512) -> None:
    table, start, number = bytearray(TABLE_BYTES), ALIGNMENT, 0
    with open(disk, "wb") as out:
        for partition in partitions:
            data = partition.content.read_bytes()
            sectors = -(-len(data) // sector)
            number = partition.number or number + 1
            first = (1 << 40 if partition.beyond else start) // sector
            at = (number - 1) * ENTRY_SIZE
            table[at:at + ENTRY_SIZE] = entry(partition, first, sectors)
            if not partition.beyond:
                out.seek(start)
                out.write(data)
                start += -(-sectors * sector // ALIGNMENT) * ALIGNMENT
        last = start // sector
        geometry = Geometry(sector, last + TABLE_BYTES // sector, uuid.UUID(disk_uuid))
        crc = zlib.crc32(table)
        out.seek(0)
        out.write(geometry.protective_mbr() + geometry.header(1, geometry.end, 2, crc) + table)
        out.seek(start)
        out.write(table + geometry.header(geometry.end, 1, last, crc))
