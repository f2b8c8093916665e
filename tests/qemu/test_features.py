# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Kernels without something that the plan needs: the line names the option. Debian's
kernel has nearly everything as a module, so what it lacks is a module that was not
loaded.
"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from harness import expect
from harness.bed import Bed
from harness.image import Layer, seal_layer
from harness.vm import Disk

SQUASHFS_MAGIC, SQUASHFS_LZMA = 0x73717368, 2


def without(bed: Bed, *modules: str) -> Path:
    """The initramfs with these lines of its list of modules emptied: empty lines do not count."""
    data = bed.initramfs().read_bytes()
    for module in modules:
        line = f"{module}.ko\n".encode()
        assert data.count(b"\n" + line) == 1, f"{module} is not in the list of modules"
        data = data.replace(b"\n" + line, b"\n" * (len(line) + 1))
    path = bed.path("initramfs")
    path.write_bytes(data)
    return path


@pytest.mark.prebuilt
@pytest.mark.parametrize("modules, step, volume, option", [
    (["dm_verity"], "verity", "-", "CONFIG_DM_VERITY"),
    (["dm_verity", "dm_bufio", "dm_mod"], "verity", "-", "CONFIG_BLK_DEV_DM"),
    (["erofs"], "mounts", "layer-0", "CONFIG_EROFS_FS"),
    (["overlay"], "mounts", "-", "CONFIG_OVERLAY_FS"),
], ids=lambda value: value[-1] if isinstance(value, list) else None)
def test_module_missing(bed: Bed, one: list[Layer], modules: list[str], step: str, volume: str,
                        option: str) -> None:
    machine = bed.machine([Disk(one[0].disk, "layer0")], [one[0].argument("SERIAL=layer0")])
    machine.initramfs = without(bed, *modules)
    sentence = expect.failure(bed.boot(machine), "KERNEL_FEATURE_MISSING", step, volume)
    assert option in sentence.replace(",", " ").split(), sentence
    assert "module" in sentence, sentence


@pytest.mark.prebuilt
def test_file_system_missing(bed: Bed, one: list[Layer]) -> None:
    layer = one[0].argument("SERIAL=layer0", fstype="squashfs")
    result = bed.boot(bed.machine([Disk(one[0].disk, "layer0")], [layer]))
    sentence = expect.failure(result, "KERNEL_FEATURE_MISSING", "mounts", "layer-0")
    assert "CONFIG_SQUASHFS " in sentence


def test_squashfs_compression_missing(bed: Bed) -> None:
    """The one compression that no kernel has, so no option is named; but the kernel's words are."""
    start = struct.pack("<IIIIIHHHHHH", SQUASHFS_MAGIC, 1, 0, 131072, 0, SQUASHFS_LZMA, 17, 0, 1, 4, 0)
    bed.path("squashfs").write_bytes(start.ljust(8192, b"\0"))
    layer = seal_layer(bed.path("squashfs"), bed.path("squashfs.disk"))
    machine = bed.machine([Disk(layer.disk, "layer0")],
                          [layer.argument("SERIAL=layer0", fstype="squashfs")])
    machine.initramfs = bed.initramfs(modules=["squashfs"])
    sentence = expect.failure(bed.boot(machine), "MOUNT_FAILED", "mounts", "layer-0")
    assert 'Filesystem uses "lzma" compression. This is not supported' in sentence
