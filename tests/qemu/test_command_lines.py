# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Whole command lines as others write them, each booted. The line itself is in
tests/unit/golden/NAME.cmdline, where a unit test compares the plan that it
leads to; here the root hash, the salt and the sizes in it are exchanged for those
of the disk. What stands in front of it is the harness' own (harness/machines.py).

Persistent memory is tested with the devices: a line with /dev/pmem0 is not here.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace

import pytest

from harness import oci, sealed
from harness.bed import REPOSITORY, Bed, Programs
from harness.machines import MICROVM, MICROVM_NO_ACPI, Q35, S390, VIRT_PCI, Kind
from harness.sealed import Layout, Sealed, expect_agent
from harness.vm import Disk

GOLDEN = REPOSITORY / "tests" / "unit" / "golden"

# What all these lines have in common there.
GOLDEN_HASH = "a65e708bf319065a6e3e2635aae02596bc6cce2467fe91e66b168a07a661c66d"
GOLDEN_SALT = "0c5442af192dd6d3145e17f505473422cbf0c28755e06cec9d60456f283099ac"
GOLDEN_BLOCKS = 92041


@dataclass(frozen=True)
class Line:
    name: str
    source: str
    layout: Layout
    fstype: str
    devices: tuple[str, ...] = ("dm-verity",)  # the verity devices
    kind: Kind = Q35
    root: str = ""  # what / is then; the file system itself
    extension: bool = False  # the same disk once more, as the extension coco
    policy: str = ""  # of the initramfs
    corruption: str = "panic_on_corruption"
    agent: str = "/sbin/init"
    without: str = ""  # a word that this machine or Debian's kernel cannot bear


GO = "src/runtime/virtcontainers"
RS = "src/runtime-rs/crates/hypervisor/src"
RAW = "verity=optional\n"

# Debian's kernels find virtio-mmio by ACPI alone.
ACPI = "acpi=off"

LINES = [
    # Kata's Go runtime
    Line("kata_327_qemu_amd64", f"{GO}/qemu_amd64.go, quiet", sealed.kata, "ext4"),
    Line("kata_327_erofs_extension", f"{GO}/qemu.go with a guest extension", sealed.kata, "erofs",
         ("dm-verity", "extension-coco"), extension=True),
    Line("kata_go_qemu_debug", f"{GO}/qemu_amd64.go and katautils/create.go, all options",
         sealed.kata, "erofs", ("dm-verity", "extension-coco"), extension=True),
    Line("kata_go_qemu_nvidia", "configuration-qemu-nvidia-gpu.toml", sealed.kata, "erofs"),
    Line("kata_go_qemu_plain", f"{GO}/hypervisor.go without verity", sealed.kata_plain, "ext4", (),
         policy=RAW),
    Line("kata_go_qemu_arm64", f"{GO}/qemu_arm64.go", sealed.kata, "ext4", kind=VIRT_PCI),
    Line("kata_go_qemu_s390x", f"{GO}/qemu_s390x.go", sealed.kata, "ext4", kind=S390),
    Line("kata_go_qemu_ppc64le", f"{GO}/qemu_ppc64le.go", sealed.kata, "ext4"),
    Line("kata_go_qemu_riscv64", f"{GO}/qemu_riscv64.go", sealed.kata, "ext4"),
    Line("kata_go_clh", f"{GO}/clh.go, quiet", sealed.kata, "ext4"),
    Line("kata_go_clh_debug", f"{GO}/clh.go, debug", sealed.kata, "erofs"),
    Line("kata_go_fc", f"{GO}/fc.go", sealed.kata, "ext4", kind=MICROVM, without=ACPI),
    Line("kata_go_stratovirt", f"{GO}/stratovirt.go", sealed.kata, "ext4", kind=MICROVM),
    Line("kata_go_stratovirt_microvm", f"{GO}/stratovirt.go, microvm", sealed.kata, "ext4",
         kind=MICROVM, without=ACPI),
    # its Rust runtime
    Line("kata_rs_qemu", f"{RS}/qemu/cmdline_generator.rs", sealed.kata, "erofs",
         ("dm-verity", "extension-coco"), extension=True),
    Line("kata_rs_clh", f"{RS}/ch/inner_hypervisor.rs", sealed.kata, "ext4"),
    Line("kata_rs_dragonball", f"{RS}/dragonball/inner.rs", sealed.kata, "ext4", kind=MICROVM),
    Line("kata_rs_fc", f"{RS}/firecracker/fc_api.rs", sealed.kata, "ext4", kind=MICROVM),
    Line("kata_rs_openvmm", f"{RS}/openvmm/inner_hypervisor.rs", sealed.kata, "ext4"),
    # before 3.27, and Microsoft's fork
    Line("kata_326_legacy", "tools/packaging/static-build/initramfs/init.sh of 3.26",
         sealed.kata_legacy, "ext4", ("root",)),
    Line("ms_igvm", "microsoft/kata-containers, igvm-builder/azure-linux/config.sh", sealed.kata,
         "ext4"),
    # systemd and others
    Line("systemd_roothash", "cloud-api-adaptor, podvm/mkosi.images/system/mkosi.conf",
         sealed.peer_pod, "erofs", ("root",)),
    Line("systemd_overlay", "systemd, volatile-root.c", sealed.peer_pod, "erofs", ("root",),
         root="overlay"),
    Line("systemd_no_superblock", "systemd, veritysetup.c: veritytab's options",
         sealed.tree_behind, "erofs", ("root",)),
    Line("systemd_usrhash_volatile", "systemd, veritysetup-generator.c and volatile-root.c",
         sealed.peer_pod, "erofs", ("usr",), root="tmpfs", agent="/usr/sbin/init"),
    Line("bottlerocket_partnroff", "bottlerocket-os/twoliter, imghelper", sealed.bottlerocket,
         "erofs", ("root",), corruption="restart_on_corruption"),
]


def fill(line: Line, disk: Sealed) -> str:
    """The golden line with the values of this disk."""
    text = (GOLDEN / f"{line.name}.cmdline").read_text().strip()
    for golden, real in [
        (str(GOLDEN_BLOCKS * 4096), str(len(disk.data))),
        (str(GOLDEN_BLOCKS * 8), str(disk.blocks * 8)),
        (str(GOLDEN_BLOCKS), str(disk.blocks)),
        (GOLDEN_HASH, disk.root_hash),
        (GOLDEN_SALT, sealed.SALT),
        (str(uuid.UUID(GOLDEN_HASH[:32])), str(uuid.UUID(disk.root_hash[:32]))),
    ]:
        text = text.replace(golden, real)
    if line.without:
        assert f" {line.without} " in text
        text = text.replace(f" {line.without} ", " ")
    return text


def rows() -> list[object]:
    """A word that Debian's kernel cannot bear is there where ours boots."""
    prebuilt, built = pytest.mark.prebuilt, pytest.mark.built
    result: list[object] = []
    for line in LINES:
        if line.without != ACPI:
            result.append(pytest.param(line, id=line.name))
            continue
        literal = replace(line, without="", kind=MICROVM_NO_ACPI)
        result += [pytest.param(line, id=line.name, marks=prebuilt),
                   pytest.param(literal, id=f"{line.name}_literal", marks=built)]
    return result


@pytest.mark.parametrize("line", rows())
def test_command_line(bed: Bed, line: Line) -> None:
    there = Bed(Programs.from_environment(line.kind.arch), bed.work, bed.directory)
    image = sealed.seal(there, sealed.filesystem(there, line.fstype,
                                                 [*there.base(), oci.directory("var")]))
    path = line.layout(there, image)
    disks = [Disk(path, "image-0123456789abcd")]
    if line.extension:
        disks.append(Disk(path, "extension-coco"))
    ours = [] if line.agent == "/sbin/init" else [f"socle.agent={line.agent}"]
    machine = there.machine(disks, [fill(line, image), *ours], line.kind)
    # Packed for this line: s390x' kernel has ext4 as a module.
    machine.initramfs = there.initramfs(options=["--cmdline", machine.cmdline],
                                        policy=line.policy)
    result = there.boot(machine)
    expect_agent(result, image, list(line.devices), line.root or line.fstype, line.corruption,
                 line.agent)
    mounts = result.report.mounts()
    assert ("/var" in mounts) == ("systemd.volatile=state" in machine.cmdline), mounts
    if line.extension:
        extension = mounts["/run/kata-extensions/coco"]
        assert extension.fstype == "erofs", extension
        assert {"ro", "nosuid", "nodev"} <= set(extension.options), extension
        assert "noexec" not in extension.options, extension
