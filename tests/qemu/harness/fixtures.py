# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Files of real producers: SOCLE_FIXTURES, or ../shared/fixtures beside the tree."""

from __future__ import annotations

import json
import lzma
import os
from pathlib import Path
from typing import Any

import pytest

from harness.bed import Bed

FIXTURES = Path(os.environ.get("SOCLE_FIXTURES") or
                Path(__file__).resolve().parents[4] / "shared" / "fixtures")

# Columns of a listing: what some trees differ in, and the SHA-256 of a file.
MODE, MTIME, CONTENT = 1, 7, 8


def needed(folder: str) -> Path:
    """The test is skipped where there are none."""
    if not (FIXTURES / folder).is_dir():
        pytest.skip("no SOCLE_FIXTURES")
    return FIXTURES / folder


def disk(bed: Bed, name: str) -> Path:
    """Unpacked; name is what the list of the fixtures says."""
    path = bed.path(name.replace("/", "-"))
    if not path.exists():
        path.write_bytes(lzma.decompress((FIXTURES / f"{name}.xz").read_bytes()))
    return path


def description(name: str) -> Any:
    return json.loads((FIXTURES / name).read_text())


def listing(name: str) -> dict[str, list[str]]:
    """By path; the bytes of a name are escaped in it."""
    return by_path((FIXTURES / "expected" / f"{name}.tsv").read_text().splitlines())


def by_path(lines: list[str]) -> dict[str, list[str]]:
    rows = [line.split("\t") for line in lines]
    assert len({row[0] for row in rows}) == len(rows), "a name is there twice"
    return {row[0]: row for row in rows}


def differences(found: dict[str, list[str]], expected: dict[str, list[str]]) -> list[str]:
    """A line for each name that is not as it must be."""
    return [f"{path}:\n  expected {expected.get(path)}\n  found    {found.get(path)}"
            for path in sorted(found.keys() | expected.keys())
            if found.get(path) != expected.get(path)]


def lines(path: Path) -> list[Any]:
    """A value a line."""
    return [json.loads(line) for line in path.read_text().splitlines()]
