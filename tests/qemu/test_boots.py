# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Boots that work: how many layers, which upper, which bus, which words around them."""

from __future__ import annotations

import pytest

from harness import expect, oci
from harness.bed import Bed, Result
from harness.image import Layer
from harness.vm import BLK, SCSI, Disk

pytestmark = pytest.mark.core

MIB = 1 << 20

READ_ONLY = "socle.upper=none"


def small_layer(number: int) -> list[oci.Entry]:
    """A layer above the base: a file of its own, and one that every layer replaces."""
    return [oci.directory("opt"), oci.file(f"opt/from-{number}", f"layer {number}\n"),
            oci.file("opt/everywhere", f"layer {number}\n")]


def stack(bed: Bed, count: int, *commands: str) -> list[Layer]:
    """An image of so many layers; each one's file and the overridden one are asked for."""
    asked = [f"path /opt/from-{number}" for number in range(1, count)]
    base = [*bed.base("path /opt/everywhere", *asked, *commands),
            oci.file("opt/everywhere", "layer 0\n")]
    return bed.image(base, *[small_layer(number) for number in range(1, count)], salt="none")


def expect_stack(result: Result, layers: list[Layer], upper: bool = True) -> None:
    expect.success(result, layers, upper=upper)
    top = len(layers) - 1
    assert result.report.content("/opt/everywhere") == f"layer {top}\n"
    for number in range(1, len(layers)):
        assert result.report.content(f"/opt/from-{number}") == f"layer {number}\n"


@pytest.mark.parametrize("bus", [BLK, SCSI])
def test_one_layer(bed: Bed, bus: str) -> None:
    layers = stack(bed, 1, "write /opt/new", "read /opt/filler")
    result = bed.boot_layers(layers, bus=bus)
    expect_stack(result, layers)
    expect.path_error(result, "write", "/opt/new", None)
    expect.path_error(result, "read", "/opt/filler", None)


@pytest.mark.parametrize("bus", [BLK, SCSI])
def test_two_layers(bed: Bed, bus: str) -> None:
    layers = stack(bed, 2)
    expect_stack(bed.boot_layers(layers, bus=bus), layers)


def test_two_layers_on_two_buses(bed: Bed) -> None:
    layers = stack(bed, 2)
    disks = [Disk(layers[0].disk, "top", SCSI), Disk(layers[1].disk, "bottom")]
    arguments = [layers[0].argument("SERIAL=top"), layers[1].argument("SERIAL=bottom")]
    expect_stack(bed.boot(bed.machine(disks, arguments)), layers)


def test_sixteen_layers(bed: Bed) -> None:
    """On the 2047 bytes of an x86 command line."""
    layers = stack(bed, 16)
    disks = [Disk(layer.disk, f"l{number}") for number, layer in enumerate(layers)]
    arguments = [layer.short(f"SERIAL=l{number}") for number, layer in enumerate(layers)]
    machine = bed.machine(disks, arguments, memory_mib=384)
    assert len(machine.cmdline) < 2047, len(machine.cmdline)
    expect_stack(bed.boot(machine), layers)


def test_disks_in_any_order(bed: Bed) -> None:
    """The serial number counts, not the letter."""
    layers = stack(bed, 3)
    disks = [Disk(layer.disk, f"layer{number}") for number, layer in enumerate(layers)]
    arguments = [layer.argument(f"SERIAL=layer{number}") for number, layer in enumerate(layers)]
    expect_stack(bed.boot(bed.machine(disks[::-1], arguments)), layers)


def test_serial_number_of_full_length(bed: Bed) -> None:
    """20 bytes are not ended by a NUL."""
    layers = stack(bed, 1)
    serial = "twenty-bytes-serial0"
    assert len(serial) == 20
    machine = bed.machine([Disk(layers[0].disk, serial)], [layers[0].argument(f"SERIAL={serial}")])
    expect_stack(bed.boot(machine), layers)


# --- the upper layer ------------------------------------------------------------


def test_upper_none(bed: Bed) -> None:
    """Two layers and nothing above them: whatever is written is refused."""
    layers = stack(bed, 2, "write /opt/new", "unlink /opt/everywhere", "write /run/new")
    result = bed.boot_layers(layers, READ_ONLY)
    expect_stack(result, layers, upper=False)
    expect.path_error(result, "write", "/opt/new", "EROFS")
    expect.path_error(result, "unlink", "/opt/everywhere", "EROFS")
    expect.path_error(result, "write", "/run/new", None)


def test_upper_none_on_one_layer(bed: Bed) -> None:
    """overlayfs takes no single layer, so the layer is the root by itself."""
    layers = stack(bed, 1, "write /opt/new")
    result = bed.boot_layers(layers, READ_ONLY)
    expect.success(result, layers, upper=False, fstype="erofs")
    expect.path_error(result, "write", "/opt/new", "EROFS")


def test_upper_tmpfs_with_size(bed: Bed) -> None:
    """The size is what was asked for, and a full upper says ENOSPC."""
    layers = stack(bed, 1, "fill /opt/big", "statfs /", "write /opt/after")
    result = bed.boot_layers(layers, "socle.upper=tmpfs,size=8m")
    expect_stack(result, layers)
    assert result.report.one("statfs", "/")["bytes"] == 8 * MIB
    expect.path_error(result, "fill", "/opt/big", "ENOSPC")
    assert 7 * MIB < result.report.one("fill", "/opt/big")["bytes"] <= 8 * MIB
    expect.path_error(result, "write", "/opt/after", None)


def test_upper_tmpfs_hides_what_was_deleted(bed: Bed) -> None:
    """Whiteouts and opaque marks on the upper need its extended attributes."""
    base = [*bed.base("unlink /opt/dir/file", "rmdir /opt/dir", "mkdir /opt/dir",
                      "path /opt/dir", "path /opt/dir/file"),
            oci.directory("opt/dir"), oci.file("opt/dir/file", "old")]
    layers = bed.image(base)
    result = bed.boot_layers(layers)
    expect.success(result, layers)
    assert result.report.path("/opt/dir")["entries"] == []
    expect.path_error(result, "path", "/opt/dir/file", "ENOENT")


# --- what else the machine and its command line hold ------------------------------


def test_foreign_parameters(bed: Bed) -> None:
    """Quotes, globs and what stands behind -- are nobody's business here."""
    layers = stack(bed, 1)
    foreign = ['dyndbg="file drivers/usb/* +p"', 'unrelated="value with socle.layer=bogus"',
               '"quoted=name with socle.upper=none"', "root=/dev/vdz", "init=/bin/sh", "ro"]
    behind = ["--", "socle.layer=bogus", "socle.nonsense=1"]
    arguments = [*foreign, layers[0].argument("SERIAL=layer0"), *behind]
    machine = bed.machine([Disk(layers[0].disk, "layer0")], arguments)
    expect_stack(bed.boot(machine), layers)


def test_quoted_parameter_of_ours(bed: Bed) -> None:
    """Quotes around a value are not part of it."""
    layers = stack(bed, 1)
    key, value = layers[0].argument("SERIAL=layer0").split("=", 1)
    machine = bed.machine([Disk(layers[0].disk, "layer0")], [f'{key}="{value}"'])
    expect_stack(bed.boot(machine), layers)


def test_agent_behind_links(bed: Bed) -> None:
    """A path through absolute and relative links, all inside the new root."""
    base = [*bed.base(), oci.directory("usr"), oci.directory("usr/bin"),
            oci.hard_link("usr/bin/agent", "sbin/init"), oci.link("bin", "usr/bin"),
            oci.link("usr/bin/first", "/bin/second"), oci.link("usr/bin/second", "agent")]
    layers = bed.image(base)
    result = bed.boot_layers(layers, "socle.agent=/bin/first")
    expect.success(result, layers, agent="/bin/first")


def test_no_serial_console(bed: Bed) -> None:
    """No console device at all; the agent still has its three descriptors."""
    layers = stack(bed, 1)
    expect_stack(bed.boot_layers(layers, serial_console=False), layers)


def test_console_that_does_not_exist(bed: Bed) -> None:
    """console= names nothing, so the kernel gives PID 1 no descriptor."""
    layers = stack(bed, 1)
    machine = bed.machine([Disk(layers[0].disk, "layer0")],
                          [layers[0].argument("SERIAL=layer0"), "console=nothing0"])
    machine.cmdline = machine.cmdline.replace("console=ttyS0 ", "")
    expect_stack(bed.boot(machine), layers)


def test_two_processors(bed: Bed) -> None:
    layers = stack(bed, 2)
    expect_stack(bed.boot_layers(layers, cpus=2), layers)
