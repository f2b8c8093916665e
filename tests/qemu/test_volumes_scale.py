# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""As many layers as overlayfs stacks, and as many targets as a busy guest has at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest

from harness import lookalike, oci, volume
from harness.bed import Bed
from harness.guest import Driven
from harness.image import Layer
from harness.lookalike import text
from harness.volume import TARGET, Request

LAYERS = 127
TARGETS = 64


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    """Each adds a file and says again who came last."""
    return bed.image(*[[oci.file("last", f"{n}"), oci.file(f"layer-{n}", f"{n}\n")]
                       for n in range(LAYERS)])


@pytest.fixture
def disk(bed: Bed, layers: list[Layer]) -> Path:
    return lookalike.gpt_disk(bed.path("gpt.disk"), layers)


def test_layers_of_one_target(guest: Driven, layers: list[Layer], disk: Path,
                              record_property: Callable[[str, Any], None]) -> None:
    before = guest.left()
    place = guest.plug(disk).place
    request = Request(text(lookalike.kata_storages(layers, place)), upper="tmpfs")
    ended = volume.mounted(guest, request, limit=60)
    record_property("mount", f"{LAYERS} layers in {ended.seconds:.2f} s")
    assert guest.content(f"{TARGET}/last") == str(LAYERS - 1).encode()
    for number in (0, LAYERS // 2, LAYERS - 1):
        assert guest.content(f"{TARGET}/layer-{number}") == f"{number}\n".encode()
    assert len(guest.left().more_than(before)["dm"]) == LAYERS
    told = volume.layers_of(guest)
    assert [layer["root_hash"] for layer in told] == [x.params["root_hash"] for x in layers]
    assert {layer["status"] for layer in told} == {"V"}
    # Each layer's device for it goes before the next one's comes, under the same name.
    ended = guest.run(volume.PROGRAM, "verify", TARGET, limit=60)
    assert ended.status == volume.DONE, ended
    volume.umounted(guest)
    assert not guest.await_nothing_more_than(before)


def test_one_layer_too_many(guest: Driven, layers: list[Layer]) -> None:
    request = Request(text(lookalike.kata_storages([*layers, layers[0]], "01")), upper="tmpfs")
    volume.refused(volume.mount(guest, request), "LIMIT_EXCEEDED")


def test_targets_at_once(guest: Driven, layers: list[Layer], disk: Path,
                         record_property: Callable[[str, Any], None]) -> None:
    """Two layers each, all from one disk and side by side; and they go side by side."""
    before = guest.left()
    reference = guest.plug(disk).reference
    targets = [f"/run/containers/{number}/rootfs" for number in range(TARGETS)]
    commands = []
    for number, target in enumerate(targets):
        places = [f"{reference}/PARTN={number + 1}", f"{reference}/PARTN={LAYERS}"]
        path = f"/run/description-{number}"
        guest.put(path, lookalike.socle([layers[number], layers[-1]], places))
        commands.append([volume.PROGRAM, "mount", "--target", target, "--from", "socle",
                         "--upper", "tmpfs", path])
    ended = guest.together(commands, limit=90)
    record_property("mount", f"{TARGETS} targets in {max(e.seconds for e in ended):.2f} s")
    assert [e for e in ended if e.status != volume.DONE] == []
    for number, target in enumerate(targets):
        assert guest.content(f"{target}/last") == str(LAYERS - 1 - number).encode()
    assert len(guest.left().more_than(before)["dm"]) == 2 * TARGETS
    assert len(volume.listed(guest)) == TARGETS
    ended = guest.together([[volume.PROGRAM, "umount", target] for target in targets], limit=60)
    assert [e for e in ended if e.status != volume.DONE] == []
    assert not guest.await_nothing_more_than(before)
