#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
How long a boot takes, in the guest's own time: `make bench`.

QEMU counts instructions (-icount), so a guest's clock does not depend on how busy
this machine is; what a device takes is not in it, so disks are files in memory.
Nothing here is a test: it prints a table, see tests/README.md.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import sys
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "qemu"))

from harness import cpio, gpt, oci, vm  # noqa: E402
from harness.bed import Bed, Programs  # noqa: E402
from harness.image import Layer  # noqa: E402

DISK_UUID = str(uuid.UUID(int=1 << 64))

# Two nanoseconds an instruction: 500 million in a second of the guest's.
ICOUNT = ("-icount", "shift=1,sleep=off")

LIMIT = 300.0  # seconds that a boot may really take

LINE = re.compile(r"^<\d+>\[ *(\d+\.\d+)\] (.*)")


@dataclass(frozen=True)
class Times:
    """Milliseconds since the guest's clock started."""

    started: float  # the agent runs
    marks: dict[str, float]  # the kernel's log: when it had a line with these words first

    def since(self, words: str) -> float:
        return self.started - self.marks[words]


RUN_INIT = "Run /init as init process"
WORDS = [RUN_INIT]


class Counted(vm.Guest):
    """A guest whose clock counts instructions, with disks that no thread of QEMU's serves."""

    def __init__(self, machine: vm.Machine, directory: Path) -> None:
        super().__init__(machine, directory)
        self.accelerator = "tcg"
        arguments = machine.arguments

        def counted(accelerator: str, where: Path) -> list[str]:
            return [*arguments(accelerator, where), *ICOUNT,
                    "-global", "virtio-blk-pci.ioeventfd=off"]

        machine.arguments = counted  # type: ignore[method-assign]

    @property
    def limit(self) -> float:
        return LIMIT


def measure(bed: Bed, machine: vm.Machine, name: str, verbose: bool) -> Times:
    directory = bed.path(re.sub("[^a-z0-9]+", "-", name))
    shutil.rmtree(directory, ignore_errors=True)
    with Counted(machine, directory) as guest:
        outcome = guest.wait()
    told = re.search(r"^started (\d+\.\d+)", outcome.verdict)
    if not told:
        sys.exit(f"{name}: {outcome}\n{(directory / 'console.log').read_text()[-3000:]}")
    marks: dict[str, float] = {}
    for line in outcome.verdict.splitlines():
        found = LINE.match(line)
        for words in WORDS:
            if found and words in found[2]:
                marks.setdefault(words, float(found[1]) * 1000)
        if verbose and found:
            print(line)
    return Times(float(told[1]) * 1000, marks)


def make_layers(bed: Bed, agent: Path, count: int) -> list[Layer]:
    """The lowest has the agent, each further one a file of its own."""
    base = [*[oci.directory(name) for name in ["dev", "proc", "run", "sbin", "sys", "tmp"]],
            oci.file("sbin/init", agent.read_bytes(), 0o755)]
    return bed.image(base, *[[oci.directory("opt"), oci.file(f"opt/{n}", f"{n}\n")]
                             for n in range(1, count)])


def stack(bed: Bed, layers: list[Layer], arguments: list[str]) -> vm.Machine:
    """One disk with a partition for each layer."""
    path = bed.path(f"disk-{len(layers)}")
    if not path.exists():
        gpt.write_disk(path, [gpt.Partition(layer.disk, str(uuid.UUID(int=n)), f"layer-{n}")
                              for n, layer in enumerate(layers, 1)], DISK_UUID)
    text = json.dumps({"version": 1, "layers": [
        {"device": f"PARTLABEL=layer-{n}", **layer.params}
        for n, layer in enumerate(layers, 1)]})
    machine = bed.machine([vm.Disk(path)], ["quiet", *arguments])
    machine.initramfs = bed.initramfs(files={"/etc/socle/manifest.json": text.encode()})
    return machine


def kernels_own(layer: Layer) -> str:
    return (f'dm-mod.create="root,,,ro,0 {layer.tree.data_bytes // 512} verity 1 /dev/vda '
            f"/dev/vda 4096 4096 {layer.tree.data_bytes // 4096} {layer.tree.hash_start} sha256 "
            f'{layer.params["root_hash"]} {layer.params.get("salt") or "-"}"')


def one_root(bed: Bed, layer: Layer, arguments: list[str], ours: bool) -> vm.Machine:
    """One root on a disk, opened by socle-init or by nothing but the kernel."""
    if ours:
        return bed.machine([vm.Disk(layer.disk, "root")],
                           [layer.argument("SERIAL=root"), "socle.upper=none", "quiet",
                            *arguments])
    machine = bed.machine([vm.Disk(layer.disk)], ["quiet", kernels_own(layer), *arguments])
    machine.initramfs = bed.path("least.cpio")
    machine.initramfs.write_bytes(cpio.archive(
        cpio.file("init", bed.programs.agent.read_bytes(), 0o755)))
    return machine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--layers", default="1,8,64,127", help="how many, with commas between")
    parser.add_argument("--runs", default=3, type=int, help="the least of how many counts")
    parser.add_argument("--append", default="", help="more words for the kernel's command line")
    parser.add_argument("--verbose", action="store_true", help="the kernel's log as well")
    options = parser.parse_args()
    more = options.append.split()
    # In memory: what a disk takes must not be in it.
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        bed = Bed(Programs.from_environment(), Path(work), Path(work))
        one = make_layers(bed, bed.programs.agent, 1)[0]

        def least(name: str, machine: vm.Machine, words: str | None) -> float:
            times = []
            for _ in range(options.runs):
                t = measure(bed, machine, name, options.verbose)
                times.append(t.since(words) if words else t.started)
            print(f"{name:28} {min(times):9.2f} ms   (median {statistics.median(times):.2f})",
                  flush=True)
            return min(times)

        kernel = least("root by dm-init, in all", one_root(bed, one, more, False), None)
        ours = least("root by socle-init, in all", one_root(bed, one, more, True), None)
        print(f"{'  more than dm-init':28} {ours - kernel:9.2f} ms")
        before: tuple[int, float] | None = None
        for count in map(int, options.layers.split(",")):
            layers = make_layers(bed, bed.programs.agent, count)
            took = least(f"{count} layers, from /init on", stack(bed, layers, more), RUN_INIT)
            if before:
                each = (took - before[1]) / (count - before[0])
                print(f"{'  each further layer':28} {each:9.2f} ms")
            before = count, took
    return 0


if __name__ == "__main__":
    sys.exit(main())
