# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
The machines that guests are booted on: what QEMU calls their devices, and what
the guest calls its console and the channel that the verdict goes out on.

The verdict never shares a device with the console's text. x86 has a second serial
port for it. Elsewhere it is a port of virtio-serial that the guest sees as a
terminal: /dev/hvc0 is the same name on every bus, while the name of a plain port
(/dev/vportNp1) carries a number that depends on the order of probing.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from typing import Optional


# QMP's reason for an end that the host asked for.
HOST_QUIT = "host-qmp-quit"


@dataclass(frozen=True)
class Kind:
    name: str
    arch: str  # as uname has it, and QEMU
    machine: str  # -machine, but for the accelerator
    blk: str  # the device of a virtio-blk disk
    scsi: Optional[str]  # and of the virtio-scsi adapter, where one is tried
    console: str  # the guest's name of its console
    report: str  # and of the device for the verdict
    console_device: tuple[str, ...]  # of the character devices "console" and
    verdict_device: tuple[str, ...]  # "verdict"
    serial: str = "virtio-serial-pci"  # the adapter of the port that a driven agent listens on
    cpu: str = "max"  # without KVM, which has the processor that there is
    parameters: tuple[str, ...] = ()
    emulated_parameters: tuple[str, ...] = ()  # without KVM
    firmware: Optional[str] = None  # instead of QEMU's own
    panic: str = "guest-reset"  # QMP's reason when the kernel panics and restarts
    off: str = "guest-shutdown"  # and when it is off; HOST_QUIT: it cannot, and is ended

    @property
    def qemu(self) -> str:
        return f"qemu-system-{self.arch}"

    @property
    def native(self) -> bool:
        return self.arch == platform.machine()

    def common(self) -> list[str]:
        """On every command line: where words go, and a panic that ends the guest."""
        return [f"console={self.console}", "panic=-1", *self.parameters,
                f"socle.report={self.report}"]

    def arguments(self, accelerator: str, cpus: int) -> list[str]:
        # Emulated processors in threads of their own do not see each other's changes of code
        # in time: kernels that patch themselves at boot died of it.
        threads = ",thread=single" if accelerator == "tcg" and cpus > 1 else ""
        return [self.qemu, "-machine", self.machine, "-accel", accelerator + threads,
                "-cpu", "host" if accelerator == "kvm" else self.cpu,
                *(["-bios", self.firmware] if self.firmware else [])]

    def cmdline(self, text: str, accelerator: str) -> str:
        return " ".join([*([] if accelerator == "kvm" else self.emulated_parameters), text])


def virtio_console(serial: str) -> tuple[str, ...]:
    return ("-device", serial, "-device", "virtconsole,chardev=verdict")


Q35 = Kind(
    "q35", "x86_64", "q35", "virtio-blk-pci", "virtio-scsi-pci", "ttyS0", "/dev/ttyS1",
    ("-device", "isa-serial,index=0,chardev=console"),
    ("-device", "isa-serial,index=1,chardev=verdict"),
    # An emulated timer that is late at boot on a busy machine is no reason for a panic.
    parameters=("no_timer_check",))

# UEFI starts the kernel through its EFI stub, as in every guest of TDX and SEV-SNP.
# Debian's package ovmf.
Q35_EFI = replace(Q35, name="q35-efi", firmware="/usr/share/ovmf/OVMF.fd")

# A restart is a triple fault here: other ways may do nothing, and a panic would hang.
# Its ACPI tables name the virtio-mmio devices; without ACPI only a kernel with
# CONFIG_VIRTIO_MMIO_CMDLINE_DEVICES finds them, and there is no way to power off.
# There is no timer either that an emulated processor's clock could be measured with:
# the kernel would wait for its first tick for ever, so it is told of one.
MICROVM = Kind(
    "microvm", "x86_64", "microvm,acpi=on", "virtio-blk-device", None, "ttyS0", "/dev/hvc0",
    ("-serial", "chardev:console"), virtio_console("virtio-serial-device"),
    serial="virtio-serial-device", parameters=("reboot=t",), emulated_parameters=("tsc_early_khz=2500000",))

# As Firecracker is: no ACPI, the devices on the command line (QEMU writes them there), and
# no way to power off. For kernels with CONFIG_VIRTIO_MMIO_CMDLINE_DEVICES, as ours are.
MICROVM_NO_ACPI = replace(MICROVM, name="microvm-no-acpi", machine="microvm,acpi=off",
                          off=HOST_QUIT)

# A kernel that panics loads a disabled wait, which QEMU takes for what it is; halted
# processors are a power-off to it.
S390 = Kind(
    "s390-ccw-virtio", "s390x", "s390-ccw-virtio", "virtio-blk-ccw", "virtio-scsi-ccw",
    "ttysclp0", "/dev/hvc0",
    ("-device", "sclpconsole,chardev=console"), virtio_console("virtio-serial-ccw"),
    serial="virtio-serial-ccw", panic="guest-panic")

VIRT_PCI = Kind(
    "virt-pci", "aarch64", "virt", "virtio-blk-pci", "virtio-scsi-pci", "ttyAMA0", "/dev/hvc0",
    ("-serial", "chardev:console"), virtio_console("virtio-serial-pci"), cpu="cortex-a72")

VIRT_MMIO = Kind(
    "virt-mmio", "aarch64", "virt", "virtio-blk-device", None, "ttyAMA0", "/dev/hvc0",
    ("-serial", "chardev:console"), virtio_console("virtio-serial-device"),
    serial="virtio-serial-device", cpu="cortex-a72")

ALL = [Q35, Q35_EFI, MICROVM, MICROVM_NO_ACPI, S390, VIRT_PCI, VIRT_MMIO]

# make test KERNEL=built has kernels of ours for the others.
PREBUILT_ARCHES = {"aarch64"}
