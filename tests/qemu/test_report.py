# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
A failure is one line: the same on every console and in the report, there before
the power goes. And it is one failure: the guest stays off.
"""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

import pytest

from harness import expect, machines, oci
from harness.bed import Bed
from harness.image import Layer
from harness.vhost_vsock import Host
from harness.vm import Disk, Guest, Machine, Outcome

PORT = 9999
PT_LOAD = 1
TRANSPORT = "vmw_vsock_virtio_transport"

# What the guest may take for the host's part of the conversation, and for leaving.
TOLD_SECONDS = 30

NOBODY = "socle.layer=SERIAL=nobody,data_blocks=1,root_hash=" + "0" * 64

# Two consoles of two drivers, as one driver has but one; nothing is reported elsewhere.
CONSOLES = "console=hvc0 console=ttyS0 panic=1 no_timer_check"
TWO_CONSOLES = replace(machines.Q35, verdict_device=machines.virtio_console("virtio-serial-pci"))


def machine_of(bed: Bed, disks: list[Disk], *arguments: str) -> Machine:
    machine = bed.machine(disks, [], TWO_CONSOLES)
    machine.cmdline = " ".join([CONSOLES, *arguments])
    machine.initramfs = bed.initramfs(modules=[TRANSPORT])
    return machine


def failing(bed: Bed, *arguments: str) -> Machine:
    """It fails behind the step that loads the drivers."""
    return machine_of(bed, [], NOBODY, "socle.timeout=1", *arguments)


def told(path: Path) -> list[str]:
    """The failure lines of a console, without what printk puts in front of them."""
    lines = path.read_text(errors="replace").splitlines()
    return [re.sub(r"^\[ *\d+\.\d+\] ", "", line) for line in lines if "socle: FAILED" in line]


def told_on_consoles(outcome: Outcome, ended: str = expect.POWER_OFF) -> str:
    """Once on each of the two, the same, and this end. Returns the line."""
    first = told(outcome.directory / "console.log")
    assert len(first) == 1, f"{first}: {outcome}"
    assert told(outcome.directory / "verdict.log") == first, outcome
    assert outcome.ended == ended, outcome
    return first[0]


def boot(bed: Bed, machine: Machine) -> Outcome:
    return bed.boot(machine).outcome


def test_vsock(bed: Bed) -> None:
    host = Host(listening={PORT})
    machine = failing(bed, f"socle.report=vsock:{PORT}")
    machine.vsock = host
    line = told_on_consoles(boot(bed, machine))
    assert " code=DEVICE_NOT_FOUND: " in line
    [connection] = host.connections
    assert connection.data.decode() == line + "\n"
    assert connection.ended, "the guest did not say that this is all"


def test_vsock_of_a_plan_that_fails(bed: Bed) -> None:
    """The step that would load the driver never comes."""
    machine = failing(bed, "socle.nonsense=1", f"socle.report=vsock:{PORT}")
    machine.vsock = host = Host(listening={PORT})
    [line] = told(boot(bed, machine).directory / "console.log")
    assert " step=plan volume=- code=KEY_UNKNOWN: " in line
    assert [connection.data.decode() for connection in host.connections] == [line + "\n"]


def test_vsock_when_the_old_root_is_gone(bed: Bed) -> None:
    """/dev and all with it; the kernel alone sees that the agent is no program."""
    host = Host(listening={PORT})
    layers = bed.image([*bed.base(), oci.file("sbin/text", "no program\n", 0o755)])
    machine = machine_of(bed, [Disk(layers[0].disk, "layer0")], layers[0].argument("SERIAL=layer0"),
                         "socle.agent=/sbin/text", f"socle.report=vsock:{PORT}")
    machine.vsock = host
    line = told_on_consoles(boot(bed, machine))
    assert " code=AGENT_EXEC_FAILED: " in line
    assert [connection.data.decode() for connection in host.connections] == [line + "\n"]


@pytest.mark.parametrize("manners", [
    None, {}, {"deaf": True}, {"listening": {PORT}, "closes": False}],
    ids=["no-device", "nobody-listens", "host-is-deaf", "host-never-closes"])
def test_vsock_that_does_not_work(bed: Bed, manners: Optional[dict[str, Any]]) -> None:
    """Harmless: the consoles have the line, and the guest is off in time."""
    machine = failing(bed, f"socle.report=vsock:{PORT}")
    machine.vsock = host = None if manners is None else Host(**manners)
    with Guest(machine, bed.path("boot")) as guest:
        guest.await_verdict("socle: FAILED")
        event = guest.await_end(seconds=TOLD_SECONDS)
        assert event, f"still on {TOLD_SECONDS} s after it told its failure"
        outcome = guest.wait()
    told_on_consoles(outcome)
    if host:
        assert host.requests == 1
        assert len(host.connections) == len(host.listening)


@pytest.mark.prebuilt
def test_vsock_without_its_driver(bed: Bed) -> None:
    machine = failing(bed, f"socle.report=vsock:{PORT}")
    machine.vsock = host = Host(listening={PORT})
    machine.initramfs = bed.initramfs()
    told_on_consoles(boot(bed, machine))
    assert not host.requests


def test_device_has_the_same_line(bed: Bed) -> None:
    """A second serial port that is no console."""
    machine = bed.machine([], [NOBODY, "socle.timeout=1"])
    told_on_consoles(boot(bed, machine))


def with_step_that_crashes(bed: Bed, step: str) -> Path:
    """socle-init whose table of steps has a jump into nothing for this one."""
    data = bytearray(bed.programs.init.read_bytes())
    name = data.index(b"\0" + step.encode() + b"\0") + 1
    headers, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    for header in range(headers, headers + 56 * count, 56):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, header)
        if kind == PT_LOAD and offset <= name < offset + size:
            entry = data.index(struct.pack("<Q", address + name - offset))
            struct.pack_into("<Q", data, entry + 8, 16)
    assert data != bed.programs.init.read_bytes()
    path = bed.path("socle-init")
    path.write_bytes(data)
    return path


def test_crash_is_a_failure(bed: Bed, one: list[Layer]) -> None:
    """And no panic, which panic=1 would make a reboot of, again and again."""
    bed.programs = replace(bed.programs, init=with_step_that_crashes(bed, "mounts"))
    machine = machine_of(bed, [Disk(one[0].disk, "layer0")], one[0].argument("SERIAL=layer0"))
    machine.reboots = True
    line = told_on_consoles(boot(bed, machine))
    assert " step=mounts volume=- code=INIT_CRASHED: " in line
    assert "Segmentation fault" in line


@pytest.mark.parametrize("words", ["", "loglevel=0"])
def test_no_reboot_loop(bed: Bed, words: str) -> None:
    """panic=1, on a machine that a reset would start again."""
    machine = failing(bed, words)
    machine.reboots = True
    with Guest(machine, bed.path("boot")) as guest:
        outcome = guest.wait()
        events = [event["event"] for event in guest.qmp.events]
    told_on_consoles(outcome)
    assert "RESET" not in events, events
