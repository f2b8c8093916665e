# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""A runtime's side of kata-agent's protocol, as far as containers of verified disks need it.

Written after agent.proto, oci.proto and health.proto of github.com/kata-containers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Sequence

from harness.guest import Plugged
from harness.ttrpc import Client, fields, message, text

AGENT, HEALTH = "grpc.AgentService", "grpc.Health"

# Where the agent has its containers.
BUNDLES = "/run/kata-containers"

GUEST_PULL = "image_guest_pull"

NAMESPACES = ["ipc", "mount", "pid", "uts"]
MOUNTS = [("/proc", "proc"), ("/dev", "tmpfs"), ("/dev/shm", "tmpfs")]

# Of disks, on the host.
HOST_MAJOR = 8

Fields = list[tuple[int, Any]]


def rootfs(container: str) -> str:
    return f"{BUNDLES}/{container}/rootfs"


def storage(told: dict[str, Any]) -> bytes:
    """A message Storage of what the agent would show as JSON."""
    return message([
        (1, told["driver"]), *[(2, option) for option in told.get("driver_options", [])],
        (3, told["source"]), (4, told.get("fstype", "")),
        *[(5, option) for option in told.get("options", [])], (6, told["mount_point"])])


def guest_pull(container: str, reference: str) -> bytes:
    """As both runtimes ask for an image that is pulled in the guest."""
    return storage({"driver": GUEST_PULL, "source": reference, "fstype": "overlay",
                    "driver_options": [f"{GUEST_PULL}={json.dumps({'metadata': {}})}"],
                    "mount_point": rootfs(container)})


def block_device(disk: Plugged, place: str) -> bytes:
    """A disk of the container's, which the agent waits for and calls by this name in it."""
    return message([(1, disk.place), (2, "blk"), (4, place)])


def process(words: Sequence[str]) -> Fields:
    capabilities = message([(number, "CAP_KILL") for number in range(1, 5)])
    return [*[(4, word) for word in words], (5, "PATH=/bin"), (6, "/"), (7, capabilities)]


def spec(container: str, words: Sequence[str], devices: Sequence[str]) -> bytes:
    linux = message([(5, f"/kata/{container}"),
                     *[(6, message([(1, name)])) for name in NAMESPACES],
                     *[(7, message([(1, device), (2, "b"), (3, HOST_MAJOR), (4, minor)]))
                       for minor, device in enumerate(devices)]])
    return message([
        (1, "1.0.2"), (2, message(process(words))), (3, message([(1, rootfs(container))])),
        *[(5, message([(1, place), (2, fstype), (3, fstype)])) for place, fstype in MOUNTS],
        (8, linux)])


@dataclass(frozen=True)
class Agent:
    """One kata-agent, over the connection that its runtime has."""

    client: Client

    def call(self, method: str, told: Fields, service: str = AGENT) -> bytes:
        return self.client.call(service, method, message(told))

    def version(self) -> str:
        return text(fields(self.call("Version", [], HEALTH)), 2)

    def create_sandbox(self) -> None:
        self.call("CreateSandbox", [(5, "sandbox")])

    def destroy_sandbox(self) -> None:
        self.call("DestroySandbox", [])

    def start_create(self, container: str, storages: Sequence[bytes],
                     words: Sequence[str] = ("/bin/sleep", "1000"),
                     disks: Sequence[Plugged] = ()) -> int:
        """The stream of a CreateContainer for client.finish()."""
        places = {f"/dev/disk{number}": disk for number, disk in enumerate(disks)}
        return self.client.start(AGENT, "CreateContainer", message([
            (1, container), (2, container),
            *[(4, block_device(disk, place)) for place, disk in places.items()],
            *[(5, one) for one in storages], (6, spec(container, words, [*places]))]))

    def create(self, *what: Any) -> None:
        self.client.finish(self.start_create(*what))

    def start(self, container: str) -> None:
        self.call("StartContainer", [(1, container)])

    def remove(self, container: str) -> None:
        self.call("RemoveContainer", [(1, container)])
