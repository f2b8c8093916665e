# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Images as persistent memory, laid out so that they are a disk as well.

Kata puts 2 MiB before a partitioned image: an MBR of its own, which names the
same partitions as seen from there, and the information block of a "pfn" device
at 4 KiB. As a disk the whole file counts; of persistent memory the kernel shows
as /dev/pmem0 what lies behind the 2 MiB.

Source: Linux drivers/nvdimm/pfn.h, struct nd_pfn_sb, and nd_fletcher64() in
drivers/nvdimm/core.c; kata-containers docs about the image builder.
"""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass, fields
from pathlib import Path

from harness.mbr import ALIGNMENT, LINUX
from harness.vm import Machine

HEADER = 2 << 20  # bytes; what the kernel calls the data offset
INFO_OFFSET = 4096
INFO_SIZE = 4096
SIGNATURE = b"NVDIMM_PFN_INFO\0"
MODE_RAM = 1  # the page structures are in the guest's memory, none on the device

# What the memory must be a multiple of, so that huge pages map it.
MEMORY_UNIT = 2 << 20


def fletcher64(data: bytes) -> int:
    low = high = 0
    for (word,) in struct.iter_unpack("<I", data):
        low = (low + word) & 0xFFFFFFFF
        high = (high + low) & 0xFFFFFFFFFFFFFFFF
    return (high << 32 | low) & 0xFFFFFFFFFFFFFFFF


def info_block(size: int, identity: uuid.UUID) -> bytes:
    """The information block of a device of so many bytes, version 1.2."""
    pages = (size - HEADER) // 4096
    body = struct.pack("<16s16s16sIHHQQIIII", SIGNATURE, identity.bytes, bytes(16), 0, 1, 2,
                       HEADER, pages, MODE_RAM, 0, 0, MEMORY_UNIT)
    body = body.ljust(INFO_SIZE - 8, b"\0")
    return body + struct.pack("<Q", fletcher64(body + bytes(8)))


def _mbr(starts: list[int], sizes: list[int]) -> bytes:
    entries = b"".join(struct.pack("<B3xB3xII", 0, LINUX, start // 512, size // 512)
                       for start, size in zip(starts, sizes))
    return bytes(446) + entries.ljust(64, b"\0") + b"\x55\xaa"


def write_image(path: Path, partitions: list[bytes]) -> None:
    sizes = [-(-len(data) // ALIGNMENT) * ALIGNMENT for data in partitions]
    starts = [ALIGNMENT + sum(sizes[:n]) for n in range(len(sizes))]
    size = -(-(HEADER + ALIGNMENT + sum(sizes)) // MEMORY_UNIT) * MEMORY_UNIT
    with open(path, "wb") as out:
        out.write(_mbr([HEADER + start for start in starts], sizes))
        out.seek(INFO_OFFSET)
        out.write(info_block(size, uuid.UUID(int=0x50c1e)))
        out.seek(HEADER)
        out.write(_mbr(starts, sizes))
        for start, data in zip(starts, partitions):
            out.seek(HEADER + start)
            out.write(data)
        out.truncate(size)


@dataclass
class Memory(Machine):
    """A machine with an image that it maps as memory."""

    image: Path = Path()
    device: str = ""  # VIRTIO or NVDIMM

    def arguments(self, *where: object) -> list[str]:
        words = super().arguments(*where)
        at = words.index("-m") + 1
        words[at] += ",slots=2,maxmem=4G"
        backend = (f"memory-backend-file,id=image,mem-path={self.image},share=on,readonly=on,"
                   f"size={self.image.stat().st_size}")
        if self.device == NVDIMM:
            at = words.index("-machine") + 1
            words[at] += ",nvdimm=on"
        at = words.index("-display")
        return [*words[:at], "-object", backend, *words[at:], "-device", self.device]


# Of an nvdimm that is not armed nothing can be written.
NVDIMM = "nvdimm,id=pmem,memdev=image,unarmed=on"
VIRTIO = "virtio-pmem-pci,id=pmem,memdev=image"

# What Debian's kernel needs for either; nothing else asks for nd_pmem.
MODULES = {NVDIMM: ["nfit", "nd_pmem"], VIRTIO: ["virtio_pmem", "nd_pmem"]}


def machine(base: Machine, image: Path, device: str) -> Memory:
    return Memory(**{f.name: getattr(base, f.name) for f in fields(base)}, image=image,
                  device=device)
