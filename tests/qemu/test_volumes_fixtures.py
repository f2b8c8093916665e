# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Disks and descriptions of the real producers: each that can be right is mounted, and
its tree compared name by name with what the producer put into it; the others are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import pytest

from harness import fixtures, volume
from harness.bed import Bed
from harness.fixtures import by_path, differences, listing
from harness.guest import Driven
from harness.lookalike import text
from harness.vm import BLK, SCSI
from harness.volume import TARGET, Request

pytestmark = pytest.mark.fixtures

# Of a hard link nydus' image has the time of its last entry in the tar: MANIFEST.md.
LINKED = ["/bin/prog", "/bin/prog2", "/usr/prog3"]


@dataclass(frozen=True)
class Case:
    """What a producer wrote, its disks in the order of the volumes, and the tree of it."""

    description: str
    disks: tuple[str, ...]
    tree: str
    sidecars: tuple[str, ...] = ()
    allow: tuple[int, ...] = ()
    form: Optional[str] = None  # by content where not given
    upper: str = "none"
    root_mode: Optional[str] = None  # where the listing's is another image's
    loose: tuple[str, ...] = ()  # names whose time is not compared

    def __str__(self) -> str:
        return self.description.removesuffix(".json").replace("/", "-")

    def expected(self) -> dict[str, list[str]]:
        rows = listing(self.tree)
        if self.root_mode:
            rows["/"][fixtures.MODE] = self.root_mode
        return rows

    def request(self, references: list[str]) -> Request:
        needed = [(fixtures.FIXTURES / name).read_bytes() for name in self.sidecars]
        return Request(text(fixtures.description(self.description)), self.form, references, needed,
                       self.allow, upper=self.upper)


def layers(folder: str, suffix: str = "erofs") -> tuple[str, ...]:
    """Topmost first, as every list has them."""
    return tuple(f"{folder}/layer{number}.{suffix}" for number in (3, 2, 1))


def with_sidecars(folder: str, description: str) -> Case:
    return Case(description, layers(folder), "merged", layers(folder, "erofs.dmverity"))


FOUR = "containerd/verity-4096"
SMALL = "containerd/tar-index-512"
FSMETA = ("containerd/fsmeta/fsmeta.erofs", *[f"containerd/fsmeta/layer{n}.erofs" for n in (1, 2, 3)])
ONE = "containerd/one-layer"

CASES = [
    # A and A': one flat disk of nydus, as a volume and as containerd's shim gets it.
    Case("nydus/image_block_with_verity/volume-1.json",
         ("nydus/image_block_with_verity/image.disk",), "nydus-merged", form="kata-volume"),
    Case("nydus/image_block_with_verity/mounts.json",
         ("nydus/image_block_with_verity/image.disk",), "nydus-merged"),
    Case("nydus/image_block/mounts.json", ("nydus/image_block/image.disk",), "nydus-merged",
         allow=(0,)),
    # B: the one layer that deletes nothing.
    Case("nydus/layer_block_with_verity/volume-3.json",
         ("nydus/layer_block_with_verity/layer1.disk",), "layer1", loose=tuple(LINKED)),
    Case("nydus/layer_block/volume-3.json", ("nydus/layer_block/layer1.disk",), "layer1",
         allow=(0,), loose=tuple(LINKED)),
    # D and E: containerd's layers with their sidecars.
    *[with_sidecars(FOUR, f"{folder}/{name}") for folder, name in [
        (FOUR, "mounts.json"), (FOUR, "mounts-view.json"), ("containerd/cache", "mounts.json"),
        ("containerd/block", "mounts.json"), ("containerd/block", "mounts-shim.json")]],
    *[with_sidecars(SMALL, f"{SMALL}/{name}") for name in ("mounts.json", "mounts-view.json")],
    *[Case(f"{ONE}/{name}", (f"{FOUR}/layer1.erofs",), "layer1", (f"{FOUR}/layer1.erofs.dmverity",))
      for name in ("mounts.json", "mounts-view.json")],
    # G: one file system over three, none of them proved by its producer.
    *[Case(f"containerd/fsmeta/{name}", FSMETA, "merged", allow=(0, 1, 2, 3), root_mode="040777")
      for name in ("mounts.json", "mounts-view.json")],
]


def references(guest: Driven, bed: Bed, names: tuple[str, ...], bus: str) -> list[str]:
    return [guest.plug(fixtures.disk(bed, name), bus).reference for name in names]


def expect_tree(guest: Driven, expected: dict[str, list[str]], loose: tuple[str, ...] = ()) -> None:
    found = by_path(guest.tree(TARGET))
    for name in loose:
        found[name][fixtures.MTIME] = expected[name][fixtures.MTIME]
    wrong = differences(found, expected)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("bus", [BLK, SCSI])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_producers_disks(guest: Driven, bed: Bed, case: Case, bus: str) -> None:
    fixtures.needed("expected")
    request = case.request(references(guest, bed, case.disks, bus))
    volume.mounted(guest, request)
    expect_tree(guest, case.expected(), case.loose)
    told = volume.layers_of(guest)
    assert [layer["status"] for layer in told] == [
        None if number in case.allow else "V" for number in range(len(case.disks))], told
    ended = guest.run(volume.PROGRAM, "verify", TARGET, limit=60)
    if len(case.allow) == len(case.disks):
        volume.refused(ended, "VALUE_INVALID", "verify")
    else:
        assert ended.status == volume.DONE, ended
    volume.umounted(guest)


@pytest.mark.parametrize("case", [case for case in CASES if case.allow], ids=str)
def test_unverified_only_where_it_is_allowed(guest: Driven, bed: Bed, case: Case) -> None:
    """None is; and each but one is."""
    fixtures.needed("expected")
    request = case.request(["SERIAL=nobody"] * len(case.disks))
    for missing in case.allow:
        allow = [number for number in case.allow if number != missing]
        ended = volume.mount(guest, Request(request.description, devices=request.devices,
                                            allow=allow, upper="none"))
        volume.refused(ended, "VERITY_MISSING", volume=f"volume-{missing}")


# --- nydus' bootstrap, its data in the tars themselves ------------------------------------

# The bootstrap, and the tars in the order of its table of devices.
BOOTSTRAP = ("nydus/bootstrap/image.boot", "layers/layer3.tar", "layers/layer1.tar",
             "layers/layer2.tar")


def bootstrap(places: list[str]) -> Request:
    """In our own words: no producer describes it."""
    first, *slots = places
    layer = {"device": first, "fstype": "erofs", "devices": [{"device": slot} for slot in slots]}
    return Request(text({"version": 1, "layers": [layer]}), "socle", allow=range(len(places)))


def test_bootstrap_over_tars(guest: Driven, bed: Bed) -> None:
    fixtures.needed("expected")
    places = references(guest, bed, BOOTSTRAP, BLK)
    ended = volume.mount(guest, bootstrap([places[0], *places[2:], places[1]]))
    volume.refused(ended, "DEVICE_TOO_SMALL", "mounts", "volume-0")
    volume.refused(volume.mount(guest, bootstrap(places[:-1])), "MOUNT_FAILED", "mounts",
                   "volume-0", volume.SYSTEM)
    volume.mounted(guest, bootstrap(places))
    expect_tree(guest, listing("nydus-merged"))
    volume.umounted(guest)


# --- Kata's disk of partitions ---------------------------------------------------------


@pytest.mark.parametrize("bus, driver", [(BLK, "blk"), (SCSI, "scsi")])
@pytest.mark.parametrize("folder", ["kata/gpt-verity-4096", "kata/gpt-tar-index-512"])
@pytest.mark.parametrize("upper", ["none", None])
def test_kata_storages(guest: Driven, bed: Bed, folder: str, bus: str, driver: str,
                       upper: Optional[str]) -> None:
    """In any order, the disk where the guest has it; with an upper, but for the root's time."""
    fixtures.needed(folder)
    disk = guest.plug(fixtures.disk(bed, f"{folder}/disk.img"), bus)
    storages = [storage | {"source": disk.place, "driver": driver}
                for storage in fixtures.description(f"{folder}/storages.json")]
    volume.mounted(guest, Request(text(storages[1:] + storages[:1]), upper=upper))
    expect_tree(guest, listing("merged"), () if upper else ("/",))
    assert [layer["status"] for layer in volume.layers_of(guest)] == ["V"] * 3
    volume.umounted(guest)


# --- what must not be mounted ------------------------------------------------------------


def test_deletions_of_nydus(guest: Driven, bed: Bed) -> None:
    """B: deleted files would come back. Also where nobody asked for verity."""
    fixtures.needed("nydus")
    for folder, allow in [("layer_block_with_verity", ()), ("layer_block", (0, 1, 2))]:
        names = layers(f"nydus/{folder}", "disk")
        request = Case(f"nydus/{folder}/mounts.json", names, "", allow=allow).request(
            references(guest, bed, names, BLK))
        sentence = volume.refused(volume.mount(guest, request), "DELETIONS_IGNORED", "mounts",
                                  "volume-0")
        assert ".wh." in sentence
        guest.unplug_all()


@pytest.mark.parametrize("order, code", [
    ((1, 3, 2), "DEVICE_TOO_SMALL"), ((1, 1, 3), "MOUNT_FAILED"), ((1, 2, 2), "MOUNT_FAILED")])
def test_other_devices(guest: Driven, bed: Bed, order: tuple[int, ...], code: str) -> None:
    """G: the kernel mounts it and gives other files' bytes; by size or by UUID it is seen."""
    fixtures.needed("containerd/fsmeta")
    names = (FSMETA[0], *[FSMETA[number] for number in order])
    request = Case("containerd/fsmeta/mounts.json", names, "", allow=(0, 1, 2, 3)).request(
        references(guest, bed, names, BLK))
    told = volume.failure(volume.mount(guest, request))
    assert (told.code, told.step, told.volume) == (code, "mounts", "volume-0"), told


@pytest.mark.parametrize("name, code, at", [
    ("nydus/mixed/mounts.json", "VERITY_MISSING", "volume-1"),
    ("nydus/mixed/mounts-fallback.json", "DESCRIPTION_INVALID", "-"),
    ("nydus/guest_pull/mounts.json", "DESCRIPTION_INVALID", "-"),
    ("nydus/image_block/mounts.json", "VERITY_MISSING", "volume-0"),
    ("containerd/fsmeta-verity/mounts.json", "VERITY_MISSING", "volume-0"),
    ("kata/one-layer/storages.json", "VERITY_MISSING", "volume-0"),
    ("kata/one-layer-rw/storages.json", "DESCRIPTION_UNSUPPORTED", "-"),
    ("kata/guest-pull/storages.json", "DESCRIPTION_INVALID", "-"),
    (FOUR + "/mounts.json", "VERITY_MISSING", "volume-0"),  # without its sidecars
])
def test_refused_as_it_came(guest: Driven, name: str, code: str, at: str) -> None:
    fixtures.needed("nydus")
    request = Request(text(fixtures.description(name)), devices=["SERIAL=nobody"])
    volume.refused(volume.mount(guest, request), code, volume=at)


# Lines of refuse.jsonl that are refused before any device is looked at, by their names.
AT_ONCE = {
    "ROOT_HASH_MISSING": "missing-hash roothash-none",
    "ROOT_HASH_INVALID": "hash-63 hash-nonhex hash-space",
    "KEY_REPEATED": "duplicate-key lowerdir-twice",
    "DESCRIPTION_UNSUPPORTED": "nydusd",
    "VERITY_MISSING": "nydus-mixed containerd-native containerd-fsmeta containerd-fsmeta-mixed "
                      "storage-mixed",
    "VERITY_PARAMS_INVALID": "missing-blocknum missing-blocksize missing-offset blocknum-zero "
                             "blocksize-768 blocksize-256 blocksize-1M offset-unaligned "
                             "offset-inside hashtype-sha1 hashtype-md5 salt-odd salt-300 "
                             "hashoffset-none hashoffset-unaligned enabled-false enabled-TRUE",
    "DESCRIPTION_INVALID": "nydus-fallback blocknum-2^64 blocknum-negative blocknum-float "
                           "offset-overflow hash-newline fs_type-injection option-device option-rw "
                           "type-unknown trailing base64-broken source-path template-range "
                           "sidecar-twice partition-same partition-0 partition-none",
}

# With the disk that they are about: step and code.
WITH_DISK = {
    "nydus-layers-whiteouts": ("mounts", "DELETIONS_IGNORED"),
    "offset-plus-superblock": ("verity", "DEVICE_TOO_SMALL"),
    "blocksize-4096": ("verity", "DATA_CORRUPT"),
    "salt-wrong": ("verity", "ROOT_HASH_MISMATCH"),
    "fsmeta-too-few": ("mounts", "MOUNT_FAILED"),
    "fsmeta-none": ("mounts", "MOUNT_FAILED"),
}

MOUNTED = {"blocknum-from-offset", "hashtype-case", "storage-order-ok"}


def rows() -> dict[str, dict[str, Any]]:
    path = fixtures.needed("refuse") / "refuse.jsonl"
    return {row["name"]: row for row in fixtures.lines(path)}


def request_of(row: dict[str, Any], references: list[str], **more: Any) -> Request:
    described = row["raw"].encode() if row["input"] is None else text(row["input"])
    return Request(described, row["from"], references, **more)


def test_each_line_is_in_a_table() -> None:
    known = {name for names in AT_ONCE.values() for name in names.split()}
    assert known | set(WITH_DISK) | MOUNTED == set(rows())


@pytest.mark.parametrize("code", list(AT_ONCE))
def test_refused_at_once(guest: Driven, code: str) -> None:
    """No device is there, and all that a caller could say beside it is said."""
    all_rows = rows()
    sidecars = [(fixtures.FIXTURES / name).read_bytes() for name in layers(FOUR, "erofs.dmverity")]
    for name in AT_ONCE[code].split():
        row = all_rows[name]
        given = sidecars if name in ("template-range", "lowerdir-twice", "sidecar-twice") else ()
        disk = [] if row["from"] == "kata-storage" else ["SERIAL=nobody"]
        ended = volume.mount(guest, request_of(row, disk, sidecars=given))
        told = volume.failure(ended)
        assert (told.code, told.step, ended.status) == (code, "describe", volume.REFUSED), (name, told)


@pytest.mark.parametrize("name, folder, disks, allow", [
    ("nydus-layers-whiteouts", "nydus/layer_block_with_verity", layers("", "disk"), ()),
    *[(name, "nydus/image_block_with_verity", ("/image.disk",), ())
      for name in ("offset-plus-superblock", "blocksize-4096", "salt-wrong")],
    ("fsmeta-too-few", "containerd/fsmeta", ("/fsmeta.erofs", "/layer1.erofs", "/layer2.erofs"),
     (0, 1, 2)),
    ("fsmeta-none", "containerd/fsmeta", ("/fsmeta.erofs",), (0,)),
])
def test_refused_with_its_disk(guest: Driven, bed: Bed, name: str, folder: str,
                               disks: tuple[str, ...], allow: tuple[int, ...]) -> None:
    row = rows()[name]
    given = references(guest, bed, tuple(f"{folder}{disk}" for disk in disks), BLK)
    told = volume.failure(volume.mount(guest, request_of(row, given, allow=allow, upper="tmpfs")))
    assert (told.step, told.code, told.volume) == (*WITH_DISK[name], "volume-0"), told


@pytest.mark.parametrize("name, block", [("blocknum-from-offset", 5220), ("hashtype-case", None)])
def test_mounted_and_verified(guest: Driven, bed: Bed, name: str, block: Optional[int]) -> None:
    """The first has its files right, and blocks behind them that nothing proves: verify says so."""
    folder = "nydus/image_block_with_verity"
    given = references(guest, bed, (f"{folder}/image.disk",), BLK)
    volume.mounted(guest, request_of(rows()[name], given))
    expect_tree(guest, listing("nydus-merged"))
    ended = guest.run(volume.PROGRAM, "verify", TARGET, limit=60)
    if block is None:
        assert ended.status == volume.DONE, ended
    else:
        sentence = volume.refused(ended, "DATA_CORRUPT", "verify", "volume-0", volume.NO_MATCH)
        assert f"block {block}" in sentence, sentence
    volume.umounted(guest)
