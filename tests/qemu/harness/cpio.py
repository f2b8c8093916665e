# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""A newc archive of plain files, to put in front of an initramfs."""

from __future__ import annotations


def _member(number: int, name: str, data: bytes, mode: int) -> bytes:
    fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08x" % value for value in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def archive(files: dict[str, bytes]) -> bytes:
    members = [_member(number, name, data, 0o100644)
               for number, (name, data) in enumerate(files.items(), 1)]
    whole = b"".join(members) + _member(0, "TRAILER!!!", b"", 0)
    return whole + b"\0" * (-len(whole) % 512)
