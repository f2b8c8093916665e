# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""What the agent finds: the initramfs gone, and everything that kata-agent expects of its start."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest

from harness import expect, oci, systemd
from harness.bed import REPOSITORY, Bed, Result, filler
from harness.image import Layer, run_tool
from harness.sealed import disk, seal
from harness.verdict import Mount, Report
from harness.vm import Disk

pytestmark = pytest.mark.core

BALLAST_MIB = 64

# The agent's own reading and two boots' luck with the page allocator.
TOLERANCE_MIB = 4


def boot(bed: Bed, initramfs_files: dict[str, bytes]) -> Result:
    layers = bed.image(bed.base("escape /ballast"))
    # What a processor keeps in stock for itself, up to an eighth of the memory, is free as well.
    result = bed.boot_layers(layers, "sysctl.vm.percpu_pagelist_high_fraction=10000",
                             memory_mib=384, initramfs=bed.initramfs(files=initramfs_files))
    expect.success(result, layers)
    return result


def test_initramfs_is_gone(bed: Bed) -> None:
    without = boot(bed, {})
    ballast = boot(bed, {"ballast": filler("ballast", BALLAST_MIB << 20)})
    for result in (without, ballast):
        escape = result.report.one("escape", "/ballast")
        assert escape["errno"] == 0, "the agent could not even try"
        assert escape["found"] == 0, "the initramfs' files can be reached from the new root"
        assert "init" not in escape["entries"], escape
    lost = without.report.memory_kib("MemAvailable") - ballast.report.memory_kib("MemAvailable")
    assert lost < TOLERANCE_MIB << 10, f"{lost} KiB of {BALLAST_MIB} MiB are still in use"


# --- what kata-agent expects as process 1, and what would break it -------------------

# Command lines of Kata's Go runtime on amd64, to the word (qemu_amd64.go, hypervisor.go,
# qemu_arch_base.go, katautils/config.go): no console of theirs is in this machine, and
# the agent reports on its own channel unasked.
HEAD = ("tsc=reliable no_timer_check rcupdate.rcu_expedited=1 i8042.direct=1 i8042.dumbkbd=1 "
        "i8042.nopnp=1 i8042.noaux=1 noreplace-smp reboot=k cryptomgr.notests net.ifnames=0 "
        "pci=lastbus=0")
ROOT = ('dm-mod.create="dm-verity,,,ro,0 SECTORS verity 1 /dev/vda1 /dev/vda2 4096 4096 '
        'BLOCKS 0 sha256 HASH SALT" root=/dev/dm-0 rootflags=ro rootfstype=erofs')
TAIL = ("quiet systemd.show_status=false panic=1 nr_cpus=4 selinux=0 "
        "systemd.unit=kata-containers.target systemd.mask=systemd-networkd.service "
        "systemd.mask=systemd-networkd.socket")
CGROUPS = "cgroup_no_v1=all systemd.unified_cgroup_hierarchy=1"
EXTENSION = ("kata.extension.coco.verity_params=root_hash=HASH,salt=SALT,data_blocks=BLOCKS,"
             "data_block_size=4096,hash_block_size=4096")
IMAGE_LINE = f"{HEAD} {ROOT} console=hvc0 console=hvc1 {TAIL} {CGROUPS} {EXTENSION}"
# With initrd= and no image=, there is no root and nothing for systemd.
INITRD_LINE = (f"{HEAD} console=hvc0 console=hvc1 quiet panic=1 nr_cpus=4 selinux=0 "
               f"scsi_mod.scan=none {CGROUPS}")

GENERATOR = "/run/systemd/system-generators/kata-extension-mount-generator"

# Asked for on the agent's behalf; what kata-agent does itself comes last, it changes things.
ASKED = [
    "path /run/socle/policy", "path /dev/ptmx", "path /dev/shm", "path /dev/pts", "path /dev/mapper", "path /dev/dm-0",
    "path /etc/resolv.conf", "path /run", "statfs /run", "path /run/kata-containers",
    "path /run/udev/control", f"path {GENERATOR}", "path /proc/self/oom_score_adj",
    "path /proc/self/task/1/children", "path /proc/sys/kernel/printk_devkmsg", "write /tmp/file",
    "as-kata-agent /",
]

API_MOUNTS = [
    ("/dev", "devtmpfs", "nosuid relatime rw"),
    ("/proc", "proc", "nodev noexec nosuid relatime rw"),
    ("/sys", "sysfs", "nodev noexec nosuid relatime rw"),
    ("/run", "tmpfs", "nodev nosuid relatime rw"),
]

# The same for every guest.
EXPECTED: dict[str, object] = {
    "pid, session, process group": (1, 0, 0),
    "argv": ["/sbin/init"],
    "environment": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    "descriptors": ["0", "1", "2"],
    "cwd, umask": ("/", 0o022),
    "threads, children": ("1", ""),
    "signals blocked, ignored, pending": {0},
    "no_new_privs, seccomp": ("0", "0"),
    "open files, soft and hard": ["1048576", "1048576"],
    "oom_score_adj": "0\n",
    "printk_devkmsg": "ratelimit\n",
    "/run/socle/policy": "verity=required\n",
    "/dev/ptmx": "char",
    "/etc/resolv.conf": "file",
    "not there": [],
    "/run, its mode and size": (0o755, True),
    "writing to /tmp": 0,
    # What kata-agent does: it leaves alone what is there, and all of the rest works.
    "its mounts": {"/proc": "there", "/sys": "there", "/dev": "there", "/run": "there",
                   "/dev/shm": 0, "/dev/pts": 0, "/sys/fs/cgroup": 0},
    "its /dev/ptmx, session": (0, 0, 0),
}


def children(report: Report) -> str:
    """Kernels without CONFIG_PROC_CHILDREN, as ours are, do not tell; Debian's does."""
    record = report.path("/proc/self/task/1/children")
    return "" if record["errno"] == errno.ENOENT else record["content"]


def status(result: Result, name: str) -> str:
    return next(line.split(":")[1].strip() for line in result.report.one("status")["lines"]
                if line.startswith(name + ":"))


def mounts(result: Result) -> list[tuple[str, str, str]]:
    parsed = [Mount.parse(line) for line in result.report.one("mounts")["lines"]]
    return sorted((m.point, m.fstype, " ".join(sorted(m.options))) for m in parsed)


def found(result: Result) -> dict[str, object]:
    report, process, kata = result.report, *map(result.report.one, ["process", "as-kata-agent"])
    files = next(line for line in report.one("limits")["lines"] if line.startswith("Max open"))
    size = report.one("statfs", "/run")["bytes"] >> 10
    absent = ["/dev/shm", "/dev/pts", "/run/kata-containers", "/run/udev/control"]
    return {
        "pid, session, process group": tuple(process[key] for key in ["pid", "sid", "pgrp"]),
        "argv": process["argv"],
        "environment": process["env"],
        "descriptors": sorted(process["fds"]),
        "cwd, umask": (process["cwd"], process["umask"]),
        "threads, children": (status(result, "Threads"),
                              children(report)),
        "signals blocked, ignored, pending": {
            int(status(result, name), 16) for name in ["SigBlk", "SigIgn", "SigPnd", "ShdPnd"]},
        "no_new_privs, seccomp": (status(result, "NoNewPrivs"), status(result, "Seccomp")),
        "open files, soft and hard": files.split()[3:5],
        "oom_score_adj": report.content("/proc/self/oom_score_adj"),
        "printk_devkmsg": report.content("/proc/sys/kernel/printk_devkmsg"),
        "/run/socle/policy": report.content("/run/socle/policy"),
        "/dev/ptmx": report.path("/dev/ptmx").get("type"),
        "/etc/resolv.conf": report.path("/etc/resolv.conf").get("type"),
        "not there": [path for path in absent if report.exists(path)],
        # half of the memory, give or take what the kernel keeps for itself
        "/run, its mode and size": (report.path("/run")["mode"],
                                    0.4 < size / report.memory_kib("MemTotal") < 0.6),
        "writing to /tmp": report.one("write", "/tmp/file")["errno"],
        "its mounts": {key: value for key, value in kata["mounts"].items() if key},
        "its /dev/ptmx, session": tuple(kata[key] for key in ["unlink_ptmx", "link_ptmx", "setsid"]),
        "mounts": mounts(result),
        "/run": report.path("/run")["entries"],
        # The driver's own node is there where the driver is built in.
        "/dev/mapper": [name for name in report.path("/dev/mapper").get("entries", [])
                        if name != "control"],
        "/dev/dm-0": report.path("/dev/dm-0").get("type"),
        "generator": report.path(GENERATOR).get("target"),
    }


def expect_all(result: Result, **expected: object) -> None:
    """Every point, and every one that differs is told."""
    assert result.report.agent_finished, result.outcome
    there, wanted = found(result), {**EXPECTED, **expected}
    assert there.keys() == wanted.keys()
    wrong = [f"{key}: {there[key]!r} instead of {wanted[key]!r}"
             for key in wanted if there[key] != wanted[key]]
    assert not wrong, "\n".join(wrong)


def test_kata_agent_of_an_image(bed: Bed) -> None:
    """A read-only root from dm-mod.create=, and an extension."""
    [layer] = bed.image([*bed.base(*ASKED), oci.file("etc/resolv.conf", "")])
    sealed = seal(bed, layer.disk.read_bytes()[:layer.tree.data_bytes])
    path = disk(bed, "kata", sealed.data, sealed.bare_tree)
    disks = [Disk(path, "image-0123456789abcd"), Disk(path, "extension-coco")]
    machine = bed.machine(disks, [])
    machine.cmdline = sealed.fill(IMAGE_LINE)
    expect_all(bed.boot(machine), **{
        "mounts": sorted([
            ("/", "erofs", "relatime ro"), *API_MOUNTS, ("/tmp", "tmpfs", "nodev nosuid rw"),
            ("/run/kata-extensions/coco", "erofs", "nodev nosuid relatime ro")]),
        "/run": ["kata-extensions", "socle", "systemd"],
        "/dev/mapper": ["dm-verity", "extension-coco"],
        "/dev/dm-0": "block",
        "generator": "/dev/null",
    })


# In the place of Kata's, which asks for a unit that opens the extension, or powers off.
EAGER_GENERATOR = "#!/bin/sh\n>/run/generator-ran\n"

EXTENSION_VERDICT = """\
#!/bin/sh
exec >/dev/ttyS1
[ -e /run/generator-ran ] && echo "generator ran" || echo "generator masked"
echo "extension $(findmnt -n -o FSTYPE /run/kata-extensions/coco)"
echo "failed $(systemctl list-units --failed --plain --no-legend | wc -l)"
"""


def test_systemd_does_not_open_the_extension_again(bed: Bed, one: list[Layer]) -> None:
    layers = bed.debian([
        *systemd.verdict(EXTENSION_VERDICT),
        oci.file("usr/lib/systemd/system-generators/kata-extension-mount-generator",
                 EAGER_GENERATOR, 0o755),
    ])
    sealed = seal(bed, one[0].disk.read_bytes()[:one[0].tree.data_bytes])
    disks = [Disk(layer.disk, f"layer{number}") for number, layer in enumerate(layers)]
    disks.append(Disk(disk(bed, "coco", sealed.data, sealed.bare_tree), "extension-coco"))
    named = [layer.argument(f"SERIAL=layer{number}") for number, layer in enumerate(layers)]
    result = bed.boot(bed.machine(disks, [*named, "socle.timeout=60", sealed.fill(EXTENSION)],
                                  memory_mib=512, cpus=2, limit=120))
    assert result.outcome.ended == expect.POWER_OFF, result.outcome
    facts = dict(line.split(" ", 1) for line in result.report.other)
    assert facts == {"generator": "masked", "extension": "erofs", "failed": "0"}, result.outcome


# Of what make kata lays out all is there.
KATA_FOLDER = "tools/packaging/kernel/configs/fragments/build-type/socle"


def kata_initrd(bed: Bed) -> Path:
    """As Kata's initrd_builder.sh packs a rootfs with kata-agent in it, and ours laid over it."""
    layout, rootfs, initrd = (bed.path(name) for name in ["layout", "rootfs", "initrd.img"])
    run_tool(REPOSITORY / "initramfs/kata.sh", "x86_64", bed.programs.init, bed.programs.image,
             layout)
    for name in ["dev", "etc", "proc", "run", "sbin", "sys", "tmp"]:
        (rootfs / name).mkdir(parents=True)
    shutil.copy(bed.programs.agent, rootfs / "sbin/init")
    (rootfs / "etc/resolv.conf").write_text("")
    (rootfs / "etc/socle-test").write_text("".join(f"{command}\n" for command in ASKED))
    shutil.copytree(layout / KATA_FOLDER / "initrd-overlay", rootfs, dirs_exist_ok=True)
    run_tool("sh", "-c", 'cd "$1" && find . | cpio -H newc -o | gzip -9 >"$2"', "sh", rootfs, initrd)
    return initrd


def test_kata_agent_of_an_initrd(bed: Bed) -> None:
    """The layout of make kata in Kata's initrd: everything is in memory, and stays where it is."""
    machine = bed.machine([], [])
    machine.initramfs, machine.cmdline = kata_initrd(bed), INITRD_LINE
    expect_all(bed.boot(machine), **{
        "mounts": sorted([("/", "rootfs", "rw"), *API_MOUNTS]),
        "/run": ["socle"],
        "/dev/mapper": [],
        "/dev/dm-0": None,
        "generator": None,
    })
