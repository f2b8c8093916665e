# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
A unified kernel image: kernel, initramfs and command line in one EFI program, which a
firmware starts from a disk's EFI system partition. Made with Debian's stub, systemd-boot-efi.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from harness.image import run_tool
from harness.vm import Machine

STUB = Path("/usr/lib/systemd/boot/efi/linuxx64.efi.stub")
PAGE = 4096


def _end_of_sections(program: Path) -> int:
    """Where the image of an EFI program ends once it is loaded."""
    end = 0
    for line in run_tool("objdump", "-h", program).splitlines():
        words = line.split()
        if len(words) == 7 and words[0].isdigit():
            end = max(end, int(words[3], 16) + int(words[2], 16))
    return end


def make(machine: Machine, out: Path) -> Path:
    """Of what QEMU would hand over to the kernel by itself."""
    assert machine.initramfs is not None
    line = out.with_suffix(".cmdline")
    line.write_text(machine.cmdline + "\0")
    sections, at = [], _end_of_sections(STUB)
    for name, content in [(".cmdline", line), (".linux", machine.kernel),
                          (".initrd", machine.initramfs)]:
        at = -(-at // PAGE) * PAGE
        sections += ["--add-section", f"{name}={content}", "--change-section-vma",
                     f"{name}={at:#x}"]
        at += content.stat().st_size
    run_tool("objcopy", *sections, STUB, out)
    return out


@dataclass
class FromDisk(Machine):
    """A machine whose firmware finds by itself what to start."""

    def arguments(self, *where: object) -> list[str]:
        words = super().arguments(*where)
        for option in ["-kernel", "-initrd", "-append"]:
            at = words.index(option)
            del words[at:at + 2]
        return words


def from_disk(machine: Machine) -> FromDisk:
    return FromDisk(**{f.name: getattr(machine, f.name) for f in fields(machine)})
