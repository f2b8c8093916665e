#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
A container image becomes verified layers and boots: `make run`, `make shell`.

The exit status is 0 only if the guest's agent said over its own channel that it
ran as PID 1 on an overlay of exactly the verified layers that were made here.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shlex
import shutil
import sys
import tarfile
import time
from pathlib import Path
from typing import Callable, TypeVar

sys.dont_write_bytecode = True

from harness import debian, oci, vm  # noqa: E402
from harness.bed import Bed, Programs  # noqa: E402
from harness.image import Layer, ToolError  # noqa: E402
from harness.qmp import QmpError  # noqa: E402
from harness.store import Store  # noqa: E402

DEMO = Path(__file__).resolve().parent / "demo"

RELEASE = b"This file came with layer two.\n"
MOTD = b"Layer two says hello.\n"

# The kernel's own lines on the console; of these only socle-init's are shown.
KERNEL_LINE = re.compile(r"\[ *(\d+\.\d+)\] (.*)")

MEMORY_MIB = 512

Made = TypeVar("Made")


def layer_two() -> list[oci.Entry]:
    """Adds, replaces and deletes files, and makes one directory opaque."""
    programs = [oci.file(f"usr/local/bin/{path.name}", path.read_bytes(), 0o755)
                for path in sorted(DEMO.iterdir())]
    return [
        oci.directory("etc"),
        oci.file("etc/socle-release", RELEASE),
        oci.file("etc/motd", MOTD),
        oci.whiteout("etc/issue"),
        oci.whiteout("etc/cron.daily"),
        oci.directory("etc/skel"), oci.opaque("etc/skel"), oci.file("etc/skel/welcome", "hello\n"),
        oci.directory("usr"), oci.directory("usr/local"), oci.directory("usr/local/bin"),
        *programs,
    ]


# --- what a person sees ------------------------------------------------------------


class Steps:
    """Numbered steps, each with what came of it and how long it took."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.number = 0

    def begin(self, title: str) -> None:
        self.number += 1
        print(f"[{self.number}/{self.total}] {title}", flush=True)

    def say(self, text: str) -> None:
        print(f"      {text}", flush=True)

    def run(self, title: str, store: Store, make: Callable[[], Made],
            describe: Callable[[Made], str]) -> Made:
        self.begin(title)
        started = time.monotonic()
        made = make()
        seconds = time.monotonic() - started
        how = f"{seconds:.1f} s" if store.made else "from an earlier run"
        self.say(f"{describe(made)} ({how})")
        return made


def near(path: Path) -> str:
    """As short as it can be named from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def describe_file(path: Path) -> str:
    size = path.stat().st_size
    return f"{near(path)}, {f'{size / 1e6:.1f} MB' if size >= 1e6 else f'{size / 1e3:.1f} kB'}"


def describe_layers(layers: list[Layer]) -> str:
    """The lowest first, as the image has them."""
    return "\n      ".join(describe_file(layer.disk) for layer in layers[::-1])


class Console:
    """Shows the console's file as it grows: socle-init's lines and the agent's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen = 0

    def show(self) -> None:
        if not self.path.exists():
            return
        text = self.path.read_bytes()[self.seen:]
        whole = text.rpartition(b"\n")[0]
        self.seen += len(whole) + (1 if whole else 0)
        for line in whole.decode(errors="replace").splitlines():
            self.line(line.rstrip())

    @staticmethod
    def line(line: str) -> None:
        kernel = KERNEL_LINE.match(line)
        if not kernel:
            print(line, flush=True)
        elif kernel[2].startswith("socle: "):
            words = kernel[2].removeprefix("socle: ")
            print(f"      {float(kernel[1]):5.1f} s  {words}", flush=True)


# --- the verdict ---------------------------------------------------------------------


def digest_in_tar(tar: Path, name: str) -> str:
    with tarfile.open(tar) as archive:
        member = archive.extractfile(name)
        assert member is not None
        return hashlib.sha256(member.read()).hexdigest()


def expected_facts(layers: list[Layer], base: Path) -> dict[str, list[str]]:
    """What the agent must have said, each fact once and nothing besides."""
    def sha256(data: bytes) -> str:
        return hashlib.sha256(data).hexdigest()

    return {
        "pid": ["1"],
        "root": ["overlay"],
        "layer": [f"socle-layer-{number} V {layer.params['root_hash']}"
                  for number, layer in enumerate(layers)],
        "file": [f"/etc/socle-release {sha256(RELEASE)}", f"/etc/motd {sha256(MOTD)}",
                 f"/usr/bin/dpkg {digest_in_tar(base, './usr/bin/dpkg')}"],
        "gone": ["/etc/issue", "/etc/cron.daily", "/etc/skel/.bashrc"],
        "list": ["/etc/skel welcome"],
        "upper": ["probe"],
        "end": [""],
    }


def told_facts(verdict: str) -> tuple[dict[str, list[str]], list[str]]:
    """The agent's facts, and the names of layers that nothing holds open."""
    facts: dict[str, list[str]] = {}
    idle = []
    for line in verdict.splitlines():
        key, _, value = line.strip().partition(" ")
        if key == "layer":
            name, status, open_count, root_hash = (value.split(" ") + [""] * 4)[:4]
            if not open_count.isdigit() or int(open_count) == 0:
                idle.append(name)
            value = f"{name} {status} {root_hash}"
        facts.setdefault(key, []).append(value)
    return facts, idle


def complaints(outcome: vm.Outcome, layers: list[Layer], base: Path) -> list[str]:
    failures = [line.strip() for line in outcome.verdict.splitlines() if "socle: FAILED" in line]
    if failures:
        return failures
    expected = expected_facts(layers, base)
    told, idle = told_facts(outcome.verdict)
    found = [f"{key}: expected {expected.get(key)}, the guest said {told.get(key)}"
             for key in sorted(expected.keys() | told.keys()) if expected.get(key) != told.get(key)]
    found += [f"{name} is under no mount" for name in idle]
    if outcome.ended != "guest-shutdown":
        found.append(f"the guest ended by {outcome.ended}")
    return found


# --- the run -------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    for name, what in [("kernel", "the guest's kernel"), ("modules", "its modules' directory"),
                       ("init", "socle-init"), ("socle-image", "the build machine's program"),
                       ("work", "where disks and logs go"), ("cache", "what outlives a build")]:
        parser.add_argument(f"--{name}", required=True, type=Path, help=what)
    parser.add_argument("--shell", action="store_true", help="stay in the guest with a shell")
    return parser.parse_args()


def make_machine(options: argparse.Namespace, steps: Steps) -> tuple[vm.Machine, list[Layer], Path]:
    programs = Programs(
        kernel=options.kernel.resolve(), modules=options.modules.resolve(),
        init=options.init.resolve(), image=options.socle_image.resolve(),
        agent=options.init.resolve(),  # not used: the agents are in layer two
        cache=options.cache.resolve())
    work = options.work.resolve()
    bed = Bed(programs, work, work)
    cache = Store(programs.cache / "images")
    base = steps.run("Layer one: Debian minbase with systemd, by mmdebstrap", cache,
                     lambda: debian.base_tar(cache, steps.say), describe_file)
    layout = steps.run("Layer two on top, both as an OCI image layout, by umoci", bed.store,
                       lambda: debian.layout(bed.store, base, [oci.layer_tar(layer_two())]), near)
    layers = steps.run("Each layer as erofs with dm-verity, by socle-image layers", bed.store,
                       lambda: debian.layers(bed.store, programs.image, layout), describe_layers)
    steps.run("The initramfs, by socle-image initramfs", bed.store, bed.initramfs, describe_file)
    disks = [vm.Disk(layer.disk, f"layer{number}") for number, layer in enumerate(layers)]
    named = [layer.argument(f"SERIAL=layer{number}") for number, layer in enumerate(layers)]
    agent = "socle-shell" if options.shell else "socle-show"
    machine = bed.machine(disks, [*named, f"socle.agent=/usr/local/bin/{agent}"])
    machine.memory_mib = MEMORY_MIB
    machine.limit = float("inf") if options.shell else 60
    machine.interactive = options.shell
    if options.shell:
        machine.cmdline += " quiet"
    return machine, layers, base


def boot(machine: vm.Machine, steps: Steps, directory: Path) -> vm.Outcome:
    shutil.rmtree(directory, ignore_errors=True)
    steps.begin("Boot in QEMU, one disk a layer")
    with vm.Guest(machine, directory) as guest:
        steps.say(f"accelerator {guest.accelerator}, {machine.memory_mib} MiB, "
                  f"logs in {near(directory)}")
        console = Console(directory / "console.log")
        end = time.monotonic() + guest.limit
        while guest.await_end(0.2) is None and time.monotonic() < end and not guest.qmp.closed:
            console.show()
        outcome = guest.wait()
        console.show()
    return outcome


def main() -> int:
    options = arguments()
    steps = Steps(5 if options.shell else 6)
    machine, layers, base = make_machine(options, steps)
    outcome = boot(machine, steps, options.work.resolve() / "boot")
    if options.shell:
        print(f"The guest ended by {outcome.ended}.")
        return 0 if outcome.ended == "guest-shutdown" else 1
    steps.begin("The verdict, over the guest's second serial port")
    wrong = complaints(outcome, layers, base)
    for complaint in wrong:
        steps.say(complaint)
    if wrong:
        steps.say(f"the whole console: {near(outcome.directory / 'console.log')}")
        steps.say(f"the same boot again: sh {shlex.quote(near(outcome.directory / 'qemu.sh'))}")
        print("FAILED: the agent did not run on the verified layers as it should.")
        return 1
    steps.say(f"{len(layers)} layers verified and in use, every change as layer two asked for")
    print("OK: the agent ran as PID 1 on a verified overlay; "
          f"the boot took {outcome.seconds:.1f} s.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (debian.ImageError, ToolError, QmpError, OSError) as error:
        sys.exit(f"socle: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
