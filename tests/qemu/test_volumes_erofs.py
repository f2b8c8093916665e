# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Layers as only the producers' tools make them, made here with mkfs.erofs: an index in front
of a tar, deletions as nydus has them, and one file system whose data are on others.
"""

from __future__ import annotations

import os
import struct
import uuid
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Optional, Sequence

import pytest

from harness import lookalike, oci, volume
from harness.bed import Bed, filler
from harness.guest import Driven
from harness.image import Layer, run_tool, seal_layer
from harness.lookalike import text
from harness.vm import BLK, SCSI
from harness.volume import TARGET, Request, devices

# containerd's default; its layers of tars have hash blocks as small as the data's.
SALT = "00" * 32
SMALL = 512


def folder(bed: Bed, name: str, files: dict[str, bytes]) -> Path:
    root = bed.path(f"{name}.d")
    root.mkdir()
    for file, content in files.items():
        (root / file).write_bytes(content)
    return root


def erofs(bed: Bed, name: str, files: dict[str, bytes], *options: str) -> Path:
    image = bed.path(f"{name}.erofs")
    run_tool("mkfs.erofs", "-T1", "--all-root", *options, image, folder(bed, name, files))
    return image


# --- an index in front of a tar -------------------------------------------------------------


def tar_index(bed: Bed, name: str, files: dict[str, bytes]) -> Layer:
    """As containerd's differ makes it: 512/512, the superblock right behind the data."""
    tar, index = bed.path(f"{name}.tar"), bed.path(f"{name}.index")
    tar.write_bytes(oci.layer_tar([oci.file(file, content) for file, content in files.items()]))
    run_tool("mkfs.erofs", "-T1", "--tar=i", index, tar)
    data = index.read_bytes() + tar.read_bytes()
    size = len(data)
    assert size % SMALL == 0 and size % 4096, "the offset must be no whole number of pages"
    index.write_bytes(data)
    said = run_tool("veritysetup", "format", index, index, f"--hash-offset={size}",
                    f"--salt={SALT}", f"--data-blocks={size // SMALL}",
                    f"--data-block-size={SMALL}", f"--hash-block-size={SMALL}")
    root_hash = next(line.split()[-1] for line in said.splitlines() if line.startswith("Root hash"))
    return Layer(index, {"root_hash": root_hash, "salt": SALT, "data_blocks": str(size // SMALL),
                         "data_block_size": str(SMALL), "hash_block_size": str(SMALL)})


@pytest.fixture
def indexed(bed: Bed) -> list[Layer]:
    return [tar_index(bed, "upper", {"name": b"upper", "more": filler("more", 5000)}),
            tar_index(bed, "lower", {"name": b"lower", "filler": filler("lower", 300001)})]


def expect_indexed(guest: Driven, request: Request) -> None:
    volume.mounted(guest, request)
    assert guest.content(f"{TARGET}/name") == b"upper"
    assert guest.content(f"{TARGET}/filler") == filler("lower", 300001)
    assert guest.content(f"{TARGET}/more") == filler("more", 5000)
    assert [layer["status"] for layer in volume.layers_of(guest)] == ["V", "V"]
    volume.umounted(guest)


def test_index_by_its_sidecar(guest: Driven, indexed: list[Layer]) -> None:
    """Nothing but the superblock says how large its blocks are."""
    disks = [guest.plug(layer.disk) for layer in indexed]
    expect_indexed(guest, Request(text(lookalike.containerd(indexed)), devices=devices(disks),
                                  sidecars=[lookalike.sidecar(layer) for layer in indexed]))


def test_index_on_a_partition(guest: Driven, bed: Bed, indexed: list[Layer]) -> None:
    """Kata's agent takes blocks of 4096 bytes for granted."""
    disk = guest.plug(lookalike.gpt_disk(bed.path("gpt.disk"), indexed))
    expect_indexed(guest, Request(text(lookalike.kata_storages(indexed, disk.place))))


# --- deletions as files ------------------------------------------------------------------------


@pytest.mark.parametrize("deleting", [0, 1])
def test_deletions_that_an_overlay_ignores(guest: Driven, bed: Bed, deleting: int) -> None:
    """The deleted file would come back. The lowest layer deletes nothing that there is."""
    layers = []
    for number, name in enumerate(["upper", "lower"]):
        more = {".wh.gone": b""} if number == deleting else {}
        image = erofs(bed, name, {"name": name.encode(), "gone": b"x"} | more)
        os.truncate(image, -(-image.stat().st_size // 4096) * 4096)
        layers.append(seal_layer(image, bed.path(f"{name}.disk"), data_block_size=SMALL))
    disks = [guest.plug(layer.disk) for layer in layers]
    before = guest.left()
    request = Request(text([lookalike.kata_volume(layer) for layer in layers]),
                      devices=devices(disks), upper="tmpfs")
    sentence = volume.refused(volume.mount(guest, request), "DELETIONS_IGNORED", "mounts",
                              f"volume-{deleting}")
    assert ".wh.gone" in sentence, sentence
    assert not guest.left().more_than(before)


# --- data on further devices ----------------------------------------------------------------------


@pytest.fixture
def split(bed: Bed) -> list[Path]:
    """containerd's fsmeta: what merges two layers, the lower and the upper; of one size."""
    layers = [erofs(bed, name, {name: name.encode(), "both": name.encode()}, "-Enoinline_data",
                    "-U", str(uuid.uuid4())) for name in ("lower", "upper")]
    merged = bed.path("fsmeta.erofs")
    run_tool("mkfs.erofs", "-T1", "--aufs", "--ovlfs-strip=1", merged, *layers)
    assert layers[0].stat().st_size == layers[1].stat().st_size
    return [merged, *layers]


def split_request(guest: Driven, disks: Sequence[Path],
                  allow: Optional[Sequence[int]] = None) -> Request:
    names = [f"/host/snapshots/{number}/layer.erofs" for number in range(len(disks))]
    mounts = [{"type": "erofs", "source": names[0], "target": "",
               "options": ["ro", "loop", *[f"device={name}" for name in names[1:]]]},
              {"type": "format/mkdir/overlay", "source": "overlay", "target": "", "options": [
                  "workdir=/host/work", "upperdir=/host/fs", "lowerdir={{ mount 0 }}"]}]
    return Request(text(mounts), devices=devices([guest.plug(disk) for disk in disks]),
                   allow=range(len(disks)) if allow is None else allow)


def test_data_on_further_devices(guest: Driven, split: list[Path]) -> None:
    """Nobody proves them: each must be allowed."""
    volume.mounted(guest, split_request(guest, split))
    assert guest.content(f"{TARGET}/both") == guest.content(f"{TARGET}/upper") == b"upper"
    assert guest.content(f"{TARGET}/lower") == b"lower"
    volume.umounted(guest)


# --- and verity of ours for each of them -----------------------------------------------------


def sealed(bed: Bed, disks: Sequence[Path], block_size: int = 4096) -> list[Layer]:
    """Padded to whole pages, behind which the tree begins."""
    made = []
    for disk in disks:
        os.truncate(disk, -(-disk.stat().st_size // 4096) * 4096)
        made.append(seal_layer(disk, bed.path(f"sealed-{disk.name}"), data_block_size=block_size))
    return made


def sealed_request(guest: Driven, layers: Sequence[Layer], bus: str = BLK,
                   order: Optional[Sequence[int]] = None) -> Request:
    places = [guest.plug(layers[number].disk, bus).reference
              for number in order or range(len(layers))]
    first, *others = [layers[number] for number in order or range(len(layers))]
    return Request(lookalike.socle_devices(first, others, places), "socle")


def expect_proved(guest: Driven, request: Request, files: dict[str, bytes]) -> None:
    before = guest.left()
    volume.mounted(guest, request)
    for name, content in files.items():
        assert guest.content(f"{TARGET}/{name}") == content
    assert sorted(line.split("\t")[0] for line in guest.tree(TARGET)) == [
        "/", *[f"/{name}" for name in sorted(files)]]
    assert {layer["status"] for layer in volume.layers_of(guest)} == {"V"}
    ended = guest.run(volume.PROGRAM, "verify", TARGET, limit=60)
    assert ended.status == volume.DONE, ended
    volume.umounted(guest)
    assert not guest.left().more_than(before)


SPLIT = {"both": b"upper", "lower": b"lower", "upper": b"upper"}


@pytest.mark.parametrize("bus", [BLK, SCSI])
def test_further_devices_proved(guest: Driven, bed: Bed, split: list[Path], bus: str) -> None:
    """G: nobody proves a merged file system; with a root hash for each it needs no leave."""
    expect_proved(guest, sealed_request(guest, sealed(bed, split), bus), SPLIT)


def test_further_devices_by_sidecars(guest: Driven, bed: Bed, split: list[Path]) -> None:
    """The list as containerd has it, and the numbers beside it: of its layers, and of ours."""
    layers = sealed(bed, split)
    request = split_request(guest, [layer.disk for layer in layers], ())
    sidecars = [lookalike.sidecar(layer) for layer in layers]
    expect_proved(guest, replace(request, sidecars=sidecars), SPLIT)
    volume.refused(volume.mount(guest, replace(request, sidecars=sidecars[:2])), "VERITY_MISSING",
                   volume="volume-2")


def test_further_devices_proved_and_wrong(guest: Driven, bed: Bed, split: list[Path]) -> None:
    """Each is what its hash says, and they are in each other's place: by UUID it is seen."""
    before = guest.left()
    layers = sealed(bed, split)
    ended = volume.mount(guest, sealed_request(guest, layers, order=(0, 2, 1)))
    volume.refused(ended, "MOUNT_FAILED", "mounts", "volume-0", volume.SYSTEM)
    wrong = [layers[0], Layer(layers[1].disk, layers[2].params), layers[2]]
    volume.refused(volume.mount(guest, sealed_request(guest, wrong)), "ROOT_HASH_MISMATCH",
                   "verity", "volume-1", volume.NO_MATCH)
    assert not guest.left().more_than(before)


# --- a bootstrap, its data in the tars themselves ---------------------------------------------

TARS = {"lower": {"both": b"lower", "lower": filler("lower", 9000)},
        "upper": {"both": b"upper", "upper": filler("upper", 700)}}


# Of an erofs superblock: where it is, where in it the number of slots and their place stand,
# and the bytes of a slot, which begins with its tag.
SUPERBLOCK, SLOT_FIELDS, SLOT_BYTES = 1024, 86, 128


def name_by_digest(image: Path, blobs: Sequence[Path]) -> None:
    """Nydus' tags: the digest of a blob in hex, where mkfs.erofs has the UUID of an index."""
    content = bytearray(image.read_bytes())
    count, slot = struct.unpack_from("<HH", content, SUPERBLOCK + SLOT_FIELDS)
    assert count == len(blobs)
    for number, blob in enumerate(blobs):
        at = (slot + number) * SLOT_BYTES
        content[at:at + 64] = sha256(blob.read_bytes()).hexdigest().encode()
    image.write_bytes(content)


@pytest.fixture
def bootstrap(bed: Bed) -> list[Path]:
    """C: an index over two tars, which are its devices as they are."""
    indices, tars = [], []
    for name, files in TARS.items():
        tars.append(bed.path(f"{name}.tar"))
        indices.append(bed.path(f"{name}.index"))
        tars[-1].write_bytes(oci.layer_tar([oci.file(file, content)
                                            for file, content in files.items()]))
        run_tool("mkfs.erofs", "-T1", "--tar=i", indices[-1], tars[-1])
    merged = bed.path("image.boot")
    run_tool("mkfs.erofs", "-T1", "-Enosbcrc", "--aufs", "--ovlfs-strip=1", merged, *indices)
    name_by_digest(merged, tars)
    return [merged, *tars]


@pytest.mark.parametrize("bus", [BLK, SCSI])
def test_bootstrap_over_tars(guest: Driven, bed: Bed, bootstrap: list[Path], bus: str) -> None:
    """Blocks of 512 bytes, and verity of ours for each of the three."""
    expect_proved(guest, sealed_request(guest, sealed(bed, bootstrap, SMALL), bus),
                  TARS["lower"] | TARS["upper"])


@pytest.mark.parametrize("order, allow, code, step, name", [
    ((0, 2, 1), (0, 1, 2), "MOUNT_FAILED", "mounts", "volume-0"),  # other files' bytes
    ((0, 1), (0, 1), "MOUNT_FAILED", "mounts", "volume-0"),
    ((0, 1, 2, 2), (0, 1, 2, 3), "MOUNT_FAILED", "mounts", "volume-0"),
    ((0,), (0,), "MOUNT_FAILED", "mounts", "volume-0"),  # each file an I/O error
    ((0, 1, 2), (0, 1), "VERITY_MISSING", "describe", "volume-2"),
    ((0, 1, 2), (), "VERITY_MISSING", "describe", "volume-0"),
])
def test_further_devices_refused(guest: Driven, split: list[Path], order: tuple[int, ...],
                                 allow: tuple[int, ...], code: str, step: str, name: str) -> None:
    """The kernel mounts each of them."""
    before = guest.left()
    request = split_request(guest, [split[number] for number in order], allow)
    volume.refused(volume.mount(guest, request), code, step, name,
                   volume.REFUSED if step == "describe" else volume.SYSTEM)
    assert not guest.left().more_than(before)
