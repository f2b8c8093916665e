# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""A connection that the host opens to a port of the guest's, as a runtime does to its agent."""

from __future__ import annotations

import os
import threading
import time

from harness.vhost_vsock import (
    BUFFER_BYTES, CREDIT_REQUEST, CREDIT_UPDATE, GUEST_CID, HEADER, HOST_CID, REQUEST, RESPONSE,
    RST, RW, RX, SHUTDOWN, SHUTDOWN_BOTH, STREAM, U64, Host)

# The first of ours.
FIRST_PORT = 1 << 16

# Below the least that a driver offers, with its header.
PACKET_BYTES = 2048


class Dialling(Host):
    """A host that calls, and answers what the guest opens as any does."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.called: dict[int, GuestPort] = {}  # by the host's port
        self.changed = threading.Condition()

    def dial(self, guest_port: int, seconds: float) -> GuestPort:
        """Once somebody listens there."""
        end = time.monotonic() + seconds
        while True:
            port = GuestPort(self, guest_port, FIRST_PORT + len(self.called))
            self.called[port.host_port] = port
            if port.opened(end - time.monotonic()):
                return port
            assert time.monotonic() < end, f"nobody answers on port {guest_port} of the guest"
            time.sleep(0.1)

    def send(self, port: GuestPort, operation: int, data: bytes = b"", flags: int = 0) -> None:
        self.waiting.append(HEADER.pack(
            HOST_CID, GUEST_CID, port.host_port, port.guest_port, len(data), STREAM, operation,
            flags, BUFFER_BYTES, port.taken & 0xFFFFFFFF) + data)
        kick = self.queues[RX].kick
        if kick is not None:  # as the guest's would, it has the other thread look
            os.write(kick, U64.pack(1))

    def _packet(self, packet: bytes) -> None:
        (_, _, guest_port, host_port, length, _, operation, _, room,
         read) = HEADER.unpack_from(packet)
        port = self.called.get(host_port)
        if port is None or port.guest_port != guest_port:
            super()._packet(packet)
            return
        with self.changed:
            port.take(operation, packet[HEADER.size:HEADER.size + length], room, read)
            self.changed.notify_all()


class GuestPort:
    """As much of socket.socket as a client of one connection needs."""

    def __init__(self, host: Dialling, guest_port: int, host_port: int) -> None:
        self.host = host
        self.guest_port = guest_port
        self.host_port = host_port
        self.timeout = 30.0
        self.open = self.ended = False
        self.data = b""
        self.taken = self.sent = 0  # bytes
        self.room = self.read = 0  # of what was sent, as the guest said last

    def take(self, operation: int, data: bytes, room: int, read: int) -> None:
        """A packet of the guest's, under the host's lock."""
        self.room, self.read = room, read
        self.open = self.open or operation == RESPONSE
        self.ended = self.ended or operation in (RST, SHUTDOWN)
        self.data += data
        self.taken += len(data)
        if operation in (RW, CREDIT_REQUEST):
            self.host.send(self, CREDIT_UPDATE)

    def opened(self, seconds: float) -> bool:
        self.host.send(self, REQUEST)
        with self.host.changed:
            self.host.changed.wait_for(lambda: self.open or self.ended, seconds)
        return self.open

    def takes(self, data: bytes) -> bool:
        return self.sent - self.read + len(data) <= self.room

    def settimeout(self, seconds: float) -> None:
        self.timeout = seconds

    def sendall(self, data: bytes) -> None:
        for start in range(0, len(data), PACKET_BYTES):
            part = data[start:start + PACKET_BYTES]
            with self.host.changed:
                self.host.changed.wait_for(lambda: self.ended or self.takes(part), self.timeout)
                if self.ended or not self.takes(part):
                    raise OSError("the guest takes no more")
                self.sent += len(part)
            self.host.send(self, RW, part)

    def recv(self, size: int) -> bytes:
        with self.host.changed:
            if not self.host.changed.wait_for(lambda: self.data or self.ended, self.timeout):
                raise TimeoutError("the guest says nothing")
            part, self.data = self.data[:size], self.data[size:]
        return part

    def close(self) -> None:
        self.host.send(self, SHUTDOWN, flags=SHUTDOWN_BOTH)
