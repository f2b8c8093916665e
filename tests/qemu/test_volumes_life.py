# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
A mount among others: the same one twice, another in its place, two on one disk; and
every way to its end: by socle-volume, by somebody who knows nothing of it, by SIGKILL.
"""

from __future__ import annotations

import random

import pytest

from harness import lookalike, oci, volume
from harness.bed import Bed, filler
from harness.guest import Driven, Plugged
from harness.image import Layer
from harness.lookalike import text
from harness.volume import TARGET, Request, devices

EBUSY = 16
DETACH = 2  # MNT_DETACH

# How many of the moments of a mount are tried, and in what the last one is killed.
KILLS = 20

OTHER = "/run/other/rootfs"


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    return bed.image([oci.file("name", "lower"), oci.file("filler", filler("lower"))],
                     [oci.file("name", "upper")], salt="none")


@pytest.fixture
def disks(guest: Driven, layers: list[Layer]) -> list[Plugged]:
    return [guest.plug(layer.disk) for layer in layers]


@pytest.fixture
def request_of_both(layers: list[Layer], disks: list[Plugged]) -> Request:
    return Request(text([lookalike.kata_volume(layer) for layer in layers]),
                   devices=devices(disks), upper="tmpfs")


def name_in(guest: Driven, target: str = TARGET) -> bytes:
    return guest.content(f"{target}/name")


def test_same_request_twice(guest: Driven, request_of_both: Request) -> None:
    """The second changes nothing, and is no failure; what was written is there still."""
    volume.mounted(guest, request_of_both)
    guest.put(f"{TARGET}/new", "written")
    between = guest.left()
    volume.mounted(guest, request_of_both)
    assert not guest.left().more_than(between) and not between.more_than(guest.left())
    assert guest.content(f"{TARGET}/new") == b"written"
    volume.umounted(guest)


def test_same_files_twice(guest: Driven, layers: list[Layer]) -> None:
    """Each time another loop device would be made of them; a file that was replaced is another."""
    before = guest.left()
    for number, layer in enumerate(layers):
        guest.put(f"/run/layer-{number}", layer.disk.read_bytes())
    request = Request(text([lookalike.kata_volume(layer) for layer in layers]),
                      devices=["FILE=/run/layer-0", "FILE=/run/layer-1"])
    volume.mounted(guest, request)
    between = guest.left()
    volume.mounted(guest, request)
    assert not guest.left().more_than(between) and not between.more_than(guest.left())
    guest.put("/run/copy", layers[1].disk.read_bytes())
    another = Request(request.description, devices=["FILE=/run/layer-0", "FILE=/run/copy"])
    told = volume.refused(volume.mount(guest, another), "TARGET_IN_USE", "mounts",
                          status=volume.IN_USE)
    assert "its volume-1 is" in told, told
    volume.umounted(guest)
    assert not guest.await_nothing_more_than(before)


def test_same_directories_twice(guest: Driven) -> None:
    before = guest.left()
    for name in ("image", "image/lower", "image/upper", "image/other"):
        guest.do("mkdir", f"/run/{name}")
    description = text({"volume_type": "image_guest_pull", "source": "dummy-image-reference",
                        "image_pull": {"metadata": {}}})
    request = Request(description, upper="tmpfs,size=1m",
                      directories=["/run/image/upper", "/run/image/lower"])
    volume.mounted(guest, request)
    guest.put(f"{TARGET}/new", "written")
    volume.mounted(guest, request)
    assert guest.content(f"{TARGET}/new") == b"written"
    for other in [
            Request(description, upper="tmpfs,size=2m", directories=request.directories),
            Request(description, upper=request.upper,
                    directories=["/run/image/other", "/run/image/lower"])]:
        told = volume.refused(volume.mount(guest, other), "TARGET_IN_USE", "mounts",
                              status=volume.IN_USE)
        assert "what is written to or its directories" in told, told
    volume.umounted(guest)
    assert not guest.left().more_than(before)


def test_same_request_at_once(guest: Driven, request_of_both: Request) -> None:
    """One after the other: all is as if there had been one, also when all of them undo it."""
    before = guest.left()
    commands = [volume.command(guest, request_of_both)] * 6
    ended = guest.together(commands, stdin=request_of_both.description)
    assert [(one.status, one.err) for one in ended] == [(volume.DONE, "")] * 6
    assert len(guest.left().more_than(before)["dm"]) == 2
    assert name_in(guest) == b"upper"
    ended = guest.together([[volume.PROGRAM, "umount", TARGET]] * 6)
    assert [(one.status, one.err) for one in ended] == [(volume.DONE, "")] * 6
    assert not guest.await_nothing_more_than(before)


def test_another_request_on_a_target(guest: Driven, layers: list[Layer], disks: list[Plugged],
                                     request_of_both: Request) -> None:
    """Other layers, the same without an upper, and another root hash: refused, nothing changed."""
    volume.mounted(guest, request_of_both)
    between = guest.left()
    wrong = [lookalike.kata_volume(layer) for layer in layers]
    wrong[0] = lookalike.kata_volume(layers[0], hash="0" * 64)
    for other in [
            Request(text(lookalike.kata_volume(layers[1])), devices=[disks[1].reference]),
            Request(request_of_both.description, devices=request_of_both.devices, upper="none"),
            Request(text(wrong), devices=request_of_both.devices, upper="tmpfs")]:
        volume.refused(volume.mount(guest, other), "TARGET_IN_USE", "mounts",
                       status=volume.IN_USE)
    assert not guest.left().more_than(between)
    assert name_in(guest) == b"upper"
    volume.umounted(guest)


def test_something_else_on_the_target(guest: Driven, request_of_both: Request) -> None:
    guest.do("mkdir", "/run/elsewhere")
    guest.do("mount", "nothing", "/run/elsewhere", "tmpfs", 0, "")
    ended = volume.mount(guest, request_of_both, "/run/elsewhere")
    volume.refused(ended, "TARGET_IN_USE", "mounts", status=volume.IN_USE)
    assert guest.umount("/run/elsewhere") == 0


def test_two_targets_on_one_disk(guest: Driven, request_of_both: Request) -> None:
    """Kata's agent has EBUSY for the second; each has devices and an upper of its own here."""
    for target in (TARGET, OTHER):
        volume.mounted(guest, request_of_both, target)
    guest.put(f"{TARGET}/new", "written")
    assert guest.ask("path", f"{OTHER}/new")[-1]["errno"] != 0
    assert len(guest.left().dm) == 5
    volume.umounted(guest)
    assert name_in(guest, OTHER) == b"upper"
    volume.umounted(guest, OTHER)


def test_plain_umount(guest: Driven, request_of_both: Request) -> None:
    """By somebody who knows nothing of volumes; then the target can be used anew."""
    before = guest.left()
    for _ in range(2):
        volume.mounted(guest, request_of_both)
        assert name_in(guest) == b"upper"
        assert guest.umount(TARGET) == 0
        assert not guest.await_nothing_more_than(before)
    volume.umounted(guest)


def test_umount_of_what_is_used(guest: Driven, request_of_both: Request) -> None:
    """It is told and nothing is changed; a detached one goes when it is let go."""
    before = guest.left()
    volume.mounted(guest, request_of_both)
    opened = guest.one("open", f"{TARGET}/filler")["fd"]
    between = guest.left()
    volume.refused(volume.umount(guest), "TARGET_IN_USE", "umount", status=volume.IN_USE)
    assert guest.umount(TARGET) == EBUSY
    assert not guest.left().more_than(between) and not between.more_than(guest.left())
    assert guest.umount(TARGET, DETACH) == 0
    assert {"dm", "fds"} == set(guest.left().more_than(before))
    deferred = volume.umount(guest)
    assert deferred.status == volume.DONE, deferred
    ended = volume.mount(guest, request_of_both)
    volume.refused(ended, "TARGET_IN_USE", "mounts", status=volume.IN_USE)
    guest.do("close", opened)
    assert not guest.await_nothing_more_than(before)
    volume.mounted(guest, request_of_both)
    volume.umounted(guest)


def test_target_below_a_link(guest: Driven, request_of_both: Request) -> None:
    """One place has one name, whatever way leads there."""
    guest.do("mkdir", "/run/there")
    guest.do("link", "/run/there", "/run/link")
    volume.mounted(guest, request_of_both, "/run/link/rootfs")
    volume.mounted(guest, request_of_both, "/run/there/rootfs")
    volume.umounted(guest, "/run/there/rootfs")


def moments(seconds: float) -> list[float]:
    """Of one mount, from its start to a little behind its end; the same ones at every run."""
    random_one = random.Random(9)
    return [random_one.uniform(0, 1.1 * seconds) for _ in range(KILLS)]


def seconds_of_a_mount(guest: Driven, request: Request) -> float:
    """The least of a few: the first one reads the program, and others have the machine too."""
    seconds = []
    for _ in range(3):
        seconds.append(volume.mounted(guest, request).seconds)
        volume.umounted(guest)
    return min(seconds)


def test_kill_at_any_moment(guest: Driven, request_of_both: Request) -> None:
    """What it leaves the next umount or the next mount cleans up."""
    before = guest.left()
    seconds = seconds_of_a_mount(guest, request_of_both)
    words = volume.command(guest, request_of_both)
    killed, halves = 0, 0
    for number, moment in enumerate(moments(seconds)):
        ended = guest.kill_after(moment, *words, stdin=request_of_both.description)
        killed += ended.killed
        halves += bool(guest.left().more_than(before)) and ended.killed
        if number % 2:
            volume.mounted(guest, request_of_both)
            assert name_in(guest) == b"upper"
        volume.umounted(guest)
        more = guest.await_nothing_more_than(before)
        assert not more, f"killed after {moment:.4f} of {seconds:.4f} s: {more}"
    assert killed >= KILLS // 2 and halves, f"{killed} were killed, {halves} half done"


def test_kill_of_an_umount(guest: Driven, request_of_both: Request) -> None:
    before = guest.left()
    volume.mounted(guest, request_of_both)
    seconds = volume.umount(guest).seconds
    for moment in moments(seconds)[:8]:
        volume.mounted(guest, request_of_both)
        guest.kill_after(moment, volume.PROGRAM, "umount", TARGET)
        volume.umounted(guest)
        assert not guest.await_nothing_more_than(before)
