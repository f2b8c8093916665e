# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Scratch disks at boot: socle.upper=disk:. What the host finds on the disk, what the
guest notices of what the host does to it, and which disks are refused.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness import channel, expect, oci, volume
from harness.attached import board
from harness.bed import Bed, Programs, filler
from harness.guest import Driven, drivable
from harness.image import Layer, ToolError
from harness.machines import Q35, S390, Kind
from harness.vm import Disk, Machine
from harness.volume import Request

pytestmark = pytest.mark.core

MIB = 1 << 20
BLOCK = 4096
SIZE = 64 * MIB

MARK = b"socle: a scratch disk, encrypted with a key that only a guest had\n\0"

ENCRYPTED, INTEGRITY = ",encrypted", ",encrypted,integrity"

OPTIONAL = "verity=optional\n"


def sparse(bed: Bed, size: int = SIZE, name: str = "scratch") -> Path:
    path = bed.path(name)
    path.touch()
    os.truncate(path, size)
    return path


def machine(bed: Bed, layers: list[Layer], scratch: Disk, kind: str, policy: str = "",
            kind_of: Kind = Q35) -> Machine:
    """The initramfs has what the plan needs and nothing else."""
    arguments = [layers[0].argument("SERIAL=root"), f"socle.upper=disk:SERIAL=scratch{kind}"]
    made = bed.machine([Disk(layers[0].disk, "root"), scratch], arguments, kind_of)
    made.initramfs = bed.initramfs(modules=["virtio-console"], policy=policy,
                                   options=["--cmdline", " ".join(arguments)])
    return made


def writable(path: Path) -> Disk:
    return Disk(path, "scratch", writable=True)


def driven(bed: Bed, scratch: Path, kind: str, policy: str = "", name: str = "guest") -> Driven:
    layers = bed.image(bed.base(channel.VERB))
    made = board(machine(bed, layers, writable(scratch), kind, policy))
    made.limit = 600
    return Driven(drivable(made), bed.path(name))


def write_back(guest: Driven) -> None:
    """Everything that was written is on the disk, and nothing of it in memory."""
    guest.do("sync")
    guest.put("/proc/sys/vm/drop_caches", "3")


def blocks(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return [data[at:at + BLOCK] for at in range(0, len(data), BLOCK)]


def changed(before: list[bytes], after: list[bytes]) -> list[int]:
    return [number for number, (a, b) in enumerate(zip(before, after)) if a != b]


@pytest.mark.parametrize("kind", [ENCRYPTED, INTEGRITY])
def test_the_host_sees_nothing(bed: Bed, kind: str) -> None:
    scratch = sparse(bed)
    secret = filler("secret")
    with driven(bed, scratch, kind) as guest:
        names = {"socle-layer-0", "socle-upper"}
        assert guest.left().dm == names | ({"socle-upper-integrity"} if kind == INTEGRITY else set())
        size = guest.one("statfs", "/")["bytes"]
        assert SIZE * 0.85 < size < SIZE
        guest.put("/opt/secret", secret)
        write_back(guest)
        assert guest.content("/opt/secret") == secret
        on_disk = scratch.read_bytes()
        # The key is in no table that can be read, and no longer in a keyring.
        tables = [device["table"] for device in guest.ask("dm") if device["target"] == "crypt"]
        assert len(tables) == 1 and ":logon:socle:socle-upper " in tables[0]
        assert b"socle:" not in guest.content("/proc/keys")
    assert on_disk.startswith(MARK)
    assert scratch.stat().st_blocks * 512 > len(secret)
    for at in range(0, len(secret), BLOCK):
        assert secret[at:at + 64] not in on_disk
    assert b"socle-scratch" not in on_disk and b"\x53\xef" not in on_disk[1024 + 56:1024 + 58]


def victim_on_disk(guest: Driven, scratch: Path) -> tuple[bytes, int]:
    """A file, and a byte of the disk within its data."""
    content = filler("victim")
    write_back(guest)
    before = blocks(scratch)
    guest.put("/opt/victim", content)
    write_back(guest)
    new = changed(before, blocks(scratch))
    runs = [start for start in new if all(start + i in new for i in range(128))]
    assert runs, "its blocks are not one behind the other"
    return content, (runs[0] + 64) * BLOCK + 1000


@pytest.mark.parametrize("kind", [ENCRYPTED, INTEGRITY])
def test_byte_that_the_host_turns(bed: Bed, kind: str) -> None:
    """With integrity it is an I/O error; without it 16 bytes are others."""
    scratch = sparse(bed)
    with driven(bed, scratch, kind) as guest:
        content, at = victim_on_disk(guest, scratch)
        assert guest.read_errno("/opt/victim") == 0
        with open(scratch, "r+b") as file:
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 1]))
        error = guest.read_errno("/opt/victim")
        if kind == INTEGRITY:
            assert expect.error_name(error) == "EIO"
            return
        assert error == 0
        read = guest.content("/opt/victim")
        wrong = [i for i, (a, b) in enumerate(zip(read, content)) if a != b]
        assert wrong and wrong[-1] // 16 == wrong[0] // 16


def test_used_again(bed: Bed) -> None:
    """A guest starts more than once on its disk, whatever was made of it; nothing stays."""
    scratch = sparse(bed)
    for number, kind in enumerate(["", ENCRYPTED, INTEGRITY, INTEGRITY, ENCRYPTED, "", ""]):
        with driven(bed, scratch, kind, OPTIONAL, f"guest{number}") as guest:
            assert expect.error_name(guest.one("path", "/opt/new")["errno"]) == "ENOENT"
            guest.put("/opt/new", filler("new"))
            write_back(guest)
            assert guest.content("/opt/new") == filler("new")
            if not kind:
                assert filler("new")[:BLOCK] in scratch.read_bytes()
                assert guest.left().dm == {"socle-layer-0"}


@pytest.mark.parametrize("kind", [ENCRYPTED, INTEGRITY])
def test_large_disk(bed: Bed, kind: str) -> None:
    """What is made is no more on a disk of 1 TiB, and no block is read that was not written."""
    scratch = sparse(bed, MIB << 20)
    with driven(bed, scratch, kind) as guest:
        assert guest.one("statfs", "/")["bytes"] > (MIB << 20) * 0.9
        assert scratch.stat().st_blocks * 512 < 16 * MIB
        for number in range(40):  # directories go to groups of their own
            guest.do("mkdir", f"/opt/{number}")
            guest.put(f"/opt/{number}/file", f"{number}")
        write_back(guest)
        for number in range(40):
            assert guest.content(f"/opt/{number}/file") == f"{number}".encode()
    console = (bed.path("guest") / "console.log").read_text(errors="replace")
    assert "EXT4-fs error" not in console and "INTEGRITY AEAD ERROR" not in console


def refused(bed: Bed, scratch: Disk, kind: str = ENCRYPTED, code: str = "SCRATCH_FAILED",
            step: str = "mounts", volume: str = "upper", policy: str = "") -> str:
    layers = bed.image(bed.base())
    return expect.failure(bed.boot(machine(bed, layers, scratch, kind, policy)), code, step, volume)


def test_disk_that_is_not_empty(bed: Bed) -> None:
    """Its first bytes or its last ones; and it stays as it was."""
    for name, at in [("start", 0), ("label", MIB - 1), ("end", SIZE - 1)]:
        scratch = sparse(bed, name=name)
        with open(scratch, "r+b") as file:
            file.seek(at)
            file.write(b"x")
        sentence = refused(bed, writable(scratch))
        assert f"scratch disk vdb: it is not empty: byte {at} is not 0" in sentence
        data = scratch.read_bytes()
        assert data.count(b"\0") == SIZE - 1 and data[at:at + 1] == b"x"


def test_other_disks_that_are_refused(bed: Bed) -> None:
    assert "at least 33554432" in refused(bed, writable(sparse(bed, 32 * MIB - 512, "small")))
    assert "/dev/vdb is read-only" in refused(bed, Disk(sparse(bed, name="ro"), "scratch"))
    refused(bed, Disk(sparse(bed, name="other"), "other", writable=True), code="DEVICE_NOT_FOUND",
            step="devices")


def test_policy_that_wants_encryption(bed: Bed) -> None:
    """When an initramfs is packed for the plan, and in one that was packed for none."""
    layers = bed.image(bed.base())
    disk = writable(sparse(bed))
    with pytest.raises(ToolError, match="POLICY_REFUSED.*encrypted"):
        machine(bed, layers, disk, "")
    arguments = [layers[0].argument("SERIAL=root"), "socle.upper=disk:SERIAL=scratch"]
    boot = bed.machine([Disk(layers[0].disk, "root"), disk], arguments)
    assert "encrypted" in expect.failure(bed.boot(boot), "POLICY_REFUSED", "plan")


def test_disk_of_a_layer(bed: Bed) -> None:
    layers = bed.image(bed.base())
    arguments = [layers[0].argument("SERIAL=root"), "socle.upper=disk:SERIAL=root,encrypted"]
    boot = bed.machine([Disk(layers[0].disk, "root", writable=True)], arguments)
    sentence = expect.failure(bed.boot(boot), "SCRATCH_FAILED", "devices", "upper")
    assert sentence == "the scratch disk vda is also where layer-0 is"


@pytest.mark.parametrize("kind", [",encrypt", ",encrypt,integrity"])
def test_at_run_time(guest: Driven, bed: Bed, kind: str) -> None:
    """The same by socle-volume, on a disk that was plugged in; the key ends with the mount."""
    layer = bed.image([*bed.base(), oci.file("opt/lower", "lower")])[0]
    scratch, secret = sparse(bed), filler("secret")
    data, disk = guest.plug(layer.disk), guest.plug(scratch, writable=True)
    description = layer.argument(data.reference).removeprefix("socle.layer=").encode()
    request = Request(description, "socle", upper=f"disk:{disk.reference}{kind}")
    before = guest.left()
    for umounted in (volume.umounted, lambda guest, at: guest.do("umount", at, 0)):
        volume.mounted(guest, request)
        assert guest.content(f"{volume.TARGET}/opt/lower") == b"lower"
        guest.put(f"{volume.TARGET}/opt/secret", secret)
        write_back(guest)
        assert guest.content(f"{volume.TARGET}/opt/secret") == secret
        on_disk = scratch.read_bytes()
        assert on_disk.startswith(MARK) and secret[:64] not in on_disk
        umounted(guest, volume.TARGET)
        assert not guest.await_nothing_more_than(before)


def test_refused_at_run_time(guest: Driven, bed: Bed) -> None:
    """With the disk as it was, and nothing left of what was open already."""
    layer = bed.image(bed.base())[0]
    scratch = sparse(bed)
    with open(scratch, "r+b") as file:
        file.write(b"data")
    data, disk = guest.plug(layer.disk, writable=True), guest.plug(scratch, writable=True)
    description = layer.argument(data.reference).removeprefix("socle.layer=").encode()
    for reference, words in [(disk, "is not empty: byte 0 is not 0"), (data, "is also where volume-0 is")]:
        request = Request(description, "socle", upper=f"disk:{reference.reference},encrypt")
        sentence = volume.refused(volume.mount(guest, request), "SCRATCH_FAILED", "scratch",
                                  "upper", volume.SYSTEM)
        assert words in sentence
    assert scratch.read_bytes().rstrip(b"\0") == b"data"


@dataclass(frozen=True)
class Case:
    kind: Kind


@pytest.mark.parametrize("case", [Case(S390)], ids=lambda case: case.kind.name)
def test_on_another_machine(bed: Bed, case: Case) -> None:
    """Of the other byte order: what is made in the guest is what its kernel reads."""
    other = Bed(Programs.from_environment(case.kind.arch), bed.work, bed.directory)
    layers = other.image(other.base("mkdir /opt/new", "write /opt/new/file", "read /opt/new/file",
                                    "statfs /"))
    scratch = sparse(other)
    result = other.boot(machine(other, layers, writable(scratch), INTEGRITY, kind_of=case.kind))
    assert not result.report.failures and result.report.agent_finished, result.outcome
    for verb, path in [("mkdir", "/opt/new"), ("write", "/opt/new/file"), ("read", "/opt/new/file")]:
        expect.path_error(result, verb, path, None)
    assert SIZE * 0.85 < result.report.one("statfs", "/")["bytes"] < SIZE
    [table] = [dm["table"] for dm in result.report.all("dm") if dm["target"] == "crypt"]
    assert "authenc(hmac(sha256),xts(aes))" in table and "integrity:32:aead" in table
    on_disk = scratch.read_bytes()
    assert on_disk.startswith(MARK) and b"written\n" not in on_disk


@pytest.mark.prebuilt
def test_kernel_without_the_targets(bed: Bed) -> None:
    """An initramfs for another plan: said by name, and before the disk is touched."""
    layers = bed.image(bed.base())
    scratch = sparse(bed)
    boot = machine(bed, layers, writable(scratch), ENCRYPTED)
    boot.initramfs = bed.initramfs()
    sentence = expect.failure(bed.boot(boot), "KERNEL_FEATURE_MISSING", "mounts", "upper")
    assert "dm-crypt (CONFIG_DM_CRYPT)" in sentence
    assert scratch.stat().st_blocks == 0
