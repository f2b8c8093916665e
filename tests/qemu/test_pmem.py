# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Kata's root on x86-64: persistent memory, with and without dm-verity."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest

from harness import expect, pmem
from harness.bed import Bed, Result
from harness.image import Layer, seal_layer
from harness.pmem import NVDIMM, VIRTIO
from harness.sealed import filesystem
from harness.vm import Disk

# hypervisor.go GetKernelRootParams: what stands behind the root of each file system.
FLAGS = {"ext4": "rootflags=data=ordered,errors=remount-ro ro rootfstype=ext4",
         "erofs": "rootflags=ro rootfstype=erofs"}

DM_CREATE = ('dm-mod.create="dm-verity,,,ro,0 SECTORS verity 1 /dev/DISK1 /dev/DISK2 4096 4096 '
             'BLOCKS 0 sha256 HASH -" root=/dev/dm-0')

PLAIN = "root=/dev/pmem0p1 rootflags=dax,data=ordered,errors=remount-ro ro rootfstype=ext4"

SIZE = "/sys/class/block/pmem0/size"

RAW_POLICY = {"/etc/socle/policy": b"verity=optional\n"}


def sealed(bed: Bed, one: list[Layer], fstype: str) -> Layer:
    data = bed.path("data")
    data.write_bytes(filesystem(bed, "ext4", bed.base()) if fstype == "ext4" else
                     one[0].disk.read_bytes()[:one[0].tree.data_bytes])
    return seal_layer(data, bed.path("sealed"), beside=True)


def image_of(bed: Bed, *partitions: bytes) -> Path:
    path = bed.path("image")
    pmem.write_image(path, list(partitions))
    return path


def measured(bed: Bed, layer: Layer) -> Path:
    assert layer.hash_disk is not None
    return image_of(bed, layer.disk.read_bytes(), layer.hash_disk.read_bytes())


def boot(bed: Bed, image: Path, device: str, line: str,
         files: Optional[dict[str, bytes]] = None) -> Result:
    machine = pmem.machine(bed.machine([], [line]), image, device)
    machine.initramfs = bed.initramfs(pmem.MODULES[device], files)
    return bed.boot(machine)


def line_of(layer: Layer, disk: str, fstype: str) -> str:
    blocks = layer.tree.data_blocks
    return (f"{DM_CREATE} {FLAGS[fstype]}".replace("SECTORS", str(blocks * 8))
            .replace("DISK", disk).replace("BLOCKS", str(blocks))
            .replace("HASH", layer.params["root_hash"]))


def expect_root(result: Result, layer: Layer, fstype: str) -> None:
    report = result.report
    assert not report.failures and report.agent_finished, result.outcome
    expect.handed_over_clean(result, "/sbin/init")
    device = report.one("dm")
    assert device["name"] == "dm-verity" and device["status"].split()[0] == "V", device
    assert layer.params["root_hash"] in device["table"].split(), device
    assert report.mounts()["/"].fstype == fstype, report.mounts()["/"]


@pytest.mark.parametrize("fstype", ["ext4", "erofs"])
@pytest.mark.parametrize("device", [NVDIMM, VIRTIO], ids=["nvdimm", "virtio"])
def test_verity(bed: Bed, one: list[Layer], device: str, fstype: str) -> None:
    layer = sealed(bed, one, fstype)
    result = boot(bed, measured(bed, layer), device, line_of(layer, "pmem0p", fstype))
    expect_root(result, layer, fstype)


def test_the_same_image_as_a_disk(bed: Bed, one: list[Layer]) -> None:
    """The first MBR has the partitions where a disk has them."""
    layer = sealed(bed, one, "erofs")
    image = measured(bed, layer)
    result = bed.boot(bed.machine([Disk(image)], [line_of(layer, "vda", "erofs")]))
    expect_root(result, layer, "erofs")


@pytest.mark.parametrize("device", [NVDIMM, VIRTIO], ids=["nvdimm", "virtio"])
def test_plain_with_dax(bed: Bed, device: str) -> None:
    """Kata without confidentiality: the file system's pages are the host's file."""
    entries = bed.base(f"path {SIZE}")
    image = image_of(bed, filesystem(bed, "ext4", entries))
    result = boot(bed, image, device, PLAIN, files=RAW_POLICY)
    assert not result.report.failures and result.report.agent_finished, result.outcome
    root = result.report.mounts()["/"]
    assert root.source == "/dev/pmem0p1" and root.fstype == "ext4" and "ro" in root.options, root
    # What its information block leaves of the file; without pages of it there is no DAX.
    assert int(result.report.content(SIZE)) * 512 == image.stat().st_size - pmem.HEADER
    assert {"dax", "dax=always"} & set(root.super_options), root
