# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""What a boot must have come to. Each check names what was found instead."""

from __future__ import annotations

import errno
from typing import Optional

from harness.bed import Result
from harness.image import Layer

POWER_OFF = "guest-shutdown"
RESET = "guest-reset"
PANIC = "guest-panic"


def error_name(number: int) -> str:
    return errno.errorcode.get(number, str(number)) if number else "0"


def failure(result: Result, code: str, step: str, volume: str = "-", ended: str = POWER_OFF) -> str:
    """Exactly this failure, told once, no agent, this end. Returns the sentence."""
    report = result.report
    told = [(f.code, f.step, f.volume) for f in report.failures]
    assert not report.agent_started, f"the agent was started: {result.outcome}"
    assert told == [(code, step, volume)], \
        f"expected one failure {code} step={step} volume={volume}, {result.outcome}"
    assert result.outcome.ended == ended, f"expected the end {ended}, {result.outcome}"
    return report.failures[0].sentence


def success(result: Result, layers: list[Layer], agent: str = "/sbin/init",
            upper: bool = True, fstype: str = "overlay") -> None:
    """The agent ran to its end as PID 1 on a root of exactly these verified layers."""
    report = result.report
    assert not report.failures, f"socle-init reported a failure: {result.outcome}"
    assert report.agent_finished, f"the agent did not finish: {result.outcome}"
    assert result.outcome.ended == POWER_OFF, f"expected a power-off: {result.outcome}"
    handed_over_clean(result, agent)
    verified(result, layers)
    root = report.mounts()["/"]
    assert root.fstype == fstype, f"/ is {root}"
    assert ("rw" in root.options) == upper, f"/ is {root}"


def handed_over_clean(result: Result, agent: str) -> None:
    """Design, boot step 7: same PID 1, argv[0] only, a clean environment, the api mounts."""
    process = result.report.one("process")
    assert process["pid"] == 1
    assert process["argv"] == [agent]
    assert [entry.split("=")[0] for entry in process["env"]] == ["PATH"], process["env"]
    assert process["cwd"] == "/"
    assert sorted(process["fds"]) == ["0", "1", "2"], process["fds"]
    assert process["umask"] == 0o022, oct(process["umask"])
    mounts = result.report.mounts()
    kinds = {point: mounts[point].fstype if point in mounts else None
             for point in ["/proc", "/sys", "/dev", "/run"]}
    assert kinds == {"/proc": "proc", "/sys": "sysfs", "/dev": "devtmpfs", "/run": "tmpfs"}
    assert "noexec" not in mounts["/run"].options
    for line in result.report.one("status")["lines"]:
        if line.startswith(("SigBlk:", "SigIgn:")):
            assert int(line.split()[1], 16) == 0, f"the agent inherited {line}"


def verified(result: Result, layers: list[Layer]) -> None:
    """As many verity devices as layers, each with its root hash, in use and valid."""
    devices = result.report.layers()
    assert [d["name"] for d in devices] == [f"socle-layer-{n}" for n in range(len(layers))]
    assert len(result.report.all("dm")) == len(layers), "there are more dm devices than layers"
    for device, layer in zip(devices, layers):
        assert device["status"].split()[0] == "V", device
        assert device["target"] == "verity" and device["targets"] == 1, device
        assert device["read_only"] == 1 and device["open_count"] > 0, device
        assert layer.params["root_hash"] in device["table"].split(), device
        assert device["sectors"] * 512 == layer.tree.data_bytes, device


def path_error(result: Result, what: str, path: str, name: Optional[str]) -> None:
    """A command of the agent came to this error; None means that it worked."""
    found = error_name(result.report.one(what, path)["errno"])
    assert found == (name or "0"), f"{what} {path}: {found} instead of {name}"
