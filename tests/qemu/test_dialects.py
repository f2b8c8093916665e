# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
What other programs' keys do where something is wrong or special; whole command
lines are in test_command_lines.py. HASH, SALT and BLOCKS are those of the disk.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Optional

import pytest

from harness import expect, oci
from harness.bed import Bed, Result
from harness.image import Layer
from harness.sealed import Sealed, disk, expect_agent, peer_pod, seal
from harness.vm import SCSI, Disk

# What Kata's Go runtime puts behind the root (its qemu_arch_base.go).
KATA_TAIL = ("quiet systemd.show_status=false nr_cpus=4 selinux=0 "
             "systemd.unit=kata-containers.target systemd.mask=systemd-networkd.service "
             "systemd.mask=systemd-networkd.socket cgroup_no_v1=all "
             "systemd.unified_cgroup_hierarchy=1")


@pytest.fixture
def sealed(bed: Bed, one: list[Layer]) -> Sealed:
    """The erofs of the one-layer image."""
    return seal(bed, one[0].disk.read_bytes()[:one[0].tree.data_bytes])


# --- Kata ------------------------------------------------------------------------

# Kata since 3.27: hypervisor.go GetKernelRootParams; the value has spaces and quotes.
DM_CREATE = ('dm-mod.create="dm-verity,,,ro,0 SECTORS verity 1 /dev/vda1 /dev/vda2 4096 4096 '
             'BLOCKS 0 sha256 HASH SALT" root=/dev/dm-0 rootflags=ro rootfstype=erofs')

# Kata until 3.26, and Microsoft's fork: the initramfs' own keys.
LEGACY = ("root=/dev/vda1 rootflags=ro rootfstype=erofs "
          "rootfs_verity.scheme=dm-verity rootfs_verity.hash=HASH")

# composable-vm-images.md; the disk has the serial number extension-coco.
EXTENSION = ("kata.extension.coco.verity_params=root_hash=HASH,salt=SALT,data_blocks=BLOCKS,"
             "data_block_size=4096,hash_block_size=4096")


def test_extension_with_a_long_name(bed: Bed, sealed: Sealed) -> None:
    """A serial number has room for 20 bytes, and a name may be longer."""
    path = disk(bed, "kata", sealed.data, sealed.bare_tree)
    disks = [Disk(path, "root"), Disk(path, "extension-a-long-nam")]
    line = sealed.fill(f"{DM_CREATE} {EXTENSION.replace('.coco.', '.a-long-name.')}")
    result = bed.boot(bed.machine(disks, [line]))
    expect_agent(result, sealed, ["dm-verity", "extension-a-long-name"], "erofs")


def test_one_device_for_data_and_tree(bed: Bed, sealed: Sealed) -> None:
    """hcsshim's form, the tree right behind its data."""
    path = bed.path("one.disk")
    path.write_bytes(sealed.data + sealed.bare_tree)
    line = sealed.fill('dm-mod.create="rootfs,,,ro,0 SECTORS verity 1 /dev/sda /dev/sda 4096 4096 '
                       'BLOCKS BLOCKS sha256 HASH SALT" root=/dev/dm-0')
    result = bed.boot(bed.machine([Disk(path, None, SCSI)], [line]))
    expect_agent(result, sealed, ["rootfs"], "erofs")


# --- systemd ---------------------------------------------------------------------

def test_roothash_on_scsi(bed: Bed, sealed: Sealed) -> None:
    result = bed.boot(bed.machine([Disk(peer_pod(bed, sealed), None, SCSI)],
                                  [sealed.fill("roothash=HASH")]))
    expect_agent(result, sealed, ["root"], "erofs")


# --- a superblock that lies ---------------------------------------------------------

# struct verity_sb: offset and size of each field.
SUPERBLOCK_FIELDS = {
    "signature": (0, 8), "version": (8, 4), "hash_type": (12, 4), "uuid": (16, 16),
    "algorithm": (32, 32), "data_block_size": (64, 4), "hash_block_size": (68, 4),
    "data_blocks": (72, 8), "salt_size": (80, 2), "padding": (82, 6), "salt": (88, 256),
    "rest": (344, 168),
}


LIES = [
    ("signature", b"verify\0\0", "VERITY_PARAMS_INVALID"),
    ("version", b"\2\0\0\0", "VERITY_PARAMS_INVALID"),
    ("hash_type", b"\0\0\0\0", "VERITY_PARAMS_INVALID"),
    ("hash_type", b"\7\0\0\0", "VERITY_PARAMS_INVALID"),
    ("algorithm", b"sha1".ljust(32, b"\0"), "VERITY_PARAMS_INVALID"),
    ("algorithm", b"sha512".ljust(32, b"\0"), "ROOT_HASH_INVALID"),
    ("data_block_size", b"\0\2\0\0", "DATA_CORRUPT"),
    ("data_block_size", b"\1\20\0\0", "VERITY_PARAMS_INVALID"),
    ("hash_block_size", b"\0\0\0\200", "VERITY_PARAMS_INVALID"),
    ("hash_block_size", b"\0\2\0\0", "ROOT_HASH_MISMATCH"),
    ("data_blocks", b"\0" * 8, "VERITY_PARAMS_INVALID"),
    ("data_blocks", b"\xff" * 8, "VERITY_PARAMS_INVALID"),
    ("data_blocks", (1 << 30).to_bytes(8, "little"), "DEVICE_TOO_SMALL"),
    ("salt_size", b"\0\2", "VERITY_PARAMS_INVALID"),
    ("salt", b"\0" * 256, "ROOT_HASH_MISMATCH"),
]


@pytest.mark.parametrize("field, lie, code", LIES,
                         ids=[f"{field}-{lie[:8].hex()}" for field, lie, _ in LIES])
def test_superblock_that_lies(bed: Bed, sealed: Sealed, field: str, lie: bytes, code: str) -> None:
    offset, size = SUPERBLOCK_FIELDS[field]
    assert len(lie) == size
    tree = sealed.with_superblock[:offset] + lie + sealed.with_superblock[offset + size:]
    root = Disk(disk(bed, "lie", sealed.data, tree), "image")
    result = bed.boot(bed.machine([root], [sealed.fill(LEGACY)]))
    expect.failure(result, code, "verity", "root")


def test_superblock_fields_that_say_nothing(bed: Bed, sealed: Sealed) -> None:
    """What else the host writes into a superblock has no effect."""
    tree = bytearray(sealed.with_superblock)
    for field in ["uuid", "padding", "rest"]:
        offset, size = SUPERBLOCK_FIELDS[field]
        tree[offset:offset + size] = b"\xff" * size
    root = Disk(disk(bed, "other", sealed.data, bytes(tree)), "image")
    result = bed.boot(bed.machine([root], [sealed.fill(LEGACY)]))
    expect_agent(result, sealed, ["root"], "erofs")


def test_superblock_that_cuts_the_data_short(bed: Bed, sealed: Sealed) -> None:
    """Every block that is left is verified, and yet it is another file system."""
    offset, size = SUPERBLOCK_FIELDS["data_blocks"]
    cut = (sealed.blocks - 1).to_bytes(size, "little")
    tree = sealed.with_superblock[:offset] + cut + sealed.with_superblock[offset + size:]
    root = Disk(disk(bed, "cut", sealed.data, tree), "image")
    result = bed.boot(bed.machine([root], [sealed.fill(LEGACY)]))
    sentence = expect.failure(result, "VERITY_PARAMS_INVALID", "mounts", "root")
    assert str(len(sealed.data)) in sentence, sentence


# --- the extension matrix -----------------------------------------------------------

def boot_extension(bed: Bed, sealed: Sealed, parameter: str, *partitions: bytes,
                   policy: str = "") -> Result:
    root = Disk(disk(bed, "kata", sealed.data, sealed.bare_tree), "root")
    extension = Disk(disk(bed, "extension", *partitions), "extension-coco")
    machine = bed.machine([root, extension], [sealed.fill(f"{DM_CREATE} {parameter}"),
                                              "socle.timeout=3"])
    if policy:
        machine.initramfs = bed.initramfs(files={"/etc/socle/policy": policy.encode()})
    return bed.boot(machine)


BARE = "kata.extension.coco.verity_params"


@pytest.mark.parametrize("parameter, tree, policy, code, step", [
    (EXTENSION, False, "", "DEVICE_NOT_FOUND", "devices"),
    (BARE, True, "", "POLICY_REFUSED", "plan"),
    (BARE, False, "", "POLICY_REFUSED", "plan"),
    (BARE, True, "verity=optional\n", "ROOT_HASH_MISSING", "devices"),
    (f"{BARE}=", True, "verity=optional\n", "ROOT_HASH_MISSING", "plan"),
], ids=["no tree", "tree unused", "bare", "tree unused where raw is allowed", "empty"])
def test_extension_refused(bed: Bed, sealed: Sealed, parameter: str, tree: bool, policy: str,
                           code: str, step: str) -> None:
    partitions = [sealed.data, sealed.bare_tree] if tree else [sealed.data]
    result = boot_extension(bed, sealed, parameter, *partitions, policy=policy)
    expect.failure(result, code, step, "extension-coco")


def test_extension_raw_where_allowed(bed: Bed, sealed: Sealed) -> None:
    result = boot_extension(bed, sealed, BARE, sealed.data, policy="verity=optional\n")
    expect_agent(result, sealed, ["dm-verity"], "erofs")
    assert result.report.mounts()["/run/kata-extensions/coco"].source == "/dev/vdb1"


# --- an initramfs that is the root itself ---------------------------------------------

def self_root(bed: Bed) -> Path:
    return bed.initramfs(files={"/sbin/init": bed.programs.agent.read_bytes(),
                                "/etc/socle-test": b""})


@pytest.mark.parametrize("line", [
    # Cloud Hypervisor names a root even beside an initrd (clh.go); there is no such disk.
    "root=/dev/vda1 no_timer_check noreplace-smp",
    "",
])
def test_initramfs_is_the_root(bed: Bed, line: str) -> None:
    machine = bed.machine([], [line, KATA_TAIL])
    machine.initramfs = self_root(bed)
    result = bed.boot(machine)
    assert not result.report.failures and result.report.agent_finished, result.outcome
    assert not result.report.all("dm")


def test_secure_execution_parmfile(bed: Bed, sealed: Sealed) -> None:
    """lib_se.sh: no root= at all, an initrd with the agent, and a measured extension."""
    extension = Disk(disk(bed, "extension", sealed.data, sealed.bare_tree), "extension-coco")
    machine = bed.machine([extension], [sealed.fill(
        "scsi_mod.scan=none swiotlb=262144 agent.debug_console agent.debug_console_vport=1026 "
        + EXTENSION)])
    machine.initramfs = self_root(bed)
    result = bed.boot(machine)
    assert not result.report.failures and result.report.agent_finished, result.outcome
    assert [device["name"] for device in result.report.all("dm")] == ["extension-coco"]
    assert result.report.mounts()["/run/kata-extensions/coco"].fstype == "erofs"


def test_verity_asked_for_is_not_dropped_for_an_agent_in_the_initramfs(
        bed: Bed, sealed: Sealed) -> None:
    """The disk that a hash asks for is not there: the agent of the initramfs is no way out."""
    machine = bed.machine([], [sealed.fill(LEGACY), "socle.timeout=2"])
    machine.initramfs = self_root(bed)
    expect.failure(bed.boot(machine), "DEVICE_NOT_FOUND", "devices", "root")


# --- plain root= -----------------------------------------------------------------------

PLAIN = "root=/dev/vda1 rootflags=ro rootfstype=erofs rootwait ro"


def boot_plain(bed: Bed, sealed: Sealed, policy: Optional[str]) -> Result:
    machine = bed.machine([Disk(disk(bed, "plain", sealed.data))], [PLAIN])
    if policy:
        machine.initramfs = bed.initramfs(files={"/etc/socle/policy": policy.encode()})
    return bed.boot(machine)


@pytest.mark.parametrize("policy", [None, "verity=required\n"])
def test_plain_root_refused(bed: Bed, sealed: Sealed, policy: Optional[str]) -> None:
    expect.failure(boot_plain(bed, sealed, policy), "POLICY_REFUSED", "plan", "root")


def test_plain_root_where_allowed(bed: Bed, sealed: Sealed) -> None:
    result = boot_plain(bed, sealed, "verity=optional\nmodules=locked\n")
    assert not result.report.failures and result.report.agent_finished, result.outcome
    assert result.report.mounts()["/"].source == "/dev/vda1"
    assert not result.report.all("dm")


# --- the manifest ----------------------------------------------------------------------

def manifest(layers: list[Layer]) -> bytes:
    return json.dumps({"version": 1, "layers": [
        {"device": f"SERIAL=layer{number}", **layer.params}
        for number, layer in enumerate(layers)]}).encode()


def two_layers(bed: Bed) -> tuple[list[Layer], list[Disk]]:
    layers = bed.image(bed.base("path /opt/top"), [oci.directory("opt"),
                                                   oci.file("opt/top", "layer two\n")])
    return layers, [Disk(layer.disk, f"layer{number}") for number, layer in enumerate(layers)]


def test_manifest_in_the_initramfs(bed: Bed) -> None:
    layers, disks = two_layers(bed)
    machine = bed.machine(disks, [])
    machine.initramfs = bed.initramfs(files={"/etc/socle/manifest.json": manifest(layers)})
    result = bed.boot(machine)
    expect.success(result, layers)
    assert result.report.content("/opt/top") == "layer two\n"


@pytest.mark.parametrize("damage", [False, True])
def test_manifest_on_a_disk(bed: Bed, damage: bool) -> None:
    layers, disks = two_layers(bed)
    text = manifest(layers)
    digest = hashlib.sha256(text).hexdigest()
    if damage:
        text = text.replace(b"layer0", b"layer1")
    path = bed.path("manifest.disk")
    path.write_bytes(text.ljust(1 << 20, b"\0"))
    line = f"socle.manifest=SERIAL=manifest,size={len(text)},sha256={digest}"
    result = bed.boot(bed.machine([*disks, Disk(path, "manifest")], [line]))
    if damage:
        expect.failure(result, "MANIFEST_MISMATCH", "manifest")
    else:
        expect.success(result, layers)
