# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Boots that must fail: one row each, with the exact failure code, no agent, and a
power-off within the limit. A row is a function from the bed to the disks and the
parameters; its name is the test's.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, replace
from typing import Callable, Optional

import pytest

from harness import expect, machines, oci
from harness.bed import COMMON, Bed, filler
from harness.gpt import Partition, write_disk
from harness.image import Layer, seal_layer
from harness.line import seal
from harness.vm import SCSI, Disk

# Long enough for a disk that is there, short enough for one that is not.
SHORT_WAIT = "socle.timeout=3"

# erofs: the superblock's place and fields (Linux fs/erofs/erofs_fs.h).
EROFS_SUPERBLOCK = 1024
EROFS_FEATURE_COMPAT = EROFS_SUPERBLOCK + 8
EROFS_BLOCK_BITS = EROFS_SUPERBLOCK + 12
EROFS_UUID = EROFS_SUPERBLOCK + 48

# x86: a command line longer than this is cut by the kernel.
CMDLINE_LIMIT = 2047

Case = tuple[list[Disk], list[str]]


@dataclass(frozen=True)
class Row:
    code: str
    step: str
    volume: str
    setup: Callable[[Bed, Layer], Case]
    sentence: Optional[str]  # a regular expression


ROWS: dict[str, Row] = {}


def row(code: str, step: str, volume: str = "layer-0",
        sentence: Optional[str] = None) -> Callable[[Callable[[Bed, Layer], Case]], None]:
    def add(setup: Callable[[Bed, Layer], Case]) -> None:
        ROWS[setup.__name__] = Row(code, step, volume, setup, sentence)

    return add


def alone(layer: Layer, **changes: Optional[str]) -> Case:
    """The undamaged disk, named with these changes."""
    return [Disk(layer.disk, "layer0")], [layer.argument("SERIAL=layer0", **changes)]


# --- verity: what is on the disk ---------------------------------------------


@row("DATA_CORRUPT", "verity")
def data_block_flipped(bed: Bed, layer: Layer) -> Case:
    return alone(Layer(bed.flipped(layer.disk, EROFS_SUPERBLOCK), layer.params))


@row("HASH_TREE_CORRUPT", "verity")
def hash_block_below_the_top_flipped(bed: Bed, layer: Layer) -> Case:
    return alone(Layer(bed.flipped(layer.disk, layer.tree.level_offset(1)), layer.params))


@row("ROOT_HASH_MISMATCH", "verity")
def top_hash_block_flipped(bed: Bed, layer: Layer) -> Case:
    return alone(Layer(bed.flipped(layer.disk, layer.tree.level_offset(0)), layer.params))


@row("ROOT_HASH_MISMATCH", "verity")
def root_hash_wrong(bed: Bed, layer: Layer) -> Case:
    right = layer.params["root_hash"]
    return alone(layer, root_hash=right[:-1] + ("0" if right[-1] != "0" else "1"))


@row("ROOT_HASH_MISMATCH", "verity")
def layers_in_wrong_order(bed: Bed, layer: Layer) -> Case:
    # Two layers of one shape, so that nothing but the hash tells them apart.
    twins = bed.image(*[[oci.directory("opt"), oci.file("opt/twin", filler(name))]
                        for name in ("lower", "upper")])
    assert twins[0].params["data_blocks"] == twins[1].params["data_blocks"]
    disks = [Disk(twins[0].disk, "layer1"), Disk(twins[1].disk, "layer0")]
    return disks, [twin.argument(f"SERIAL=layer{n}") for n, twin in enumerate(twins)]


@row("DEVICE_TOO_SMALL", "verity")
def disk_ends_inside_its_tree(bed: Bed, layer: Layer) -> Case:
    short = bed.shortened(layer.disk, layer.tree.level_offset(1))
    return alone(Layer(short, layer.params))


@row("DEVICE_TOO_SMALL", "verity")
def disk_ends_inside_its_data(bed: Bed, layer: Layer) -> Case:
    return alone(Layer(bed.shortened(layer.disk, 65536), layer.params))


@row("DEVICE_TOO_SMALL", "verity")
def disk_ends_one_sector_early(bed: Bed, layer: Layer) -> Case:
    """Not on a sector's end; QEMU rounds up to the next one."""
    return alone(Layer(bed.shortened(layer.disk, layer.tree.end_bytes - 512 - 412), layer.params))


@row("FILESYSTEM_UNKNOWN", "mounts")
def random_bytes_under_a_correct_hash(bed: Bed, layer: Layer) -> Case:
    bed.path("random").write_bytes(filler("no file system"))
    return alone(seal_layer(bed.path("random"), bed.path("random.disk")))


def with_erofs_blocks_of(bed: Bed, layer: Layer, bits: int) -> Layer:
    """The layer under a hash tree of its own, its superblock with another block size."""
    data = bytearray(layer.disk.read_bytes()[:layer.tree.data_bytes])
    data[EROFS_FEATURE_COMPAT] &= 0xFE  # no checksum of the superblock
    data[EROFS_BLOCK_BITS] = bits
    bed.path("erofs").write_bytes(data)
    return seal_layer(bed.path("erofs"), bed.path("erofs.disk"))


@row("VERITY_PARAMS_INVALID", "mounts")
def erofs_blocks_smaller_than_verity_blocks(bed: Bed, layer: Layer) -> Case:
    """A file system of 512-byte blocks on a verity device of 4096-byte ones."""
    return alone(with_erofs_blocks_of(bed, layer, 9))


@row("KERNEL_FEATURE_MISSING", "mounts")
def erofs_blocks_larger_than_a_page(bed: Bed, layer: Layer) -> Case:
    """Made on a machine with pages of 16 KiB."""
    return alone(with_erofs_blocks_of(bed, layer, 14))


@row("DEVICE_READ_FAILED", "verity")
def first_block_cannot_be_read(bed: Bed, layer: Layer) -> Case:
    """An I/O error of the disk is not told as corruption."""
    disks, arguments = alone(layer)
    return [replace(disks[0], bad_sector=EROFS_SUPERBLOCK // 512)], arguments


# --- verity: what the command line says --------------------------------------


@row("ROOT_HASH_INVALID", "plan")
def root_hash_cut_short(bed: Bed, layer: Layer) -> Case:
    return alone(layer, root_hash=layer.params["root_hash"][:-2])


@row("ROOT_HASH_INVALID", "plan")
def root_hash_too_long(bed: Bed, layer: Layer) -> Case:
    return alone(layer, root_hash=layer.params["root_hash"] + "00")


@row("ROOT_HASH_INVALID", "plan")
def root_hash_no_hexadecimal(bed: Bed, layer: Layer) -> Case:
    return alone(layer, root_hash="g" + layer.params["root_hash"][1:])


@row("ROOT_HASH_MISSING", "plan")
def root_hash_absent(bed: Bed, layer: Layer) -> Case:
    return alone(layer, root_hash=None)


@row("ROOT_HASH_MISSING", "plan")
def root_hash_empty(bed: Bed, layer: Layer) -> Case:
    """The key is there and its value is not."""
    return alone(layer, root_hash="")


@row("ROOT_HASH_MISSING", "plan")
def no_parameters_at_all(bed: Bed, layer: Layer) -> Case:
    return [Disk(layer.disk, "layer0")], ["socle.layer=SERIAL=layer0"]


@row("ROOT_HASH_MISSING", "plan", volume="layer-1")
def one_layer_of_two_without_a_hash(bed: Bed, layer: Layer) -> Case:
    """One protected layer does not cover for another one."""
    disks = [Disk(layer.disk, "layer0"), Disk(layer.disk, "layer1")]
    return disks, [layer.argument("SERIAL=layer0"),
                   layer.argument("SERIAL=layer1", root_hash=None)]


@row("VERITY_PARAMS_INVALID", "plan")
def data_blocks_absent(bed: Bed, layer: Layer) -> Case:
    return alone(layer, data_blocks=None)


@row("KEY_REPEATED", "plan")
def root_hash_twice(bed: Bed, layer: Layer) -> Case:
    """Neither of the two is taken."""
    disks, [argument] = alone(layer)
    return disks, [f"{argument},root_hash={layer.params['root_hash']}"]


@row("KEY_UNKNOWN", "plan")
def key_of_a_layer_unknown(bed: Bed, layer: Layer) -> Case:
    return alone(layer, roothash=layer.params["root_hash"])


# --- devices -------------------------------------------------------------------


@row("DEVICE_NOT_FOUND", "devices", sentence=r"vda\b.*somebody-else")
def layer_never_appears(bed: Bed, layer: Layer) -> Case:
    """The line says what was there instead: its name and its serial number."""
    return ([Disk(layer.disk, "somebody-else")],
            [layer.argument("SERIAL=layer0"), SHORT_WAIT])


@row("DEVICE_NOT_FOUND", "devices")
def no_disk_at_all(bed: Bed, layer: Layer) -> Case:
    return [], [layer.argument("SERIAL=layer0"), SHORT_WAIT]


@row("DEVICE_NOT_FOUND", "devices", volume="layer-1")
def second_layer_never_appears(bed: Bed, layer: Layer) -> Case:
    return ([Disk(layer.disk, "layer0")],
            [layer.argument("SERIAL=layer0"), layer.argument("SERIAL=layer1"), SHORT_WAIT])


@row("DEVICE_NOT_FOUND", "devices")
def hash_device_never_appears(bed: Bed, layer: Layer) -> Case:
    """No hash device, no mount."""
    disks, arguments = alone(layer, hash_device="SERIAL=tree", hash_start="0")
    return disks, [*arguments, SHORT_WAIT]


@row("DEVICE_AMBIGUOUS", "devices", sentence=r"vda\b.*vdb\b")
def two_disks_with_one_serial(bed: Bed, layer: Layer) -> Case:
    return ([Disk(layer.disk, "layer0"), Disk(layer.disk, "layer0")],
            [layer.argument("SERIAL=layer0")])


@row("DEVICE_AMBIGUOUS", "devices")
def one_serial_on_two_buses(bed: Bed, layer: Layer) -> Case:
    return ([Disk(layer.disk, "layer0"), Disk(layer.disk, "layer0", SCSI)],
            [layer.argument("SERIAL=layer0")])


PARTUUID = "2f1c8a44-30f1-4f5e-9a41-1d2a6c8d7b11"


def clones(bed: Bed, layer: Layer) -> list[Disk]:
    """A second disk with the first one's ids in its partition table."""
    disk = bed.path("gpt.disk")
    write_disk(disk, [Partition(layer.disk, PARTUUID, "root")], PARTUUID)
    return [Disk(disk, "first"), Disk(disk, "second")]


@row("DEVICE_AMBIGUOUS", "devices")
def two_disks_with_one_partuuid(bed: Bed, layer: Layer) -> Case:
    return clones(bed, layer), [layer.argument(f"PARTUUID={PARTUUID}")]


@row("DEVICE_AMBIGUOUS", "devices")
def two_disks_with_one_partlabel(bed: Bed, layer: Layer) -> Case:
    return clones(bed, layer), [layer.argument("PARTLABEL=root")]


@row("DEVICE_AMBIGUOUS", "devices")
def two_disks_with_one_filesystem_id(bed: Bed, layer: Layer) -> Case:
    identity = uuid.UUID(bytes=layer.disk.read_bytes()[EROFS_UUID:EROFS_UUID + 16])
    assert identity.int, "the layer has no id"
    return ([Disk(layer.disk, "first"), Disk(layer.disk, "second", SCSI)],
            [layer.argument(f"UUID={identity}")])


# --- the command line ------------------------------------------------------------


@row("NO_ROOT", "plan", volume="-")
def no_layer(bed: Bed, layer: Layer) -> Case:
    return [Disk(layer.disk, "layer0")], []


@row("NO_ROOT", "plan", volume="-")
def layer_only_in_quotes_and_behind_the_dashes(bed: Bed, layer: Layer) -> Case:
    """Neither of these is a parameter of ours."""
    argument = layer.argument("SERIAL=layer0")
    return [Disk(layer.disk, "layer0")], [f'unrelated="value with {argument}"', "--", argument]


@row("KEY_UNKNOWN", "plan", volume="-")
def key_unknown(bed: Bed, layer: Layer) -> Case:
    disks, arguments = alone(layer)
    return disks, [*arguments, "socle.on_corrupt=panic"]


@row("KEY_UNKNOWN", "plan", volume="-")
def key_unknown_without_value(bed: Bed, layer: Layer) -> Case:
    disks, arguments = alone(layer)
    return disks, [*arguments, "socle.debug"]


@row("KEY_REPEATED", "plan", volume="-")
def key_twice(bed: Bed, layer: Layer) -> Case:
    disks, arguments = alone(layer)
    return disks, [*arguments, "socle.upper=none", "socle.upper=none"]


@row("VALUE_INVALID", "plan", volume="-")
def value_not_taken(bed: Bed, layer: Layer) -> Case:
    disks, arguments = alone(layer)
    return disks, [*arguments, "socle.upper=ext4"]


@row("CMDLINE_TRUNCATED", "plan", volume="-")
def command_line_at_the_limit(bed: Bed, layer: Layer) -> Case:
    """Whatever stood behind the end is lost, so nothing of it is believed."""
    disks, arguments = alone(layer)
    used = len(seal(" ".join([*COMMON, *arguments, "pad="])))
    return disks, [*arguments, "pad=" + "x" * (CMDLINE_LIMIT - used)]


# What UEFI's way to a kernel leaves of a line, edk2's " initrd=initrd" included.
EFI_LIMIT = 2047


@pytest.mark.parametrize("lost", ["socle.upper=none", "the second layer"])
def test_cut_by_the_efi_stub(bed: Bed, lost: str) -> None:
    """The kernel's stub cuts a longer line at the end of a word: what is left looks whole."""
    upper, lower = bed.image(bed.base(), [oci.file("etc/deny", "all")])
    disks = [Disk(upper.disk, "upper"), Disk(lower.disk, "lower")]
    words = [upper.argument("SERIAL=upper"), lower.argument("SERIAL=lower"), "socle.upper=none"]
    kept = words[:2] if lost == words[2] else words[:1]
    machine = bed.machine(disks, words, machines.Q35_EFI)
    head, tail = machine.cmdline.split(kept[-1])
    room = EFI_LIMIT - len(f"{head}{kept[-1]} pad= {lost}")
    machine.cmdline = f"{head}{kept[-1]} pad={'x' * (room + 20)}{tail}"
    assert len(machine.cmdline) > EFI_LIMIT
    sentence = expect.failure(bed.boot(machine), "CMDLINE_TRUNCATED", "plan")
    assert "the command line was cut" in sentence


# --- the hand-over -----------------------------------------------------------------


@row("AGENT_MISSING", "handover", volume="-")
def agent_missing(bed: Bed, layer: Layer) -> Case:
    disks, arguments = alone(layer)
    return disks, [*arguments, "socle.agent=/sbin/nobody"]


@row("AGENT_EXEC_FAILED", "handover", volume="-")
def agent_without_the_right_to_run(bed: Bed, layer: Layer) -> Case:
    disks, arguments = alone(layer)
    return disks, [*arguments, "socle.agent=/etc/socle-test"]


@row("AGENT_EXEC_FAILED", "handover", volume="-")
def agent_is_no_program(bed: Bed, layer: Layer) -> Case:
    """Seen by the kernel alone, when the old root is gone already."""
    [other] = bed.image([*bed.base(), oci.file("sbin/text", "no program\n", 0o755)])
    disks, arguments = alone(other)
    return disks, [*arguments, "socle.agent=/sbin/text"]


@row("AGENT_MISSING", "handover", volume="-")
def agent_is_a_directory(bed: Bed, layer: Layer) -> Case:
    disks, arguments = alone(layer)
    return disks, [*arguments, "socle.agent=/sbin"]


@pytest.mark.parametrize("name", ROWS)
def test_failure(bed: Bed, one: list[Layer], name: str) -> None:
    case = ROWS[name]
    disks, arguments = case.setup(bed, one[0])
    result = bed.boot(bed.machine(disks, arguments))
    sentence = expect.failure(result, case.code, case.step, case.volume)
    if case.sentence:
        assert re.search(case.sentence, sentence), sentence
