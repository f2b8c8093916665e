# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
What only a kernel of kernel-config/ can show. Everything else in this folder is
booted on it as well (make test KERNEL=built), unless it is marked prebuilt.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Optional

import pytest

from harness import expect, oci
from harness.bed import REPOSITORY, Bed, Programs, filler
from harness.image import Layer, run_tool
from harness.machines import MICROVM, Q35, Q35_EFI, S390, Kind
from harness.qmp import QmpError
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


def kernels_own(layer: Layer) -> str:
    """The kernel opens the device itself, and knows nothing of a policy."""
    return (f'dm-mod.create="dm-verity,,,ro,0 {layer.tree.data_bytes // 512} verity 1 /dev/vda '
            f"/dev/vda 4096 4096 {layer.tree.data_bytes // 4096} {layer.tree.hash_start} sha256 "
            f"{layer.params['root_hash']} {layer.params.get('salt') or '-'}\" root=/dev/dm-0 "
            "rootflags=ro rootfstype=erofs")


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

    socle-init gives a device that it makes a UUID, dm-init gives none; and init
    has put the corruption policy in, which the line has not."""
    layer = one[0]
    result = bed.boot(bed.machine([Disk(layer.disk)], [kernels_own(layer)]))
    assert not result.report.failures and result.report.agent_finished, result.outcome
    device = result.report.one("dm")
    assert device["name"] == "dm-verity" and device["uuid"] == "", device
    assert device["status"].split()[0] == "V", device
    assert "panic_on_corruption" in device["table"].split(), device


# --- the host gives the guest too little memory --------------------------------------

# Of kernel-config/refuse.c.
REFUSAL = "no initramfs was unpacked as far as its /init"

# Where in a bzImage its header says where the kernel unpacks itself, and how much room it
# takes for that (Linux Documentation/arch/x86/boot.rst).
X86_PREFERRED_OFFSET, X86_INIT_SIZE_OFFSET = 0x258, 0x260

# So that the sizes below, which are few, leave room for a kernel to run.
BALLAST = filler("ballast", 8 * MIB)


def tight_sizes(kernel: Path, initramfs: Path) -> range:
    """In MiB: around what kernel and archive just have room in.

    QEMU loads the archive at the memory's end. With less than this, a kernel that unpacks
    itself writes over it, and so does each size down to where the kernel has no room."""
    header = kernel.read_bytes()
    preferred = int.from_bytes(header[X86_PREFERRED_OFFSET:X86_PREFERRED_OFFSET + 8], "little")
    room = int.from_bytes(header[X86_INIT_SIZE_OFFSET:X86_INIT_SIZE_OFFSET + 4], "little")
    edge = (preferred + room + initramfs.stat().st_size) // MIB
    return range(edge - 6, edge + 3, 2)


# /sbin/init of the host's disk. The kernel starts it with nothing but a console.
HOST_WORD = "program of the host runs"
HOST_PROGRAM = f"#!/bin/busybox sh\necho {HOST_WORD}\nexec /bin/busybox poweroff -f\n"

# A line for that disk that nothing proves: with memory enough it is POLICY_REFUSED.
PLAIN = "root=/dev/vda rootfstype=erofs ro"


@pytest.fixture(name="host")
def host_fixture(bed: Bed) -> Layer:
    return bed.image([*(oci.directory(name) for name in ["bin", "dev", "proc", "sbin", "sys"]),
                      oci.file("bin/busybox", Path("/bin/busybox").read_bytes(), 0o755),
                      oci.file("sbin/init", HOST_PROGRAM, 0o755)])[0]


def told(bed: Bed, layer: Layer, line: str, initramfs: Optional[Path], memory_mib: int,
         kind: Kind = Q35) -> str:
    """The failure line of a boot, from the console: what is in the kernel has nothing else.

    Empty where there was a panic or a reset before. HOST_WORD where the host's program ran."""
    machine = bed.machine([Disk(layer.disk)], [line], kind, initramfs=initramfs,
                          memory_mib=memory_mib,
                          kernel=Programs.from_environment(kind.arch).kernel)
    try:
        result = bed.boot(machine)
    except QmpError:
        return ""  # QEMU has no place for the archive
    console = (result.outcome.directory / "console.log").read_text(errors="replace")
    if HOST_WORD in console:
        return HOST_WORD
    lines = re.findall(r"socle: FAILED .*", console)
    assert len(lines) <= 1, lines
    ended = {result.outcome.off} if lines else {kind.panic, expect.RESET}
    assert result.outcome.ended in ended, result.outcome
    return lines[0] if lines else ""


@pytest.mark.parametrize("own", [False, True], ids=["root", "dm-mod.create"])
def test_no_root_of_its_own(bed: Bed, host: Layer, own: bool) -> None:
    """Whatever memory there is: a coded line or no start, and nothing of the host's disk runs."""
    line = kernels_own(host) if own else PLAIN
    initramfs = bed.initramfs(files={"ballast": BALLAST},
                              policy="signature=required\n" if own else "")
    assert "code=POLICY_REFUSED:" in told(bed, host, line, initramfs, 512)
    lines = {size: told(bed, host, line, initramfs, size)
             for size in tight_sizes(bed.programs.kernel, initramfs)}
    assert any(REFUSAL in text for text in lines.values()), lines
    assert HOST_WORD not in lines.values(), lines


@pytest.mark.parametrize("kind", [Q35, S390], ids=lambda kind: kind.name)
@pytest.mark.parametrize("line", ["", PLAIN, "rdinit=/init " + PLAIN])
def test_without_an_initramfs(bed: Bed, host: Layer, kind: Kind, line: str) -> None:
    """The archive is not there at all: the kernel refuses, in one line, and is off."""
    text = told(bed, host, line, None, 256, kind)
    assert text.startswith("socle: FAILED step=api volume=- code=INITRAMFS_INCOMPLETE: "), text
    assert REFUSAL in text


def test_no_place_for_a_root(bed: Bed, host: Layer) -> None:
    """A measured line alone cannot ask for it: the kernel mounts a root on /root, and has none."""
    assert told(bed, host, "rdinit=/none " + PLAIN, None, 256) == ""


def test_the_hosts_program_is_seen(bed: Bed, host: Layer) -> None:
    """What the tests above would see: an archive that has /root, and a line that asks for it."""
    initramfs = bed.initramfs(files={"root/empty": b""})
    assert told(bed, host, "rdinit=/none " + PLAIN, initramfs, 256) == HOST_WORD


def test_one_cut_short(bed: Bed, host: Layer) -> None:
    """Half an archive: up to its /init the kernel's own is in force, and behind it ours tells.

    A kernel does not start an /init that it has in part, nor anything else then."""
    whole = bed.initramfs().read_bytes()
    elf, mark = whole.index(b"\x7fELF"), whole.rindex(b"etc/socle/complete")
    for size, word in [(0, REFUSAL), (4, REFUSAL), (whole.rindex(b"070701", 0, elf), REFUSAL),
                       ((elf + mark) // 2, ""), (mark, "code=INITRAMFS_INCOMPLETE:")]:
        bed.path("cut").write_bytes(whole[:size])
        text = told(bed, host, PLAIN, bed.path("cut") if size else None, 256)
        assert word in text and bool(word) == bool(text), (size, text)


def test_one_in_the_kernel_is_all(bed: Bed, one: list[Layer]) -> None:
    """CONFIG_INITRAMFS_FORCE: where one is linked in, none beside the kernel is unpacked over it.

    The one beside it would demand a signature."""
    beside = bed.initramfs(policy="signature=required\n")
    expect.success(bed.boot_layers(one, kernel=linked(), initramfs=beside), one)
