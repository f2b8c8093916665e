# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Guests in which somebody's kata-agent is process 1. A proved extension has socle-volume, as
initramfs/kata-volumes.md says, and the test agent, which the other starts as well: it is
the test's eyes.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import struct
import subprocess
import time
from pathlib import Path
from typing import Any, cast

from harness import channel, kata, lookalike, oci, volume
from harness.attached import board
from harness.bed import Bed, filler
from harness.driven import LIMIT, MODULES
from harness.guest import Driven, drivable
from harness.image import Layer, run_tool
from harness.kata import Agent
from harness.oci import Entry
from harness.sealed import disk, filesystem, seal
from harness.ttrpc import Client
from harness.vm import Disk
from harness.vsock_dial import Dialling

# Where kata-agent listens.
PORT = 1024
VSOCK = "vmw_vsock_virtio_transport"

# The static program that containers have.
BUSYBOX = Path("/bin/busybox")

# What they do.
TALE = ["/bin/sh", "-c", "cat /name /proc/mounts >/draft; mv /draft /said; exec sleep 1000"]

DIGEST = "sha256:" + "0123456789abcdef" * 4

COMPONENTS = """\
schema_version = 1

[paths]
"ocicrypt-config" = "etc/ocicrypt_config.json"
"pause-bundle" = "pause_bundle"

[[process]]
id = "observer"
level = 1
path = "usr/local/bin/observer"

[[process]]
id = "confidential-data-hub"
level = 2
path = "usr/local/bin/socle-volume"
args = ["serve", "--images", "${extension_root}/etc/socle.json"]
optional_args = [{ when = "initdata_toml_path", args = ["--initdata", "${initdata_toml_path}"] }]
wait_socket = "${cdh_socket}"
timeout_secs = "${launch_process_timeout}"
"""

PARAMETERS = ("kata.extension.coco.verity_params=root_hash=HASH,salt=SALT,data_blocks=BLOCKS,"
              "data_block_size=4096,hash_block_size=4096")

# As the runtimes have it, and a limit that an emulated guest keeps.
ARGUMENTS = ["cgroup_no_v1=all", "systemd.unified_cgroup_hierarchy=1", "agent.log=debug",
             "agent.launch_process_timeout=60", "agent.hotplug_timeout=60"]


def program() -> Path:
    path = os.environ.get("KATA_AGENT")
    assert path, "KATA_AGENT= says where kata-agent is"
    return Path(path)


def libraries(path: Path) -> list[Entry]:
    """What this machine's loader would take, and the loader; of a static program nothing."""
    said = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout
    return [oci.file(name.lstrip("/"), Path(name).read_bytes(), 0o755)
            for name in re.findall(r"(/\S+) \(0x", said)]


def root(bed: Bed, agent: Path) -> list[Entry]:
    base = [entry for entry in bed.base(channel.VERB) if entry.name != "sbin/init"]
    return [*base, oci.file("sbin/init", agent.read_bytes(), 0o755), *libraries(agent),
            oci.file("etc/resolv.conf", "")]


def extension(bed: Bed, images: list[dict[str, Any]]) -> list[Entry]:
    folders = ["etc", "etc/kata-extensions", "pause_bundle", "usr", "usr/local", "usr/local/bin"]
    return [*map(oci.directory, folders),
            oci.file("etc/kata-extensions/components.toml", COMPONENTS),
            oci.file("etc/ocicrypt_config.json", "{}"),
            oci.file("etc/socle.json", json.dumps({"version": 1, "images": images})),
            oci.link("usr/local/bin/socle-volume", volume.PROGRAM),
            oci.file("usr/local/bin/observer", bed.programs.agent.read_bytes(), 0o755)]


def initdata(bed: Bed, images: list[dict[str, Any]]) -> Path:
    """On a disk, as both runtimes hand it over."""
    text = ('algorithm = "sha384"\nversion = "0.1.0"\n\n[data]\n'
            f"\"socle.json\" = '''\n{json.dumps({'version': 1, 'images': images})}\n'''\n")
    packed = gzip.compress(text.encode(), mtime=0)
    content = b"initdata" + struct.pack("<Q", len(packed)) + packed
    path = bed.path("initdata")
    path.write_bytes(content.ljust(-(-len(content) // 512) * 512, b"\0"))
    return path


def make(bed: Bed, in_extension: list[dict[str, Any]],
         in_initdata: list[dict[str, Any]]) -> Driven:
    """Images are described in either place."""
    [base] = bed.image(root(bed, program()))
    sealed = seal(bed, filesystem(bed, "erofs", extension(bed, in_extension)))
    disks = [Disk(base.disk, "root"),
             Disk(disk(bed, "coco", sealed.data, sealed.bare_tree), "extension-coco"),
             Disk(initdata(bed, in_initdata), "initdata")]
    machine = board(bed.machine(disks, [base.argument("SERIAL=root"), sealed.fill(PARAMETERS),
                                        "socle.volumes=yes", *ARGUMENTS], memory_mib=512,
                                vsock=Dialling()))
    machine.initramfs = bed.initramfs(modules=[*MODULES, VSOCK], options=["--volumes"])
    machine.limit = LIMIT
    guest = Driven(drivable(machine), bed.path("kata-agent"))
    guest.patience = 120  # half a minute of another program's start in it
    return guest


def connect(guest: Driven) -> Agent:
    """Its sandbox is there."""
    host = cast(Dialling, guest.machine.vsock)
    agent = Agent(Client(cast(Any, host.dial(PORT, guest.seconds(60))), guest.seconds(60)))
    assert agent.version()
    agent.create_sandbox()
    return agent


def tells(guest: Driven, container: str, name: str, of: list[Layer]) -> None:
    """Its tale of itself, as it must be on verified layers."""
    path, end = f"{kata.rootfs(container)}/said", time.monotonic() + guest.seconds(20)
    while guest.one("path", path)["errno"] and time.monotonic() < end:
        time.sleep(0.1)
    first, mounts = guest.content(path).decode().split("\n", 1)
    assert first == name and mounts.split()[1:3] == ["/", "overlay"], (first, mounts)
    told = volume.layers_of(guest, kata.rootfs(container))
    assert [layer["root_hash"] for layer in told] == [layer.params["root_hash"] for layer in of]
    assert {layer["status"] for layer in told} == {"V"}, told


# --- images of containers ------------------------------------------------------------


def layers(bed: Bed, name: str) -> list[Layer]:
    """The upper one has nothing but a file of the image's name; no salt, for nydus' form."""
    applets = [oci.link(f"bin/{applet}", "busybox") for applet in ("cat", "mv", "sh", "sleep")]
    folders = [oci.directory(folder) for folder in ("bin", "dev", "proc")]
    return bed.image([*folders, oci.file("bin/busybox", BUSYBOX.read_bytes(), 0o755), *applets,
                      oci.file("name", "lower"), oci.file("filler", filler(name))],
                     [oci.file("name", f"{name}\n")], salt="none")


def described(reference: str, of: list[Layer], **changes: Any) -> dict[str, Any]:
    """The disks named by what is on them; changes are the topmost layer's."""
    names = [run_tool("blkid", "-p", "-o", "value", "-s", "UUID", layer.disk).strip()
             for layer in of]
    return {"reference": reference, "digest": DIGEST, "upper": "tmpfs",
            "description": [lookalike.kata_volume(of[0], **changes),
                            *[lookalike.kata_volume(layer) for layer in of[1:]]],
            "volumes": [{"number": number, "device": f"UUID={name}"}
                        for number, name in enumerate(names)]}
