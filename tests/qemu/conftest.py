# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Fixtures: a bed for each test, and the images that many tests share."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from pathlib import Path
from typing import Any, Iterator

import pytest

from harness import accel, driven, machines, oci
from harness.bed import REPOSITORY, Bed, Programs
from harness.guest import Driven
from harness.image import Layer

WORK = REPOSITORY / "build" / "tests" / "qemu"

passed = pytest.StashKey[bool]()


def pytest_report_header() -> str:
    try:
        return f"accelerator: {accel.choose(Programs.from_environment().kernel)}"
    except (FileNotFoundError, ValueError) as error:
        return f"accelerator: not known yet ({error})"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is about an architecture that no kernel of ours is built for is about Debian's."""
    for item in items:
        values = item.callspec.params.values() if hasattr(item, "callspec") else []
        arches = {getattr(getattr(value, "kind", value), "arch", None) for value in values}
        if arches & machines.PREBUILT_ARCHES:
            item.add_marker(pytest.mark.prebuilt)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Say where a failed test's files are; a skip counts as a failure but for lack of fixtures."""
    outcome: Any = yield
    report = outcome.get_result()
    may_skip = hasattr(report, "wasxfail") or item.get_closest_marker("fixtures")
    if report.skipped and not may_skip:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and nothing here may be"
    item.stash[passed] = report.passed and item.stash.get(passed, True)
    directory = item.funcargs.get("directory") if hasattr(item, "funcargs") else None
    if report.failed and directory is not None:
        report.sections.append(("everything of this test is kept in", str(directory)))


@pytest.fixture(scope="session")
def programs() -> Programs:
    return Programs.from_environment()


@pytest.fixture
def directory(request: pytest.FixtureRequest) -> Iterator[Path]:
    """The test's own, removed when it passed."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", request.node.name).strip("-")
    path = WORK / "runs" / name
    shutil.rmtree(path, ignore_errors=True)
    yield path
    if request.node.stash.get(passed, False):
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def bed(programs: Programs, directory: Path) -> Bed:
    return Bed(programs, WORK, directory)


@pytest.fixture
def one(bed: Bed) -> list[Layer]:
    """An image of one layer whose hash tree has two levels."""
    layers = bed.image(bed.base())
    assert len(layers[0].tree.level_blocks()) == 2
    return layers


def shared(programs: Programs, name: str, more: list[oci.Entry], *arguments: str,
           kind: machines.Kind = machines.Q35, **initramfs: Any) -> Iterator[driven.Guests]:
    """A guest for all tests of one worker."""
    directory = WORK / "runs" / f"{name}-of-{os.getpid()}"
    bed = Bed(programs, WORK, directory)
    guests = driven.Guests(driven.maker(bed, name, more, arguments, kind, initramfs))
    yield guests
    guests.end()
    with contextlib.suppress(OSError):  # what a spoilt guest said is there
        directory.rmdir()


def lent(request: pytest.FixtureRequest, guests: driven.Guests) -> Iterator[Driven]:
    """To one test, which gives it back as it was; after one that failed there is another."""
    guest = guests.get()
    yield guest
    good = request.node.stash.get(passed, False)
    if good and guest.alive:
        guest.unplug_all()
    else:
        guests.end(spoilt=not good)


def lent_for_volumes(request: pytest.FixtureRequest, guests: driven.Guests) -> Iterator[Driven]:
    """With no volume but those of the test, of which nothing may be left."""
    lender = lent(request, guests)
    guest = next(lender)
    before, more = guest.left(), {}
    yield guest
    if guest.alive and request.node.stash.get(passed, False):
        more = guest.await_nothing_more_than(before)
        request.node.stash[passed] = not more
    next(lender, None)
    assert not more, f"the test left behind {more}"


@pytest.fixture(scope="session")
def driven_guests(programs: Programs) -> Iterator[driven.Guests]:
    tree = [oci.directory("opt/tree"), oci.directory("opt/tree/a b"),
            oci.file("opt/tree/a b/c", "12345", 0o4750, uid=7, gid=70000,
                     xattrs={"user.b": b"b", "user.a": b"\0\xff"}),
            oci.link("opt/tree/link", "a b")]
    program = oci.file("opt/init", programs.init.read_bytes(), 0o755)
    yield from shared(programs, "driven", [program, *tree])


@pytest.fixture(name="driven")
def driven_guest(request: pytest.FixtureRequest, driven_guests: driven.Guests) -> Iterator[Driven]:
    yield from lent(request, driven_guests)


def volume_guests_of(kind: machines.Kind) -> Iterator[driven.Guests]:
    """socle-volume comes with the initramfs, and so does a policy that leaves it its choice."""
    programs = Programs.from_environment(kind.arch)
    yield from shared(programs, f"volumes-{kind.name}", [], "socle.volumes=yes", kind=kind,
                      options=["--volumes"], policy="verity=optional\n")


@pytest.fixture(scope="session")
def volume_guests() -> Iterator[driven.Guests]:
    yield from volume_guests_of(machines.Q35)


@pytest.fixture(scope="session")
def channel_guests() -> Iterator[driven.Guests]:
    yield from volume_guests_of(machines.S390)


@pytest.fixture
def guest(request: pytest.FixtureRequest, volume_guests: driven.Guests) -> Iterator[Driven]:
    yield from lent_for_volumes(request, volume_guests)


@pytest.fixture
def channel_guest(request: pytest.FixtureRequest, channel_guests: driven.Guests) -> Iterator[Driven]:
    yield from lent_for_volumes(request, channel_guests)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How long the guests took whose tests say so (see test_architectures.py)."""
    reports = [report for key in ("passed", "failed") for report in terminalreporter.stats.get(key, [])]
    lines = [f"{value}  {report.nodeid.split('::')[-1]}" for report in reports
             if report.when == "call" for name, value in report.user_properties if name == "guest"]
    if lines:
        terminalreporter.section("guests of each machine")
        for line in sorted(lines):
            terminalreporter.line(line)
