# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
One virtual machine, from its description to how it ended.

The guest's verdict comes over its second serial port and over QMP. What it
prints on its console is written to a file for people, and never searched.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from harness import accel, machines
from harness.channel import Channel
from harness.line import seal
from harness.machines import Kind
from harness.qmp import Qmp, QmpError
from harness.vhost_vsock import Host

BLK = "virtio-blk"
SCSI = "virtio-scsi"

# The PCI bridge behind which a virtio-blk disk can be plugged while the guest runs.
BRIDGE = "bridge"

# What the test agent reports last.
LAST_WORD = '{"what":"end"}'

# The guest was still running when its time was over.
TIMEOUT = "timeout"


@dataclass(frozen=True)
class Disk:
    """A raw file that the guest sees as one disk."""

    path: Path
    serial: Optional[str] = None
    bus: str = BLK
    late: bool = False  # not there at the start: plug() brings it
    bridged: bool = False  # not on the PCI root bus, as a late one is not
    bad_sector: Optional[int] = None  # reading it is an I/O error
    writable: bool = False

    def node(self, index: int) -> dict[str, object]:
        file: dict[str, object] = {"driver": "file", "filename": str(self.path),
                                   "read-only": not self.writable, "locking": "off"}
        if self.bad_sector is not None:
            error = {"event": "read_aio", "errno": 5, "sector": self.bad_sector}
            file = {"driver": "blkdebug", "image": file, "inject-error": [error]}
        return {"driver": "raw", "node-name": f"disk{index}", "read-only": not self.writable,
                "file": file}

    def device(self, index: int, kind: Kind) -> dict[str, object]:
        device: dict[str, object] = {"drive": f"disk{index}", "id": f"dev{index}"}
        if self.bus == SCSI:
            device |= {"driver": "scsi-hd", "bus": "scsi.0"}
        else:
            device |= {"driver": kind.blk}
            if self.late or self.bridged:
                device["bus"] = BRIDGE
        if self.serial is not None:
            device["serial"] = self.serial
        return device


@dataclass
class Machine:
    kernel: Path
    initramfs: Optional[Path]  # None where the kernel has one in it
    cmdline: str
    disks: list[Disk] = field(default_factory=list)
    kind: Kind = machines.Q35
    memory_mib: int = 256
    cpus: int = 1
    serial_console: bool = True
    # The console is this process's terminal; Ctrl-A X ends QEMU.
    interactive: bool = False
    # With a pvpanic device a panic is told apart from a reset; needs its module.
    panic_device: bool = False
    # Who answers on the guest's vsock; None: there is no such device.
    vsock: Optional[Host] = None
    # Over what a test tells the agent what to do while the guest runs (the verb "drive").
    channel: Optional[Channel] = None
    # A reset starts the guest anew; else it is its end.
    reboots: bool = False
    # Seconds that a guest may take under KVM; longer under TCG.
    limit: float = 30

    def arguments(self, accelerator: str, directory: Path) -> list[str]:
        arguments = [
            *self.kind.arguments(accelerator, self.cpus),
            "-m", str(self.memory_mib), "-smp", str(self.cpus),
            "-nodefaults", "-no-user-config", "-display", "none",
            *([] if self.reboots else ["-no-reboot"]),
            "-kernel", str(self.kernel), *(["-initrd", str(self.initramfs)] if self.initramfs else []),
            "-append", seal(self.kind.cmdline(self.cmdline, accelerator)),
        ]
        if self.interactive:
            arguments += ["-chardev", "stdio,id=console,mux=on,signal=off"]
        elif self.serial_console:
            arguments += ["-chardev", f"file,id=console,path={directory / 'console.log'}"]
        if self.interactive or self.serial_console:
            arguments += self.kind.console_device
        arguments += [
            "-chardev", f"file,id=verdict,path={directory / 'verdict.log'}",
            *self.kind.verdict_device,
        ]
        if self.vsock:
            arguments += self.vsock.arguments(self.memory_mib)
        if self.channel:
            arguments += self.channel.arguments(self.kind.serial)
        if self.panic_device:
            arguments += ["-device", "pvpanic-pci"]
        if any(disk.bus == SCSI for disk in self.disks):
            arguments += ["-device", f"{self.kind.scsi},id=scsi"]
        if any(disk.bus == BLK and (disk.late or disk.bridged) for disk in self.disks):
            arguments += ["-device", f"pcie-root-port,id={BRIDGE},chassis=1"]
        for index, disk in enumerate(self.disks):
            if not disk.late:
                arguments += ["-blockdev", to_json(disk.node(index)),
                              "-device", to_json(disk.device(index, self.kind))]
        return arguments


def to_json(value: dict[str, object]) -> str:
    return json.dumps(value, sort_keys=True)


@dataclass(frozen=True)
class Outcome:
    """How a guest ended, and what it said on its verdict channel."""

    ended: str  # the reason of QMP's SHUTDOWN event, or TIMEOUT
    off: str  # what that is for a guest that powered off
    seconds: float  # from the start to the end
    verdict: str
    directory: Path

    def __str__(self) -> str:
        said = "".join(f"\n    {line}" for line in self.verdict.splitlines()) or " nothing"
        return (f"the guest ended by {self.ended} after {self.seconds:.1f} s and "
                f"reported:{said}\n  console: {self.directory / 'console.log'}")


class Guest:
    """A running machine. Leaving the context ends it, whatever happened."""

    def __init__(self, machine: Machine, directory: Path) -> None:
        self.machine = machine
        self.directory = directory
        self.accelerator = accel.choose(machine.kernel) if machine.kind.native else "tcg"
        self.verdict_file = directory / "verdict.log"

    def __enter__(self) -> "Guest":
        self.directory.mkdir(parents=True, exist_ok=True)
        command = self.machine.arguments(self.accelerator, self.directory)
        (self.directory / "qemu.sh").write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n")
        ours, theirs, qmp_arguments = accel.qmp_pair()
        interactive = self.machine.interactive
        vsock, channel = self.machine.vsock, self.machine.channel
        inherited = [theirs.fileno(), *[end.theirs.fileno() for end in (vsock, channel) if end]]
        with open(self.directory / "qemu.log", "wb") as log:
            # -S: not one instruction runs before we listen.
            self.process = subprocess.Popen(
                [*command, *qmp_arguments, "-S"],
                stdin=None if interactive else subprocess.DEVNULL,
                stdout=None if interactive else log, stderr=log, pass_fds=inherited)
        theirs.close()
        if vsock:
            vsock.start()
        if channel:
            channel.theirs.close()
        self.qmp = Qmp(ours)
        try:
            self.qmp.greet()
            self.qmp.command("cont")
        except (QmpError, OSError) as error:
            self.__exit__()
            words = (self.directory / "qemu.log").read_text(errors="replace").strip()
            raise QmpError(f"QEMU did not start: {words or error}") from error
        self.started = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.qmp.close()
        self.process.kill()
        self.process.wait()
        if self.machine.vsock:
            self.machine.vsock.finish()

    @property
    def limit(self) -> float:
        return self.machine.limit * accel.SLOWNESS[self.accelerator]

    def verdict(self) -> str:
        try:
            return self.verdict_file.read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def await_verdict(self, word: str) -> None:
        """Return once the verdict channel carries this word, or the time is over."""
        while word not in self.verdict() and not self.qmp.closed:
            if time.monotonic() > self.started + self.limit:
                return
            self.qmp.collect(0.1)

    def await_first_read(self, disk: Disk) -> bool:
        """Return once the guest has read this disk: its driver is at work."""
        name = f"dev{self.machine.disks.index(disk)}"
        while time.monotonic() < self.started + self.limit:
            for stats in self.qmp.command("query-blockstats"):
                if name in stats["qdev"] and stats["stats"]["rd_operations"] > 0:
                    return True
            self.qmp.collect(0.1)
        return False

    def plug(self, disk: Disk) -> None:
        index = self.machine.disks.index(disk)
        self.qmp.command("blockdev-add", **disk.node(index))
        self.qmp.command("device_add", **disk.device(index, self.machine.kind))

    def await_end(self, seconds: float) -> Optional[dict[str, Any]]:
        """The SHUTDOWN event if it comes in this time."""
        return self.qmp.await_event({"SHUTDOWN"}, time.monotonic() + seconds)

    def wait(self) -> Outcome:
        """Until the guest ends by itself, or its time is over."""
        if self.machine.kind.off == machines.HOST_QUIT:
            self.await_verdict(LAST_WORD)
            self.qmp.command("quit")
        event = self.qmp.await_event({"SHUTDOWN"}, self.started + self.limit)
        seconds = time.monotonic() - self.started
        if event is None:
            ended = TIMEOUT if self.process.poll() is None else "qemu-died"
        else:
            ended = event["data"]["reason"]
            self.process.wait(timeout=20)  # its files are complete after this
        return Outcome(ended, self.machine.kind.off, seconds, self.verdict(), self.directory)


def boot(machine: Machine, directory: Path) -> Outcome:
    with Guest(machine, directory) as guest:
        return guest.wait()
