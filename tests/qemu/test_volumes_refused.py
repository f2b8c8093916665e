# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
What is not mounted, with disks of our own: refused by code and exit status, in one
line, and nothing is touched or left. No verity is ever dropped without a word.
"""

from __future__ import annotations

import json
from typing import Any, Sequence

import pytest

from harness import lookalike, oci, volume
from harness.bed import Bed, filler
from harness.guest import Driven, Plugged
from harness.image import Layer
from harness.lookalike import kata_volume, text
from harness.volume import TARGET, Request, devices

NOBODY = "SERIAL=nobody"


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    return bed.image(*[[oci.file(f"layer-{n}", filler(f"{n}", 300000))] for n in range(3)],
                     salt="none")


@pytest.fixture
def disks(guest: Driven, layers: list[Layer]) -> list[Plugged]:
    return [guest.plug(layer.disk) for layer in layers]


def one_disk(layer: Layer, disk: Plugged, **changes: Any) -> Request:
    return Request(text(kata_volume(layer, **changes)), devices=[disk.reference])


# --- verity that lacks, or is said to be off ----------------------------------------------


def mixed(layers: Sequence[Layer], unverified: Sequence[int]) -> list[dict[str, Any]]:
    return [kata_volume(layer, verity=number not in unverified)
            for number, layer in enumerate(layers)]


@pytest.mark.parametrize("unverified", [(0,), (1,), (2,), (0, 1, 2)])
def test_list_with_a_gap(guest: Driven, layers: list[Layer], disks: list[Plugged],
                         unverified: tuple[int, ...]) -> None:
    """[verity, none, verity] and its like: the first without is named; the wrong leave is none."""
    description = text(mixed(layers, unverified))
    others = [number for number in range(3) if number not in unverified]
    for allow in ([], others, unverified[:-1]):
        ended = volume.mount(guest, Request(description, devices=devices(disks), allow=allow))
        first = next(number for number in unverified if number not in allow)
        if allow == others and others:  # leave for a volume that has verity
            assert ended.status == volume.REFUSED, ended
            continue
        volume.refused(ended, "VERITY_MISSING", volume=f"volume-{first}")
    assert guest.ask("path", TARGET)[-1]["errno"] != 0 or not guest.tree(TARGET)[1:]


def test_gap_that_is_allowed(guest: Driven, layers: list[Layer], disks: list[Plugged]) -> None:
    """For exactly that volume; list says which it is."""
    request = Request(text(mixed(layers, (1,))), devices=devices(disks), allow=[1])
    volume.mounted(guest, request)
    told = volume.layers_of(guest)
    assert [layer["status"] for layer in told] == ["V", None, "V"]
    assert [bool(layer["root_hash"]) for layer in told] == [True, False, True]
    volume.umounted(guest)


def test_leave_for_nobody(guest: Driven, layers: list[Layer], disks: list[Plugged]) -> None:
    """--allow-unverified of a volume that is not there is a mistake of the caller's."""
    for allow in (1, 383, 384):
        request = Request(text(kata_volume(layers[0])), devices=[disks[0].reference], allow=[allow])
        assert volume.mount(guest, request).status in (volume.USAGE, volume.REFUSED)


# --- numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize("changes, code", [
    ({"hash": ""}, "ROOT_HASH_MISSING"),
    ({"hash": "0" * 63}, "ROOT_HASH_INVALID"),
    ({"hash": "x" * 64}, "ROOT_HASH_INVALID"),
    ({"blocknum": 0}, "VERITY_PARAMS_INVALID"),
    ({"blocksize": 768}, "VERITY_PARAMS_INVALID"),
    ({"offset": 4097}, "VERITY_PARAMS_INVALID"),
    ({"offset": 4096}, "VERITY_PARAMS_INVALID"),
    ({"offset": 2**63}, "DESCRIPTION_INVALID"),
])
def test_numbers(guest: Driven, layers: list[Layer], changes: dict[str, Any], code: str) -> None:
    request = Request(text(kata_volume(layers[0], **changes)), devices=[NOBODY])
    volume.refused(volume.mount(guest, request), code, volume="volume-0")


def test_wrong_root_hash(guest: Driven, layers: list[Layer], disks: list[Plugged]) -> None:
    """Kata's agent says EIO, and leaves the device."""
    before = guest.left()
    ended = volume.mount(guest, one_disk(layers[0], disks[0], hash=layers[1].params["root_hash"]))
    volume.refused(ended, "ROOT_HASH_MISMATCH", "verity", "volume-0", volume.NO_MATCH)
    assert not guest.left().more_than(before)


def test_wrong_root_hash_of_the_lowest(guest: Driven, layers: list[Layer],
                                       disks: list[Plugged]) -> None:
    """What was opened before it is closed again."""
    before = guest.left()
    volumes = [kata_volume(layer) for layer in layers]
    volumes[2] = kata_volume(layers[2], hash="0" * 64)
    ended = volume.mount(guest, Request(text(volumes), devices=devices(disks), upper="tmpfs"))
    volume.refused(ended, "ROOT_HASH_MISMATCH", "verity", "volume-2", volume.NO_MATCH)
    assert not guest.left().more_than(before)


def test_too_short(guest: Driven, bed: Bed, layers: list[Layer]) -> None:
    """The tree's end is not there, or the data's."""
    for size in (layers[0].tree.end_bytes - 4096, layers[0].tree.data_bytes - 4096):
        disk = guest.plug(bed.shortened(layers[0].disk, size))
        volume.refused(volume.mount(guest, one_disk(layers[0], disk)), "DEVICE_TOO_SMALL",
                       "verity", "volume-0")


def test_more_blocks_than_are_proved(guest: Driven, layers: list[Layer],
                                     disks: list[Plugged]) -> None:
    """
    What is in front of the tree is no data: here a superblock. It mounts, and its files
    are right, so that only verify can say so.
    """
    blocks = layers[0].tree.data_blocks + 1
    volume.mounted(guest, one_disk(layers[0], disks[0], blocknum=blocks))
    ended = guest.run(volume.PROGRAM, "verify", TARGET)
    sentence = volume.refused(ended, "DATA_CORRUPT", "verify", "volume-0", volume.NO_MATCH)
    assert f"block {blocks - 1}" in sentence, sentence
    volume.umounted(guest)


# --- which disk ------------------------------------------------------------------------------


def test_no_disk(guest: Driven, layers: list[Layer]) -> None:
    for devices_given, code in [((), "DEVICE_NOT_FOUND"), ((NOBODY,), "DEVICE_NOT_FOUND")]:
        request = Request(text(kata_volume(layers[0])), devices=devices_given, timeout=1)
        ended = volume.mount(guest, request)
        if devices_given:
            volume.refused(ended, code, "devices", "volume-0", volume.NO_DISK)
        else:  # the description has a path of the host
            assert ended.status == volume.REFUSED, ended


def test_two_disks_of_one_name(guest: Driven, layers: list[Layer]) -> None:
    there = len(guest.disks())
    for _ in range(2):
        guest.plug(layers[0].disk, serial="twin")
    guest.await_disks(there + 2)
    request = Request(text(kata_volume(layers[0])), devices=["SERIAL=twin"])
    told = volume.failure(volume.mount(guest, request))
    assert (told.code, told.step, told.volume) == ("DEVICE_AMBIGUOUS", "devices", "volume-0")


# --- texts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("description, code", [
    (b"", "DESCRIPTION_INVALID"),
    (b"[]", "DESCRIPTION_INVALID"),
    (b"{}", "DESCRIPTION_INVALID"),
    (b'{"volume_type":"image_raw_block"} {}', "DESCRIPTION_INVALID"),
    (b'{"volume_type":"image_raw_block","volume_type":"image_raw_block"}', "KEY_REPEATED"),
    (b'{"volume_type":"image_nydus_fs","source":"/a","fs_type":"rafsv6"}',
     "DESCRIPTION_UNSUPPORTED"),
    (b"[" * 10000 + b"]" * 10000, "DESCRIPTION_INVALID"),
    (b'{"volume_type":"a\\u0000b"}', "DESCRIPTION_INVALID"),
    (b'{"volume_type":"a\nb"}', "DESCRIPTION_INVALID"),
    (b"\xff\xfe", "DESCRIPTION_INVALID"),
], ids=lambda value: value[:24].decode("latin-1").encode("unicode_escape").decode()
    if isinstance(value, bytes) else value)
def test_texts(guest: Driven, description: bytes, code: str) -> None:
    ended = volume.mount(guest, Request(description, "kata-volume"))
    volume.refused(ended, code)
    assert ended.seconds < guest.seconds(1)


def test_ten_megabytes(guest: Driven) -> None:
    """From a file, which is not read to its end."""
    guest.put("/run/large", b'{"a":"' + b"x" * (10 << 20) + b'"}')
    ended = guest.run(volume.PROGRAM, "mount", "--target", TARGET, "/run/large")
    volume.refused(ended, "LIMIT_EXCEEDED")
    assert ended.seconds < guest.seconds(1)
    guest.do("unlink", "/run/large")


def test_usage(guest: Driven) -> None:
    for words in ([], ["nonsense"], ["mount"], ["mount", "--target", TARGET], ["umount"],
                  ["mount", "--target", "relative", "-"], ["verify"],
                  ["mount", "--target", TARGET, "--from", "nonsense", "-"],
                  ["mount", "--target", TARGET, "--allow-unverified", "x", "-"]):
        ended = guest.run(volume.PROGRAM, *words)
        assert ended.status in (volume.USAGE, volume.REFUSED), (words, ended)
        assert ended.err and not ended.out


def test_dry_run(guest: Driven, layers: list[Layer]) -> None:
    """No device is there, and none is needed; nothing is made."""
    request = Request(text(mixed(layers, ())), devices=[NOBODY] * 3, upper="tmpfs")
    words = volume.command(guest, request)
    ended = guest.run(*words[:-1], "--dry-run", "-", stdin=request.description)
    assert ended.status == volume.DONE and layers[0].params["root_hash"] in ended.out, ended
    ended = guest.run(*words[:-1], "--dry-run", "--json", "-", stdin=request.description)
    assert ended.status == volume.DONE, ended
    assert layers[2].params["root_hash"] in json.dumps(json.loads(ended.out))
