# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
The guest that the tests of volumes drive: that its agent does what it is told, and
above all that what a volume leaves behind would be seen.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import oci
from harness.bed import filler
from harness.channel import GuestGone
from harness.guest import Driven
from harness.vm import BLK, SCSI

pytestmark = pytest.mark.core


@pytest.mark.parametrize("bus, name", [(BLK, "vd"), (SCSI, "sd")])
def test_disk_that_comes_and_goes(driven: Driven, directory: Path, bus: str, name: str) -> None:
    directory.mkdir(parents=True)
    (directory / "disk").write_bytes(filler("late"))
    before = driven.disks()
    disk = driven.plug(directory / "disk", bus)
    driven.await_disks(len(before) + 1)
    [new] = driven.disks() - before
    assert new.startswith(name)
    assert driven.content(f"/dev/{new}") == filler("late")
    driven.unplug(disk)
    assert driven.disks() == before


def test_programs(driven: Driven) -> None:
    """Their status, what they say, that they can be killed, and many side by side."""
    program = "/opt/init"
    ended = driven.run(program)
    assert (ended.status, ended.signal, ended.out) == (2, 0, "") and "socle-init" in ended.err
    assert driven.run("/nowhere").status == 127
    # It may have ended before.
    tried = [driven.kill_after(0, program) for _ in range(50)]
    assert {(ended.killed, ended.signal) for ended in tried} <= {(True, 9), (False, 0)}
    assert any(ended.killed for ended in tried)
    assert [ended.status for ended in driven.together([[program]] * 16)] == [2] * 16


def test_listing(driven: Driven) -> None:
    lines = {line.split("\t")[0]: line.split("\t")[1:] for line in driven.tree("/opt/tree")}
    assert list(lines) == ["/", "/a\\x20b", "/a\\x20b/c", "/link"]
    assert lines["/a\\x20b/c"][:6] == ["104750", "7", "70000", "5", "0:0", "1"]
    assert lines["/a\\x20b/c"][-1] == "user.a=00ff,user.b=62"
    assert lines["/link"][-2] == "a\\x20b"


def test_what_is_left_is_seen(driven: Driven) -> None:
    """Each kind but dm, of which the guest's own root has one."""
    before = driven.left()
    assert before.dm == {"socle-layer-0"} and not before.more_than(before)
    driven.do("mkdir", "/run/socle-test")
    driven.do("mount", "nothing", "/run/socle-test", "tmpfs", 0, "")
    assert driven.left().more_than(before) == {
        "mounts": [("/run/socle-test", "tmpfs", "nothing")]}
    assert driven.umount("/run/socle-test") == 0
    driven.do("rmdir", "/run/socle-test")
    reader = driven.start("/opt/init", stdin=b"")
    found = driven.left().more_than(before)
    assert {"fds"} <= set(found) <= {"fds", "processes"}
    driven.stop(reader)
    assert not driven.left().more_than(before)


def test_guest_that_is_gone(driven: Driven) -> None:
    """A test can wait for its end: a panic is no failure of the harness."""
    driven.qmp.command("quit")
    with pytest.raises(GuestGone):
        driven.ask("left", limit=5)
    assert driven.process.wait(20) == 0 and not driven.alive
