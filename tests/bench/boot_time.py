#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
How long a boot takes, and a mount while the guest runs, in the guest's own time:
`make bench`.

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

from harness import cpio, gpt, lookalike, oci, vm  # noqa: E402
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
    mounted: dict[int, float]  # what socle-volume took for so many layers

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
    mounted = {int(count): int(us) / 1000
               for count, us in re.findall(r"^mounted (\d+) (-?\d+)", outcome.verdict, re.M)}
    if not told or min(mounted.values(), default=0) < 0:
        sys.exit(f"{name}: {outcome}\n{(directory / 'console.log').read_text()[-3000:]}")
    marks: dict[str, float] = {}
    for line in outcome.verdict.splitlines():
        found = LINE.match(line)
        for words in WORDS:
            if found and words in found[2]:
                marks.setdefault(words, float(found[1]) * 1000)
        if verbose and found:
            print(line)
    return Times(float(told[1]) * 1000, marks, mounted)


def base(agent: Path) -> list[oci.Entry]:
    return [*[oci.directory(name) for name in ["dev", "proc", "run", "sbin", "sys", "tmp"]],
            oci.file("sbin/init", agent.read_bytes(), 0o755)]


def make_layers(bed: Bed, agent: Path, count: int) -> list[Layer]:
    """The lowest has the agent, each further one a file of its own."""
    return bed.image(base(agent), *[[oci.directory("opt"), oci.file(f"opt/{n}", f"{n}\n")]
                             for n in range(1, count)])


def partitioned(bed: Bed, layers: list[Layer]) -> Path:
    """One disk with a partition for each layer."""
    path = bed.path(f"disk-{len(layers)}")
    if not path.exists():
        gpt.write_disk(path, [gpt.Partition(layer.disk, str(uuid.UUID(int=n)), f"layer-{n}")
                              for n, layer in enumerate(layers, 1)], DISK_UUID)
    return path


def stack(bed: Bed, layers: list[Layer], arguments: list[str]) -> vm.Machine:
    text = json.dumps({"version": 1, "layers": [
        {"device": f"PARTLABEL=layer-{n}", **layer.params}
        for n, layer in enumerate(layers, 1)]})
    machine = bed.machine([vm.Disk(partitioned(bed, layers))], ["quiet", *arguments])
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


def volumes(bed: Bed, layers: list[Layer], counts: list[int], arguments: list[str]) -> vm.Machine:
    """A root of one layer, whose agent mounts the topmost so many of these, and unmounts them."""
    def description(count: int) -> bytes:
        return lookalike.socle(layers[:count], [f"SERIAL=volumes/PARTN={n}"
                                                for n in range(1, count + 1)])

    files = [oci.file("etc/volumes/list", "".join(f"{count}\n" for count in counts)),
             *[oci.file(f"etc/volumes/{count}", description(count)) for count in counts]]
    [root] = bed.image([*base(bed.programs.agent), oci.directory("etc"),
                        oci.directory("etc/volumes"), *files])
    machine = one_root(bed, root, ["socle.volumes=yes", *arguments], True)
    machine.disks += [vm.Disk(partitioned(bed, layers), "volumes")]
    machine.initramfs = bed.initramfs(options=["--volumes"])
    return machine


def row(name: str, times: list[float]) -> float:
    """One line of the table; the least is what counts."""
    print(f"{name:34} {min(times):9.2f} ms   (median {statistics.median(times):.2f})", flush=True)
    return min(times)


def further(took: dict[int, float]) -> None:
    """What the last of these counts took more than the one before it, for each layer."""
    if len(took) > 1:
        (less, before), (more, after) = list(took.items())[-2:]
        print(f"{'  each further layer':34} {(after - before) / (more - less):9.2f} ms")


class Bench:
    """The table, as far as the options want it."""

    def __init__(self, bed: Bed, options: argparse.Namespace) -> None:
        self.bed = bed
        self.options = options
        self.more = options.append.split()

    def run(self, name: str, machine: vm.Machine) -> list[Times]:
        return [measure(self.bed, machine, name, self.options.verbose)
                for _ in range(self.options.runs)]

    def roots(self) -> None:
        one = make_layers(self.bed, self.bed.programs.agent, 1)[0]
        took = []
        for ours, name in enumerate(["root by dm-init, in all", "root by socle-init, in all"]):
            runs = self.run(name, one_root(self.bed, one, self.more, bool(ours)))
            took.append(row(name, [run.started for run in runs]))
        print(f"{'  more than dm-init':34} {took[1] - took[0]:9.2f} ms")

    def stacks(self, counts: list[int]) -> None:
        took = {}
        for count in counts:
            layers = make_layers(self.bed, self.bed.programs.agent, count)
            name = f"{count} layers, from /init on"
            runs = self.run(name, stack(self.bed, layers, self.more))
            took[count] = row(name, [run.since(RUN_INIT) for run in runs])
            further(took)

    def at_run_time(self, counts: list[int]) -> None:
        layers = make_layers(self.bed, self.bed.programs.agent, max(counts))
        runs = self.run("socle-volume mount", volumes(self.bed, layers, counts, self.more))
        took = {}
        for count in counts:
            took[count] = row(f"{count} layers, socle-volume mount",
                              [run.mounted[count] for run in runs])
            further(took)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--layers", default="1,8,32,127", help="how many, with commas between")
    parser.add_argument("--runs", default=3, type=int, help="the least of how many counts")
    parser.add_argument("--append", default="", help="more words for the kernel's command line")
    parser.add_argument("--verbose", action="store_true", help="the kernel's log as well")
    options = parser.parse_args()
    # In memory: what a disk takes must not be in it.
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        bench = Bench(Bed(Programs.from_environment(), Path(work), Path(work)), options)
        counts = [int(count) for count in options.layers.split(",")]
        bench.roots()
        bench.stacks(counts)
        bench.at_run_time(sorted({1, *counts}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
