# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Units for an image whose agent is systemd: it runs a script of the test's, and powers off."""

from __future__ import annotations

from harness import oci
from harness.oci import Entry

# Wanted by the target that is booted into; runs once the basic target stands.
UNIT = """\
[Unit]
Requires=basic.target
After=basic.target
SuccessAction=poweroff-force
FailureAction=poweroff-force

[Service]
Type=oneshot
ExecStart=/usr/local/bin/verdict
"""

TARGET = """\
[Unit]
Requires=verdict.service
"""


def verdict(script: str, units: str = "etc/systemd/system") -> list[Entry]:
    """The script, and the target that is booted into for it."""
    return [
        oci.file(f"{units}/verdict.service", UNIT), oci.file(f"{units}/verdict.target", TARGET),
        oci.link(f"{units}/default.target", "verdict.target"),
        oci.file("usr/local/bin/verdict", script, 0o755),
    ]
