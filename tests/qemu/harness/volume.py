# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""socle-volume in a driven guest: what it is asked, and what it answers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Optional, Sequence

from harness.guest import Driven, Ended, Plugged
from harness.verdict import FAILURE_LINE, Failure

# Where socle.volumes=yes has it put.
PROGRAM = "/run/socle/socle-volume"

# Its exit statuses, of socle-volume(8).
DONE, USAGE, REFUSED, NO_DISK, NO_MATCH, SYSTEM, IN_USE = range(7)

TARGET = "/run/container/rootfs"


@dataclass(frozen=True)
class Request:
    """A description, and what the caller says beside it; volumes by their number."""

    description: bytes
    form: Optional[str] = None
    devices: Sequence[Optional[str]] = ()  # of volume 0, 1, ...
    sidecars: Sequence[Optional[bytes]] = ()
    allow: Sequence[int] = ()
    directories: Sequence[str] = ()
    upper: Optional[str] = None
    on_corruption: Optional[str] = None
    timeout: Optional[int] = None  # seconds

    def put_sidecars(self, guest: Driven) -> list[str]:
        """They are files in the guest, as an agent would have got them."""
        words = []
        for number, text in enumerate(self.sidecars):
            if text is not None:
                guest.put(f"/run/sidecar-{number}", text)
                words += ["--sidecar", f"{number}=/run/sidecar-{number}"]
        return words

    def arguments(self) -> list[str]:
        words = ["--from", self.form] if self.form else []
        for number, device in enumerate(self.devices):
            words += ["--device", f"{number}={device}"] if device else []
        for number in self.allow:
            words += ["--allow-unverified", str(number)]
        for directory in self.directories:
            words += ["--directory", directory]
        for option, value in [("--upper", self.upper), ("--on-corruption", self.on_corruption),
                              ("--timeout", self.timeout)]:
            words += [option, str(value)] if value is not None else []
        return words


def command(guest: Driven, request: Request, target: str = TARGET) -> list[str]:
    """Its description comes from standard input."""
    return [PROGRAM, "mount", "--target", target, *request.arguments(),
            *request.put_sidecars(guest), "-"]


def mount(guest: Driven, request: Request, target: str = TARGET, limit: float = 30) -> Ended:
    return guest.run(*command(guest, request, target), stdin=request.description, limit=limit)


def mounted(guest: Driven, request: Request, target: str = TARGET, limit: float = 30) -> Ended:
    """What must work, and says so in one line of nothing but that."""
    ended = mount(guest, request, target, limit)
    assert (ended.status, ended.signal, ended.err) == (DONE, 0, ""), ended
    return ended


def umount(guest: Driven, target: str = TARGET) -> Ended:
    return guest.run(PROGRAM, "umount", target)


def umounted(guest: Driven, target: str = TARGET) -> None:
    ended = umount(guest, target)
    assert (ended.status, ended.signal, ended.err) == (DONE, 0, ""), ended


def failure(ended: Ended) -> Failure:
    """The one line of a refusal."""
    lines = ended.err.splitlines()
    assert len(lines) == 1, ended
    match = FAILURE_LINE.fullmatch(lines[0])
    assert match, ended
    return Failure(**match.groupdict())


def refused(ended: Ended, code: str, step: str = "describe", volume: str = "-",
            status: int = REFUSED) -> str:
    """Exactly this; the sentence."""
    told = failure(ended)
    assert (told.code, told.step, told.volume, ended.status) == (code, step, volume, status), ended
    return told.sentence


def listed(guest: Driven) -> list[dict[str, Any]]:
    ended = guest.run(PROGRAM, "list", "--json")
    assert (ended.status, ended.err) == (DONE, ""), ended
    return json.loads(ended.out)["mounts"]


def layers_of(guest: Driven, target: str = TARGET) -> list[dict[str, Any]]:
    found = [entry for entry in listed(guest) if entry["target"] == target]
    assert len(found) == 1, f"{target} is listed {len(found)} times"
    return found[0]["layers"]


def devices(disks: Sequence[Plugged]) -> list[str]:
    return [disk.reference for disk in disks]
