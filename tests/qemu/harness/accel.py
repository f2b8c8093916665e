# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Which accelerator QEMU can really use here."""

from __future__ import annotations

import functools
import os
import socket
import subprocess
import time
from pathlib import Path

from harness.qmp import Qmp, QmpError

# How much longer than under KVM a guest may take, by accelerator.
SLOWNESS = {"kvm": 1.0, "tcg": 3.0}

QEMU = "qemu-system-x86_64"

# A guest that gets this far has run real code; a panic is its way out.
PROBE_SECONDS = 10


def qmp_pair() -> tuple[socket.socket, socket.socket, list[str]]:
    """Our end, QEMU's end, and the arguments that tell QEMU of its end."""
    ours, theirs = socket.socketpair()
    arguments = [
        "-chardev", f"socket,id=qmp,fd={theirs.fileno()}",
        "-mon", "chardev=qmp,mode=control",
    ]
    return ours, theirs, arguments


def kvm_works(kernel: Path) -> bool:
    """
    Boot the kernel with nothing to mount and see it give up. A /dev/kvm that
    can be opened proves little: under nested virtualisation it may create
    machines and then fail on their first instructions.
    """
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    ours, theirs, qmp_arguments = qmp_pair()
    command = [
        QEMU, "-machine", "q35,accel=kvm", "-cpu", "host", "-m", "128",
        "-nodefaults", "-display", "none", "-no-reboot", "-kernel", str(kernel),
        "-append", "panic=-1 root=/dev/ram0", *qmp_arguments,
    ]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, pass_fds=[theirs.fileno()]) as qemu:
        theirs.close()
        qmp = Qmp(ours)
        try:
            qmp.greet()
            event = qmp.await_event({"SHUTDOWN", "STOP"}, time.monotonic() + PROBE_SECONDS)
            return event is not None and event["event"] == "SHUTDOWN"
        except (QmpError, OSError):
            return False
        finally:
            qmp.close()
            qemu.kill()


@functools.lru_cache(maxsize=None)
def choose(kernel: Path) -> str:
    """"kvm" or "tcg"; SOCLE_ACCEL overrules the probe."""
    forced = os.environ.get("SOCLE_ACCEL")
    if forced:
        if forced not in SLOWNESS:
            raise ValueError(f"SOCLE_ACCEL={forced}: kvm or tcg")
        return forced
    return "kvm" if kvm_works(kernel) else "tcg"
