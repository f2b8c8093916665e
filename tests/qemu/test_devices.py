# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Every kind of device reference, disks that come late, and hash or parity elsewhere."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from harness import expect, oci
from harness.attached import Attached, board
from harness.bed import Bed, Result, filler
from harness.gpt import Partition, write_disk
from harness.image import Layer, seal_layer
from harness.machines import Kind
from harness.verdict import parse
from harness.vm import BLK, SCSI, Disk, Guest

PARTUUID = "8c4b5a1e-7d2f-4e8b-b3a6-0f9d1c2e3a4b"
DISK_UUID = "5e3d2c1b-0a9f-4e8d-8c7b-6a5f4e3d2c1b"

# erofs: the superblock's place and fields (Linux fs/erofs/erofs_fs.h).
EROFS_SUPERBLOCK = 1024
EROFS_FEATURE_COMPAT = EROFS_SUPERBLOCK + 8
EROFS_UUID = EROFS_SUPERBLOCK + 48
EROFS_VOLUME_NAME = EROFS_SUPERBLOCK + 64

# How long after the guest's first look at its disks the late one comes.
LATE_SECONDS = 6


def boot_disk(bed: Bed, layer: Layer, disk: Disk, reference: str) -> None:
    """Beside a disk of the other bus, which must not get in the way."""
    bed.path("other").write_bytes(filler("somebody else's"))
    # SCSI disks of one bus are named in the order in which they answer.
    other = Disk(bed.path("other"), "other", BLK if disk.bus == SCSI else SCSI)
    result = bed.boot(bed.machine([disk, other], [layer.argument(reference)]))
    expect.success(result, [layer])


@pytest.mark.parametrize("bus, name", [(BLK, "vda"), (SCSI, "sda")])
def test_path(bed: Bed, one: list[Layer], bus: str, name: str) -> None:
    boot_disk(bed, one[0], Disk(one[0].disk, None, bus), f"/dev/{name}")


def test_number(bed: Bed, one: list[Layer]) -> None:
    """8:0 is the first SCSI disk; virtio-blk has no number of its own."""
    boot_disk(bed, one[0], Disk(one[0].disk, None, SCSI), "8:0")


@pytest.mark.parametrize("bus", [BLK, SCSI])
@pytest.mark.parametrize("reference", [
    f"PARTUUID={PARTUUID}", f"PARTUUID={PARTUUID.upper()}", r"PARTLABEL=socle\x20\x2c\x20root",
    "path"])
def test_partition(bed: Bed, one: list[Layer], bus: str, reference: str) -> None:
    """The second partition of a GPT disk, found by id, by name and by path."""
    disk = bed.path("gpt.disk")
    bed.path("first").write_bytes(filler("the first partition", 65536))
    write_disk(disk, [Partition(bed.path("first"), str(uuid.UUID(int=1)), "first"),
                      Partition(one[0].disk, PARTUUID, "socle , root")], DISK_UUID)
    if reference == "path":
        reference = "/dev/vda2" if bus == BLK else "/dev/sda2"
    boot_disk(bed, one[0], Disk(disk, "gpt", bus), reference)


@pytest.mark.parametrize("reference", ["UUID", "uuid in capitals", "LABEL"])
def test_filesystem_id(bed: Bed, one: list[Layer], reference: str) -> None:
    """The id of the erofs superblock."""
    layer = one[0]
    data = bytearray(layer.disk.read_bytes()[:layer.tree.data_bytes])
    identity = uuid.uuid4()
    data[EROFS_FEATURE_COMPAT] &= 0xFE  # no checksum of the superblock
    data[EROFS_UUID:EROFS_UUID + 16] = identity.bytes
    data[EROFS_VOLUME_NAME:EROFS_VOLUME_NAME + 16] = b"socle root".ljust(16, b"\0")
    bed.path("erofs").write_bytes(data)
    sealed = seal_layer(bed.path("erofs"), bed.path("erofs.disk"))
    argument = {"UUID": f"UUID={identity}", "uuid in capitals": f"UUID={str(identity).upper()}",
                "LABEL": r"LABEL=socle\x20root"}[reference]
    boot_disk(bed, sealed, Disk(sealed.disk), argument)


# --- a disk that never answers ---------------------------------------------------


class SilentDisk(Disk):
    """Whoever reads it waits for ever: virtio-blk has no time limit of its own."""

    def node(self, index: int) -> dict[str, object]:
        return {"driver": "raw", "node-name": f"disk{index}", "read-only": True,
                "file": {"driver": "null-co", "size": 1 << 20, "latency-ns": 10**18}}

    def device(self, index: int, kind: Kind) -> dict[str, object]:
        # With a geometry QEMU itself has no reason to read the disk.
        return super().device(index, kind) | {"cyls": 2, "heads": 16, "secs": 63}


def test_disk_that_never_answers(bed: Bed, one: list[Layer]) -> None:
    """Its driver stays with it, and so does whoever asks the bus; it is told, and the guest ends."""
    first = Disk(one[0].disk, "layer0")
    silent = SilentDisk(one[0].disk, "silent", late=True)
    machine = bed.machine([first, silent], [one[0].argument("SERIAL=absent"), "socle.timeout=10"])
    machine.limit = 60
    with Guest(machine, bed.path("boot")) as guest:
        assert guest.await_first_read(first), "the guest never looked at its first disk"
        guest.plug(silent)
        # QEMU would wait for the disk as well: its end is not waited for.
        event = guest.await_end(seconds=guest.limit)
        report = parse(guest.verdict())
    assert [failure.code for failure in report.failures] == ["BOOT_STALLED"], report
    assert not report.agent_started
    # The kernel waits for the disk when it goes off, so that it is reset in the end.
    assert event is not None and event["data"]["reason"] == expect.RESET, event


# --- disks that come late ------------------------------------------------------


def boot_with_late_disk(bed: Bed, layers: list[Layer], late: Disk, *arguments: str) -> Result:
    """The late disk is plugged seconds after the first layer's was read."""
    first = Disk(layers[0].disk, "layer0", late.bus)
    named = [layer.argument(f"SERIAL=layer{n}") for n, layer in enumerate(layers)]

    def plug(guest: Guest) -> None:
        assert guest.await_first_read(first), "the guest never looked at its first disk"
        guest.qmp.collect(LATE_SECONDS)
        guest.plug(late)

    return bed.boot(bed.machine([first, late], [*named, *arguments]), plug)


@pytest.fixture
def two(bed: Bed) -> list[Layer]:
    return bed.image([oci.directory("opt"), oci.file("opt/lower", "lower")], bed.base())


@pytest.mark.parametrize("bus", [BLK, SCSI])
def test_disk_plugged_in_late(bed: Bed, two: list[Layer], bus: str) -> None:
    late = Disk(two[1].disk, "layer1", bus, late=True)
    expect.success(boot_with_late_disk(bed, two, late, "socle.timeout=60"), two)


def test_wrong_disk_plugged_in_late(bed: Bed, two: list[Layer]) -> None:
    """One clear failure, which names the disk that came as well."""
    late = Disk(two[1].disk, "unwanted", late=True)
    result = boot_with_late_disk(bed, two, late, "socle.timeout=12")
    sentence = expect.failure(result, "DEVICE_NOT_FOUND", "devices", "layer-1")
    assert "unwanted" in sentence, sentence


# --- a bus that tells nobody --------------------------------------------------------

# The guest has no driver for its plugs, and the firmware is kept from telling of them.
MUTE_BRIDGE = "pci-bridge,id=mute,bus=pcie.0,addr=9,chassis_nr=9,shpc=on"
# And it does not read the first disk: the guest's kernel is to be the first.
MUTE = ("-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off", "-boot", "strict=on")
RESCAN_SECONDS = 15


def test_bus_without_events_is_asked(bed: Bed, two: list[Layer]) -> None:
    """The disk is on the bus, and only a rescan shows it."""
    first = Disk(two[0].disk, "layer0")
    late = Attached(two[1].disk, "layer1", late=True, properties={"bus": "mute", "addr": "1"})
    named = [layer.argument(f"SERIAL=layer{n}") for n, layer in enumerate(two)]
    machine = board(bed.machine([first, late], [*named, f"socle.timeout={2 * RESCAN_SECONDS}"]),
                    MUTE_BRIDGE, options=MUTE)

    def plug(guest: Guest) -> None:
        assert guest.await_first_read(first), "the guest never looked at its first disk"
        guest.plug(late)
        guest.qmp.collect(5)
        reads = {stats["qdev"].split("/")[-2]: stats["stats"]["rd_operations"]
                 for stats in guest.qmp.command("query-blockstats") if "/" in stats["qdev"]}
        assert reads["dev1"] == 0, "somebody has told the guest"

    result = bed.boot(machine, plug)
    expect.success(result, two)
    assert result.outcome.seconds > RESCAN_SECONDS, result.outcome


# --- other geometries ------------------------------------------------------------


def test_data_blocks_of_a_sector(bed: Bed, one: list[Layer]) -> None:
    """Data blocks of 512 bytes, hash blocks of 4096, and a tree that starts at one."""
    layer = seal_layer(filesystem_of(bed, one[0]), bed.path("sealed"), data_block_size=512)
    expect.success(bed.boot(bed.machine([Disk(layer.disk, "data")],
                                        [layer.argument("SERIAL=data")])), [layer])


def test_altered_superblock_has_no_effect(bed: Bed, one: list[Layer]) -> None:
    """Every number comes from the command line, which is measured."""
    layer = one[0]
    superblock = layer.tree.data_bytes
    altered = bed.flipped(layer.disk, *range(superblock, superblock + 512))
    expect.success(bed.boot(bed.machine([Disk(altered, "layer0")],
                                        [layer.argument("SERIAL=layer0")])), [layer])


# --- hash tree and parity on disks of their own -----------------------------------


def filesystem_of(bed: Bed, layer: Layer) -> Path:
    path = bed.path("data")
    path.write_bytes(layer.disk.read_bytes()[:layer.tree.data_bytes])
    return path


def test_hash_device_without_superblock(bed: Bed, one: list[Layer]) -> None:
    layer = seal_layer(filesystem_of(bed, one[0]), bed.path("sealed"), beside=True)
    assert layer.hash_disk is not None
    disks = [Disk(layer.disk, "data"), Disk(layer.hash_disk, "tree")]
    argument = layer.argument("SERIAL=data", hash_device="SERIAL=tree")
    expect.success(bed.boot(bed.machine(disks, [argument])), [layer])


def fec_case(bed: Bed, layer: Layer, *flipped: int) -> tuple[list[Disk], str, Layer]:
    sealed = seal_layer(filesystem_of(bed, layer), bed.path("sealed"), fec=True)
    assert sealed.fec_disk is not None
    damaged = bed.flipped(sealed.disk, *flipped)
    disks = [Disk(damaged, "data"), Disk(sealed.fec_disk, "parity")]
    argument = sealed.argument("SERIAL=data", fec_device="SERIAL=parity", fec_roots="2",
                               fec_offset="0")
    return disks, argument, sealed


def test_fec_repairs_a_flipped_byte(bed: Bed, one: list[Layer]) -> None:
    """In the block that is read first; without parity the same is DATA_CORRUPT."""
    disks, argument, sealed = fec_case(bed, one[0], EROFS_SUPERBLOCK)
    result = bed.boot(bed.machine(disks, [argument]))
    expect.success(result, [sealed])
    # "V <corrected>": the kernel counts the blocks that it repaired (6.13), or not.
    assert "use_fec_from_device" in result.report.layers()[0]["table"]


def test_fec_cannot_repair_everything(bed: Bed, one: list[Layer]) -> None:
    """A codeword with more damage than its parity covers is still a failure."""
    blocks = one[0].tree.data_blocks
    disks, argument, _ = fec_case(
        bed, one[0], *[block * 4096 + EROFS_SUPERBLOCK for block in range(blocks)])
    result = bed.boot(bed.machine(disks, [argument]))
    expect.failure(result, "DATA_CORRUPT", "verity", "layer-0")
