# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Controllers, places, sector sizes, partition tables and numbers of disks."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Optional

import pytest

from harness import expect, formats, gpt, mbr, oci
from harness.attached import NVME, Attached, board
from harness.bed import Bed, Result, filler
from harness.gpt import Partition
from harness.image import Layer, seal_layer
from harness.vm import SCSI, Disk

PARTUUID = "8c4b5a1e-7d2f-4e8b-b3a6-0f9d1c2e3a4b"
DISK_UUID = "5e3d2c1b-0a9f-4e8d-8c7b-6a5f4e3d2c1b"
MBR_SIGNATURE = 0x5A1EC0DE

# As long as the field for it is: nothing ends it.
SERIAL = "serial-of-20-bytes.."
assert len(SERIAL) == 20


def nvme(path: Path, serial: str = "nvme", **more: object) -> Attached:
    return Attached(path, serial, driver=NVME, properties=more)


def gpt_disk(bed: Bed, layer: Layer, number: int, sector: int = 512) -> Path:
    """The layer as partition number behind a first one of something else."""
    disk = bed.path("gpt.disk")
    bed.path("first").write_bytes(filler("the first partition", 65536))
    gpt.write_disk(disk, [Partition(bed.path("first"), str(uuid.UUID(int=1)), "first"),
                          Partition(layer.disk, PARTUUID, "root", number)], DISK_UUID, sector)
    return disk


def boot(bed: Bed, layer: Layer, disk: Disk, reference: str, *devices: str) -> Result:
    machine = board(bed.machine([disk], [layer.argument(reference)]), *devices)
    result = bed.boot(machine)
    expect.success(result, [layer])
    return result


# --- NVMe, and partitions of two digits ----------------------------------------------


@pytest.mark.parametrize("reference", ["/dev/nvme0n1p12", f"SERIAL={SERIAL}/PARTN=12"])
def test_partition_on_nvme(bed: Bed, one: list[Layer], reference: str) -> None:
    boot(bed, one[0], nvme(gpt_disk(bed, one[0], 12), SERIAL), reference)


def test_partition_of_two_digits(bed: Bed, one: list[Layer]) -> None:
    boot(bed, one[0], Disk(gpt_disk(bed, one[0], 10), SERIAL), "/dev/vda10")


def test_whole_nvme(bed: Bed, one: list[Layer]) -> None:
    boot(bed, one[0], nvme(one[0].disk), "/dev/nvme0n1")


def test_serial_of_all_its_bytes(bed: Bed, one: list[Layer]) -> None:
    boot(bed, one[0], Disk(one[0].disk, SERIAL), f"SERIAL={SERIAL}")


# --- by place --------------------------------------------------------------------


BRIDGE = "pci-bridge,id=bridge-02,bus=pcie.0,addr=2,chassis_nr=2,shpc=off"
ROOT_PORT = "pcie-root-port,id=port-03,bus=pcie.0,addr=3,chassis=3"


def test_behind_a_bridge(bed: Bed, one: list[Layer]) -> None:
    """As Kata's agent is told of a disk behind its bridge."""
    disk = Attached(one[0].disk, properties={"bus": "bridge-02", "addr": "1"})
    boot(bed, one[0], disk, "PCI=02/01", BRIDGE)


def test_on_the_bus_of_a_numa_node(bed: Bed, one: list[Layer]) -> None:
    """Kata's agent is told of the root bus, too; a disk in the same place of bus 00 is another."""
    other = bed.path("other")
    other.write_bytes(filler("other"))
    disks = [Attached(path, f"on-{bus}", properties={"bus": bus, "addr": "0"})
             for path, bus in [(other, "port-03"), (one[0].disk, "port-numa")]]
    machine = board(bed.machine(disks, [one[0].argument("PCI=20/03/00")]), ROOT_PORT,
                    "pxb-pcie,id=numa,bus=pcie.0,bus_nr=32",
                    "pcie-root-port,id=port-numa,bus=numa,addr=3,chassis=4")
    expect.success(bed.boot(machine), one)


def test_nvme_behind_a_root_port(bed: Bed, one: list[Layer]) -> None:
    disk = nvme(gpt_disk(bed, one[0], 3), bus="port-03")
    boot(bed, one[0], disk, "PCI=03/00/PARTN=3", ROOT_PORT)


def test_scsi_address(bed: Bed, one: list[Layer]) -> None:
    """The disks with either number alone are others."""
    places = [(1, 3), (1, 0), (0, 3)]
    others = [bed.path(f"other-{target}-{lun}") for target, lun in places[1:]]
    for other in others:
        other.write_bytes(filler(other.name))
    disks = [Attached(path, bus=SCSI, properties={"scsi-id": target, "lun": lun})
             for path, (target, lun) in zip([one[0].disk, *others], places)]
    machine = bed.machine(list(reversed(disks)), [one[0].argument("SCSI=1:3")])
    expect.success(bed.boot(machine), one)


# --- sectors of 4096 bytes --------------------------------------------------------


@pytest.mark.parametrize("driver, reference", [
    (None, f"PARTUUID={PARTUUID}"), (NVME, f"PARTUUID={PARTUUID}"), (NVME, "/dev/nvme0n1p10")])
def test_gpt_of_large_sectors(bed: Bed, one: list[Layer], driver: Optional[str],
                              reference: str) -> None:
    path = gpt_disk(bed, one[0], 10, sector=4096)
    boot(bed, one[0], Attached(path, "large", driver=driver, sector=4096), reference)


@pytest.mark.parametrize("sector", [512, 4096])
def test_mbr(bed: Bed, one: list[Layer], sector: int) -> None:
    path = bed.path("mbr.disk")
    mbr.write_disk(path, [filler("first", 65536), one[0].disk.read_bytes()], sector, MBR_SIGNATURE)
    boot(bed, one[0], Attached(path, sector=sector), f"PARTUUID={MBR_SIGNATURE:08x}-02")


def test_data_blocks_below_the_sector(bed: Bed, one: list[Layer]) -> None:
    """No device-mapper can read 512 bytes of such a disk."""
    data = bed.path("data")
    data.write_bytes(one[0].disk.read_bytes()[:one[0].tree.data_bytes])
    layer = seal_layer(data, bed.path("sealed"), data_block_size=512)
    disk = Attached(layer.disk, "large", sector=4096)
    result = bed.boot(bed.machine([disk], [layer.argument("SERIAL=large")]))
    expect.failure(result, "VERITY_OPEN_FAILED", "verity", "layer-0")


# --- tables that lie ----------------------------------------------------------------


OUTSIDE = str(uuid.UUID(int=0xbad))


@pytest.mark.parametrize("reference, found", [(PARTUUID, True), (OUTSIDE, False)])
def test_entry_behind_the_end_of_the_disk(bed: Bed, one: list[Layer], reference: str,
                                          found: bool) -> None:
    """It is no partition, and the others are."""
    path = bed.path("gpt.disk")
    gpt.write_disk(path, [Partition(one[0].disk, OUTSIDE, "outside", beyond=True),
                          Partition(one[0].disk, PARTUUID, "root")], DISK_UUID)
    machine = bed.machine([Disk(path)], [one[0].argument(f"PARTUUID={reference}"),
                                         "socle.timeout=3"])
    result = bed.boot(machine)
    if found:
        expect.success(result, one)
    else:
        sentence = expect.failure(result, "DEVICE_NOT_FOUND", "devices", "layer-0")
        assert PARTUUID in sentence, sentence


# --- large offsets ---------------------------------------------------------------------


FAR = (4 << 30) + 4096


def far_tree(bed: Bed, layer: Layer, superblock: bool) -> tuple[Path, Layer]:
    """The tree 4 GiB behind its data, on a disk of almost nothing but holes."""
    data = bed.path("data")
    data.write_bytes(layer.disk.read_bytes()[:layer.tree.data_bytes])
    sealed = seal_layer(data, bed.path("sealed"), beside=not superblock)
    tree = sealed.hash_disk.read_bytes() if sealed.hash_disk else \
        sealed.disk.read_bytes()[layer.tree.data_bytes:]
    path = bed.path("far.disk")
    with open(path, "wb") as disk:
        disk.write(data.read_bytes())
        disk.seek(FAR)
        disk.write(tree)
    return path, sealed


def test_tree_above_4_gib(bed: Bed, one: list[Layer]) -> None:
    path, sealed = far_tree(bed, one[0], superblock=False)
    machine = bed.machine([Disk(path, "far")],
                          [sealed.argument("SERIAL=far", hash_start=str(FAR // 4096))])
    expect.success(bed.boot(machine), [sealed])


def test_superblock_above_4_gib(bed: Bed, one: list[Layer]) -> None:
    path, sealed = far_tree(bed, one[0], superblock=True)
    line = (f"roothash={sealed.params['root_hash']} systemd.verity_root_data=/dev/vda "
            f"systemd.verity_root_hash=/dev/vda systemd.verity_root_options=hash-offset={FAR}")
    result = bed.boot(bed.machine([Disk(path)], [line]))
    assert not result.report.failures and result.report.agent_finished, result.outcome
    table = result.report.all("dm")[0]["table"].split()
    assert int(table[6]) == FAR // 4096 + 1, table


# --- many ------------------------------------------------------------------------------


def many(bed: Bed, count: int) -> list[Layer]:
    """Each layer adds a file and says again who came last."""
    layers = [[oci.directory("opt"), oci.file("opt/last", f"{n}"),
               oci.file(f"opt/layer-{n}", f"layer {n}\n")] for n in range(1, count)]
    shown = [f"path /opt/{name}" for name in
             ["last", *[f"layer-{n}" for n in (1, count // 2, count - 1)]]]
    return bed.image(bed.base(*shown), *layers)


def expect_many(result: Result, layers: list[Layer]) -> None:
    expect.success(result, layers)
    count = len(layers)
    assert result.report.content("/opt/last") == str(count - 1)
    for n in (1, count // 2, count - 1):
        assert result.report.content(f"/opt/layer-{n}") == f"layer {n}\n"


def manifest(layers: list[Layer], device: str) -> bytes:
    return json.dumps({"version": 1, "layers": [
        {"device": device.format(n), **layer.params}
        for n, layer in enumerate(layers, start=1)]}).encode()


def test_127_partitions_of_one_disk(bed: Bed) -> None:
    """As many as overlayfs stacks here; 128 are refused by the plan, see tests/unit."""
    layers = many(bed, 127)
    made = formats.make(bed, "layers", [layers[0].disk.with_name("image.json")])
    machine = bed.machine([Disk(made.disk, "layers")], [])
    machine.initramfs = bed.initramfs(
        files={"/etc/socle/manifest.json": made.beside(".manifest.json").read_bytes()})
    machine.limit = 90
    expect_many(bed.boot(machine), layers)


# PCI has 31 slots behind a bridge.
SLOTS = 31


def test_36_disks(bed: Bed) -> None:
    """More than one bus has slots for; more bridges take more disks."""
    layers = many(bed, 36)
    disks = [Attached(layer.disk, f"layer{n}", properties={
        "bus": f"bridge{n // SLOTS}", "addr": f"{n % SLOTS + 1:x}"})
        for n, layer in enumerate(layers, start=1)]
    bridges = [f"pci-bridge,id=bridge{n},chassis_nr={n + 1},shpc=off"
               for n in range(-(-(len(layers) + 1) // SLOTS))]
    # Else the firmware looks into each for a loader.
    machine = board(bed.machine(disks, []), *bridges, options=("-boot", "strict=on"))
    machine.initramfs = bed.initramfs(
        files={"/etc/socle/manifest.json": manifest(layers, "SERIAL=layer{}")})
    machine.limit = 90
    expect_many(bed.boot(machine), layers)
