# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
The initramfs must be whole. The host gives the guest its memory, and a kernel that can
unpack only a part starts /init over that; so does one whose initramfs was cut. What is
missing then is the policy, a deny list, or half of the agent's root.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from harness import cpio, expect
from harness.bed import Bed, Result, filler

# Nothing shortens it. By name it comes behind /init and in front of what must be there.
LOAD = 100 << 20
LATE = "zz/late"
LATE_TEXT = b"the last one\n"

LINE = ["socle.agent=/sbin/init"]


def contents(bed: Bed, load: int) -> dict[str, bytes]:
    """A root by itself: the agent is in it, and tells whether the last file is there."""
    return {"/sbin/init": bed.programs.agent.read_bytes(),
            "/etc/socle-test": f"path /{LATE}\n".encode(),
            "/lib/load": filler("load", load), f"/{LATE}": LATE_TEXT}


def ours(bed: Bed, load: int, compression: str = "none") -> Path:
    return bed.initramfs(files=contents(bed, load), options=["--compress", compression])


def others(bed: Bed, load: int, *more: cpio.Entry) -> bytes:
    """The same, packed by somebody else: no marks."""
    names = contents(bed, load)
    folders = [cpio.directory(name) for name in ["dev", "etc", "lib", "proc", "run", "sbin", "sys", "zz"]]
    return cpio.archive(*folders, cpio.file("init", bed.programs.init.read_bytes(), 0o755),
                        *(cpio.file(name[1:], content, 0o755) for name, content in names.items()), *more)


def boot(bed: Bed, archive: Path, memory_mib: int = 512) -> Result:
    return bed.boot(bed.machine([], LINE, memory_mib=memory_mib, initramfs=archive))


def boot_bytes(bed: Bed, data: bytes, memory_mib: int = 512) -> Result:
    path = bed.path("initramfs")
    path.write_bytes(data)
    return boot(bed, path, memory_mib)


def came_to(result: Result) -> str:
    """started, in a whole root; told; or no init, where the kernel came to its end before."""
    report = result.report
    if report.agent_started:
        assert not report.failures and report.content(f"/{LATE}") == LATE_TEXT.decode(), result.outcome
        return "started"
    codes = [failure.code for failure in report.failures]
    assert codes in ([], ["INITRAMFS_INCOMPLETE"]), result.outcome
    assert codes or result.outcome.ended != expect.POWER_OFF, result.outcome
    return "told" if codes else "no init"


@pytest.mark.parametrize("packed", ["none", "zstd", "by others"])
def test_little_memory(bed: Bed, packed: str) -> None:
    """From too little for the kernel to enough: no agent where files are missing."""
    path = bed.path("initramfs")
    if packed == "by others":
        path.write_bytes(others(bed, LOAD))
    else:
        path = ours(bed, LOAD, packed)
    ends = {mib: came_to(boot(bed, path, mib)) for mib in (170, 215, 260, 512)}
    assert ends[512] == "started" and "told" in ends.values(), ends


@pytest.mark.parametrize("compression", ["none", "gzip", "zstd"])
@pytest.mark.parametrize("percent", [50, 97])
def test_cut(bed: Bed, compression: str, percent: int) -> None:
    """Behind /init it is told; the half of one with modules, which come first, may have no /init."""
    data = ours(bed, 1 << 20, compression).read_bytes()
    outcomes = {"told"} if percent > 50 else {"told", "no init"}
    assert came_to(boot_bytes(bed, data[:len(data) * percent // 100])) in outcomes


def unaligned(data: bytes) -> bytes:
    """Packed by gzip, to a length that is no multiple of four."""
    packed = [gzip.compress(data, level, mtime=0) for level in range(1, 10)]
    return next(candidate for candidate in packed if len(candidate) % 4)


def test_archive_behind(bed: Bed) -> None:
    """A policy in an archive of its own counts, or its loss is told."""
    policy = cpio.archive(cpio.directory("etc/socle"), cpio.file("etc/socle/policy", b"nonsense=1\n"))
    packed = ours(bed, 4096, "zstd").read_bytes()
    assert len(packed) % 4 == 0
    expect.failure(boot_bytes(bed, packed + policy), "KEY_UNKNOWN", "plan")
    plain = ours(bed, 4096).read_bytes()
    sentence = expect.failure(boot_bytes(bed, unaligned(plain) + policy),
                              "INITRAMFS_INCOMPLETE", "initramfs")
    assert "invalid magic at start of compressed archive" in sentence


def test_no_inode_left(bed: Bed) -> None:
    """A kernel that has no inode for a file says nothing of it."""
    many = [cpio.file(f"zz/{number}", b"") for number in range(30000)]
    data = gzip.compress(others(bed, 4096, *many), 6)
    sentence = expect.failure(boot_bytes(bed, data, 160), "INITRAMFS_INCOMPLETE", "initramfs")
    assert "no inode left" in sentence
    assert came_to(boot_bytes(bed, data, 512)) == "started"
