# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Kernel modules: packed for what is asked, loaded or told by name, and then no more."""

from __future__ import annotations

import lzma
import re
import shutil
from pathlib import Path
from typing import Callable, Optional

import pytest

from harness import expect, oci
from harness.bed import Bed
from harness.image import Layer, ToolError, run_tool
from harness.machines import MICROVM
from harness.vm import Disk

# Our own kernels have no modules.
pytestmark = pytest.mark.prebuilt

SIGNATURE_END = b"~Module signature appended~\n"

# What the list has for a root of erofs layers and no disk driver.
LAYERS = {"dm_mod", "dm_bufio", "dm_verity", "erofs", "overlay"}


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def module_path(bed: Bed, name: str) -> Path:
    return next(bed.programs.modules.glob(f"kernel/**/{name}.ko*"))


def tree_with(bed: Bed, name: str, change: Callable[[bytes], bytes]) -> Path:
    """The kernel's modules with one of them changed."""
    tree, path = bed.path("modules"), module_path(bed, name)
    tree.mkdir()
    (tree / "kernel").symlink_to(bed.programs.modules / "kernel")
    for file in bed.programs.modules.glob("modules.*"):
        (tree / file.name).write_bytes(file.read_bytes())
    # By the change, as it is by modules.dep that an initramfs is known again.
    (tree / change.__name__).mkdir()
    (tree / change.__name__ / f"{name}.ko").write_bytes(change(unpacked(path)))
    listed = tree / "modules.dep"
    listed.write_text(listed.read_text().replace(
        str(path.relative_to(bed.programs.modules)), f"{change.__name__}/{name}.ko"))
    return tree


def altered(module: bytes) -> bytes:
    """As if it were for a kernel that was configured in another way."""
    assert module.count(b" mod_unload ") == 1
    return module.replace(b" mod_unload ", b" mod_unl0ad ")


def unsigned(module: bytes) -> bytes:
    """Without its signature: the length of the PKCS#7 message is in the 12 bytes before the end."""
    assert module.endswith(SIGNATURE_END)
    info = module[-len(SIGNATURE_END) - 12:-len(SIGNATURE_END)]
    return module[:-len(SIGNATURE_END) - 12 - int.from_bytes(info[8:], "big")]


@pytest.mark.parametrize("change, line", [(altered, ""), (unsigned, "module.sig_enforce=1")])
def test_module_that_does_not_load(bed: Bed, one: list[Layer], change: Callable[[bytes], bytes],
                                   line: str) -> None:
    """A signature that is wrong is one too many; one that is missing only where it is asked for."""
    machine = bed.machine([], [one[0].argument("SERIAL=layer0"), line])
    machine.initramfs = bed.initramfs(tree=tree_with(bed, "overlay", change))
    sentence = expect.failure(bed.boot(machine), "MODULE_FAILED", "modules")
    assert sentence == ("load the kernel module overlay.ko: Key was rejected by service: the "
                        "kernel accepts only modules that are signed with one of its keys")


def names(bed: Bed, *options: str) -> set[str]:
    """What an initramfs has, but for the faster ways to a hash and what modules need."""
    data = bed.initramfs(options=options).read_bytes()
    return {name.decode() for name in re.findall(rb"etc/socle/modules/(\w+)\.ko\0", data)}


DISKS = {"virtio_blk", "virtio_scsi", "virtio_mmio", "sd_mod", "nvme", "xen_blkfront", "nd_pmem"}
FILESYSTEMS = {"erofs", "squashfs", "ext4", "xfs"}


def test_packed_for_plan_and_machine(bed: Bed, one: list[Layer]) -> None:
    """No driver, no file system and no overlay that nobody asked for."""
    line = one[0].argument("SERIAL=layer0", fstype="xfs") + " socle.upper=none"
    packed = names(bed, "--machine", "virtio-mmio,virtio-blk", "--cmdline", line)
    assert packed & DISKS == {"virtio_blk", "virtio_mmio"}
    assert packed & FILESYSTEMS == {"xfs"}
    assert "overlay" not in packed and "dm_verity" in packed
    assert names(bed) >= LAYERS | {"virtio_blk", "virtio_scsi", "sd_mod", "virtio_mmio"}


def test_refused_when_packing(bed: Bed, one: list[Layer]) -> None:
    """A kernel without the plan's file system, and what the guest itself would refuse."""
    tree = bed.path("modules")
    tree.mkdir()
    for name in ["modules.dep", "modules.builtin"]:
        lines = (bed.programs.modules / name).read_text().splitlines(True)
        kept = [x for x in lines if not re.search(r"/(ext4|erofs)\.ko", x)]
        (tree / name).write_text("".join(kept))
    line = one[0].argument("SERIAL=layer0")
    for cmdline, words in [
        (f"{line},fstype=ext4", "the kernel has no CONFIG_EXT4_FS"),
        (line, "the kernel has no CONFIG_EROFS_FS"),
        ("root=/dev/vda1", "requires verity"),
        ("quiet", "names no root"),
        (f"{line} socle.nonsense=1", "socle.nonsense"),
        (line.replace("SERIAL=layer0", "/dev/nvme0n1"), "the machine has no nvme"),
    ]:
        with pytest.raises(ToolError, match=words):
            bed.initramfs(tree=tree, options=["--machine", "virtio-pci,virtio-blk",
                                              "--cmdline", cmdline])


def test_exactly_what_is_needed_boots(bed: Bed, one: list[Layer]) -> None:
    line = one[0].argument("SERIAL=layer0")
    machine = bed.machine([Disk(one[0].disk, "layer0")], [line])
    machine.initramfs = bed.initramfs(
        options=["--machine", "virtio-pci,virtio-blk", "--cmdline", line])
    expect.success(bed.boot(machine), one)


@pytest.mark.parametrize("policy, error", [("modules=locked\n", "EPERM"), ("modules=open\n", None)])
def test_locked(bed: Bed, policy: str, error: Optional[str]) -> None:
    """Once the boot has what it needs, nobody loads another module, and before that one could."""
    module = unpacked(module_path(bed, "pvpanic"))
    layers = bed.image([*bed.base("load /opt/pvpanic.ko", "path /proc/sys/kernel/modules_disabled"),
                        oci.file("opt/pvpanic.ko", module)])
    machine = bed.machine([Disk(layers[0].disk, "layer0")], [layers[0].argument("SERIAL=layer0")])
    machine.initramfs = bed.initramfs(files={"/etc/socle/policy": policy.encode()})
    result = bed.boot(machine)
    expect.success(result, layers)
    expect.path_error(result, "load", "/opt/pvpanic.ko", error)
    disabled = result.report.content("/proc/sys/kernel/modules_disabled")
    assert disabled == ("1\n" if error else "0\n")


# What volumes of the forms that there are may need, beside what a root of layers has.
VOLUMES = {"loop", "dm_crypt", "dm_integrity", "squashfs", "xfs", "virtio_blk", "virtio_scsi",
           "sd_mod", "xts", "authenc"}


def test_volumes_at_run_time(bed: Bed) -> None:
    """All of it is loaded when the policy locks the kernel, and the program is where it should be."""
    program = bed.programs.agent.read_bytes()
    options = ["--volumes", "--volume-program", str(bed.programs.agent)]
    assert names(bed, *options) >= LAYERS | VOLUMES
    assert not names(bed, "--machine", "virtio-pci,virtio-blk", *options) & {"virtio_scsi", "nvme"}
    needed = sorted(LAYERS | VOLUMES)
    layers = bed.image(bed.base("path /run/socle", "path /run/socle/policy",
                                "path /run/socle/socle-volume",
                                *[f"path /sys/module/{name}/initstate" for name in needed]))
    machine = bed.machine([Disk(layers[0].disk, "layer0")],
                          [layers[0].argument("SERIAL=layer0"), "socle.volumes=yes"])
    machine.initramfs = bed.initramfs(options=options, policy="modules=locked\n")
    result = bed.boot(machine)
    expect.success(result, layers)
    assert [result.report.path(f"/sys/module/{name}/initstate").get("content")
            for name in needed] == ["live\n"] * len(needed)
    found = [result.report.path(f"/run/socle{name}") for name in ["", "/policy", "/socle-volume"]]
    assert [record["mode"] for record in found] == [0o755, 0o444, 0o755]
    assert {record["uid"] for record in found} == {0}
    assert found[0]["entries"] == ["policy", "socle-volume"]
    assert found[1]["content"] == "modules=locked\n"
    assert found[2]["size"] == len(program)


def test_program_that_was_not_packed(bed: Bed, one: list[Layer]) -> None:
    machine = bed.machine([Disk(one[0].disk, "layer0")],
                          [one[0].argument("SERIAL=layer0"), "socle.volumes=yes"])
    sentence = expect.failure(bed.boot(machine), "PROGRAM_MISSING", "handover")
    assert sentence == "socle.volumes=yes, and the initramfs has no /socle-volume"


def test_report_whose_driver_is_a_module(bed: Bed) -> None:
    """A plan that fails is told where virtio-mmio, which carries the report, is a module."""
    machine = bed.machine([], ["socle.nonsense=1"], MICROVM)
    expect.failure(bed.boot(machine), "KEY_UNKNOWN", "plan")


def test_behind_an_initrd_whose_lib_is_a_link(bed: Bed) -> None:
    """As an initrd of a distribution has it: what is packed leaves that link where it is."""
    root, archive = bed.path("usr-merged"), bed.path("joined")
    for name in ["dev", "etc", "proc", "run", "sys", "tmp", "usr/lib", "usr/sbin"]:
        (root / name).mkdir(parents=True)
    for name in ["lib", "sbin"]:
        (root / name).symlink_to(f"usr/{name}")
    shutil.copy(bed.programs.agent, root / "usr/sbin/init")
    (root / "usr/lib/loader").write_text("")
    (root / "etc/socle-test").write_text("path /lib/loader\n")
    run_tool("sh", "-c", 'cd "$1" && find . | cpio -H newc -o >"$2"', "sh", root, archive)
    # An archive ends at a multiple of 512 bytes, as cpio writes it.
    archive.write_bytes(archive.read_bytes() +
                        bed.initramfs(options=["--machine", "virtio-pci,virtio-blk"]).read_bytes())
    machine = bed.machine([], [])
    machine.initramfs = archive
    result = bed.boot(machine)
    assert not result.report.failures and result.report.agent_finished, result.outcome
    expect.path_error(result, "path", "/lib/loader", None)
