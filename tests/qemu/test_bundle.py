# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""A bundle: made of an image and a kernel, booted by socle-image itself, held against its manifest."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from harness import accel, image, oci
from harness.bed import Bed

pytestmark = pytest.mark.core

BUSYBOX = Path("/bin/busybox")

# The emulated machine's own words, and a console that the test can read.
APPEND = "console=ttyS0 quiet"

AGENT = """#!/bin/busybox sh
/bin/busybox echo agent: $(/bin/busybox cat /etc/lower /etc/upper)
/bin/busybox poweroff -f
"""


def make_layout(directory: Path) -> Path:
    lower = [*[oci.directory(name) for name in ["bin", "dev", "etc", "proc", "run", "sys", "tmp"]],
             oci.file("bin/busybox", BUSYBOX.read_bytes(), 0o755),
             oci.file("bin/agent", AGENT, 0o755), oci.file("etc/lower", "lower")]
    oci.write_layout(directory, [oci.layer_tar(lower), oci.layer_tar(
        [oci.directory("etc"), oci.file("etc/upper", "upper")])])
    return directory


def bundle(bed: Bed, name: str, *more: str) -> Path:
    """Debian's kernels are modular and do not tell their configuration; ours are neither."""
    programs, out = bed.programs, bed.path(name)
    modular = any(programs.modules.glob("kernel/**/*.ko*"))
    image.run_tool(
        programs.image, "bundle", "--kernel", programs.kernel,
        "--kernel-config", programs.kernel.with_name("config"), "--init", programs.init,
        *(["--kernel-modules", programs.modules, "--machine", "virtio-pci,virtio-blk"]
          if modular else []),
        "--agent", "/bin/agent", "--append", APPEND, *more, "--output", out,
        make_layout(bed.path(f"{name}.layout")))
    return out


def run(bed: Bed, directory: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([bed.programs.image, "run", *more, directory], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=300, check=False)


def expect_agent(bed: Bed, directory: Path) -> None:
    accelerator = "kvm" if accel.choose(bed.programs.kernel).startswith("kvm") else "tcg"
    done = run(bed, directory, "--memory", "256M", "--accel", accelerator)
    assert done.returncode == 0, done.stderr
    assert "agent: lowerupper" in done.stdout, done.stdout


def expect_true(directory: Path, disks: int) -> None:
    """Every file of the manifest is as it says, and so are the roots of the disks."""
    manifest = json.loads((directory / "manifest.json").read_text())
    files = [manifest["kernel"], manifest["initramfs"], manifest["cmdline"], *manifest["disks"]]
    for entry in files:
        content = (directory / entry["file"]).read_bytes()
        assert entry["size"] == len(content), entry["file"]
        assert entry["sha256"] == hashlib.sha256(content).hexdigest(), entry["file"]
        assert entry["sha384"] == hashlib.sha384(content).hexdigest(), entry["file"]
    cmdline = (directory / "cmdline").read_text()
    assert cmdline.endswith(f"socle.agent=/bin/agent {APPEND}"), cmdline
    assert len(manifest["disks"]) == disks
    for disk in manifest["disks"]:
        assert f"SERIAL={disk['serial']},root_hash={disk['verity']['root_hash']}" in cmdline
    assert manifest["arch"] == "x86_64" and manifest["agent"] == "/bin/agent"
    assert [source["package"] for source in manifest["guest_sources"]] == [
        "deb:musl-dev", "deb:linux-libc-dev", "src:util-linux", "src:json-c"]
    features = {entry["name"]: entry["state"] for entry in manifest["kernel_check"]["features"]}
    assert features["boot"] in ["built in", "module"], features


def test_layers(bed: Bed) -> None:
    directory = bundle(bed, "layers")
    expect_true(directory, 2)
    expect_agent(bed, directory)


def test_merged(bed: Bed) -> None:
    directory = bundle(bed, "merged", "--merge", "--compress", "zstd")
    expect_true(directory, 1)
    expect_agent(bed, directory)


def test_reproducible_and_compared(bed: Bed) -> None:
    """Two bundles of the same are the same; diff names what is not."""
    one, two, other = bundle(bed, "one"), bundle(bed, "two"), bundle(bed, "other", "--merge")
    compare = [str(bed.programs.image), "diff"]
    assert image.run_tool(*compare, one, two) == ""
    done = subprocess.run([*compare, one, other], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "merged.img: name: only in B" in done.stdout
    assert "cmdline: content differs from byte" in done.stdout


@pytest.mark.parametrize("name", ["kernel", "initramfs", "cmdline", "layer-00.img", "layer-01.img"])
def test_altered_file_is_not_started(bed: Bed, name: str) -> None:
    directory = bundle(bed, "altered")
    content = bytearray((directory / name).read_bytes())
    content[len(content) // 2] ^= 1
    (directory / name).write_bytes(content)
    done = run(bed, directory, "--print")
    assert done.returncode == 1 and not done.stdout
    assert done.stderr == (f"socle-image: {directory}: {directory}/{name}: "
                           "its digest is not the one in manifest.json\n")


def test_manifest_is_not_believed(bed: Bed) -> None:
    """A name with a folder in it, another version, an unknown machine, and no manifest at all."""
    directory = bundle(bed, "hostile")
    path = directory / "manifest.json"
    manifest = json.loads(path.read_text())

    def expect_refusal(words: str, **changes: object) -> None:
        path.write_text(json.dumps({**manifest, **changes}))
        done = run(bed, directory, "--print")
        assert done.returncode == 1 and words in done.stderr, done.stderr

    expect_refusal('"../x" is not the name of a file', kernel={**manifest["kernel"], "file": "../x"})
    expect_refusal("not the manifest of a bundle of version 1", version=2)
    expect_refusal('"vax" has no machine here', arch="vax")
    path.unlink()
    done = run(bed, directory)
    assert done.returncode == 1 and "manifest.json: No such file" in done.stderr


def test_printed_command(bed: Bed) -> None:
    """For a shell, with the command line as one word; a comma in a path stays one."""
    directory = bundle(bed, "a,b'c")
    done = run(bed, directory, "--print", "--cpus", "3", "--qemu", "echo")
    assert done.returncode == 0
    said = subprocess.run(["sh", "-c", done.stdout], capture_output=True, text=True, check=True)
    assert f"file={str(directory).replace(',', ',,')}/layer-00.img,format=raw" in said.stdout
    assert (directory / "cmdline").read_text() in said.stdout
    assert "-smp 3" in said.stdout
