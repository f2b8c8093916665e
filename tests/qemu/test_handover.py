# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""The initramfs is gone once the agent runs: its memory is free, its files are out of reach."""

from __future__ import annotations

from harness import expect
from harness.bed import Bed, Result, filler

BALLAST_MIB = 64

# The agent's own reading and two boots' luck with the page allocator.
TOLERANCE_MIB = 4


def boot(bed: Bed, initramfs_files: dict[str, bytes]) -> Result:
    layers = bed.image(bed.base("escape /ballast"))
    result = bed.boot_layers(layers, memory_mib=384, initramfs=bed.initramfs(files=initramfs_files))
    expect.success(result, layers)
    return result


def test_initramfs_is_gone(bed: Bed) -> None:
    without = boot(bed, {})
    ballast = boot(bed, {"ballast": filler("ballast", BALLAST_MIB << 20)})
    for result in (without, ballast):
        escape = result.report.one("escape", "/ballast")
        assert escape["errno"] == 0, "the agent could not even try"
        assert escape["found"] == 0, "the initramfs' files can be reached from the new root"
        assert "init" not in escape["entries"], escape
    lost = without.report.memory_kib("MemAvailable") - ballast.report.memory_kib("MemAvailable")
    assert lost < TOLERANCE_MIB << 10, f"{lost} KiB of {BALLAST_MIB} MiB are still in use"
