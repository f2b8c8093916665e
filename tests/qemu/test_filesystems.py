# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
File systems that other tools make, below a layer of ours: mounted, or refused with the
reason. Each kind is made here; SOCLE_FIXTURES adds files of real producers, where it is.
"""

from __future__ import annotations

import lzma
import os
import re
from pathlib import Path
from typing import Optional

import pytest

from harness import expect, oci
from harness.bed import Bed, Result, filler
from harness.fixtures import FIXTURES
from harness.image import Layer, run_tool, seal_layer
from harness.vm import Disk

TEXT = "read through verity\n" * 500


def boot(bed: Bed, one: list[Layer], *below: Layer) -> Result:
    layers = [*one, *below]
    disks = [Disk(layer.disk, f"layer{number}") for number, layer in enumerate(layers)]
    named = [layer.argument(f"SERIAL=layer{number}") for number, layer in enumerate(layers)]
    return bed.boot(bed.machine(disks, named))


def tree(bed: Bed) -> Path:
    root = bed.path("tree")
    root.mkdir()
    (root / "text").write_text(TEXT)
    (root / "large").write_bytes(filler("large", 300000))
    return root


def erofs(bed: Bed, *options: str | Path, of: Optional[Path] = None) -> Path:
    image = bed.path("erofs")
    run_tool("mkfs.erofs", "-T1", "--all-root", *options, image, of or tree(bed))
    os.truncate(image, -(-image.stat().st_size // 4096) * 4096)
    return image


def change(image: Path, offset: int, content: bytes) -> None:
    with image.open("r+b") as file:
        file.seek(offset)
        file.write(content)


# --- made here ----------------------------------------------------------------------


def test_erofs_of_small_blocks(bed: Bed, one: list[Layer]) -> None:
    """With its checksum, which libblkid computes wrong, and a tar behind its index."""
    plain = seal_layer(erofs(bed, "-b512"), bed.path("plain"), data_block_size=512)
    tar = bed.path("tar")
    tar.write_bytes(oci.layer_tar([oci.file("from-tar", TEXT)]))
    index = bed.path("index")
    run_tool("mkfs.erofs", "-T1", "--tar=i", index, tar)
    assert index.stat().st_size % 512 == 0
    index.write_bytes(index.read_bytes() + tar.read_bytes())
    os.truncate(index, -(-index.stat().st_size // 4096) * 4096)
    behind = seal_layer(index, bed.path("behind"), data_block_size=512)
    result = boot(bed, one, plain, behind)
    expect.success(result, [*one, plain, behind])


def test_erofs_of_small_blocks_by_uuid(bed: Bed, one: list[Layer]) -> None:
    uuid = "11111111-2222-3333-4444-555555555555"
    layer = seal_layer(erofs(bed, "-b512", "-U", uuid, "-L", "small"), bed.path("plain"),
                       data_block_size=512)
    for reference in (f"UUID={uuid}", "LABEL=small"):
        result = bed.boot(bed.machine(
            [Disk(one[0].disk, "layer0"), Disk(layer.disk, "layer1")],
            [one[0].argument("SERIAL=layer0"), layer.argument(reference)]))
        expect.success(result, [*one, layer])


def test_erofs_with_data_elsewhere(bed: Bed, one: list[Layer]) -> None:
    bed.path("blob").touch()
    image = erofs(bed, "--chunksize=4096", f"--blobdev={bed.path('blob')}")
    result = boot(bed, one, seal_layer(image, bed.path("disk")))
    sentence = expect.failure(result, "MOUNT_FAILED", "mounts", "layer-1")
    assert sentence == ("the erofs has its data on 1 further device, and the volume names none")


def test_blocks_smaller_than_those_of_verity(bed: Bed, one: list[Layer]) -> None:
    result = boot(bed, one, seal_layer(erofs(bed, "-b512"), bed.path("disk")))
    sentence = expect.failure(result, "VERITY_PARAMS_INVALID", "mounts", "layer-1")
    assert sentence.startswith("the erofs has blocks of 512 bytes, and verity's are 4096")


def test_ext4_of_small_blocks(bed: Bed, one: list[Layer]) -> None:
    image = bed.path("ext4")
    run_tool("mke2fs", "-q", "-F", "-t", "ext4", "-b", "1024", "-d", tree(bed), image, "8M")
    result = boot(bed, one, seal_layer(image, bed.path("disk")))
    sentence = expect.failure(result, "VERITY_PARAMS_INVALID", "mounts", "layer-1")
    assert sentence.startswith("the ext4 has blocks of 1024 bytes, and verity's are 4096")


def test_feature_that_the_kernel_lacks(bed: Bed, one: list[Layer]) -> None:
    """A bit that no kernel knows, for those that will know 48 bits; without a checksum."""
    image = erofs(bed)
    change(image, 1024 + 8, b"\x00\x00\x00\x00")
    change(image, 1024 + 80, b"\x00\x00\x00\x40")
    result = boot(bed, one, seal_layer(image, bed.path("disk")))
    sentence = expect.failure(result, "KERNEL_FEATURE_MISSING", "mounts", "layer-1")
    assert "feature 40000000" in sentence, sentence


# --- of real producers --------------------------------------------------------------


def fixture(bed: Bed, folder: str, name: str) -> Layer:
    """A file of the fixtures with the numbers that their list has for it."""
    packed = FIXTURES / folder / f"{name}.xz"
    if not packed.exists():
        pytest.skip(f"{packed} is not there")
    section = (FIXTURES / "MANIFEST.md").read_text().split(f"### {folder}/\n")[1].split("###")[0]
    row = next(line for line in section.splitlines() if line.startswith(f"| {name}.xz "))
    found = re.search(r"(\d+)/(\d+), N=(\d+), hash_start=(\d+) ?.*?, salt (\S+)(?: zero bytes)?, "
                      r"root ([0-9a-f]+)", row)
    assert found, row
    data, hashed, blocks, start, salt, root = found.groups()
    disk = bed.path(name)
    disk.write_bytes(lzma.decompress(packed.read_bytes()))
    return Layer(disk, {"root_hash": root, "data_blocks": blocks, "data_block_size": data,
                        "hash_block_size": hashed, "hash_start": start,
                        "salt": "00" * 32 if salt == "32" else salt})


@pytest.mark.fixtures
@pytest.mark.parametrize("folder, names", [
    ("containerd/tar-index-512", ["layer3.erofs", "layer2.erofs", "layer1.erofs"]),
    ("containerd/verity-4096", ["layer3.erofs", "layer2.erofs", "layer1.erofs"]),
    ("filesystems", ["b512-512.img", "tari-512.img", "ztail.img", "ext4-4096.img"]),
])
def test_fixtures_that_mount(bed: Bed, one: list[Layer], folder: str, names: list[str]) -> None:
    layers = [fixture(bed, folder, name) for name in names]
    result = boot(bed, one, *layers)
    expect.success(result, [*one, *layers])


@pytest.mark.fixtures
@pytest.mark.parametrize("name, code, words", [
    ("blobdev.img", "MOUNT_FAILED", "its data on 1 further device"),
    ("b512.img", "VERITY_PARAMS_INVALID", "the erofs has blocks of 512 bytes"),
    ("tari.img", "MOUNT_FAILED", "its data on 1 further device"),
    ("ext4-1024.img", "VERITY_PARAMS_INVALID", "the ext4 has blocks of 1024 bytes"),
    ("dotomit.img", "KERNEL_FEATURE_MISSING", "feature 80"),
    ("metabox-48bit.img", "KERNEL_FEATURE_MISSING", "feature 180"),
])
def test_fixtures_that_do_not(bed: Bed, one: list[Layer], name: str, code: str, words: str) -> None:
    result = boot(bed, one, fixture(bed, "filesystems", name))
    assert words in expect.failure(result, code, "mounts", "layer-1")
