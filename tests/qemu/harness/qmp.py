# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""The QEMU machine protocol, as much of it as the tests need."""

from __future__ import annotations

import json
import select
import socket
import time
from typing import Any, Optional


class QmpError(Exception):
    """QEMU refused a command, or went away in the middle of one."""


class Qmp:
    """One connection. Events that arrive are kept in order in .events."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.pending = b""
        self.events: list[dict[str, Any]] = []
        self.closed = False

    def close(self) -> None:
        self.closed = True
        self.sock.close()

    def _message(self, deadline: float) -> Optional[dict[str, Any]]:
        """The next message; None when the time is over or QEMU has gone."""
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            if self.closed or left <= 0:
                return None
            if not select.select([self.sock], [], [], left)[0]:
                return None
            try:
                data = self.sock.recv(65536)
            except ConnectionResetError:
                data = b""
            if not data:
                self.closed = True
                return None
            self.pending += data
        line, self.pending = self.pending.split(b"\n", 1)
        return json.loads(line)

    def greet(self, timeout: float = 20) -> None:
        """Wait for the greeting and leave the negotiation mode."""
        if self._message(time.monotonic() + timeout) is None:
            raise QmpError("QEMU closed the control socket before it said a word")
        self.command("qmp_capabilities")

    def command(self, name: str, **arguments: Any) -> Any:
        request = {"execute": name, "arguments": arguments}
        self.sock.sendall(json.dumps(request).encode() + b"\n")
        deadline = time.monotonic() + 30
        while True:
            message = self._message(deadline)
            if message is None:
                raise QmpError(f"QEMU did not answer {name}")
            if "event" in message:
                self.events.append(message)
            elif "error" in message:
                raise QmpError(f"{name}: {message['error']['desc']}")
            else:
                return message["return"]

    def collect(self, seconds: float) -> None:
        """Take in events until the time is over or QEMU goes away."""
        deadline = time.monotonic() + seconds
        while (message := self._message(deadline)) is not None:
            if "event" in message:
                self.events.append(message)

    def await_event(self, names: set[str], deadline: float) -> Optional[dict[str, Any]]:
        """The first event of these names, an earlier one included."""
        for event in self.events:
            if event["event"] in names:
                return event
        while (message := self._message(deadline)) is not None:
            if "event" in message:
                self.events.append(message)
                if message["event"] in names:
                    return message
        return None
