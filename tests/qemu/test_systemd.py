# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Debian's systemd as the agent, up to its basic target."""

from __future__ import annotations

import pytest

from harness import expect, systemd
from harness.bed import Bed

pytestmark = pytest.mark.core

# What systemd and the kernel say, one fact a line.
VERDICT = """\
#!/bin/sh
exec >/dev/ttyS1
echo "pid1 $(cat /proc/1/comm)"
echo "basic $(systemctl is-active basic.target)"
echo "failed $(systemctl list-units --failed --plain --no-legend | wc -l)"
echo "root $(findmnt -n -o FSTYPE /)"
dmsetup status --target verity | sed 's/^/dm /'
"""


def test_systemd_reaches_its_basic_target(bed: Bed) -> None:
    layers = bed.debian(systemd.verdict(VERDICT))
    result = bed.boot_layers(layers, "socle.timeout=60", memory_mib=512, cpus=2, limit=80)
    assert result.outcome.ended == expect.POWER_OFF, result.outcome
    assert not result.report.failures, result.outcome
    facts = dict(line.split(" ", 1) for line in result.report.other if not line.startswith("dm "))
    assert facts == {"pid1": "systemd", "basic": "active", "failed": "0", "root": "overlay"}
    devices = [line.split() for line in result.report.other if line.startswith("dm ")]
    assert sorted((words[1], words[-1]) for words in devices) == \
        [(f"socle-layer-{number}:", "V") for number in range(len(layers))], result.outcome
