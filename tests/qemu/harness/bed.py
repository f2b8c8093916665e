# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""What all boots of a test run share: programs, kernel, images, and a place to work."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional, Sequence

from harness import debian, image, machines, oci, verdict, vm
from harness.image import Layer
from harness.line import seal
from harness.oci import Entry
from harness.store import Store, digest

REPOSITORY = Path(__file__).resolve().parents[3]

# Where things are unless the environment says otherwise; the Makefile says so.
DEFAULTS = {
    "SOCLE_KERNEL": "build/x86_64/vmlinuz",
    "SOCLE_MODULES": "build/x86_64/modules",
    "SOCLE_INIT": "build/x86_64/socle-init",
    "SOCLE_IMAGE": "build/socle-image",
    "SOCLE_AGENT": "build/x86_64/test-agent",
    "SOCLE_CACHE": "build/cache",
}

# The build machine's own; the others stand in the environment once more for each
# architecture, with its name behind theirs.
SHARED = ["SOCLE_IMAGE", "SOCLE_CACHE"]

# What socle-image initramfs takes by an option of its own, since it checks it.
CHECKED = {"/etc/socle/policy": "--policy", "/etc/socle/manifest.json": "--manifest"}

# On every command line of the machine that most tests use.
COMMON = machines.Q35.common()

# More data blocks than one hash block has room for, so that the tree has two levels.
FILLER_BYTES = 1 << 20


def filler(seed: str, size: int = FILLER_BYTES) -> bytes:
    """Bytes that no compressor shortens and that no other seed gives."""
    return hashlib.shake_256(seed.encode()).digest(size)


@dataclass(frozen=True)
class Programs:
    kernel: Path
    modules: Path
    init: Path
    image: Path
    agent: Path
    cache: Path

    @classmethod
    def from_environment(cls, arch: str = "x86_64") -> "Programs":
        paths = {}
        for name, default in DEFAULTS.items():
            found = os.environ.get(f"{name}_{arch}") or (
                os.environ.get(name) if arch == "x86_64" or name in SHARED else None)
            path = Path(found or REPOSITORY / default.replace("x86_64", arch)).resolve()
            if name == "SOCLE_CACHE":
                path.mkdir(parents=True, exist_ok=True)
            elif not path.exists():
                raise FileNotFoundError(
                    f"{path} is missing: run `make` first, or set {name}= to where it is")
            paths[name.removeprefix("SOCLE_").lower()] = path
        return cls(**paths)


@dataclass
class Result:
    """How one boot went: QEMU's side and the guest's."""

    outcome: vm.Outcome
    report: verdict.Report


class Bed:
    """Artefacts are shared by the whole run; directory belongs to one test."""

    def __init__(self, programs: Programs, work: Path, directory: Path) -> None:
        self.programs = programs
        self.work = work
        self.store = Store(work / "artefacts")
        self.directory = directory
        self.boots = itertools.count(1)

    # --- artefacts ----------------------------------------------------------

    def initramfs(self, modules: Sequence[str] = (), files: Optional[dict[str, bytes]] = None,
                  options: Sequence[str] = (), tree: Optional[Path] = None,
                  policy: str = "") -> Path:
        """
        socle-init and the kernel modules that it needs, and what a test adds; the
        modules are those of the kernel unless a test has a tree of its own.
        """
        programs, files, tree = self.programs, files or {}, tree or self.programs.modules

        def make(draft: Path) -> None:
            more: list[str | Path] = [
                seal(text) if before == "--cmdline" else text
                for before, text in zip(["", *options], options)]
            if policy:
                (draft / "policy").write_text(policy)
                more += ["--policy", draft / "policy"]
            for name in modules:
                more += ["--module", name]
            for number, (name, content) in enumerate(files.items()):
                (draft / str(number)).write_bytes(content)
                (draft / str(number)).chmod(0o755 if content.startswith(b"\x7fELF") else 0o644)
                if name in CHECKED:
                    more += [CHECKED[name], draft / str(number)]
                else:
                    more += ["--file", f"{name}={draft / str(number)}"]
            image.make_initramfs(programs.image, programs.init, tree, draft / "initramfs", *more)

        volume = [programs.init.with_name("socle-volume")] if "--volumes" in options else []
        key = digest(programs.image, programs.init, *volume, tree / "modules.dep", *modules, *options, policy,
                     *itertools.chain(*files.items()))
        return self.store.get("initramfs", key, make) / "initramfs"

    def image(self, *layers: list[Entry], salt: Optional[str] = None) -> list[Layer]:
        """An image of these layers, the lowest first; the result has the topmost first."""
        tars = [oci.layer_tar(entries) for entries in layers]

        def make(draft: Path) -> None:
            oci.write_layout(draft / "oci", tars)
            image.make_layers(self.programs.image, draft / "oci", draft / "disks", salt)

        key = digest(self.programs.image, salt or "", *tars)
        return image.read_layers(self.store.get("image", key, make) / "disks")

    def debian(self, *upper: list[Entry]) -> list[Layer]:
        """Debian with systemd as the lowest layer; its base comes from the long-lived cache."""
        base = debian.base_tar(Store(self.programs.cache / "images"))
        layout = debian.layout(self.store, base, [oci.layer_tar(entries) for entries in upper])
        return debian.layers(self.store, self.programs.image, layout)

    def base(self, *commands: str) -> list[Entry]:
        """The lowest layer of a test image: the agent, and what it shall do."""
        directories = [oci.directory(name) for name in
                       ["dev", "etc", "opt", "proc", "run", "sbin", "sys", "tmp"]]
        return [
            *directories,
            oci.file("sbin/init", self.programs.agent.read_bytes(), 0o755),
            oci.file("etc/socle-test", "".join(f"{command}\n" for command in commands)),
            oci.file("opt/filler", filler("base")),
        ]

    # --- one test's own copies ------------------------------------------------

    def path(self, name: str) -> Path:
        self.directory.mkdir(parents=True, exist_ok=True)
        return self.directory / name

    def copy(self, disk: Path, name: str) -> Path:
        return Path(shutil.copyfile(disk, self.path(name)))

    def flipped(self, disk: Path, *offsets: int) -> Path:
        """A copy with one bit of each of these bytes turned."""
        copy = self.copy(disk, f"flipped-{disk.name}")
        with open(copy, "r+b") as file:
            for offset in offsets:
                file.seek(offset)
                byte = file.read(1)
                assert byte, f"{disk} has no byte at {offset}"
                file.seek(offset)
                file.write(bytes([byte[0] ^ 0x01]))
        return copy

    @staticmethod
    def offset_of(disk: Path, content: bytes) -> int:
        """Where these bytes lie on the disk; they must lie there once."""
        data = disk.read_bytes()
        assert data.count(content) == 1, f"{disk} has the content {data.count(content)} times"
        return data.index(content)

    def shortened(self, disk: Path, size: int) -> Path:
        copy = self.copy(disk, f"short-{disk.name}")
        assert size < copy.stat().st_size, f"{disk} has {copy.stat().st_size} bytes already"
        os.truncate(copy, size)
        return copy

    # --- boots ----------------------------------------------------------------

    def machine(self, disks: list[vm.Disk], arguments: list[str],
                kind: machines.Kind = machines.Q35, **more: object) -> vm.Machine:
        machine = vm.Machine(self.programs.kernel, self.initramfs(),
                             seal(" ".join([*kind.common(), *arguments])), disks, kind)
        for name, value in more.items():
            setattr(machine, name, value)
        return machine

    def boot(self, machine: vm.Machine,
             meanwhile: Optional[Callable[[vm.Guest], None]] = None) -> Result:
        """Run it to its end; meanwhile() has the running guest in its hands."""
        with vm.Guest(machine, self.path(f"boot-{next(self.boots)}")) as guest:
            if meanwhile:
                meanwhile(guest)
            outcome = guest.wait()
        return Result(outcome, verdict.parse(outcome.verdict))

    def boot_layers(self, layers: list[Layer], *arguments: str, bus: str = vm.BLK,
                    **more: object) -> Result:
        """One disk a layer, found by serial number, the topmost first."""
        disks = [vm.Disk(layer.disk, f"layer{number}", bus) for number, layer in enumerate(layers)]
        named = [layer.argument(f"SERIAL=layer{number}") for number, layer in enumerate(layers)]
        return self.boot(self.machine(disks, [*named, *arguments], **more))
