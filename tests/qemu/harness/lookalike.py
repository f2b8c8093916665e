# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Descriptions of our own layers in each form in which an agent gets them."""

from __future__ import annotations

import base64
import json
import struct
import uuid
from pathlib import Path
from typing import Any, Optional, Sequence

from harness import gpt
from harness.image import Layer

MOUNT_POINT = "/run/kata-containers/container/rootfs"
DISK_UUID = "5e3d2c1b-0a9f-4e8d-8c7b-6a5f4e3d2c1b"


def text(value: Any) -> bytes:
    return json.dumps(value).encode()


# --- nydus-snapshotter's KataVirtualVolume -------------------------------------------


def kata_volume(layer: Layer, verity: bool = True, kind: str = "layer_raw_block",
                **changes: Any) -> dict[str, Any]:
    """Numbers of a tree without a superblock, or of one in front of it, and without a salt."""
    tree = layer.tree
    assert layer.params.get("salt", "-") == "-", "this form has no place for a salt"
    volume: dict[str, Any] = {"volume_type": kind, "source": f"/host/{layer.disk.name}",
                              "fs_type": "erofs", "options": ["ro"]}
    if verity:
        volume["dm_verity"] = {
            "hashtype": "sha256", "hash": layer.params["root_hash"], "blocknum": tree.data_blocks,
            "blocksize": tree.data_block_size, "hashsize": tree.hash_block_size,
            "offset": tree.hash_start * tree.hash_block_size} | changes
    return volume


def nydus_mounts(volumes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What containerd's shim gets: the volumes are options of an overlay."""
    options = [f"io.katacontainers.volume={base64.b64encode(text(volume)).decode()}"
               for volume in volumes]
    return [{"type": "fuse.nydus-overlayfs", "source": "overlay", "target": "", "options": [
        "workdir=/host/4/work", "upperdir=/host/4/fs", "lowerdir=/host/3/fs", *options]}]


# --- containerd's EROFS snapshotter ---------------------------------------------------


def sidecar(layer: Layer, **changes: Any) -> bytes:
    return text({"roothash": layer.params["root_hash"],
                 "hashoffset": layer.tree.data_bytes} | changes)


def containerd(layers: Sequence[Layer], verity: Optional[Sequence[bool]] = None) -> list[dict[str, Any]]:
    """The topmost first; the overlay that they are for last."""
    mounts: list[dict[str, Any]] = []
    for number, layer in enumerate(layers):
        source = f"/host/snapshots/{len(layers) - number}/layer.erofs"
        options = ["ro", "loop"]
        if verity is None or verity[number]:
            options.append(f"X-containerd.dmverity={source}.dmverity")
        mounts.append({"type": "erofs", "source": source, "target": "", "options": options})
    lower = f"overlay 0 {len(layers) - 1}" if len(layers) > 1 else "mount 0"
    mounts.append({"type": "format/mkdir/overlay", "source": "overlay", "target": "", "options": [
        "workdir=/host/4/work", "upperdir=/host/4/fs", f"lowerdir={{{{ {lower} }}}}"]})
    return mounts


# --- Kata's multi-layer storages ------------------------------------------------------


def gpt_disk(path: Path, layers: Sequence[Layer]) -> Path:
    """One partition a layer, the topmost is number 1."""
    gpt.write_disk(path, [gpt.Partition(layer.disk, str(uuid.UUID(int=number)), f"layer-{number}")
                          for number, layer in enumerate(layers, 1)], DISK_UUID)
    return path


def kata_options(layer: Layer, number: int) -> list[str]:
    salt = layer.params.get("salt", "-")
    return ["X-kata.overlay-lower", "X-kata.multi-layer=true", "X-kata.gpt-partitioned=true",
            f"X-kata.partition-number={number}", "X-kata.dmverity-enabled=true",
            f"X-kata.dmverity.roothash={layer.params['root_hash']}",
            f"X-kata.dmverity.hashoffset={layer.tree.data_bytes}",
            "X-kata.dmverity.no-superblock=false",
            *([f"X-kata.dmverity.salt={salt}"] if salt != "-" else [])]


def kata_storages(layers: Sequence[Layer], source: str,
                  driver: str = "blk") -> list[dict[str, Any]]:
    return [{"driver": driver, "driver_options": [], "fs_group": None, "fstype": "erofs",
             "mount_point": MOUNT_POINT,
             "options": kata_options(layer, number), "shared": False, "source": source}
            for number, layer in enumerate(layers, 1)]


def kata_upper(source: str, driver: str = "blk") -> dict[str, Any]:
    """The disk of the host's that is to be written to."""
    return {"driver": driver, "driver_options": [], "fs_group": None, "fstype": "ext4",
            "mount_point": MOUNT_POINT, "options": ["X-kata.overlay-upper",
                                                    "X-kata.multi-layer=true"],
            "shared": False, "source": source}


# What runtime-rs says beside the first layer: its own names for the upper's directories.
KATA_MKDIR = ["X-kata.mkdir.path={{ mount 0 }}/upper:0755",
              "X-kata.mkdir.path={{ mount 0 }}/work:0755"]


def kata_guest_pull(reference: str) -> dict[str, Any]:
    """An image that the guest is to pull: its name, and words of the host's about it."""
    metadata = {"io.kubernetes.cri.container-type": "container",
                "io.kubernetes.cri.image-name": reference}
    return {"driver": "image_guest_pull",
            "driver_options": [f"image_guest_pull={json.dumps({'metadata': metadata})}"],
            "source": reference, "fstype": "overlay", "options": [], "mount_point": MOUNT_POINT,
            "fs_group": None, "shared": False}


# --- Microsoft's tardev-snapshotter ------------------------------------------------------

FS_OPT = "io.katacontainers.fs-opt."
TARDEV_SALT = "00" * 32


def tardev_trailer(data_blocks: int, data_block_size: int = 4096,
                   hash_block_size: int = 4096) -> bytes:
    """The block with which a layer's disk ends; its last 512 bytes begin with the numbers."""
    numbers = struct.pack("<IIQ", data_block_size, hash_block_size, data_blocks)
    return bytes(4096 - 512) + numbers.ljust(512, b"\0")


def tardev_words(name: str, root_hash: Optional[str], fstype: str = "erofs") -> str:
    words = [name, fstype, "ro", f"{FS_OPT}block_device=file", f"{FS_OPT}is-layer",
             *([f"{FS_OPT}root-hash={root_hash}"] if root_hash else [])]
    return base64.b64encode(",".join(words).encode()).decode()


def tardev_mounts(words: dict[str, str], writable: bool = False) -> list[dict[str, Any]]:
    """Names and words of the layers, topmost first; they stand in another order."""
    return [{"type": "fuse3.kata-overlay", "source": "none", "target": "", "options": [
        f"{FS_OPT}layer-src-prefix=/var/lib/tardev/layers",
        *[f"{FS_OPT}layer={words[name]}" for name in reversed(words)],
        *([f"{FS_OPT}overlay-rw"] if writable else []), f"lowerdir={':'.join(words)}"]}]


# --- our own ------------------------------------------------------------------------------


def socle(layers: Sequence[Layer], references: Sequence[str]) -> bytes:
    """A line a layer, in the words of socle.layer=."""
    lines = [layer.argument(reference).removeprefix("socle.layer=")
             for layer, reference in zip(layers, references)]
    return "".join(f"{line}\n" for line in lines).encode()


def socle_devices(layer: Layer, devices: Sequence[Layer], references: Sequence[str]) -> bytes:
    """JSON of one layer whose data are on further devices, each with its own verity."""
    first, *others = [{"device": reference} | one.params
                      for one, reference in zip([layer, *devices], references)]
    return text({"version": 1, "layers": [first | {"fstype": "erofs", "devices": others}]})
