# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
What happens on a failure and on corruption, as the policies say. The guests
have a pvpanic device, so that a panic is told apart from a reset.
"""

from __future__ import annotations

import pytest

from harness import expect, oci
from harness.bed import Bed, Result, filler
from harness.image import Layer
from harness.verdict import parse
from harness.vm import Disk, Guest, Machine

pytestmark = pytest.mark.core

# The file that is read after the hand-over, far from everything that is read before.
VICTIM = "/opt/victim"


def armed(bed: Bed, machine: Machine) -> Machine:
    """The machine with a pvpanic device, and an initramfs with its driver."""
    machine.panic_device = True
    machine.initramfs = bed.initramfs(modules=["pvpanic-pci"])
    return machine


# --- socle.on_failure= -----------------------------------------------------------


def failing(bed: Bed, *arguments: str) -> Machine:
    """A boot that fails behind the step that loads the pvpanic driver."""
    layer = "socle.layer=SERIAL=nobody,data_blocks=1,root_hash=" + "0" * 64
    return armed(bed, bed.machine([], [layer, "socle.timeout=1", *arguments]))


@pytest.mark.parametrize("policy, ended", [
    ("poweroff", expect.POWER_OFF), ("reboot", expect.RESET), ("panic", expect.PANIC)])
def test_on_failure(bed: Bed, policy: str, ended: str) -> None:
    result = bed.boot(failing(bed, f"socle.on_failure={policy}"))
    expect.failure(result, "DEVICE_NOT_FOUND", "devices", "layer-0", ended)


def test_on_failure_halt(bed: Bed) -> None:
    """Told, and then neither off nor anew nor in a panic."""
    with Guest(failing(bed, "socle.on_failure=halt"), bed.path("boot")) as guest:
        guest.await_verdict("socle: FAILED")
        event = guest.await_end(seconds=4)
        report = parse(guest.verdict())
    assert event is None, event
    assert [failure.code for failure in report.failures] == ["DEVICE_NOT_FOUND"]
    assert not report.agent_started


def test_policy_behind_the_bad_key_counts(bed: Bed) -> None:
    """A line that is refused is still read to its end for how to fail."""
    machine = bed.machine([], [])
    machine.cmdline = ("console=ttyS0 panic=-1 socle.nonsense=1 socle.on_failure=reboot "
                       "socle.report=/dev/ttyS1")
    expect.failure(bed.boot(machine), "KEY_UNKNOWN", "plan", ended=expect.RESET)


# --- socle.on_corruption=, once the agent runs --------------------------------------


def victim(bed: Bed) -> tuple[Layer, int]:
    """A layer with the victim in it, and where a block in its middle lies on the disk."""
    content = filler("victim")
    [layer] = bed.image([*bed.base(f"read {VICTIM}"), oci.file(VICTIM[1:], content)])
    middle = len(content) // 2
    return layer, bed.offset_of(layer.disk, content[middle:middle + 4096])


def boot_with_victim(bed: Bed, *arguments: str) -> Result:
    """The agent reads a file of which a block was altered on the disk."""
    layer, offset = victim(bed)
    disk = Disk(bed.flipped(layer.disk, offset), "layer0")
    return bed.boot(armed(bed, bed.machine([disk], [layer.argument("SERIAL=layer0"), *arguments])))


def died_reading(result: Result, ended: str) -> None:
    report = result.report
    assert report.all("about")[-1]["path"] == VICTIM, result.outcome
    assert not report.all("read"), f"the read came back: {result.outcome}"
    assert result.outcome.ended == ended, f"expected the end {ended}: {result.outcome}"


@pytest.mark.parametrize("arguments", [[], ["socle.on_corruption=panic"]])
def test_corruption_panics(bed: Bed, arguments: list[str]) -> None:
    """By default, too."""
    died_reading(boot_with_victim(bed, *arguments), expect.PANIC)


def test_corruption_restarts(bed: Bed) -> None:
    died_reading(boot_with_victim(bed, "socle.on_corruption=restart"), expect.RESET)


def test_corruption_is_an_error(bed: Bed) -> None:
    result = boot_with_victim(bed, "socle.on_corruption=eio")
    assert result.report.agent_finished and result.outcome.ended == expect.POWER_OFF, result.outcome
    expect.path_error(result, "read", VICTIM, "EIO")
    assert result.report.one("read", VICTIM)["bytes"] < len(filler("victim"))


def boot_with_bad_sector(bed: Bed, *arguments: str) -> Result:
    """
    The same with a sector that the disk cannot read, instead of an altered one.
    It lies far from the tree: the kernel reads the tree ahead in large pieces.
    """
    layer, offset = victim(bed)
    disk = Disk(layer.disk, "layer0", bad_sector=offset // 512)
    return bed.boot(armed(bed, bed.machine([disk], [layer.argument("SERIAL=layer0"), *arguments])))


def test_read_error_panics(bed: Bed) -> None:
    """A device that returns EIO is no way around the policy."""
    died_reading(boot_with_bad_sector(bed), expect.PANIC)


def test_read_error_is_an_error(bed: Bed) -> None:
    result = boot_with_bad_sector(bed, "socle.on_corruption=eio")
    assert result.report.agent_finished and result.outcome.ended == expect.POWER_OFF, result.outcome
    expect.path_error(result, "read", VICTIM, "EIO")


# --- corruption in the agent itself ------------------------------------------------


def with_flipped_agent(bed: Bed, layer: Layer) -> Disk:
    """The first bytes of /sbin/init are altered."""
    start = bed.programs.agent.read_bytes()[:4096]
    return Disk(bed.flipped(layer.disk, bed.offset_of(layer.disk, start)), "layer0")


def test_agent_flipped(bed: Bed, one: list[Layer]) -> None:
    """Seen before the policy is armed: a failure with a name, and not a panic."""
    machine = bed.machine([with_flipped_agent(bed, one[0])], [one[0].argument("SERIAL=layer0")])
    expect.failure(bed.boot(machine), "DATA_CORRUPT", "handover", "layer-0")


def test_interpreter_of_the_agent_flipped(bed: Bed) -> None:
    """It is looked at as the agent is."""
    layers = bed.image([*bed.base(), oci.file("sbin/script", "#!/sbin/init\n", 0o755)])
    machine = bed.machine([with_flipped_agent(bed, layers[0])],
                          [layers[0].argument("SERIAL=layer0"), "socle.agent=/sbin/script"])
    expect.failure(bed.boot(machine), "DATA_CORRUPT", "handover", "layer-0")
