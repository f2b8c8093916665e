# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
The host's end of a guest's vsock, without a kernel that has one: QEMU hands the
device's queues to this process, which answers as CID 2 for the connections that
the guest opens.

Sources: QEMU's docs/interop/vhost-user.rst for the messages; virtio 1.2, 2.7 for
the split queues in the guest's memory and 5.10 for the packets in them.
"""

from __future__ import annotations

import array
import mmap
import os
import select
import socket
import struct
import threading
from dataclasses import dataclass, field
from typing import Iterator, Optional

GUEST_CID = 3
HOST_CID = 2

# What this device can do (virtio 1.2, 6; vhost-user).
VIRTIO_F_VERSION_1 = 1 << 32
F_PROTOCOL_FEATURES = 1 << 30
PROTOCOL_F_CONFIG = 1 << 9

# vhost-user: a message is request, flags, size of what follows.
MESSAGE = struct.Struct("=III")
VERSION, REPLY = 0x1, 0x4
GET_FEATURES = 1
SET_MEM_TABLE = 5
SET_VRING_NUM, SET_VRING_ADDR, SET_VRING_BASE, GET_VRING_BASE = range(8, 12)
SET_VRING_KICK, SET_VRING_CALL, SET_VRING_ERR = range(12, 15)
GET_PROTOCOL_FEATURES = 15
GET_CONFIG = 24
VRING_INDEX, VRING_NO_FD = 0xFF, 0x100

# What follows them: the count of regions before the regions; a queue's number and
# value; its number, flags and addresses; and of a configuration where, how much, flags.
TABLE_HEAD = struct.Struct("=II")
REGION = struct.Struct("=QQQQ")
VRING_STATE = struct.Struct("=II")
VRING_ADDRESSES = struct.Struct("=IIQQQQ")
CONFIG_HEAD = struct.Struct("=III")
U64 = struct.Struct("=Q")

# Split queues. Native order and size, so that an index is stored in one piece;
# guest and host are both little-endian here.
DESCRIPTOR = struct.Struct("=QIHH")
DESCRIPTOR_NEXT, DESCRIPTOR_WRITE = 1, 2
INDEX = struct.Struct("@H")
USED = struct.Struct("=II")

RX, TX = 0, 1

# A packet: from and to (CID, CID, port, port), length, type, operation, flags, credit.
HEADER = struct.Struct("<QQIIIHHIII")
STREAM = 1
REQUEST, RESPONSE, RST, SHUTDOWN, RW, CREDIT_UPDATE, CREDIT_REQUEST = range(1, 8)
SHUTDOWN_BOTH = 3
BUFFER_BYTES = 65536


@dataclass
class Region:
    """A piece of the guest's memory."""

    guest: int
    size: int
    user: int  # where QEMU has it
    memory: mmap.mmap
    offset: int


@dataclass
class Queue:
    size: int = 0
    descriptors: int = 0
    used: int = 0
    available: int = 0
    next: int = 0  # the first of the guest's that was not looked at
    kick: Optional[int] = None
    call: Optional[int] = None


@dataclass
class Connection:
    """One that the guest has opened, and what came over it."""

    port: int
    data: bytes = b""
    ended: bool = False  # the guest has said that no more comes


@dataclass
class Host:
    """
    Answers one guest. Ports that nobody listens on are refused; a deaf host never
    answers at all, and one that does not read leaves the connection open for ever.
    """

    listening: set[int] = field(default_factory=set)
    deaf: bool = False
    closes: bool = True

    def __post_init__(self) -> None:
        self.connections: list[Connection] = []
        self.requests = 0
        self.open: dict[int, Connection] = {}  # by the guest's port
        self.regions: list[Region] = []
        self.queues = [Queue(), Queue(), Queue()]
        self.waiting: list[bytes] = []  # packets that found no room
        self.error: Optional[BaseException] = None
        self.ours, self.theirs = socket.socketpair()
        self.thread = threading.Thread(target=self._run, daemon=True)

    # --- what a machine needs ---------------------------------------------------

    def arguments(self, memory_mib: int) -> list[str]:
        """For QEMU: the guest's memory in a file that this process maps as well."""
        return ["-object", f"memory-backend-memfd,id=ram,size={memory_mib}M,share=on",
                "-machine", "memory-backend=ram",
                "-chardev", f"socket,id=vsock,fd={self.theirs.fileno()}",
                "-device", "vhost-user-vsock-pci,chardev=vsock"]

    def start(self) -> None:
        """QEMU runs and has its end."""
        self.theirs.close()
        self.thread.start()

    def finish(self) -> None:
        """QEMU has ended."""
        self.thread.join(timeout=10)
        if self.error:
            raise self.error

    # --- vhost-user ---------------------------------------------------------------

    def _run(self) -> None:
        try:
            while True:
                kicks = {queue.kick: queue for queue in self.queues if queue.kick is not None}
                readable = select.select([self.ours, *kicks], [], [])[0]
                for fd in readable:
                    if fd is not self.ours:
                        os.read(fd, 8)
                        self._work()
                if self.ours in readable and not self._message():
                    return
        except ConnectionError:
            return
        except BaseException as error:  # told by finish(), in the test's own thread
            self.error = error
        finally:
            self.ours.close()

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.ours.recv(size - len(data))
            if not more:
                raise ConnectionError
            data += more
        return data

    def _message(self) -> bool:
        fds = array.array("i")
        head, ancillary, _, _ = self.ours.recvmsg(MESSAGE.size, socket.CMSG_SPACE(8 * 4))
        if not head:
            return False
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                fds.frombytes(data[:len(data) - len(data) % fds.itemsize])
        request, _, size = MESSAGE.unpack(head + self._exactly(MESSAGE.size - len(head)))
        payload = self._exactly(size)
        answer = self._answer(request, payload, list(fds))
        if answer is not None:
            self.ours.sendall(MESSAGE.pack(request, VERSION | REPLY, len(answer)) + answer)
        return True

    def _answer(self, request: int, payload: bytes, fds: list[int]) -> Optional[bytes]:
        """What is not listed (who owns the device, which features were chosen) changes nothing."""
        if request == GET_FEATURES:
            return U64.pack(VIRTIO_F_VERSION_1 | F_PROTOCOL_FEATURES)
        if request == GET_PROTOCOL_FEATURES:
            return U64.pack(PROTOCOL_F_CONFIG)
        if request == GET_CONFIG:  # the device's is its guest's CID
            return payload[:CONFIG_HEAD.size] + struct.pack("<Q", GUEST_CID)
        if request == SET_MEM_TABLE:
            self._map(payload, fds)
        elif request in (SET_VRING_NUM, SET_VRING_ADDR, SET_VRING_BASE):
            self._set_queue(request, payload)
        elif request == GET_VRING_BASE:  # the queue stops
            index, _ = VRING_STATE.unpack(payload)
            self.queues[index].kick = None
            return VRING_STATE.pack(index, self.queues[index].next)
        elif request in (SET_VRING_KICK, SET_VRING_CALL, SET_VRING_ERR):
            self._set_eventfd(request, U64.unpack(payload)[0], fds)
        return None

    def _map(self, payload: bytes, fds: list[int]) -> None:
        self.regions = []
        for number, fd in enumerate(fds):
            guest, size, user, offset = REGION.unpack_from(
                payload, TABLE_HEAD.size + REGION.size * number)
            self.regions.append(Region(guest, size, user, mmap.mmap(fd, size + offset), offset))
            os.close(fd)

    def _set_queue(self, request: int, payload: bytes) -> None:
        index, value = VRING_STATE.unpack_from(payload)
        queue = self.queues[index]
        if request == SET_VRING_NUM:
            queue.size = value
        elif request == SET_VRING_ADDR:
            (_, _, queue.descriptors, queue.used, queue.available,
             _) = VRING_ADDRESSES.unpack(payload)
        elif request == SET_VRING_BASE:
            queue.next = value

    def _set_eventfd(self, request: int, value: int, fds: list[int]) -> None:
        queue = self.queues[value & VRING_INDEX]
        fd = None if value & VRING_NO_FD else fds[0]
        if request == SET_VRING_KICK:
            queue.kick = fd
        elif request == SET_VRING_CALL:
            queue.call = fd

    # --- the guest's memory ---------------------------------------------------------

    def _find(self, address: int, user: bool) -> tuple[mmap.mmap, int]:
        for region in self.regions:
            start = region.user if user else region.guest
            if start <= address < start + region.size:
                return region.memory, region.offset + address - start
        raise ValueError(f"{address:#x} is no address of the guest's memory")

    def _unpack(self, layout: struct.Struct, address: int, user: bool = True) -> tuple[int, ...]:
        return layout.unpack_from(*self._find(address, user))

    def _pack(self, layout: struct.Struct, address: int, *values: int) -> None:
        memory, offset = self._find(address, True)
        layout.pack_into(memory, offset, *values)

    def _chain(self, queue: Queue, head: int) -> Iterator[tuple[int, int, bool]]:
        """Guest address, length and whether it is for us to write, one for each descriptor."""
        index = head
        while True:
            address, length, flags, following = self._unpack(
                DESCRIPTOR, queue.descriptors + DESCRIPTOR.size * index)
            yield address, length, bool(flags & DESCRIPTOR_WRITE)
            if not flags & DESCRIPTOR_NEXT:
                return
            index = following

    def _take(self, queue: Queue) -> Optional[int]:
        """The next chain of the guest's, if there is one."""
        [last] = self._unpack(INDEX, queue.available + 2)
        if not queue.size or queue.next == last:
            return None
        slot = queue.available + 4 + 2 * (queue.next % queue.size)
        queue.next = (queue.next + 1) & 0xFFFF
        return self._unpack(INDEX, slot)[0]

    def _give_back(self, queue: Queue, head: int, written: int) -> None:
        [index] = self._unpack(INDEX, queue.used + 2)
        self._pack(USED, queue.used + 4 + USED.size * (index % queue.size), head, written)
        self._pack(INDEX, queue.used + 2, (index + 1) & 0xFFFF)
        if queue.call is not None:
            os.write(queue.call, U64.pack(1))

    # --- vsock --------------------------------------------------------------------------

    def _work(self) -> None:
        tx = self.queues[TX]
        while tx.available and (head := self._take(tx)) is not None:
            packet = b"".join(
                memory[offset:offset + length]
                for address, length, _ in self._chain(tx, head)
                for memory, offset in [self._find(address, False)])
            self._give_back(tx, head, 0)
            self._packet(packet)
        self._flush()

    def _packet(self, packet: bytes) -> None:
        (from_cid, to_cid, from_port, to_port, length, kind, operation, _, _,
         _) = HEADER.unpack_from(packet)
        assert (from_cid, to_cid, kind) == (GUEST_CID, HOST_CID, STREAM), packet.hex()
        connection = self.open.get(from_port)
        self.requests += operation == REQUEST
        if self.deaf:
            return
        if operation == REQUEST and to_port in self.listening:
            self.open[from_port] = connection = Connection(to_port)
            self.connections.append(connection)
            self._say(RESPONSE, from_port, connection)
        elif operation == RST:
            self.open.pop(from_port, None)
        elif connection is None:
            self._say(RST, from_port, Connection(to_port))
        elif operation == RW:
            connection.data += packet[HEADER.size:HEADER.size + length]
            self._say(CREDIT_UPDATE, from_port, connection)
        elif operation == CREDIT_REQUEST:
            self._say(CREDIT_UPDATE, from_port, connection)
        elif operation == SHUTDOWN:
            connection.ended = True
            if self.closes:
                self._say(SHUTDOWN, from_port, connection, SHUTDOWN_BOTH)

    def _say(self, operation: int, guest_port: int, connection: Connection, flags: int = 0) -> None:
        self.waiting.append(HEADER.pack(
            HOST_CID, GUEST_CID, connection.port, guest_port, 0, STREAM, operation, flags,
            BUFFER_BYTES, len(connection.data) & 0xFFFFFFFF))

    def _flush(self) -> None:
        """Packets to the guest, as many as it has buffers for."""
        rx = self.queues[RX]
        while self.waiting and rx.available and (head := self._take(rx)) is not None:
            address, length, writable = next(self._chain(rx, head))
            packet = self.waiting.pop(0)
            assert writable and length >= len(packet)
            memory, offset = self._find(address, False)
            memory[offset:offset + len(packet)] = packet
            self._give_back(rx, head, len(packet))
