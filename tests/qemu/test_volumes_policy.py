# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""What the policy of the boot says of volumes: socle-init leaves it where they find it."""

from __future__ import annotations

from typing import Iterator

import pytest

from harness import lookalike, oci, volume
from harness.bed import Bed, filler
from harness.guest import Driven, Plugged
from harness.image import Layer
from harness.lookalike import kata_volume, text
from harness.volume import TARGET, Request

POLICY = "/run/socle/policy"


@pytest.fixture
def layer(bed: Bed) -> Layer:
    return bed.image([oci.file("name", "one"), oci.file("filler", filler("one"))], salt="none")[0]


@pytest.fixture
def disk(guest: Driven, layer: Layer) -> Plugged:
    return guest.plug(layer.disk)


@pytest.fixture
def policy(guest: Driven) -> Iterator[str]:
    """The boot's own, which is there again after the test."""
    booted = guest.content(POLICY)
    yield booted.decode()
    if guest.alive:
        guest.put(POLICY, booted)


def test_policy_of_the_boot(guest: Driven, policy: str) -> None:
    """Packed into the initramfs; nobody but root writes it."""
    assert policy == "verity=optional\n"
    told = guest.ask("path", POLICY)[-1]
    assert (told["mode"], told["uid"]) == (0o444, 0)


@pytest.mark.parametrize("text_of_it, request_more, volume_name", [
    ("verity=required\n", {"allow": [0]}, "volume-0"),
    ("", {"allow": [0]}, "volume-0"),
    ("verity=required\nsignature=required\n", {}, "volume-0"),
    ("on_corruption=stop\n", {"on_corruption": "eio"}, "-"),
    ("verity=required\nnonsense=1\n", {}, "-"),
])
def test_refused(guest: Driven, layer: Layer, disk: Plugged, policy: str, text_of_it: str,
                 request_more: dict[str, object], volume_name: str) -> None:
    """The same request is taken by the boot's own policy, and was not by that one."""
    description = text(kata_volume(layer, verity="allow" not in request_more))
    request = Request(description, devices=[disk.reference], **request_more)
    guest.put(POLICY, text_of_it)
    ended = volume.mount(guest, request)
    told = volume.failure(ended)
    assert told.volume == volume_name and ended.status == volume.REFUSED, ended
    expected = {"POLICY_REFUSED", "KEY_UNKNOWN"} if "nonsense" in text_of_it else {"POLICY_REFUSED"}
    assert told.code in expected, ended
    guest.put(POLICY, policy)
    volume.mounted(guest, request)
    assert guest.content(f"{TARGET}/name") == b"one"
    volume.umounted(guest)


def test_policy_that_others_write(guest: Driven, layer: Layer, disk: Plugged, policy: str) -> None:
    guest.do("unlink", POLICY)
    guest.put(POLICY, policy, 0o666)
    guest.do("chmod", "0666", POLICY)
    request = Request(text(kata_volume(layer)), devices=[disk.reference])
    volume.refused(volume.mount(guest, request), "POLICY_REFUSED")
    guest.do("chmod", "0444", POLICY)
    volume.mounted(guest, request)
    volume.umounted(guest)


def test_directories_of_the_caller(guest: Driven, layer: Layer, disk: Plugged,
                                   policy: str) -> None:
    """In the guest's memory they are its own; of any other place it must be shown."""
    guest.put(POLICY, "verity=required\n")
    guest.do("mkdir", "/run/written")
    request = Request(text(kata_volume(layer)), devices=[disk.reference], upper="dir:/run/written")
    volume.mounted(guest, request)
    guest.put(f"{TARGET}/new", "written")
    assert guest.content("/run/written/upper/new") == b"written"
    volume.umounted(guest)
    told = volume.refused(volume.mount(guest, Request(request.description, devices=request.devices,
                                                      upper="dir:/sys/kernel")),
                          "POLICY_REFUSED", volume="upper")
    assert told.startswith("/sys/kernel is neither in memory nor on a verified"), told
    pulled = text({"volume_type": "image_guest_pull", "source": "dummy-image-reference",
                   "image_pull": {"metadata": {}}})
    volume.refused(volume.mount(guest, Request(pulled, directories=["/run/written", "/sys/fs"])),
                   "POLICY_REFUSED")
    volume.mounted(guest, Request(pulled, directories=["/run/written"]))
    volume.umounted(guest)
