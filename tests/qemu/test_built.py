# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
What only a kernel of kernel-config/ can show. Everything else in this folder is
booted on it as well (make test KERNEL=built), unless it is marked prebuilt.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from harness import expect
from harness.bed import REPOSITORY, Bed, Programs
from harness.image import Layer, run_tool
from harness.machines import MICROVM, Q35, Q35_EFI, Kind
from harness.vm import Disk

pytestmark = pytest.mark.built

MIB = 1 << 20

# Offsets in an image for s390x (Linux arch/s390/boot/head.S): what genprotimg and QEMU
# look for.
S390_MAGIC_OFFSET, S390_MAGIC = 0x10008, b"S390EP"

# Offsets in a bzImage (Linux Documentation/arch/x86/boot.rst, the setup header; the
# PE specification for what UEFI starts).
X86_HEADER_OFFSET, X86_HEADER = 0x202, b"HdrS"
PE_POINTER_OFFSET, PE_MAGIC = 0x3c, b"PE\0\0"


def left_out() -> set[str]:
    """The features that our kernels do without."""
    lines = (REPOSITORY / "kernel-config/left-out").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def linked() -> Path:
    """Our kernel with an initramfs in it."""
    return Path(os.environ["SOCLE_KERNEL_LINKED"])


@pytest.mark.parametrize("arch", ["x86_64", "s390x"])
def test_features(bed: Bed, arch: str) -> None:
    """The image itself tells its configuration, and nothing is missing for any TEE."""
    kernel = Programs.from_environment(arch).kernel
    said = json.loads(run_tool(bed.programs.image, "kernel-check", "--json", kernel))
    assert said["arch"] == arch, said
    lacking = [feature for feature in said["features"]
               if feature["state"] not in ("built in", "other arch")]
    expected = {feature["name"] for feature in said["features"]
                if feature["state"] != "other arch"} & left_out()
    assert {feature["name"] for feature in lacking} == expected, lacking


def test_size() -> None:
    """The one for all TEEs of x86_64, and no driver of hardware that no guest has."""
    assert Programs.from_environment("x86_64").kernel.stat().st_size <= 7 * MIB


def test_form_for_direct_boot() -> None:
    """TDX and SEV-SNP: QEMU's -kernel wants a bzImage, its firmware an EFI stub in it."""
    image = Programs.from_environment("x86_64").kernel.read_bytes()
    assert image[X86_HEADER_OFFSET:X86_HEADER_OFFSET + 4] == X86_HEADER
    header = int.from_bytes(image[PE_POINTER_OFFSET:PE_POINTER_OFFSET + 4], "little")
    assert image[:2] == b"MZ" and image[header:header + 4] == PE_MAGIC


def test_form_for_genprotimg() -> None:
    """Secure Execution: the image that genprotimg encrypts is what also boots as it is."""
    image = Programs.from_environment("s390x").kernel.read_bytes()
    assert image[S390_MAGIC_OFFSET:S390_MAGIC_OFFSET + len(S390_MAGIC)] == S390_MAGIC


@pytest.mark.parametrize("kind", [Q35, Q35_EFI, MICROVM], ids=lambda kind: kind.name)
def test_embedded_initramfs(bed: Bed, one: list[Layer], kind: Kind) -> None:
    """CONFIG_INITRAMFS_SOURCE: the kernel alone is all that is measured."""
    result = bed.boot_layers(one, kind=kind, kernel=linked(), initramfs=None)
    expect.success(result, one)


def test_efi(bed: Bed, one: list[Layer]) -> None:
    """Firmware hands over kernel, initramfs and command line, as with measured direct boot."""
    expect.success(bed.boot_layers(one, kind=Q35_EFI), one)


def test_device_of_the_kernel_is_adopted(bed: Bed, one: list[Layer]) -> None:
    """CONFIG_DM_INIT: the kernel has opened dm-mod.create= before /init runs.

    libcryptsetup gives a device that it makes a UUID, dm-init gives none; and init
    has put the corruption policy in, which the line has not."""
    layer = one[0]
    line = (f'dm-mod.create="dm-verity,,,ro,0 {layer.tree.data_bytes // 512} verity 1 /dev/vda '
            f"/dev/vda 4096 4096 {layer.tree.data_bytes // 4096} {layer.tree.hash_start} sha256 "
            f"{layer.params['root_hash']} {layer.params.get('salt') or '-'}\" root=/dev/dm-0 "
            "rootflags=ro rootfstype=erofs")
    result = bed.boot(bed.machine([Disk(layer.disk)], [line]))
    assert not result.report.failures and result.report.agent_finished, result.outcome
    device = result.report.one("dm")
    assert device["name"] == "dm-verity" and device["uuid"] == "", device
    assert device["status"].split()[0] == "V", device
    assert "panic_on_corruption" in device["table"].split(), device
