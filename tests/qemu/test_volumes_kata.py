# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
What Kata's agent 4.1 does with verified disks, each case turned into what is right:
verified, or refused with the reason. The cases are those that were seen with the
agent itself: layers without verity mounted in silence, hashes that nobody looked at.
"""

from __future__ import annotations

from typing import Any, Optional

import pytest

from harness import lookalike, oci, volume
from harness.bed import Bed, filler
from harness.guest import Driven, Plugged
from harness.image import Layer
from harness.lookalike import text
from harness.vm import BLK, SCSI
from harness.volume import TARGET, Request

ENABLED = "X-kata.dmverity-enabled=true"


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    return bed.image([oci.file("name", "lower"), oci.file("filler", filler("lower"))],
                     [oci.file("name", "middle")], [oci.file("name", "upper")])


@pytest.fixture
def disk(guest: Driven, bed: Bed, layers: list[Layer]) -> Plugged:
    return guest.plug(lookalike.gpt_disk(bed.path("gpt.disk"), layers))


def storages(layers: list[Layer], disk: Plugged) -> list[dict[str, Any]]:
    return lookalike.kata_storages(layers, disk.place)


def change(storage: dict[str, Any], old: str, new: Optional[str]) -> None:
    """One option, which is there, into another or into none."""
    changed = [new if option == old else option for option in storage["options"]]
    assert changed != storage["options"]
    storage["options"] = [option for option in changed if option is not None]


def without_verity(storage: dict[str, Any]) -> None:
    storage["options"] = [option for option in storage["options"] if "dmverity" not in option]


def tables(guest: Driven) -> list[list[str]]:
    """Of the devices of volumes, as dmsetup would show them."""
    return [record["table"].split() for record in guest.ask("dm")
            if record["what"] == "dm" and record["name"].startswith("socle.")]


@pytest.mark.parametrize("bus, driver", [(BLK, "blk"), (SCSI, "scsi")])
def test_partitions_with_verity(guest: Driven, bed: Bed, layers: list[Layer], bus: str,
                                driver: str) -> None:
    """It works there as well, but without any policy for a block that does not match."""
    plugged = guest.plug(lookalike.gpt_disk(bed.path("gpt.disk"), layers), bus)
    volume.mounted(guest, Request(text(lookalike.kata_storages(layers, plugged.place, driver))))
    assert guest.content(f"{TARGET}/name") == b"upper"
    armed = tables(guest)
    assert len(armed) == 3
    for table in armed:
        assert "panic_on_corruption" in table and "panic_on_error" in table, table
    volume.umounted(guest)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_one_layer_without(guest: Driven, layers: list[Layer], disk: Plugged, number: int) -> None:
    """Mounted without a word; corrupt data are read."""
    description = storages(layers, disk)
    without_verity(description[number])
    volume.refused(volume.mount(guest, Request(text(description))), "VERITY_MISSING",
                   volume=f"volume-{number}")


@pytest.mark.parametrize("spelling", [
    None, "X-kata.dmverity-enabled=false", "X-kata.dmverity-enabled=TRUE",
    "X-kata.dmverity-enabled=1", "X-kata.dmverity-enabled", "X-kata.dmverity-enabled= true"])
def test_root_hash_without_the_flag(guest: Driven, layers: list[Layer], disk: Plugged,
                                    spelling: Optional[str]) -> None:
    """Any other spelling than one is "off" there; a root hash is a demand."""
    description = storages(layers, disk)
    change(description[1], ENABLED, spelling)
    told = volume.failure(volume.mount(guest, Request(text(description))))
    assert told.code in ("VERITY_PARAMS_INVALID", "DESCRIPTION_INVALID"), told
    assert "dmverity" in told.sentence, told


def test_single_layer(guest: Driven, layers: list[Layer]) -> None:
    """
    Without partitions: with the flag refused there, without it mounted unverified, and
    the runtime drops the hash. Its numbers are the caller's to say, from the sidecar.
    """
    whole = guest.plug(layers[2].disk)
    bare = {"driver": "blk", "driver_options": [], "fs_group": None, "fstype": "erofs",
            "mount_point": TARGET, "shared": False, "source": whole.place,
            "options": ["ro", "X-kata.overlay-lower", "X-kata.multi-layer=true"]}
    volume.refused(volume.mount(guest, Request(text(bare))), "VERITY_MISSING", volume="volume-0")
    named = bare | {"options": [*bare["options"], "X-containerd.dmverity=/host/layer.dmverity"]}
    volume.refused(volume.mount(guest, Request(text(named))), "VERITY_MISSING", volume="volume-0")
    request = Request(text([named]), sidecars=[lookalike.sidecar(layers[2])])
    volume.mounted(guest, request)
    assert guest.content(f"{TARGET}/name") == b"lower"
    assert [layer["status"] for layer in volume.layers_of(guest)] == ["V"]
    volume.umounted(guest)


def test_verity_in_driver_options(guest: Driven, layers: list[Layer]) -> None:
    """Ignored, and mounted."""
    plain = {"driver": "blk", "fstype": "erofs", "options": ["ro"], "mount_point": TARGET,
             "source": guest.plug(layers[0].disk).place, "fs_group": None, "shared": False,
             "driver_options": ['dm_verity={"hash":"' + layers[0].params["root_hash"] + '"}']}
    volume.refused(volume.mount(guest, Request(text(plain))), "VERITY_PARAMS_INVALID")
    volume.refused(volume.mount(guest, Request(text(plain | {"driver_options": []}))),
                   "VERITY_MISSING", volume="volume-0")


def test_kata_options_of_a_plain_disk(guest: Driven, layers: list[Layer]) -> None:
    """EINVAL there. Here all that is needed is said, so that it is verified."""
    options = [option for option in lookalike.kata_options(layers[2], 1) if "dmverity" in option]
    plain = {"driver": "blk", "driver_options": [], "fstype": "erofs", "mount_point": TARGET,
             "source": guest.plug(layers[2].disk).place, "fs_group": None, "shared": False,
             "options": ["ro", *options]}
    volume.mounted(guest, Request(text(plain)))
    assert [layer["status"] for layer in volume.layers_of(guest)] == ["V"]
    volume.umounted(guest)


def test_wrong_root_hash(guest: Driven, layers: list[Layer], disk: Plugged) -> None:
    """EIO without a reason, and the device leaks."""
    before = guest.left()
    description = storages(layers, disk)
    description[1]["options"] = lookalike.kata_options(layers[0], 2)
    volume.refused(volume.mount(guest, Request(text(description))), "VERITY_PARAMS_INVALID",
                   "verity", "volume-1")  # its salt is another one than the superblock's
    assert not guest.left().more_than(before)
    description = storages(layers, disk)
    change(description[1], f"X-kata.dmverity.roothash={layers[1].params['root_hash']}",
           f"X-kata.dmverity.roothash={layers[0].params['root_hash']}")
    volume.refused(volume.mount(guest, Request(text(description))), "ROOT_HASH_MISMATCH", "verity",
                   "volume-1", volume.NO_MATCH)
    assert not guest.left().more_than(before)


def test_second_container_on_a_disk(guest: Driven, layers: list[Layer], disk: Plugged) -> None:
    """EBUSY there, as the first one's devices carry the disk's name and go at once."""
    request = Request(text(storages(layers, disk)))
    for number in range(3):
        volume.mounted(guest, request, f"/run/containers/{number}/rootfs")
    volume.umounted(guest, "/run/containers/0/rootfs")
    for number in (1, 2):
        assert guest.content(f"/run/containers/{number}/rootfs/name") == b"upper"
        volume.umounted(guest, f"/run/containers/{number}/rootfs")


def test_image_raw_block(guest: Driven, bed: Bed) -> None:
    """Unsupported there."""
    [layer] = bed.image([oci.file("name", "image")], salt="none")
    volume.mounted(guest, Request(text(lookalike.kata_volume(layer, kind="image_raw_block")),
                                  devices=[guest.plug(layer.disk).reference]))
    assert guest.content(f"{TARGET}/name") == b"image"
    volume.umounted(guest)
