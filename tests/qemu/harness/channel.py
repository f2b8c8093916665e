# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
A port of virtio-serial over which a test drives the agent of a running guest: what
agent/driver.h says, from the host's end.
"""

from __future__ import annotations

import json
import select
import socket
import time
from typing import Any, Union

# The port's name in the guest.
NAME = "socle.driver"

# What the image's /etc/socle-test says for an agent that is driven.
VERB = f"drive {NAME}"

Word = Union[str, bytes, int]


class GuestGone(Exception):
    """The guest ended or said nothing in time; a test may be waiting for just that."""


def encoded(word: Word) -> bytes:
    return word if isinstance(word, bytes) else str(word).encode()


class Channel:
    """Both ends; QEMU inherits theirs."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.pending = b""

    def arguments(self, adapter: str) -> list[str]:
        return ["-chardev", f"socket,id=driver,fd={self.theirs.fileno()}",
                "-device", f"{adapter},id=driver", "-device",
                f"virtserialport,bus=driver.0,chardev=driver,name={NAME}"]

    def _line(self, end: float) -> bytes:
        while b"\n" not in self.pending:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.ours], [], [], left)[0]:
                raise GuestGone("the agent did not answer in time")
            try:
                data = self.ours.recv(1 << 20)
            except ConnectionResetError:
                data = b""
            if not data:
                raise GuestGone("the guest is gone")
            self.pending += data
        line, self.pending = self.pending.split(b"\n", 1)
        return line

    def ask(self, seconds: float, verb: str, *words: Word) -> list[dict[str, Any]]:
        """Have one command done; what the agent reported about it."""
        data = [encoded(word) for word in words]
        head = " ".join([verb, str(len(data)), *[str(len(word)) for word in data]])
        end = time.monotonic() + seconds
        try:
            self.ours.settimeout(seconds)
            self.ours.sendall(head.encode() + b"\n" + b"".join(data))
        except OSError as error:
            raise GuestGone(str(error)) from error
        records: list[dict[str, Any]] = []
        while True:
            record = json.loads(self._line(end))
            if record["what"] == "done":
                return records
            records.append(record)

    def close(self) -> None:
        self.ours.close()
