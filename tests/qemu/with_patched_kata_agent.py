# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
A kata-agent that leaves the disks of a container's layers to socle-volume, patched as
initramfs/kata-volumes.md describes it. Run only where somebody has built one:

	make boots TESTS=tests/qemu/with_patched_kata_agent.py KATA_AGENT=/path/to/kata-agent
"""

from __future__ import annotations

from typing import Any, Iterator

import pytest

from harness import kata, kata_guest, lookalike
from harness.bed import Bed
from harness.guest import Driven, Plugged
from harness.image import Layer
from harness.kata_guest import TALE
from harness.ttrpc import Refused

CONTAINERS = 4


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    return kata_guest.layers(bed, "app")


@pytest.fixture
def guest(bed: Bed) -> Iterator[Driven]:
    with kata_guest.make(bed, [], []) as guest:
        yield guest


def storages(layers: list[Layer], disk: Plugged, name: str) -> list[dict[str, Any]]:
    """As runtime-rs has them: a disk of the host's to write to comes first."""
    writable = {"driver": "blk", "source": disk.place, "fstype": "ext4",
                "options": ["rw", "X-kata.overlay-upper", "X-kata.multi-layer=true"]}
    return [storage | {"mount_point": kata.rootfs(name)}
            for storage in [writable, *lookalike.kata_storages(layers, disk.place)]]


def test_storages(guest: Driven, bed: Bed, layers: list[Layer]) -> None:
    agent = kata_guest.connect(guest)
    disk = guest.plug(lookalike.gpt_disk(bed.path("gpt.disk"), layers))
    before = guest.left()
    names = [f"container-{number}" for number in range(CONTAINERS)]
    streams = [agent.start_create(name, [*map(kata.storage, storages(layers, disk, name))], TALE)
               for name in names]
    for name, stream in zip(names, streams):
        agent.client.finish(stream)
        agent.start(name)
        kata_guest.tells(guest, name, "app", layers)
    wrong = storages(layers, disk, "wrong")
    wrong[1]["options"] = lookalike.kata_options(layers[1], 1)
    with pytest.raises(Refused) as refused:
        agent.create("wrong", [*map(kata.storage, wrong)])
    line = refused.value.text.splitlines()[0]
    assert line.startswith("socle: FAILED step=verity volume=volume-0 code="), refused.value
    for name in names:
        agent.remove(name)
    assert not guest.await_nothing_more_than(before)
