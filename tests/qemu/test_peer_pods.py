# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""A peer pod's disk into Debian's systemd, found by the root hash alone."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Optional

import pytest

from harness import debian, expect, formats, image, oci, repart, systemd
from harness.attached import NVME, Attached
from harness.bed import Bed
from harness.repart import PeerPod
from harness.store import Store, digest
from harness.vm import SCSI, Disk

# What systemd and the kernel say, one fact a line.
VERDICT = """\
#!/bin/sh
exec >/dev/ttyS1
echo "pid1 $(cat /proc/1/comm)"
echo "basic $(systemctl is-active basic.target)"
echo "failed $(systemctl list-units --failed --plain --no-legend | cut -d' ' -f1 | tr '\\n' ' ')"
echo "root $(findmnt -n -o FSTYPE /)"
echo "usr $(findmnt -n -o FSTYPE,OPTIONS /usr)"
echo "units $(cd /run/systemd && ls generator generator.late 2>&- | grep -E 'swap|home|srv|tmp' | tr '\\n' ' ')"
echo "swaps $(tail -n +2 /proc/swaps)"
echo "home $(ls /home >&-; findmnt -n -o SOURCE /home)"
dmsetup status --target verity | sed 's/^/dm /'
"""


def merged(bed: Bed) -> Path:
    """Debian with systemd as one erofs with its hash tree."""
    # Not in /etc, which systemd.volatile=yes leaves behind.
    units = "usr/lib/systemd/system"
    verdict = oci.layer_tar([
        # Wanted where /etc is empty; a minute's work for an emulated processor.
        oci.link(f"{units}/systemd-hwdb-update.service", "/dev/null"),
        *systemd.verdict(VERDICT, units)])
    # systemd's own units for the two partitions wait for udev to show them.
    base = debian.base_tar(Store(bed.programs.cache / "images"), more=["udev"])
    layout = debian.layout(bed.store, base, [verdict])

    def make(draft: Path) -> None:
        image.run_tool(bed.programs.image, "merge", "--output", draft / "merged.img", layout)

    key = digest(bed.programs.image, layout.parent.name)
    return bed.store.get("peer-pod-root", key, make) / "merged.img"


@pytest.fixture
def peer_pod(bed: Bed) -> PeerPod:
    """It on a disk that systemd-repart has made."""
    root = merged(bed)

    def make(draft: Path) -> None:
        data = bed.copy(root, "data")
        verity = json.loads(root.with_name("merged.img.json").read_text())["layers"][0]["verity"]
        os.truncate(data, verity["data_blocks"] * verity["data_block_size"])
        repart.make(data, draft)

    where = bed.store.get("peer-pod", digest(bed.programs.image, root.parent.name, "1"), make)
    return repart.read(where)


@pytest.fixture
def own_disk(bed: Bed) -> PeerPod:
    """It on a disk of ours."""
    made = formats.make(bed, "dps", [merged(bed)], "--arch", "x86_64")
    return PeerPod(made.disk, made.root_hash)


def boot(bed: Bed, peer_pod: PeerPod, disk: Disk, line: str = "") -> dict[str, str]:
    machine = bed.machine([disk], [f"roothash={peer_pod.root_hash}", line], memory_mib=512, cpus=2,
                          limit=120)
    result = bed.boot(machine)
    assert result.outcome.ended == expect.POWER_OFF, result.outcome
    assert not result.report.failures, result.outcome
    lines = result.report.other
    assert [words.split()[-1] for words in lines if words.startswith("dm root:")] == ["V"], lines
    facts = dict((line + " ").split(" ", 1) for line in lines if not line.startswith("dm "))
    assert facts["pid1"].strip() == "systemd" and facts["basic"].strip() == "active", facts
    return {name: value.strip() for name, value in facts.items()}


def test_the_disk_is_what_systemd_looks_for(peer_pod: PeerPod) -> None:
    """systemd-veritysetup-generator(8): the halves of the hash, in the order in which it is read."""
    root_hash = peer_pod.root_hash
    table = {kind: str(identity).replace("-", "") for kind, identity in peer_pod.partitions()}
    assert table[repart.ROOT] == root_hash[:32] and table[repart.ROOT_VERITY] == root_hash[32:]


@pytest.mark.parametrize("driver", [None, NVME], ids=["scsi", "nvme"])
def test_roothash_alone(bed: Bed, peer_pod: PeerPod, driver: Optional[str]) -> None:
    disk = Attached(peer_pod.disk, "peer-pod", SCSI if driver is None else NVME, driver=driver)
    facts = boot(bed, peer_pod, disk)
    assert facts["failed"] == "" and facts["root"] == "erofs", facts


def test_disk_of_ours(bed: Bed, own_disk: PeerPod) -> None:
    """The same identifiers by the same rule, and systemd in it is as content."""
    table = {kind: str(identity).replace("-", "") for kind, identity in own_disk.partitions()}
    assert table == {repart.ROOT: own_disk.root_hash[:32],
                     repart.ROOT_VERITY: own_disk.root_hash[32:]}
    facts = boot(bed, own_disk, Disk(own_disk.disk, bus=SCSI))
    assert facts["failed"] == "" and facts["root"] == "erofs", facts


@pytest.mark.parametrize("line, root", [
    ("systemd.volatile=overlay", "overlay"),
    # Where /etc is empty systemd would ask at the console who the machine is.
    ("systemd.volatile systemd.firstboot=off", "tmpfs")])
def test_volatile(bed: Bed, peer_pod: PeerPod, line: str, root: str) -> None:
    facts = boot(bed, peer_pod, Disk(peer_pod.disk, bus=SCSI), line)
    assert facts["failed"] == "" and facts["root"] == root, facts
    if root == "tmpfs":
        kind, options = facts["usr"].split()
        assert kind == "erofs" and "ro" in options.split(","), facts


@pytest.mark.parametrize("line", ["", "systemd.volatile=overlay"])
def test_partitions_that_the_host_added(bed: Bed, peer_pod: PeerPod, line: str) -> None:
    """systemd-gpt-auto-generator(8) would mount them all, and swap the guest's memory out."""
    disk = bed.copy(peer_pod.disk, "traps.disk")
    repart.add_traps(disk, bed.path("traps"))
    assert len(repart.partitions(disk)) == len(peer_pod.partitions()) + len(repart.TRAPS)
    facts = boot(bed, peer_pod, Disk(disk, bus=SCSI), line)
    assert (facts["units"], facts["swaps"], facts["home"]) == ("", "", ""), facts
