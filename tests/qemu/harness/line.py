# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""What a kernel command line of ours says of itself."""

from __future__ import annotations

import re

PREFIX = "socle."


def words(line: str) -> list[str]:
    """As the kernel parts them, without the quotes around a word or a value."""
    found = []
    for word in re.findall(r'(?:[^\s"]|"[^"]*"?)+', line):
        if word == "--":
            break
        found.append(word.replace('"', ""))
    return found


def seal(line: str) -> str:
    """The line with the socle.length= in front that it needs, unless it has one."""
    ours = [word for word in words(line) if word.startswith(PREFIX)]
    if len(ours) < 2 or any(word.startswith(f"{PREFIX}length") for word in ours):
        return line
    return f"{PREFIX}length={sum(map(len, ours))} {line}"
