# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Each format of socle-image disk, in a guest, by the dialect that it is for. What
the field's own tools read in them is in tests/check/check_disks.sh.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import expect, formats, machines, oci, pmem, uki, volume
from harness.attached import NVME, Attached
from harness.bed import Bed, Result, filler
from harness.formats import Made, paths
from harness.guest import Driven
from harness.image import Layer, run_tool
from harness.pmem import NVDIMM, VIRTIO
from harness.vm import BLK, SCSI, Disk
from harness.volume import Request

# In the block that is read first.
EROFS_SUPERBLOCK = 1024


@pytest.fixture
def stack(bed: Bed) -> list[Layer]:
    """Topmost first; the root comes from both."""
    return bed.image(bed.base("path /etc/upper"), [oci.file("etc/upper", "upper")])


def expect_kata(result: Result, made: Made, names: list[str]) -> None:
    """By Kata's own words devices have other names than layers of ours."""
    report = result.report
    assert not report.failures and report.agent_finished, result.outcome
    devices = report.all("dm")
    assert sorted(device["name"] for device in devices) == sorted(names), devices
    for device in devices:
        assert device["status"].split()[0] == "V", device
        assert made.root_hash in device["table"].split(), device


# --- data and tree --------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], ["--no-superblock"], ["--fec", "2"]], ids=" ".join)
def test_verity(bed: Bed, one: list[Layer], options: list[str]) -> None:
    made = formats.make(bed, "verity", paths(one), *options)
    serial = made.report["volumes"][0]["serial"]
    expect.success(bed.boot(bed.machine([Disk(made.disk, serial)], [made.cmdline])), made.layers)


def fec_disks(bed: Bed, made: Made, *flipped: int) -> list[Disk]:
    serial = made.report["volumes"][0]["serial"]
    return [Disk(bed.flipped(made.disk, *flipped), serial),
            Disk(made.beside(".hash"), f"{serial}-hash"), Disk(made.beside(".fec"), f"{serial}-fec")]


def test_hash_file_with_parity(bed: Bed, one: list[Layer]) -> None:
    """A flipped byte, which the parity mends."""
    made = formats.make(bed, "hash-file", paths(one), "--fec", "2")
    machine = bed.machine(fec_disks(bed, made, EROFS_SUPERBLOCK), [made.cmdline])
    result = bed.boot(machine)
    expect.success(result, made.layers)
    assert "use_fec_from_device" in result.report.layers()[0]["table"]


def test_hash_file_with_too_little_parity(bed: Bed, one: list[Layer]) -> None:
    made = formats.make(bed, "hash-file", paths(one), "--fec", "2", "--no-superblock")
    blocks = range(one[0].tree.data_blocks)
    machine = bed.machine(fec_disks(bed, made, *[block * 4096 + EROFS_SUPERBLOCK
                                                 for block in blocks]), [made.cmdline])
    expect.failure(bed.boot(machine), "DATA_CORRUPT", "verity", "layer-0")


# --- Kata -----------------------------------------------------------------------------


def kata_line(made: Made, disk: str) -> str:
    """What the runtime makes of its configuration (hypervisor.go GetKernelRootParams)."""
    p = dict(word.split("=") for word in made.report["kernel_verity_params"].split(","))
    assert made.beside(".root_hash.txt").read_text() == made.report["kernel_verity_params"] + "\n"
    sectors = int(p["data_blocks"]) * int(p["data_block_size"]) // 512
    return (f'dm-mod.create="dm-verity,,,ro,0 {sectors} verity 1 /dev/{disk}1 /dev/{disk}2 '
            f'{p["data_block_size"]} {p["hash_block_size"]} {p["data_blocks"]} 0 sha256 '
            f'{p["root_hash"]} {p["salt"]}" root=/dev/dm-0 rootflags=ro rootfstype=erofs')


@pytest.mark.parametrize("options", [[], ["--dax-header"]], ids=["plain", "dax"])
def test_kata(bed: Bed, one: list[Layer], options: list[str]) -> None:
    made = formats.make(bed, "kata", paths(one), *options)
    result = bed.boot(bed.machine([Disk(made.disk)], [kata_line(made, "vda")]))
    expect_kata(result, made, ["dm-verity"])


@pytest.mark.parametrize("device", [NVDIMM, VIRTIO], ids=["nvdimm", "virtio"])
def test_kata_as_memory(bed: Bed, one: list[Layer], device: str) -> None:
    made = formats.make(bed, "kata", paths(one), "--dax-header")
    machine = pmem.machine(bed.machine([], [kata_line(made, "pmem0p")]), made.disk, device)
    machine.initramfs = bed.initramfs(pmem.MODULES[device])
    expect_kata(bed.boot(machine), made, ["dm-verity"])


def test_kata_by_our_keys(bed: Bed, one: list[Layer]) -> None:
    made = formats.make(bed, "kata", paths(one))
    expect.success(bed.boot(bed.machine([Disk(made.disk)], [made.cmdline])), made.layers)


def test_kata_extension(bed: Bed, one: list[Layer]) -> None:
    root = formats.make(bed, "kata", paths(one))
    made = formats.make(bed, "kata-extension", paths(one), "--name", "coco")
    disks = [Disk(root.disk), Disk(made.disk, made.report["serial"])]
    result = bed.boot(bed.machine(disks, [kata_line(root, "vda"), made.report["kernel_parameter"]]))
    expect_kata(result, made, ["dm-verity", "extension-coco"])
    assert result.report.mounts()["/run/kata-extensions/coco"].fstype == "erofs"


@pytest.mark.parametrize("bus, driver", [(BLK, "blk"), (SCSI, "scsi")])
def test_kata_gpt(guest: Driven, bed: Bed, stack: list[Layer], bus: str, driver: str) -> None:
    """The Storage messages, but for where the disk was plugged in."""
    made = formats.make(bed, "kata-gpt", paths(stack), "--source", "02")
    disk = guest.plug(made.disk, bus)
    storages = json.loads(made.beside(".storages.json").read_text())
    for storage in storages:
        storage |= {"source": disk.place, "driver": driver}
    volume.mounted(guest, Request(json.dumps(storages).encode(), "kata-storage"))
    assert guest.content(f"{volume.TARGET}/etc/upper") == b"upper"
    assert guest.content(f"{volume.TARGET}/opt/filler") == filler("base")
    volume.umounted(guest)


# --- GPT ------------------------------------------------------------------------------


@pytest.mark.parametrize("sector, driver", [(512, None), (4096, None), (4096, NVME)])
def test_layers(bed: Bed, stack: list[Layer], sector: int, driver: str | None) -> None:
    made = formats.make(bed, "layers", [stack[0].disk.with_name("image.json")], "--sector-size",
                        str(sector))
    disk = Attached(made.disk, "layers", driver=driver, sector=sector)
    result = bed.boot(bed.machine([disk], [made.cmdline]))
    expect.success(result, made.layers)
    assert result.report.content("/etc/upper") == "upper"


@pytest.mark.parametrize("sector", [512, 4096])
def test_dps(bed: Bed, one: list[Layer], sector: int) -> None:
    """Its root hash is all that the line has."""
    made = formats.make(bed, "dps", paths(one), "--arch", "x86_64", "--sector-size", str(sector))
    line = made.report["kernel_parameter"]
    assert line == f"roothash={made.root_hash}"
    result = bed.boot(bed.machine([Attached(made.disk, sector=sector)], [line]))
    expect_kata(result, made, ["root"])


def test_dps_from_its_own_efi_partition(bed: Bed, one: list[Layer]) -> None:
    """Nothing but the disk: the firmware starts kernel, initramfs and command line from it."""
    root_hash = one[0].params["root_hash"]
    machine = bed.machine([], [f"roothash={root_hash}"], machines.Q35_EFI, memory_mib=512, limit=90)
    program = uki.make(machine, bed.path("uki.efi"))
    made = formats.make(bed, "dps", paths(one), "--arch", "x86_64", "--uki", program)
    assert made.root_hash == root_hash
    machine.disks = [Disk(made.disk)]
    expect_kata(bed.boot(uki.from_disk(machine)), made, ["root"])


# --- at run time ----------------------------------------------------------------------


def test_containerd(guest: Driven, bed: Bed, stack: list[Layer]) -> None:
    mounts, sidecars, disks = [], [], []
    for number, layer in enumerate(stack):
        made = formats.make(bed, "containerd", [layer.disk])
        blob = made.disk.rename(bed.path(f"{number}.erofs"))
        sidecars.append(made.beside(".dmverity").read_bytes())
        disks.append(guest.plug(blob))
        mounts.append({"type": "erofs", "source": f"/host/{number}/layer.erofs", "target": "",
                       "options": ["ro", "loop",
                                   f"X-containerd.dmverity=/host/{number}/layer.erofs.dmverity"]})
    mounts.append({"type": "format/mkdir/overlay", "source": "overlay", "target": "", "options": [
        "workdir=/host/4/work", "upperdir=/host/4/fs", "lowerdir={{ overlay 0 1 }}"]})
    volume.mounted(guest, Request(json.dumps(mounts).encode(), "containerd",
                                  devices=volume.devices(disks), sidecars=sidecars, upper="tmpfs"))
    assert guest.content(f"{volume.TARGET}/etc/upper") == b"upper"
    assert guest.content(f"{volume.TARGET}/opt/filler") == filler("base")
    volume.umounted(guest)


def small_blocks(bed: Bed, directory: Path) -> Path:
    """An erofs of blocks of 512 bytes, as a tarfs has them."""
    image = bed.path("small.erofs")
    directory.mkdir()
    (directory / "file").write_bytes(filler("small"))
    run_tool("mkfs.erofs", "-b512", "-T1", "--all-root", image, directory)
    return image


@pytest.mark.parametrize("small", [False, True], ids=["4096", "512"])
def test_nydus(guest: Driven, bed: Bed, one: list[Layer], small: bool) -> None:
    """Its tree is no tree of veritysetup's, and the kernel takes it."""
    image = small_blocks(bed, bed.path("root")) if small else one[0].disk
    made = formats.make(bed, "nydus", [image])
    description = made.beside(".volume.json").read_bytes()
    assert json.loads(description)["dm_verity"]["blocksize"] == (512 if small else 4096)
    disk = guest.plug(made.disk)
    volume.mounted(guest, Request(description, "kata-volume", devices=[disk.reference]))
    name = "file" if small else "opt/filler"
    assert guest.content(f"{volume.TARGET}/{name}") == filler("small" if small else "base")
    ended = guest.run(volume.PROGRAM, "verify", volume.TARGET, limit=60)
    assert (ended.status, ended.err) == (volume.DONE, ""), ended
    volume.umounted(guest)
