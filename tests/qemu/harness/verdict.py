# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""What came over the verdict channel, as values."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Optional

FAILURE_LINE = re.compile(
    r"socle: FAILED step=(?P<step>[a-z]+) volume=(?P<volume>\S+) "
    r"code=(?P<code>[A-Z_]+): (?P<sentence>.+)")

# UEFI clears the screen of every serial port before the kernel has it.
ESCAPE = re.compile(r"\x1b\[[0-9;=]*[A-Za-z]")


@dataclass(frozen=True)
class Failure:
    """socle-init's one line about why there is no agent."""

    step: str
    volume: str
    code: str
    sentence: str


@dataclass
class Report:
    """What the test agent (agent/) and socle-init said."""

    failures: list[Failure] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    def all(self, what: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record["what"] == what]

    def one(self, what: str, path: Optional[str] = None) -> dict[str, Any]:
        found = [record for record in self.all(what)
                 if path is None or record["path"] == path]
        name = what if path is None else f"{what} {path}"
        assert len(found) == 1, f"the agent reported {name!r} {len(found)} times"
        return found[0]

    @property
    def agent_started(self) -> bool:
        return bool(self.records)

    @property
    def agent_finished(self) -> bool:
        return bool(self.all("end"))

    def path(self, path: str) -> dict[str, Any]:
        return self.one("path", path)

    def exists(self, path: str) -> bool:
        return self.path(path)["errno"] == 0

    def content(self, path: str) -> str:
        record = self.path(path)
        assert record["errno"] == 0, f"{path}: errno {record['errno']}"
        return record["content"]

    def memory_kib(self, name: str) -> int:
        for line in self.one("memory")["lines"]:
            key, value = line.split(":", 1)
            if key == name:
                return int(value.split()[0])
        raise AssertionError(f"the agent did not report {name}")

    def mounts(self) -> dict[str, "Mount"]:
        """By mount point; of two on one point the upper one."""
        mounts = [Mount.parse(line) for line in self.one("mounts")["lines"]]
        return {mount.point: mount for mount in mounts}

    def layers(self) -> list[dict[str, Any]]:
        """The verity devices, by their position on the command line."""
        layers = [record for record in self.all("dm")
                  if record["name"].startswith("socle-layer-")]
        return sorted(layers, key=lambda record: int(record["name"].rsplit("-", 1)[1]))


@dataclass(frozen=True)
class Mount:
    """A line of /proc/self/mountinfo."""

    point: str
    options: list[str]
    fstype: str
    source: str
    super_options: list[str]

    @classmethod
    def parse(cls, line: str) -> "Mount":
        left, right = line.split(" - ", 1)
        fstype, source, super_options = right.split(" ", 2)
        fields = left.split(" ")
        return cls(fields[4], fields[5].split(","), fstype, source, super_options.split(","))


def parse(text: str) -> Report:
    report = Report()
    for line in text.splitlines():
        line = ESCAPE.sub("", line).strip()
        match = FAILURE_LINE.fullmatch(line)
        if match:
            report.failures.append(Failure(**match.groupdict()))
        elif line.startswith("{"):
            try:
                report.records.append(json.loads(line))
            except json.JSONDecodeError:
                report.other.append(line)
        elif line:
            report.other.append(line)
    return report
