# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Disks on other controllers than virtio's, in chosen places, of other sector sizes."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Optional

from harness.machines import Kind
from harness.vm import Disk, Machine

NVME = "nvme"


@dataclass(frozen=True)
class Attached(Disk):
    """A disk with what else QEMU shall know of its device."""

    driver: Optional[str] = None  # instead of the bus's own
    properties: dict[str, object] = field(default_factory=dict)
    sector: int = 512

    def device(self, index: int, kind: Kind) -> dict[str, object]:
        device = super().device(index, kind)
        if self.driver:
            device["driver"] = self.driver
        if self.sector != 512:
            device |= {"logical_block_size": self.sector, "physical_block_size": self.sector}
        return device | self.properties


@dataclass
class Board(Machine):
    """A machine with devices that must be there before the disks that hang on them."""

    devices: tuple[str, ...] = ()
    options: tuple[str, ...] = ()  # what else QEMU shall know

    def arguments(self, *where: object) -> list[str]:
        words = super().arguments(*where)
        first = words.index("-blockdev") if "-blockdev" in words else len(words)
        return [*words[:first], *[word for device in self.devices for word in ("-device", device)],
                *words[first:], *self.options]


def board(machine: Machine, *devices: str, options: tuple[str, ...] = ()) -> Board:
    return Board(**{f.name: getattr(machine, f.name) for f in fields(machine)}, devices=devices,
                 options=options)
