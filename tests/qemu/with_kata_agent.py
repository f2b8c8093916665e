# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
The real kata-agent, process 1 behind socle-init: it starts socle-volume out of a proved
extension, and its containers get verified stacks, or it the reason why not. Run only where
somebody has built one, static or of this machine's libraries:

	make boots TESTS=tests/qemu/with_kata_agent.py KATA_AGENT=/path/to/kata-agent
"""

from __future__ import annotations

from typing import Iterator

import pytest

from harness import expect, kata, kata_guest, ttrpc
from harness.bed import Bed
from harness.guest import Driven
from harness.image import Layer
from harness.kata import Agent
from harness.kata_guest import DIGEST, TALE
from harness.ttrpc import Refused

APP, LATE, WRONG, UNKNOWN = (f"registry.example/{name}@{DIGEST}"
                             for name in ("app", "late", "wrong", "unknown"))

CONTAINERS = 4


@pytest.fixture
def app(bed: Bed) -> list[Layer]:
    return kata_guest.layers(bed, "app")


@pytest.fixture
def late(bed: Bed) -> list[Layer]:
    return kata_guest.layers(bed, "late")


@pytest.fixture
def guest(bed: Bed, app: list[Layer], late: list[Layer]) -> Iterator[Driven]:
    in_extension = [kata_guest.described(WRONG, app, hash="0" * 64),
                    kata_guest.described(LATE, late)]
    with kata_guest.make(bed, in_extension, [kata_guest.described(APP, app)]) as guest:
        yield guest


@pytest.fixture
def agent(guest: Driven) -> Agent:
    return kata_guest.connect(guest)


def pulled(name: str, reference: str) -> list[bytes]:
    return [kata.guest_pull(name, reference)]


def test_containers(guest: Driven, agent: Agent, app: list[Layer]) -> None:
    """Side by side on the same disks, which are the first one's: the agent waits for them."""
    before = guest.left()
    names = [f"container-{number}" for number in range(CONTAINERS)]
    disks = [guest.plug(layer.disk) for layer in app]
    streams = [agent.start_create(name, pulled(name, APP), TALE, disks) for name in names]
    for name, stream in zip(names, streams):
        agent.client.finish(stream)
        agent.start(name)
        kata_guest.tells(guest, name, "app", app)
    with pytest.raises(Refused, match="/bin/none"):
        agent.create("broken", pulled("broken", APP), ["/bin/none"])
    for name in names:
        agent.remove(name)
    assert not guest.await_nothing_more_than(before)
    agent.destroy_sandbox()
    assert guest.wait().ended == expect.POWER_OFF


def test_refusals(guest: Driven, agent: Agent, app: list[Layer], late: list[Layer]) -> None:
    """The runtime gets the line that socle-volume would have said, and nothing else."""
    for layer in app:
        guest.plug(layer.disk)
    before = guest.left()
    for reference, status, words in [
            (WRONG, ttrpc.FAILED_PRECONDITION, "verity volume=volume-0 code=ROOT_HASH_MISMATCH: "),
            (LATE, ttrpc.FAILED_PRECONDITION, "devices volume=volume-0 code=DEVICE_NOT_FOUND: "),
            (UNKNOWN, ttrpc.NOT_FOUND, "describe volume=- code=IMAGE_UNKNOWN: ")]:
        with pytest.raises(Refused) as refused:
            agent.create("container", pulled("container", reference))
        assert refused.value.text.startswith(f"socle: FAILED step={words}"), refused.value
        assert refused.value.status == status and "\n" not in refused.value.text
        assert not guest.await_nothing_more_than(before)
    for layer in late:
        guest.plug(layer.disk)
    agent.create("container", pulled("container", LATE), TALE)
    agent.start("container")
    kata_guest.tells(guest, "container", "late", late)
    agent.remove("container")
    assert not guest.await_nothing_more_than(before)
