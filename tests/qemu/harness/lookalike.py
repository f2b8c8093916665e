# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Descriptions of our own layers in each form in which an agent gets them."""

from __future__ import annotations

import base64
import json
import uuid
from pathlib import Path
from typing import Any, Optional, Sequence

from harness import gpt
from harness.image import Layer

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
             "mount_point": "/run/kata-containers/container/rootfs",
             "options": kata_options(layer, number), "shared": False, "source": source}
            for number, layer in enumerate(layers, 1)]


# --- our own ------------------------------------------------------------------------------


def socle(layers: Sequence[Layer], references: Sequence[str]) -> bytes:
    """A line a layer, in the words of socle.layer=."""
    lines = [layer.argument(reference).removeprefix("socle.layer=")
             for layer, reference in zip(layers, references)]
    return "".join(f"{line}\n" for line in lines).encode()
