# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Every form of a description, with disks of our own making: plugged while the guest
runs, mounted, compared with what went into the layers, and gone again afterwards.
"""

from __future__ import annotations

import base64
from hashlib import sha256
from pathlib import Path
from typing import Any, Callable, Sequence

import pytest

from harness import fixtures, lookalike, oci, volume
from harness.bed import Bed, filler
from harness.guest import Driven, Plugged
from harness.image import Layer, seal_layer
from harness.lookalike import text
from harness.vm import BLK, SCSI
from harness.volume import Request, devices

BOTH = "both"


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    """The upper one deletes, replaces and adds; trees of two levels."""
    lower = [oci.directory("opt"), oci.file("opt/lower", "lower"), oci.file("opt/both", "lower"),
             oci.file("opt/gone", "lower"), oci.file("opt/filler", filler("lower"))]
    upper = [oci.directory("opt"), oci.file("opt/upper", "upper"), oci.file("opt/both", "upper"),
             oci.whiteout("opt/gone"), oci.file("opt/more", filler("upper"))]
    return bed.image(lower, upper)


@pytest.fixture
def unsalted(bed: Bed) -> Layer:
    """One layer, as a description of nydus' can say it."""
    return bed.image([oci.directory("opt"), oci.file("opt/lower", "lower")], salt="none")[0]


def small_blocks(bed: Bed, layer: Layer) -> Layer:
    """As nydus numbers it: data blocks of 512 bytes below hash blocks of 4096, no superblock."""
    data, tree = bed.path("data"), bed.path(f"small-{layer.disk.name}")
    data.write_bytes(layer.disk.read_bytes()[:layer.tree.data_bytes])
    sealed = seal_layer(data, tree, beside=True, data_block_size=512)
    assert sealed.hash_disk
    whole = bed.path(f"whole-{layer.disk.name}")
    whole.write_bytes(tree.read_bytes() + sealed.hash_disk.read_bytes())
    return Layer(whole, sealed.params | {"hash_start": str(layer.tree.data_bytes // 4096)})


def expect_tree(guest: Driven, target: str = volume.TARGET, writable: bool = True) -> None:
    """The two layers as one, and each byte of them."""
    tree = fixtures.by_path(guest.tree(target))
    assert list(tree) == ["/", "/opt", "/opt/both", "/opt/filler", "/opt/lower", "/opt/more",
                          "/opt/upper"]
    assert guest.content(f"{target}/opt/both") == guest.content(f"{target}/opt/upper") == b"upper"
    assert guest.content(f"{target}/opt/lower") == b"lower"
    for name, seed in [("filler", "lower"), ("more", "upper")]:
        assert tree[f"/opt/{name}"][fixtures.CONTENT] == sha256(filler(seed)).hexdigest()
    assert (guest.one("write", f"{target}/opt/new")["errno"] == 0) == writable


def expect_listed(guest: Driven, layers: Sequence[Layer], target: str = volume.TARGET) -> None:
    told = volume.layers_of(guest, target)
    assert [layer["root_hash"] for layer in told] == [layer.params["root_hash"] for layer in layers]
    assert [layer["status"] for layer in told] == ["V"] * len(layers)


def plug(guest: Driven, layers: Sequence[Layer], bus: str = BLK) -> list[Plugged]:
    return [guest.plug(layer.disk, bus) for layer in layers]


def whole_life(guest: Driven, request: Request, layers: Sequence[Layer]) -> None:
    """Mounted, listed, read by the list's own verify, unmounted twice, and nothing is left."""
    before = guest.left()
    volume.mounted(guest, request)
    expect_tree(guest, writable=request.upper != "none")
    expect_listed(guest, layers)
    ended = guest.run(volume.PROGRAM, "verify", volume.TARGET, limit=60)
    assert (ended.status, ended.err) == (volume.DONE, ""), ended
    volume.umounted(guest)
    assert not guest.left().more_than(before)
    volume.umounted(guest)


Make = Callable[[Bed, list[Layer]], tuple[Any, list[Layer], dict[str, Any]]]


def as_kata_volume(bed: Bed, layers: list[Layer]) -> tuple[Any, list[Layer], dict[str, Any]]:
    small = [small_blocks(bed, layer) for layer in layers]
    return [lookalike.kata_volume(layer) for layer in small], small, {"form": "kata-volume"}


def as_nydus_mounts(bed: Bed, layers: list[Layer]) -> tuple[Any, list[Layer], dict[str, Any]]:
    small = [small_blocks(bed, layer) for layer in layers]
    volumes = [lookalike.kata_volume(layer) for layer in small]
    return lookalike.nydus_mounts(volumes), small, {"form": "containerd"}


def as_containerd(bed: Bed, layers: list[Layer]) -> tuple[Any, list[Layer], dict[str, Any]]:
    return lookalike.containerd(layers), layers, {
        "form": "containerd", "sidecars": [lookalike.sidecar(layer) for layer in layers]}


@pytest.mark.parametrize("bus", [BLK, SCSI])
@pytest.mark.parametrize("make", [as_kata_volume, as_nydus_mounts, as_containerd])
def test_two_disks(guest: Driven, bed: Bed, layers: list[Layer], make: Make, bus: str) -> None:
    """The form by its name on one bus, by its content on the other."""
    description, layers, more = make(bed, layers)
    if bus == SCSI:
        del more["form"]
    disks = plug(guest, layers, bus)
    request = Request(text(description), devices=devices(disks), upper="tmpfs", **more)
    whole_life(guest, request, layers)


@pytest.mark.parametrize("bus", [BLK, SCSI])
def test_kata_storage(guest: Driven, bed: Bed, layers: list[Layer], bus: str) -> None:
    """One GPT disk, named as Kata's runtime does; its target is the caller's."""
    disk = guest.plug(lookalike.gpt_disk(bed.path("gpt.disk"), layers), bus)
    storages = lookalike.kata_storages(layers, disk.place, "blk" if bus == BLK else "scsi")
    whole_life(guest, Request(text(storages[::-1]), "kata-storage", upper="tmpfs"), layers)


def test_socle(guest: Driven, layers: list[Layer]) -> None:
    disks = plug(guest, layers)
    whole_life(guest, Request(lookalike.socle(layers, devices(disks)), "socle", upper="tmpfs"),
               layers)


def test_base64_of_one(guest: Driven, unsalted: Layer) -> None:
    """As it stands among a mount's options, and as an argument; one layer, read-only."""
    disk = guest.plug(unsalted.disk)
    word = base64.b64encode(text(lookalike.kata_volume(unsalted, kind="image_raw_block"))).decode()
    ended = guest.run(volume.PROGRAM, "mount", "--target", volume.TARGET, "--device",
                      f"0={disk.reference}", word)
    assert ended.status == volume.DONE, ended
    assert guest.content(f"{volume.TARGET}/opt/lower") == b"lower"
    assert guest.one("write", f"{volume.TARGET}/opt/new")["errno"] == 30
    expect_listed(guest, [unsalted])
    volume.umounted(guest)


def test_directories(guest: Driven, bed: Bed) -> None:
    """An image that was pulled in the guest: directories, and no disk."""
    before = guest.left()
    for name in ("lower", "upper"):
        guest.do("mkdir", f"/run/{name}")
        guest.put(f"/run/{name}/both", name)
        guest.put(f"/run/{name}/{name}", name)
    description = {"volume_type": "image_guest_pull", "source": "dummy-image-reference",
                   "image_pull": {"metadata": {"a": "b"}}}
    volume.mounted(guest, Request(text(description), "kata-volume", upper="tmpfs",
                                  directories=["/run/upper", "/run/lower"]))
    assert [line.split("\t")[0] for line in guest.tree(volume.TARGET)] == [
        "/", "/both", "/lower", "/upper"]
    assert guest.content(f"{volume.TARGET}/both") == b"upper"
    assert guest.one("write", f"{volume.TARGET}/new")["errno"] == 0
    volume.umounted(guest)
    assert not guest.left().more_than(before)


def test_disk_that_comes_during_the_mount(guest: Driven, unsalted: Layer) -> None:
    """It is waited for, as long as is said, and no longer."""
    request = Request(text(lookalike.kata_volume(unsalted)), devices=["SERIAL=latecomer"],
                      timeout=1)
    volume.refused(volume.mount(guest, request), "DEVICE_NOT_FOUND", "devices", "volume-0",
                   volume.NO_DISK)
    longer = Request(request.description, devices=request.devices, timeout=60)
    running = guest.start(*volume.command(guest, longer), stdin=longer.description)
    guest.plug(unsalted.disk, serial="latecomer")
    ended = guest.stop(running, guest.seconds(60))
    assert (ended.status, ended.killed) == (volume.DONE, False), ended
    volume.umounted(guest)
