# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Bytes that change on a disk while it is mounted: the policy says what becomes of the
guest, list says what was seen, and verify finds what nobody has read.
"""

from __future__ import annotations

import pytest

from harness import lookalike, oci, volume
from harness.bed import Bed, filler
from harness.channel import GuestGone
from harness.guest import Driven
from harness.lookalike import text
from harness.volume import TARGET, Request, devices

EIO = 5


class Victim:
    """A layer whose disk is a copy, with a file that nobody has read yet."""

    def __init__(self, bed: Bed) -> None:
        content = filler("victim")
        self.layers = bed.image([oci.file("good", filler("good")), oci.file("victim", content)],
                                [oci.file("upper", "upper")], salt="none")
        self.disk = bed.copy(self.layers[1].disk, "victim.disk")
        middle = content[len(content) // 2:][:4096]
        self.offset = bed.offset_of(self.disk, middle) // 4096 * 4096

    @property
    def block(self) -> int:
        return self.offset // 4096

    def flip(self) -> None:
        with open(self.disk, "r+b") as file:
            file.seek(self.offset)
            byte = file.read(1)
            file.seek(self.offset)
            file.write(bytes([byte[0] ^ 1]))

    def mount(self, guest: Driven, on_corruption: str | None = None) -> None:
        disks = [guest.plug(self.layers[0].disk), guest.plug(self.disk)]
        volume.mounted(guest, Request(text([lookalike.kata_volume(layer) for layer in self.layers]),
                                      devices=devices(disks), upper="tmpfs",
                                      on_corruption=on_corruption))


@pytest.fixture
def victim(bed: Bed) -> Victim:
    return Victim(bed)


def statuses(guest: Driven) -> list[str]:
    return [layer["status"] for layer in volume.layers_of(guest)]


def test_error(guest: Driven, victim: Victim) -> None:
    """The container goes on without that block, and list knows of it."""
    victim.mount(guest, "eio")
    assert guest.read_errno(f"{TARGET}/victim") == 0
    victim.flip()
    assert statuses(guest) == ["V", "V"]
    assert guest.read_errno(f"{TARGET}/victim") == EIO
    assert statuses(guest) == ["V", "C"]
    assert guest.read_errno(f"{TARGET}/good") == 0
    volume.umounted(guest)


@pytest.mark.parametrize("on_corruption", [None, "panic", "restart"])
def test_end_of_the_guest(guest: Driven, victim: Victim, on_corruption: str | None) -> None:
    """The default as well: what reads the block never sees it, nor does anybody else."""
    victim.mount(guest, on_corruption)
    victim.flip()
    with pytest.raises(GuestGone):
        guest.read_errno(f"{TARGET}/victim")
    outcome = guest.wait()
    assert outcome.ended == guest.machine.kind.panic, outcome


def test_verify_finds_what_nobody_read(guest: Driven, victim: Victim) -> None:
    """Named by its number; the guest goes on, though its policy is to panic."""
    victim.mount(guest)
    ended = guest.run(volume.PROGRAM, "verify", TARGET, limit=60)
    assert ended.status == volume.DONE, ended
    victim.flip()
    before = guest.left()
    ended = guest.run(volume.PROGRAM, "verify", TARGET, limit=60)
    sentence = volume.refused(ended, "DATA_CORRUPT", "verify", "volume-1", volume.NO_MATCH)
    assert f"block {victim.block}" in sentence, sentence
    assert not guest.left().more_than(before)
    assert statuses(guest) == ["V", "V"]
    assert guest.content(f"{TARGET}/upper") == b"upper"
    volume.umounted(guest)


def test_corrupt_before_the_mount(guest: Driven, bed: Bed, victim: Victim) -> None:
    """Met while it is opened: an error with a name, and no panic."""
    layer = victim.layers[1]
    disk = guest.plug(bed.flipped(layer.disk, 1024))
    before = guest.left()
    ended = volume.mount(guest, Request(text(lookalike.kata_volume(layer)),
                                        devices=[disk.reference]))
    volume.refused(ended, "DATA_CORRUPT", "verity", "volume-0", volume.NO_MATCH)
    assert not guest.left().more_than(before)


def test_corrupt_tree_before_the_mount(guest: Driven, bed: Bed, victim: Victim) -> None:
    layer = victim.layers[1]
    disk = guest.plug(bed.flipped(layer.disk, layer.tree.level_offset(1)))
    ended = volume.mount(guest, Request(text(lookalike.kata_volume(layer)),
                                        devices=[disk.reference]))
    volume.refused(ended, "HASH_TREE_CORRUPT", "verity", "volume-0", volume.NO_MATCH)
