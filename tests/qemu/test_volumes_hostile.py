# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
A host and a caller that do what nobody expects: disks that go or shrink once they were
seen, one disk for two layers, targets inside of targets, mounts and umounts at once. What is
mounted is proved, and nothing is left.
"""

from __future__ import annotations

import random

import pytest

from harness import lookalike, oci, volume
from harness.bed import Bed, filler
from harness.guest import Driven, Plugged
from harness.image import Layer
from harness.lookalike import text
from harness.vm import BLK, SCSI
from harness.volume import TARGET, Request, devices

SERIAL = "hostile-latecomer"
ROUNDS = 12


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    return bed.image([oci.file("name", "lower"), oci.directory("inner"),
                      oci.file("filler", filler("lower"))],
                     [oci.file("name", "upper"), oci.file("more", filler("upper"))], salt="none")


@pytest.fixture
def disks(guest: Driven, layers: list[Layer]) -> list[Plugged]:
    return [guest.plug(layer.disk) for layer in layers]


@pytest.fixture
def both(layers: list[Layer], disks: list[Plugged]) -> Request:
    return request_of(layers, devices(disks))


def request_of(layers: list[Layer], references: list[str], upper: str = "tmpfs") -> Request:
    return Request(text([lookalike.kata_volume(layer) for layer in layers]), devices=references,
                   upper=upper)


# --- disks that change once they were seen -----------------------------------------------------


def waiting(guest: Driven, layers: list[Layer], first: Plugged) -> int:
    """A mount that has its first disk, and is told when the second one comes."""
    request = Request(request_of(layers, []).description,
                      devices=[first.reference, f"SERIAL={SERIAL}"], timeout=60)
    return guest.start(*volume.command(guest, request), stdin=request.description)


@pytest.mark.parametrize("bus", [BLK, SCSI])
def test_disk_that_goes_while_another_is_awaited(guest: Driven, bed: Bed, layers: list[Layer],
                                                 bus: str) -> None:
    """It was there when it was looked for; what has come into its place is not it."""
    before = guest.left()
    first = guest.plug(layers[0].disk, bus)
    guest.await_disks(1)
    running = waiting(guest, layers, first)
    guest.unplug(first)
    guest.plug(bed.flipped(layers[0].disk, 4096), bus)  # may get the number of the other one
    guest.plug(layers[1].disk, bus, serial=SERIAL)
    ended = guest.stop(running, guest.seconds(90))
    assert ended.status not in (volume.DONE, volume.USAGE) and not ended.killed, ended
    volume.failure(ended)
    volume.umounted(guest)
    assert not guest.await_nothing_more_than(before)


def resize(guest: Driven, disk: Plugged, size: int) -> None:
    guest.qmp.command("block_resize", **{"node-name": disk.name, "size": size})


@pytest.mark.parametrize("bus", [BLK, SCSI])
def test_disk_that_shrinks(guest: Driven, bed: Bed, layers: list[Layer], bus: str) -> None:
    """While another one is awaited, and once it is mounted: an error, never other bytes."""
    before = guest.left()
    copy = bed.copy(layers[0].disk, "shrinks.disk")
    first = guest.plug(copy, bus, writable=True)
    running = waiting(guest, layers, first)
    resize(guest, first, 4096)
    guest.plug(layers[1].disk, bus, serial=SERIAL)
    ended = guest.stop(running, guest.seconds(90))
    assert ended.status not in (volume.DONE, volume.USAGE) and not ended.killed, ended
    volume.failure(ended)
    volume.umounted(guest)
    assert not guest.await_nothing_more_than(before)


def test_disk_that_answers_no_more(guest: Driven, bed: Bed) -> None:
    """
    A read waits for 8 s, and no MiB comes in 2: verify ends, and what it had begun goes with
    the target. Where the limit is longer it goes on.
    """
    before = guest.left()
    [layer] = bed.image([oci.file("filler", filler("slow", 4 << 20))], salt="none")
    disk = guest.plug(layer.disk, slowed=True)
    volume.mounted(guest, request_of([layer], [disk.reference], upper="none"))
    guest.slow(disk, 16 << 10)
    ended = guest.run(volume.PROGRAM, "verify", "--timeout", "2", TARGET, limit=60)
    sentence = volume.refused(ended, "SYSTEM_CALL_FAILED", "verify", status=volume.SYSTEM)
    assert "nothing read for 2 s" in sentence
    guest.slow(disk, 0)
    # The read that was given up holds the target until the disk has answered it.
    for _ in range(12):
        ended = guest.run(volume.PROGRAM, "verify", "--timeout", "600", TARGET, limit=120)
        if "code=TARGET_IN_USE" not in ended.err:
            break
    assert (ended.status, ended.err) == (volume.DONE, ""), ended
    volume.umounted(guest)
    assert not guest.await_nothing_more_than(before)


# --- one disk, one place, more than once -----------------------------------------------------


def test_one_disk_for_two_layers(guest: Driven, layers: list[Layer], disks: list[Plugged]) -> None:
    """Each is proved by itself, with the hash that it was given."""
    before = guest.left()
    twice = [disks[0].reference] * 2
    volume.mounted(guest, request_of([layers[0]] * 2, twice))
    assert guest.content(f"{TARGET}/name") == b"upper"
    assert [layer["status"] for layer in volume.layers_of(guest)] == ["V", "V"]
    volume.umounted(guest)
    ended = volume.mount(guest, request_of(layers, twice))
    told = volume.failure(ended)
    assert told.volume == "volume-1" and ended.status != volume.DONE, told
    assert not guest.await_nothing_more_than(before)


def test_target_below_a_target(guest: Driven, both: Request) -> None:
    """The outer one is in use while the inner one is there, and neither is taken for the other."""
    before = guest.left()
    inner = f"{TARGET}/inner"
    volume.mounted(guest, both)
    volume.mounted(guest, both, inner)
    assert guest.content(f"{inner}/name") == b"upper"
    ended = volume.umount(guest)
    assert ended.status == volume.IN_USE, ended
    assert guest.content(f"{inner}/name") == guest.content(f"{TARGET}/name") == b"upper"
    volume.umounted(guest, inner)
    volume.umounted(guest)
    assert not guest.await_nothing_more_than(before)


# --- at once ------------------------------------------------------------------------------


def test_umount_while_mounting(guest: Driven, both: Request) -> None:
    """One after the other, in any order: it is mounted and proved, or nothing is there."""
    before = guest.left()
    mount, umount = volume.command(guest, both), [volume.PROGRAM, "umount", TARGET]
    order = random.Random(1)
    for _ in range(ROUNDS):
        commands = order.sample([mount, umount, mount, umount], 4)
        for ended in guest.together(commands, stdin=both.description):
            assert (ended.status, ended.err) == (volume.DONE, ""), ended
        there = [entry for entry in volume.listed(guest) if entry["target"] == TARGET]
        if there:
            assert [layer["status"] for layer in there[0]["layers"]] == ["V", "V"]
            assert guest.content(f"{TARGET}/name") == b"upper"
        volume.umounted(guest)
        assert not guest.await_nothing_more_than(before)


def test_kill_among_others(guest: Driven, both: Request) -> None:
    """One of two mounts of different targets is killed; the other one is not touched."""
    before = guest.left()
    other = "/run/other/rootfs"
    volume.mounted(guest, both, other)
    for moment in range(ROUNDS):
        guest.kill_after(moment * 0.01, *volume.command(guest, both), stdin=both.description)
        assert guest.content(f"{other}/name") == b"upper"
        assert [layer["status"] for layer in volume.layers_of(guest, other)] == ["V", "V"]
        volume.umounted(guest)
    volume.umounted(guest, other)
    assert not guest.await_nothing_more_than(before)
