# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Kata's agent as it is, without a patch: it asks the data hub's socket for an image,
and gets a verified stack on its bundle, or the reason why not, word for word.
"""

from __future__ import annotations

import json
import time
from typing import Any, Iterator, cast

import pytest

from harness import lookalike, oci, ttrpc, volume
from harness.bed import Bed, filler
from harness.guest import Driven
from harness.image import Layer
from harness.ttrpc import Client, Refused

SOCKET = "/run/confidential-containers/cdh.sock"
BUNDLES = "/run/kata-containers"
DIGEST = "sha256:" + "0123456789abcdef" * 4
GOOD, WRONG, BARE, ABSENT = (f"registry.example/{name}@{DIGEST}"
                             for name in ("good", "wrong", "bare", "absent"))

KILLS = 12


@pytest.fixture
def layers(bed: Bed) -> list[Layer]:
    return bed.image([oci.file("name", "lower"), oci.file("filler", filler("lower"))],
                     [oci.file("name", "upper")], salt="none")


def image(reference: str, references: list[str], *volumes: dict[str, Any]) -> dict[str, Any]:
    return {"reference": reference, "digest": DIGEST, "description": list(volumes), "upper": "tmpfs",
            "volumes": [{"number": number, "device": device}
                        for number, device in enumerate(references)]}


@pytest.fixture
def images(guest: Driven, layers: list[Layer]) -> str:
    """In a file of the guest, as from a measured image."""
    references = [guest.plug(layer.disk).reference for layer in layers]
    good = [lookalike.kata_volume(layer) for layer in layers]
    wrong = [good[0], lookalike.kata_volume(layers[1], hash="0" * 64)]
    bare = [good[0], lookalike.kata_volume(layers[1], verity=False)]
    path = "/run/images.json"
    guest.put(path, json.dumps({"version": 1, "images": [
        image(GOOD, references, *good), image(WRONG, references, *wrong),
        image(BARE, references, *bare),
        image(ABSENT, ["SERIAL=nobody"], lookalike.kata_volume(layers[0]))]}))
    return path


def serve(guest: Driven, images: str) -> tuple[int, Client]:
    server = guest.start(volume.PROGRAM, "serve", "--images", images, "--timeout", "1")
    return server, Client(cast(Any, guest.connect(SOCKET)), guest.seconds(20))


@pytest.fixture
def client(guest: Driven, images: str) -> Iterator[Client]:
    server, connected = serve(guest, images)
    yield connected
    if guest.alive:
        connected.close()
        ended = guest.terminate(server)
        assert (ended.status, ended.signal) == (0, 0), ended
        assert guest.ask("path", SOCKET)[-1]["errno"] != 0, "its socket is still there"


def bundle(guest: Driven, name: str) -> str:
    guest.ask("mkdir", BUNDLES)
    guest.ask("mkdir", f"{BUNDLES}/{name}")
    return f"{BUNDLES}/{name}"


def test_pull(guest: Driven, client: Client, layers: list[Layer]) -> None:
    """Verified, on bundle/rootfs; a plain umount by the agent takes all of it away."""
    before = guest.left()
    path = bundle(guest, "one")
    assert client.pull_image(GOOD, path) == DIGEST
    assert guest.content(f"{path}/rootfs/name") == b"upper"
    assert guest.one("write", f"{path}/rootfs/new")["errno"] == 0
    told = volume.layers_of(guest, f"{path}/rootfs")
    assert [layer["root_hash"] for layer in told] == [x.params["root_hash"] for x in layers]
    assert [layer["status"] for layer in told] == ["V", "V"]
    assert guest.umount(f"{path}/rootfs") == 0
    assert not guest.await_nothing_more_than(before)


def test_pulls_at_once(guest: Driven, client: Client) -> None:
    before = guest.left()
    paths = [bundle(guest, f"many-{number}") for number in range(8)]
    streams = [client.start_pull(GOOD, path) for path in paths]
    assert [client.finish_pull(stream) for stream in streams] == [DIGEST] * len(paths)
    for path in paths:
        assert guest.content(f"{path}/rootfs/name") == b"upper"
        assert guest.umount(f"{path}/rootfs") == 0
    assert not guest.await_nothing_more_than(before)


@pytest.mark.parametrize("reference, status, words", [
    (WRONG, ttrpc.FAILED_PRECONDITION, "step=verity volume=volume-1 code=ROOT_HASH_MISMATCH: "),
    (BARE, ttrpc.FAILED_PRECONDITION, "step=describe volume=volume-1 code=VERITY_MISSING: "),
    (ABSENT, ttrpc.FAILED_PRECONDITION, "step=devices volume=volume-0 code=DEVICE_NOT_FOUND: "),
    (GOOD + "x", ttrpc.NOT_FOUND, "code=IMAGE_UNKNOWN: "),
])
def test_refused(guest: Driven, client: Client, reference: str, status: int, words: str) -> None:
    """The line that socle-volume would have said."""
    before = guest.left()
    with pytest.raises(Refused) as refused:
        client.pull_image(reference, bundle(guest, "refused"))
    assert refused.value.text.startswith("socle: FAILED ") and words in refused.value.text
    assert refused.value.status == status, refused.value
    assert not guest.await_nothing_more_than(before)


def test_killed(guest: Driven, images: str) -> None:
    """SIGKILL in the middle of a pull ends that as well, and the target's umount cleans up."""
    before = guest.left()
    path = bundle(guest, "killed")
    halves = 0
    for number in range(KILLS):
        server, client = serve(guest, images)
        client.start_pull(GOOD, path)
        time.sleep(guest.seconds(number * 0.002))
        assert guest.stop(server).killed
        client.close()
        halves += bool(guest.left().more_than(before))
        if number % 2:
            server, client = serve(guest, images)
            assert client.pull_image(GOOD, path) == DIGEST
            assert guest.content(f"{path}/rootfs/name") == b"upper"
            client.close()
            guest.terminate(server)
        volume.umounted(guest, f"{path}/rootfs")
        more = guest.await_nothing_more_than(before)
        assert not more, f"killed at moment {number}: {more}"
    assert halves, "no pull was in the middle"
    guest.ask("unlink", SOCKET)
