# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Disks as socle-image disk makes them, and what it tells of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

from harness.bed import Bed
from harness.image import Layer, parameters, run_tool


@dataclass(frozen=True)
class Made:
    disk: Path
    report: dict[str, Any]

    def beside(self, suffix: str) -> Path:
        return self.disk.with_name(self.disk.name + suffix)

    @property
    def cmdline(self) -> str:
        """The words of socle.layer= that boot it."""
        return self.report["cmdline"]

    @property
    def root_hash(self) -> str:
        return self.report["volumes"][0]["verity"]["root_hash"]

    @property
    def layers(self) -> list[Layer]:
        """What the guest must have verified, in this order."""
        return [Layer(self.disk, parameters(volume["verity"])) for volume in self.report["volumes"]]


def make(bed: Bed, form: str, images: Sequence[Path], *options: str | Path) -> Made:
    disk = bed.path(f"{form}.disk")
    run_tool(bed.programs.image, "disk", "--format", form, "--output", disk, *options, *images)
    return Made(disk, json.loads(disk.with_name(f"{disk.name}.json").read_text()))


def paths(layers: Sequence[Layer]) -> list[Path]:
    return [layer.disk for layer in layers]
