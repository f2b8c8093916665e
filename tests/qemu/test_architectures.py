# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
One image, made on the build machine, on every architecture and every bus.

The image has the agent of each architecture; everything else, the disks and their
root hashes, is the same for all of them. Only socle.agent= tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Optional

import pytest

from harness import expect, image, oci
from harness.bed import Bed, Programs, Result, filler
from harness.image import Layer, ToolError
from harness.machines import ALL, MICROVM, Q35, S390, VIRT_MMIO, VIRT_PCI, Kind
from harness.vm import BLK, SCSI, Disk

pytestmark = pytest.mark.core

ARCHES = sorted({kind.arch for kind in ALL})

# erofs: the superblock's place (Linux fs/erofs/erofs_fs.h).
EROFS_SUPERBLOCK = 1024

# virtio-blk's disks take a major number that is free, and 16 minor numbers each.
MINORS = 16


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    agents = [oci.file(f"sbin/init-{arch}", Programs.from_environment(arch).agent.read_bytes(), 0o755)
              for arch in ARCHES]
    base = [*bed.base("path /opt/lower", "path /opt/upper", "path /opt/both", "read /opt/filler",
                      "remake /dev/vda"),
            *agents, oci.file("opt/lower", "lower"), oci.file("opt/both", "lower")]
    top = [oci.directory("opt"), oci.file("opt/upper", "upper"), oci.file("opt/both", "upper"),
           oci.file("opt/more", filler("top"))]
    return bed.image(base, top)


Boot = Callable[..., Result]


@pytest.fixture
def boot(bed: Bed, record_property: Callable[[str, object], None]) -> Boot:
    """Boot the disks on a machine of this kind, and note how long that took."""

    def run(kind: Kind, disks: list[Disk], arguments: list[str]) -> Result:
        other = Bed(Programs.from_environment(kind.arch), bed.work, bed.directory)
        agent = f"socle.agent={agent_of(kind)}"
        result = other.boot(other.machine(disks, [*arguments, agent], kind))
        record_property("guest", f"{kind.name}: {result.outcome.seconds:.1f} s")
        return result

    return run


def agent_of(kind: Kind) -> str:
    return f"/sbin/init-{kind.arch}"


@dataclass(frozen=True)
class Case:
    """Where the two layers' disks are, and in which order QEMU gets them."""

    kind: Kind
    upper: Disk
    lower: Disk
    lower_first: bool = False
    # Which of the disks that QEMU got the kernel calls vda; None where it may be any.
    vda: Optional[int] = None

    def __str__(self) -> str:
        return f"{self.kind.name}-{'reversed' if self.lower_first else self.lower.bus}"

    def disks(self, layers: list[Layer]) -> list[Disk]:
        disks = [replace(self.upper, path=layers[0].disk), replace(self.lower, path=layers[1].disk)]
        return disks[::-1] if self.lower_first else disks


UPPER = Disk(Path(), "upper")
LOWER = Disk(Path(), "lower")
LOWER_SCSI = replace(LOWER, bus=SCSI)
LOWER_BRIDGED = replace(LOWER, bridged=True)

CASES = [
    Case(Q35, UPPER, LOWER_SCSI),
    Case(MICROVM, UPPER, LOWER, lower_first=True),
    Case(S390, UPPER, LOWER_SCSI),
    Case(S390, UPPER, LOWER, lower_first=True),
    # One disk on the root bus, one behind a bridge.
    Case(VIRT_PCI, UPPER, LOWER_BRIDGED, vda=0),
    # The kernel meets virtio-mmio's devices in reverse, so the last one is vda.
    Case(VIRT_MMIO, UPPER, LOWER, vda=1),
]


def named(layers: list[Layer]) -> list[str]:
    return [layers[0].argument("SERIAL=upper"), layers[1].argument("SERIAL=lower")]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_two_layers(boot: Boot, layers: list[Layer], case: Case) -> None:
    """The same disks and the same root hashes everywhere, found by their serial numbers."""
    disks = case.disks(layers)
    result = boot(case.kind, disks, named(layers))
    expect.success(result, layers, agent=agent_of(case.kind))
    report = result.report
    assert report.content("/opt/lower") == "lower"
    assert report.content("/opt/upper") == report.content("/opt/both") == "upper"
    expect.path_error(result, "read", "/opt/filler", None)
    vda_is_remade(result, layers)
    if case.vda is not None:
        layer = [d.serial for d in (case.upper, case.lower)].index(disks[case.vda].serial)
        number = report.layers()[layer]["table"].split()[1]
        assert int(number.split(":")[1]) == 0, f"the machine named its disks otherwise: {number}"
        other = report.layers()[1 - layer]["table"].split()[1]
        assert int(other.split(":")[1]) == MINORS, f"and the other one {other}"


def vda_is_remade(result: Result, layers: list[Layer]) -> None:
    """The tree that the guest computes is the build machine's, byte for byte."""
    remade = result.report.one("remake", "/dev/vda")
    assert remade["errno"] == 0, remade
    sizes = {layer.params["root_hash"]: layer.disk.stat().st_size for layer in layers}
    assert remade["root_hash"] in sizes, remade
    assert remade["bytes"] == remade["same"] > 0, remade
    assert remade["end"] == sizes[remade["root_hash"]], remade


FAILING = [MICROVM, S390, VIRT_PCI, VIRT_MMIO]  # Q35 has test_failures.py


@pytest.mark.parametrize("kind", FAILING, ids=lambda kind: kind.name)
def test_flipped_byte(boot: Boot, bed: Bed, layers: list[Layer], kind: Kind) -> None:
    damaged = bed.flipped(layers[1].disk, EROFS_SUPERBLOCK)
    disks = [Disk(layers[0].disk, "upper"), Disk(damaged, "lower", SCSI if kind is S390 else BLK)]
    expect.failure(boot(kind, disks, named(layers)), "DATA_CORRUPT", "verity", "layer-1")


@pytest.mark.parametrize("kind", FAILING, ids=lambda kind: kind.name)
def test_wrong_root_hash(boot: Boot, layers: list[Layer], kind: Kind) -> None:
    wrong = layers[0].params["root_hash"][:-1]
    wrong += "0" if layers[0].params["root_hash"][-1] != "0" else "1"
    disks = [Disk(layers[0].disk, "upper"), Disk(layers[1].disk, "lower")]
    arguments = [layers[0].argument("SERIAL=upper", root_hash=wrong), named(layers)[1]]
    expect.failure(boot(kind, disks, arguments), "ROOT_HASH_MISMATCH", "verity", "layer-0")


@pytest.mark.parametrize("kind", [MICROVM, S390], ids=lambda kind: kind.name)
def test_corruption_after_the_hand_over(boot: Boot, bed: Bed, layers: list[Layer],
                                        kind: Kind) -> None:
    """A bad block that the agent reads is a panic, and that is the end of the guest."""
    place = bed.offset_of(layers[1].disk, filler("base")) + 65536
    disks = [Disk(layers[0].disk, "upper"), Disk(bed.flipped(layers[1].disk, place), "lower")]
    result = boot(kind, disks, named(layers))
    assert result.report.agent_started and not result.report.agent_finished, result.outcome
    assert result.report.all("about")[-1]["verb"] == "read", result.outcome
    assert not result.report.all("read"), result.outcome
    assert result.outcome.ended == kind.panic, result.outcome


@pytest.mark.prebuilt
@pytest.mark.parametrize("arch", ARCHES)
def test_initramfs_of_two_machines(bed: Bed, arch: str) -> None:
    """A pair that could never boot is not made."""
    init = Programs.from_environment(arch).init
    for other in ARCHES:
        modules = Programs.from_environment(other).modules
        if other == arch:
            continue
        with pytest.raises(ToolError, match=f"is for {other}, but .* is for {arch}"):
            image.make_initramfs(bed.programs.image, init, modules, bed.path("initramfs"))
