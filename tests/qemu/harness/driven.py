# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""One driven guest for many tests: booted when the first asks, anew after one that failed."""

from __future__ import annotations

import itertools
import shutil
from typing import Any, Callable, Optional

from harness import channel
from harness.attached import board
from harness.bed import Bed
from harness.guest import Driven, drivable
from harness.machines import Q35, Kind
from harness.oci import Entry
from harness.vm import Disk

# What the agent's root has no use for and a test may: loop devices, other file systems,
# SCSI disks. A modular kernel has them from the initramfs or not at all.
MODULES = ["virtio-console", "loop", "sd_mod", "virtio_scsi"]

# Seconds under KVM; without it, three times as long for all tests of one worker together.
LIMIT = 1200


class Guests:
    """make() says how a guest of this kind is booted; the last one stays until it is spoilt."""

    def __init__(self, make: Callable[[], Driven]) -> None:
        self.make = make
        self.running: Optional[Driven] = None

    def get(self) -> Driven:
        if self.running is None:
            guest = self.make()
            guest.__enter__()
            self.running = guest
        return self.running

    def end(self, spoilt: bool = False) -> None:
        """What a spoilt one said stays."""
        guest, self.running = self.running, None
        if guest is not None:
            guest.__exit__()
            if not spoilt:
                shutil.rmtree(guest.directory, ignore_errors=True)


def maker(bed: Bed, name: str, more: list[Entry], arguments: tuple[str, ...] = (),
          kind: Kind = Q35, initramfs: dict[str, Any] | None = None) -> Callable[[], Driven]:
    """Boots of an image with the agent and what else its root has; initramfs: see Bed."""
    numbers = itertools.count(1)

    def make() -> Driven:
        layers = bed.image([*bed.base(channel.VERB), *more])
        machine = board(bed.machine([Disk(layers[0].disk, "root")],
                                    [layers[0].argument("SERIAL=root"), *arguments], kind))
        machine.initramfs = bed.initramfs(modules=MODULES, **initramfs or {})
        machine.limit = LIMIT
        return Driven(drivable(machine), bed.path(f"{name}-{next(numbers)}"))

    return make
