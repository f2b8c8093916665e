# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Forms of which no producer's disk is at hand, or that have none: layers of Microsoft's
snapshotter, images that the guest pulls, and a disk of the host's that is to be written to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Sequence

import pytest

from harness import fixtures, lookalike, oci, volume
from harness.bed import Bed, filler
from harness.guest import Driven, Plugged
from harness.image import Layer, run_tool
from harness.lookalike import text
from harness.vm import BLK, SCSI
from harness.volume import TARGET, Request, devices


def names(guest: Driven, target: str = TARGET) -> list[str]:
    return list(fixtures.by_path(guest.tree(target)))


def expect_two(guest: Driven, writable: bool) -> None:
    """The layers of the fixture below as one."""
    assert names(guest) == ["/", "/both", "/lower", "/upper"]
    assert guest.content(f"{TARGET}/both") == b"upper"
    assert guest.content(f"{TARGET}/lower") == filler("lower", 300000)
    assert guest.content(f"{TARGET}/upper") == filler("upper", 300000)
    assert (guest.one("write", f"{TARGET}/new")["errno"] == 0) == writable


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    """The topmost first."""
    return bed.image([oci.file("both", "lower"), oci.file("gone", "lower"),
                      oci.file("lower", filler("lower", 300000))],
                     [oci.file("both", "upper"), oci.whiteout("gone"),
                      oci.file("upper", filler("upper", 300000))])


# --- Microsoft's snapshotter: numbers at the end of the disk -----------------------------------


def tardev_disk(bed: Bed, layer: Layer, blocks: int = 0) -> Layer:
    """Data, tree without a superblock, trailer; blocks are added to what that says."""
    data, tree = bed.path("data"), bed.path("tree")
    data.write_bytes(layer.disk.read_bytes()[:layer.tree.data_bytes])
    said = run_tool("veritysetup", "format", data, tree, "--no-superblock",
                    f"--salt={lookalike.TARDEV_SALT}")
    root_hash = next(line.split()[-1] for line in said.splitlines() if line.startswith("Root hash"))
    whole = bed.path(f"tardev{blocks}-{layer.disk.name}")
    whole.write_bytes(data.read_bytes() + tree.read_bytes() +
                      lookalike.tardev_trailer(layer.tree.data_blocks + blocks))
    return Layer(whole, {"root_hash": root_hash})


def tardev_request(guest: Driven, layers: Sequence[Layer], writable: bool = False,
                   hashes: Optional[Sequence[Optional[str]]] = None, fstype: str = "erofs",
                   bus: str = BLK) -> Request:
    hashes = hashes or [layer.params["root_hash"] for layer in layers]
    words = {f"layer{number}": lookalike.tardev_words(f"layer{number}", root_hash, fstype)
             for number, root_hash in enumerate(hashes)}
    disks = [guest.plug(layer.disk, bus) for layer in layers]
    return Request(text(lookalike.tardev_mounts(words, writable)), devices=devices(disks))


@pytest.mark.parametrize("bus, writable", [(BLK, False), (SCSI, True)])
def test_tardev(guest: Driven, bed: Bed, layers: list[Layer], bus: str, writable: bool) -> None:
    before = guest.left()
    disks = [tardev_disk(bed, layer) for layer in layers]
    volume.mounted(guest, tardev_request(guest, disks, writable, bus=bus))
    expect_two(guest, writable)
    assert [layer["root_hash"] for layer in volume.layers_of(guest)] == [
        disk.params["root_hash"] for disk in disks]
    ended = guest.run(volume.PROGRAM, "verify", TARGET, limit=60)
    assert ended.status == volume.DONE, ended
    volume.umounted(guest)
    assert not guest.left().more_than(before)


@pytest.mark.parametrize("blocks, code, status", [
    (-1, "ROOT_HASH_MISMATCH", volume.NO_MATCH),
    (100000, "VERITY_PARAMS_INVALID", volume.REFUSED)])
def test_tardev_with_other_numbers(guest: Driven, bed: Bed, layers: list[Layer], blocks: int,
                                   code: str, status: int) -> None:
    """What stands at the end of the disk is a hint: the host can write it."""
    before = guest.left()
    disks = [tardev_disk(bed, layers[0], blocks), tardev_disk(bed, layers[1])]
    volume.refused(volume.mount(guest, tardev_request(guest, disks)), code, "verity", "volume-0",
                   status)
    assert not guest.left().more_than(before)


def test_tardev_refused(guest: Driven, bed: Bed, layers: list[Layer]) -> None:
    """Tars as file systems, a hash of another layer, and a layer without any."""
    disks = [tardev_disk(bed, layer) for layer in layers]
    hashes: list[Optional[str]] = [disk.params["root_hash"] for disk in disks]
    sentence = volume.refused(volume.mount(guest, tardev_request(guest, disks, fstype="tar")),
                              "DESCRIPTION_UNSUPPORTED")
    assert "Microsoft" in sentence
    volume.refused(volume.mount(guest, tardev_request(guest, disks, hashes=hashes[::-1])),
                   "ROOT_HASH_MISMATCH", "verity", "volume-0", volume.NO_MATCH)
    volume.refused(volume.mount(guest, tardev_request(guest, disks, hashes=[hashes[0], None])),
                   "VERITY_MISSING", volume="volume-1")


# --- images that the guest pulls -----------------------------------------------------------


@pytest.fixture
def pulled(guest: Driven) -> list[str]:
    """Directories as they were unpacked, topmost first."""
    for name in ("lower", "upper"):
        guest.ask("mkdir", f"/run/{name}")
        guest.put(f"/run/{name}/both", name)
        guest.put(f"/run/{name}/{name}", filler(name, 300000))
    return ["/run/upper", "/run/lower"]


@pytest.mark.parametrize("wrap", [lambda st: st, lambda st: [st], lambda st: {"storages": [st]}])
def test_guest_pull(guest: Driven, pulled: list[str], wrap: Any) -> None:
    """Kata's message as it comes, alone or in a list: its directories are the caller's."""
    before = guest.left()
    description = text(wrap(lookalike.kata_guest_pull("registry.example/team/app:1")))
    volume.mounted(guest, Request(description, directories=pulled))
    expect_two(guest, True)
    volume.umounted(guest)
    volume.mounted(guest, Request(description, "kata-storage", directories=pulled, upper="none"))
    expect_two(guest, False)
    volume.umounted(guest)
    assert names(guest, "/run/upper") == ["/", "/both", "/upper"], "it was written to"
    assert not guest.left().more_than(before)


def test_guest_pull_refused(guest: Driven, pulled: list[str]) -> None:
    """Without directories, with one that is not there, and two images at once."""
    before = guest.left()
    one = lookalike.kata_guest_pull("registry.example/team/app:1")
    volume.refused(volume.mount(guest, Request(text(one))), "DESCRIPTION_INVALID")
    sentence = volume.refused(
        volume.mount(guest, Request(text(one), directories=[*pulled, "/run/missing"])),
        "OVERLAY_FAILED", "mounts", status=volume.SYSTEM)
    assert "/run/missing: No such file" in sentence
    for many in ([one, one], [one, lookalike.kata_upper("/dev/vda")]):
        ended = volume.mount(guest, Request(text(many), directories=pulled))
        sentence = volume.refused(ended, "DESCRIPTION_INVALID")
        assert "by itself" in sentence
    assert not guest.left().more_than(before)


# --- a disk of the host's that is to be written to ----------------------------------------------


@pytest.fixture
def disk(guest: Driven, bed: Bed, layers: list[Layer]) -> Plugged:
    return guest.plug(lookalike.gpt_disk(bed.path("gpt.disk"), layers))


def empty(bed: Bed) -> Path:
    path = bed.path("host.upper")
    path.write_bytes(bytes(1 << 20))
    return path


@pytest.mark.parametrize("bus, driver", [(BLK, "blk"), (SCSI, "scsi")])
def test_upper_of_the_host(guest: Driven, bed: Bed, layers: list[Layer], bus: str,
                           driver: str) -> None:
    """Refused by name; where the caller says what else is written to, it is not touched."""
    plugged = guest.plug(lookalike.gpt_disk(bed.path("gpt.disk"), layers), bus)
    written = empty(bed)
    upper = lookalike.kata_upper(guest.plug(written, bus).place, driver)
    storages = lookalike.kata_storages(layers, plugged.place, driver)
    storages[0]["options"] += lookalike.KATA_MKDIR
    for order in ([upper, *storages], [*storages[::-1], upper]):
        sentence = volume.refused(volume.mount(guest, Request(text(order))),
                                  "DESCRIPTION_UNSUPPORTED")
        assert upper["source"] in sentence
        for given in ("tmpfs,size=1M", "none"):
            volume.mounted(guest, Request(text(order), upper=given))
            expect_two(guest, given != "none")
            volume.umounted(guest)
    assert written.read_bytes() == bytes(1 << 20)


def test_storages_that_do_not_belong_together(guest: Driven, layers: list[Layer],
                                              disk: Plugged) -> None:
    """All are for one mount point, on one disk, and one at most is written to."""
    storages = lookalike.kata_storages(layers, disk.place)
    upper = lookalike.kata_upper("/dev/vdz")
    for many, code in [
            ([storages[0], storages[1] | {"mount_point": "/elsewhere"}], "DESCRIPTION_UNSUPPORTED"),
            ([*storages, upper | {"mount_point": "/elsewhere"}], "DESCRIPTION_UNSUPPORTED"),
            ([storages[0], storages[1] | {"source": "/dev/vdz"}], "DESCRIPTION_INVALID"),
            ([upper, *storages, upper], "DESCRIPTION_INVALID"),
            ([upper], "DESCRIPTION_INVALID")]:
        volume.refused(volume.mount(guest, Request(text(many), upper="tmpfs")), code)
