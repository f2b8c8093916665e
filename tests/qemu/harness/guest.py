# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
A guest whose agent does what a test says, and whose disks come and go while it
runs. What a test changed can be held against what there was before it.
"""

from __future__ import annotations

import itertools
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence

from harness import accel
from harness.attached import Board
from harness.channel import Channel, GuestGone, Word
from harness.vm import BLK, SCSI, Guest, Outcome

# Where late disks go: SCSI's adapter is there from the start, and on PCI a bridge.
SCSI_ADAPTER = "late-scsi"
BRIDGE = "late-bridge"
SLOTS = 31

@dataclass(frozen=True)
class Ended:
    """How a program of the guest ended."""

    status: int
    signal: int  # that ended it; 0: none did
    killed: bool  # by us: its time was over
    seconds: float
    out: str
    err: str

    @classmethod
    def of(cls, record: dict[str, Any]) -> "Ended":
        return cls(record["status"], record["signal"], bool(record["killed"]), record["us"] / 1e6,
                   record["out"], record["err"])


@dataclass(frozen=True)
class Left:
    """What a volume may leave behind; of mounts the place, the type and the source."""

    fds: frozenset[str]
    processes: frozenset[str]
    mounts: tuple[tuple[str, ...], ...]
    dm: frozenset[str]
    loops: frozenset[str]
    run: frozenset[str]

    def more_than(self, before: "Left") -> dict[str, list[object]]:
        """What is here and was not before, by kind; {}: nothing."""
        found: dict[str, list[object]] = {}
        for kind in ("fds", "processes", "dm", "loops", "run"):
            new = getattr(self, kind) - getattr(before, kind)
            if new:
                found[kind] = sorted(new)
        mounts = list(self.mounts)
        for mount in before.mounts:
            if mount in mounts:
                mounts.remove(mount)
        return found | ({"mounts": list(mounts)} if mounts else {})


@dataclass(frozen=True)
class Plugged:
    """A disk that was plugged: QEMU's name of it, and the guest's ways to name it."""

    name: str
    serial: str
    slot: Optional[int] = None  # behind the bridge, of virtio-blk on PCI
    address: Optional[str] = None  # SCSI's target:LUN; on s390x the channel device's bus id

    @property
    def reference(self) -> str:
        """As socle-init(8) has it."""
        return f"SERIAL={self.serial}"

    @property
    def place(self) -> str:
        """As Kata's runtime tells its agent."""
        return self.address if self.address else f"{PCI_BRIDGE_SLOT:02x}/{self.slot:02x}"


# Of the bridge on the root bus.
PCI_BRIDGE_SLOT = 0x1E


class GuestSocket:
    """As much of socket.socket as a client of one connection needs."""

    def __init__(self, guest: "Driven", fd: int) -> None:
        self.guest = guest
        self.fd = fd
        self.timeout = 30.0

    def settimeout(self, seconds: float) -> None:
        self.timeout = seconds

    def sendall(self, data: bytes) -> None:
        self.guest.do("send", self.fd, data)

    def recv(self, size: int) -> bytes:
        record = self.guest.one("receive", self.fd, size, int(self.timeout * 1000),
                                limit=self.timeout + 10)
        if record["errno"]:
            raise OSError(record["errno"], "receive")
        return record["bytes"].encode("latin-1")

    def close(self) -> None:
        self.guest.do("close", self.fd)


def drivable(machine: Board) -> Board:
    """The machine with what the disks that come later hang on."""
    machine.channel = Channel()
    machine.devices += (f"{machine.kind.scsi},id={SCSI_ADAPTER}",)
    if machine.kind.blk == "virtio-blk-pci":
        # As Kata's: without a reserve the firmware leaves no room behind it.
        machine.devices += (f"pci-bridge,id={BRIDGE},bus=pcie.0,addr={PCI_BRIDGE_SLOT:x},"
                            "chassis_nr=1,shpc=off,io-reserve=4k,mem-reserve=1m,"
                            "pref64-reserve=1m",)
    return machine


class Driven(Guest):
    """A running guest whose agent obeys."""

    patience: float = 30  # seconds until its agent has to be there, under KVM

    def __init__(self, machine: Board, directory: Path) -> None:
        super().__init__(machine, directory)
        assert machine.channel
        self.channel = machine.channel
        self.numbers = itertools.count()
        self.free_slots = list(range(1, SLOTS + 1))
        self.plugged: list[Plugged] = []

    def __enter__(self) -> "Driven":
        super().__enter__()
        self.ask("left", limit=self.patience)  # which answers once the agent is there
        return self

    def __exit__(self, *problem: object) -> None:
        self.channel.close()
        super().__exit__(*problem)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def seconds(self, under_kvm: float) -> float:
        return under_kvm * accel.SLOWNESS[self.accelerator]

    # --- the agent -------------------------------------------------------------------

    def ask(self, verb: str, *words: Word, limit: float = 30) -> list[dict[str, Any]]:
        try:
            return self.channel.ask(self.seconds(limit), verb, *words)
        except GuestGone as error:
            raise GuestGone(f"{verb}: {error}; the console is in {self.directory}") from None

    def one(self, verb: str, *words: Word, limit: float = 30) -> dict[str, Any]:
        records = self.ask(verb, *words, limit=limit)
        assert records, f"the agent has nothing to say about {verb}"
        return records[-1]

    def do(self, verb: str, *words: Word) -> None:
        """What must work."""
        record = self.one(verb, *words)
        assert record["errno"] == 0, f"{verb} {words}: errno {record['errno']}"

    def run(self, *words: Word, stdin: bytes = b"", limit: float = 30) -> Ended:
        """A program to its end; what takes longer is killed, and told so."""
        microseconds = int(self.seconds(limit) * 1e6)
        return Ended.of(self.one("run", microseconds, stdin, *words, limit=limit + 10))

    def kill_after(self, seconds: float, *words: Word, stdin: bytes = b"") -> Ended:
        """A program that gets SIGKILL so long after its start, unless it has ended."""
        return Ended.of(self.one("run", int(seconds * 1e6), stdin, *words))

    def together(self, commands: Sequence[Sequence[Word]], stdin: bytes = b"",
                 limit: float = 60) -> list[Ended]:
        """Programs side by side."""
        ids = [self.one("start", stdin, *words)["id"] for words in commands]
        microseconds = int(self.seconds(limit) * 1e6)
        return [Ended.of(self.one("wait", number, microseconds, limit=limit + 10))
                for number in ids]

    def start(self, *words: Word, stdin: bytes = b"") -> int:
        """A program that goes on; stop() ends it."""
        return int(self.one("start", stdin, *words)["id"])

    def stop(self, number: int, seconds: float = 0) -> Ended:
        return Ended.of(self.one("wait", number, int(seconds * 1e6)))

    def terminate(self, number: int, limit: float = 10) -> Ended:
        """A program that ends when it is asked to."""
        self.do("signal", number, int(signal.SIGTERM))
        return self.stop(number, self.seconds(limit))

    def connect(self, path: str, limit: float = 5) -> "GuestSocket":
        """To a UNIX socket of the guest, once somebody listens on it."""
        end = time.monotonic() + self.seconds(limit)
        while (record := self.one("connect", path))["errno"] and time.monotonic() < end:
            time.sleep(0.02)
        assert record["errno"] == 0, f"connect to {path}: errno {record['errno']}"
        return GuestSocket(self, record["fd"])

    def put(self, path: str, content: bytes | str, mode: int = 0o644) -> None:
        self.do("put", path, content, f"{mode:o}")

    def content(self, path: str) -> bytes:
        record = self.one("content", path)
        assert record["errno"] == 0, f"{path}: errno {record['errno']}"
        return record["bytes"].encode("latin-1")

    def tree(self, path: str, limit: float = 60) -> list[str]:
        return self.one("tree", path, limit=limit)["lines"]

    def read_errno(self, path: str) -> int:
        """Of reading a whole file, with nothing of it in the cache; 0: it worked."""
        self.put("/proc/sys/vm/drop_caches", "3")
        return self.one("read", path)["errno"]

    def umount(self, path: str, flags: int = 0) -> int:
        """By somebody who knows nothing of volumes; the error number."""
        return self.one("umount", path, flags)["errno"]

    def left(self) -> Left:
        mounts, left = self.ask("left")
        places = []
        for line in mounts["lines"]:
            before, after = line.split(" - ", 1)
            places.append((before.split(" ")[4], *after.split(" ")[:2]))
        return Left(*[frozenset(left[kind]) for kind in ("fds", "processes")],
                    tuple(places), *[frozenset(left[kind]) for kind in ("dm", "loops", "run")])

    def await_nothing_more_than(self, before: Left, limit: float = 5) -> dict[str, list[object]]:
        """What is left once what goes later has had its time."""
        end = time.monotonic() + self.seconds(limit)
        while (more := self.left().more_than(before)) and time.monotonic() < end:
            time.sleep(0.05)
        return more

    # --- disks -----------------------------------------------------------------------

    def plug(self, path: Path, bus: str = BLK, serial: Optional[str] = None,
             address: Optional[str] = None, writable: bool = False, sector: int = 512,
             slowed: bool = False) -> Plugged:
        """
        A file as a disk that comes now. address: SCSI's target:LUN; slowed: slow() will be
        asked for.
        """
        number = next(self.numbers)
        name = f"late{number}"
        serial = serial or name
        file: dict[str, object] = {"driver": "file", "filename": str(path),
                                   "read-only": not writable, "locking": "off"}
        if slowed:
            self.qmp.command("object-add", **{"qom-type": "throttle-group", "id": f"{name}-rate"})
            file = {"driver": "throttle", "throttle-group": f"{name}-rate", "file": file}
        self.qmp.command("blockdev-add", driver="raw", file=file,
                         **{"node-name": name, "read-only": not writable})
        device: dict[str, object] = {"drive": name, "id": f"{name}-disk", "serial": serial}
        slot = None
        if bus == SCSI:
            address = address or f"{number % 200 + 1}:0"
            target, lun = address.split(":")
            device |= {"driver": "scsi-hd", "bus": f"{SCSI_ADAPTER}.0", "scsi-id": int(target),
                       "lun": int(lun)}
        else:
            device |= {"driver": self.machine.kind.blk}
            if self.machine.kind.blk == "virtio-blk-ccw":
                address = f"0.0.{0x8000 + number:04x}"
                device |= {"devno": f"fe{address[1:]}"}
            else:
                slot = self.free_slots.pop(0)
                device |= {"bus": BRIDGE, "addr": f"{slot:x}"}
        if sector != 512:
            device |= {"logical_block_size": sector, "physical_block_size": sector}
        self.qmp.command("device_add", **device)
        plugged = Plugged(name, serial, slot, address)
        self.plugged.append(plugged)
        return plugged

    def slow(self, disk: Plugged, bytes_per_second: int) -> None:
        """How fast it is read from now on; 0: as fast as can be."""
        self.qmp.command("qom-set", path=f"/objects/{disk.name}-rate", property="limits",
                         value={"bps-read": bytes_per_second})

    def disks(self) -> set[str]:
        """As the guest's kernel calls them."""
        entries = self.one("path", "/sys/block")["entries"]
        return {name for name in entries if not name.startswith(("dm-", "loop"))}

    def await_disks(self, count: int) -> None:
        """Who mounts a volume waits by itself, but for one disk."""
        end = time.monotonic() + self.seconds(5)
        while len(self.disks()) < count and time.monotonic() < end:
            time.sleep(0.01)

    def unplug(self, disk: Plugged) -> None:
        self.plugged.remove(disk)
        self.qmp.events.clear()
        self.qmp.command("device_del", id=f"{disk.name}-disk")
        deadline = time.monotonic() + self.seconds(10)
        while not any(event["data"].get("device") == f"{disk.name}-disk" for event in self.qmp.events
                      if event["event"] == "DEVICE_DELETED"):
            assert time.monotonic() < deadline, f"the guest does not let go of {disk}"
            self.qmp.collect(0.01)
        self.qmp.command("blockdev-del", **{"node-name": disk.name})
        if disk.slot:
            self.free_slots.append(disk.slot)

    def unplug_all(self) -> None:
        for disk in list(self.plugged):
            self.unplug(disk)

    # --- the end ------------------------------------------------------------------------

    def leave(self) -> Outcome:
        """The agent does what is left of its list, and powers off."""
        try:
            self.channel.ask(5, "leave")
        except GuestGone:
            pass
        return self.wait()

