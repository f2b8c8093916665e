# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""The agent's side of the confidential data hub's protocol, and a hub, in words of their own.

Written after PROTOCOL.md and request.proto of github.com/containerd/ttrpc and api.proto of
github.com/confidential-containers/guest-components, and after nothing in mount/serve/."""

from __future__ import annotations

import socket
import struct
import threading
from typing import Callable, Iterator, Optional, Union

HEADER = struct.Struct(">IIBB")  # length of the data, stream, type, flags
REQUEST, RESPONSE, DATA = 1, 2, 3
DATA_MAX = 4 << 20

OK, INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED, FAILED_PRECONDITION = 0, 3, 5, 8, 9
UNIMPLEMENTED, INTERNAL, UNAVAILABLE = 12, 13, 14

PULL = ("api.ImagePullService", "PullImage")
EXTEND = ("attestation_agent.AttestationAgentService", "ExtendRuntimeMeasurement")

Value = Union[int, bytes]


class Refused(Exception):
    """A call that ended with another status than OK."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"status {status}: {text}")
        self.status = status
        self.text = text


class Closed(Exception):
    """The other side has ended the connection."""


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def message(fields: list[tuple[int, Union[int, str, bytes]]]) -> bytes:
    """A protobuf message; what has its type's zero value is left out."""
    out = b""
    for number, value in fields:
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, bytes) and value:
            out += varint(number << 3 | 2) + varint(len(value)) + value
        elif isinstance(value, int) and value:
            out += varint(number << 3) + varint(value)
    return out


def take_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def fields(data: bytes) -> dict[int, Value]:
    """Of a field that comes several times the last one."""
    found: dict[int, Value] = {}
    at = 0
    while at < len(data):
        key, at = take_varint(data, at)
        if key & 7 == 0:
            found[key >> 3], at = take_varint(data, at)
        elif key & 7 == 2:
            size, at = take_varint(data, at)
            assert at + size <= len(data), "a field goes past the message's end"
            found[key >> 3] = data[at:at + size]
            at += size
        else:
            raise AssertionError(f"a field of type {key & 7}")
    return found


def text(found: dict[int, Value], number: int) -> str:
    value = found.get(number, b"")
    assert isinstance(value, bytes)
    return value.decode()


def payload(found: dict[int, Value], number: int) -> bytes:
    value = found.get(number, b"")
    assert isinstance(value, bytes)
    return value


def send_frame(sock: socket.socket, stream: int, kind: int, data: bytes, flags: int = 0) -> None:
    sock.sendall(HEADER.pack(len(data), stream, kind, flags) + data)


def receive_exactly(sock: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            raise Closed()
        data += part
    return data


def receive_frame(sock: socket.socket) -> tuple[int, int, bytes]:
    size, stream, kind, _ = HEADER.unpack(receive_exactly(sock, HEADER.size))
    assert size <= DATA_MAX, f"a frame of {size} bytes"
    return stream, kind, receive_exactly(sock, size)


class Client:
    """One connection, with several calls at a time: start() each, then finish(). What is started
    has to fit into the sockets' buffers, for nothing is read meanwhile."""

    def __init__(self, sock: socket.socket, timeout_s: float = 60) -> None:
        self.sock = sock
        self.sock.settimeout(timeout_s)
        self.stream = -1
        self.answers: dict[int, bytes] = {}

    @classmethod
    def connect(cls, path: str, timeout_s: float = 60) -> "Client":
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(timeout_s)
        sock.connect(path)
        return cls(sock, timeout_s)

    def close(self) -> None:
        self.sock.close()

    def start(self, service: str, method: str, data: bytes = b"") -> int:
        self.stream += 2
        request = message([(1, service), (2, method), (3, data), (4, 60 * 10**9)])
        send_frame(self.sock, self.stream, REQUEST, request)
        return self.stream

    def finish(self, stream: int) -> bytes:
        """The call's payload, or Refused."""
        while stream not in self.answers:
            answered, kind, data = receive_frame(self.sock)
            assert kind == RESPONSE and answered % 2 == 1 and answered <= self.stream
            assert answered not in self.answers, f"stream {answered} is answered twice"
            self.answers[answered] = data
        response = fields(self.answers.pop(stream))
        status = fields(payload(response, 1))
        if status.get(1, OK) != OK:
            raise Refused(int(status[1]), text(status, 2))  # type: ignore[arg-type]
        return payload(response, 2)

    def call(self, service: str, method: str, data: bytes = b"") -> bytes:
        return self.finish(self.start(service, method, data))

    def start_pull(self, reference: str, bundle: str) -> int:
        return self.start(*PULL, message([(1, reference), (2, bundle)]))

    def finish_pull(self, stream: int) -> str:
        """The digest of the image's manifest."""
        return text(fields(self.finish(stream)), 1)

    def pull_image(self, reference: str, bundle: str) -> str:
        return self.finish_pull(self.start_pull(reference, bundle))


Answer = Union[bytes, Refused, None]


class Hub:
    """A data hub, or an attestation agent: what answers a call is a function, of its
    service, method and payload. None is never answered."""

    def __init__(self, path: str, answer: Callable[[str, str, bytes], Answer]) -> None:
        self.answer = answer
        self.calls: list[tuple[str, str, bytes]] = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(8)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def requests(self, sock: socket.socket) -> Iterator[tuple[int, str, str, bytes]]:
        while True:
            try:
                stream, kind, data = receive_frame(sock)
            except (Closed, OSError):
                return
            assert kind == REQUEST
            request = fields(data)
            yield stream, text(request, 1), text(request, 2), payload(request, 3)

    def serve(self, sock: socket.socket) -> None:
        for stream, service, method, data in self.requests(sock):
            self.calls.append((service, method, data))
            answer: Optional[Answer] = self.answer(service, method, data)
            if isinstance(answer, Refused):
                status = message([(1, answer.status), (2, answer.text)])
                send_frame(sock, stream, RESPONSE, message([(1, status)]))
            elif answer is not None:
                send_frame(sock, stream, RESPONSE, message([(2, answer)]))

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
