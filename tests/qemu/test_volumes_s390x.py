# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Volumes on s390x: a big-endian guest, disks on channel devices that come while it runs,
and in them what was made on another machine.
"""

from __future__ import annotations

from hashlib import sha256

import pytest

from harness import fixtures, lookalike, oci, volume
from harness.bed import Bed, filler
from harness.fixtures import by_path, differences, listing
from harness.guest import Driven
from harness.image import Layer
from harness.lookalike import text
from harness.volume import TARGET, Request, devices


# Two levels of hashes, and no more than an emulated processor hashes in a second or two.
SIZE = 600000


@pytest.fixture
def guest(channel_guest: Driven) -> Driven:
    return channel_guest


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    return bed.image([oci.file("name", "lower"), oci.file("filler", filler("lower", SIZE))],
                     [oci.file("name", "upper")], salt="none")


def life(guest: Driven, request: Request, expected: list[str]) -> None:
    """Mounted, all of it read, verified, and gone."""
    before = guest.left()
    volume.mounted(guest, request, limit=60)
    tree = by_path(guest.tree(TARGET))
    assert list(tree) == expected
    assert guest.content(f"{TARGET}/name") == b"upper"
    assert tree["/filler"][fixtures.CONTENT] == sha256(filler("lower", SIZE)).hexdigest()
    ended = guest.run(volume.PROGRAM, "verify", TARGET, limit=60)
    assert ended.status == volume.DONE, ended
    assert [layer["status"] for layer in volume.layers_of(guest)] == ["V", "V"]
    volume.umounted(guest)
    assert not guest.await_nothing_more_than(before)


NAMES = ["/", "/filler", "/name"]


def test_nydus(guest: Driven, layers: list[Layer]) -> None:
    disks = [guest.plug(layer.disk) for layer in layers]
    volumes = [lookalike.kata_volume(layer) for layer in layers]
    life(guest, Request(text(volumes), devices=devices(disks), upper="tmpfs"), NAMES)


def test_containerd(guest: Driven, layers: list[Layer]) -> None:
    disks = [guest.plug(layer.disk) for layer in layers]
    life(guest, Request(text(lookalike.containerd(layers)), devices=devices(disks),
                        sidecars=[lookalike.sidecar(layer) for layer in layers]), NAMES)


def test_kata_disk_by_its_bus_id(guest: Driven, bed: Bed, layers: list[Layer]) -> None:
    disk = guest.plug(lookalike.gpt_disk(bed.path("gpt.disk"), layers))
    storages = lookalike.kata_storages(layers, disk.place, "blk-ccw")
    life(guest, Request(text(storages)), NAMES)


def test_wrong_root_hash(guest: Driven, layers: list[Layer]) -> None:
    disk = guest.plug(layers[0].disk)
    request = Request(text(lookalike.kata_volume(layers[0], hash="0" * 64)),
                      devices=[disk.reference])
    volume.refused(volume.mount(guest, request), "ROOT_HASH_MISMATCH", "verity", "volume-0",
                   volume.NO_MATCH)


@pytest.mark.fixtures
@pytest.mark.parametrize("folder, names, tree", [
    ("nydus/image_block_with_verity", ["image.disk"], "nydus-merged"),
    ("containerd/verity-4096", ["layer3.erofs", "layer2.erofs", "layer1.erofs"], "merged"),
    ("containerd/tar-index-512", ["layer3.erofs", "layer2.erofs", "layer1.erofs"], "merged"),
    ("kata/gpt-verity-4096", ["disk.img"], "merged"),
    ("kata/gpt-tar-index-512", ["disk.img"], "merged"),
])
def test_producers_disks(guest: Driven, bed: Bed, folder: str, names: list[str], tree: str) -> None:
    """Made on x86_64."""
    path = fixtures.needed(folder)
    disks = [guest.plug(fixtures.disk(bed, f"{folder}/{name}")) for name in names]
    if folder.startswith("kata"):
        storages = [storage | {"source": disks[0].place, "driver": "blk-ccw"}
                    for storage in fixtures.description(f"{folder}/storages.json")]
        request = Request(text(storages), upper="none")
    else:
        sidecars = [(path / f"{name}.dmverity").read_bytes() for name in names
                    if name.endswith(".erofs")]
        request = Request((path / "mounts.json").read_bytes(), devices=devices(disks),
                          sidecars=sidecars, upper="none")
    volume.mounted(guest, request, limit=60)
    wrong = differences(by_path(guest.tree(TARGET)), listing(tree))
    assert not wrong, "\n".join(wrong)
    volume.umounted(guest)
