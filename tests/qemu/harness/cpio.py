# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Archives as another packer would make them, for an initramfs
(Documentation/driver-api/early-userspace/buffer-format.rst).
"""

from __future__ import annotations

import stat

# Name, mode with type, content; for a symbolic link its target.
Entry = tuple[str, int, bytes]

TRAILER = "TRAILER!!!"


def file(name: str, content: bytes, mode: int = 0o644) -> Entry:
    return name, stat.S_IFREG | mode, content


def directory(name: str) -> Entry:
    return name, stat.S_IFDIR | 0o755, b""


def _member(number: int, name: str, mode: int, content: bytes) -> bytes:
    fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    head += bytes(-len(head) % 4)
    return head + content + bytes(-len(content) % 4)


def archive(*entries: Entry) -> bytes:
    members = [_member(number, *entry) for number, entry in enumerate(entries, 1)]
    return b"".join(members) + _member(0, TRAILER, 0, b"")
