# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Layers as socle-image makes them, and as the command line names them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from harness.verity import Tree

# The verity superblock's place between data and tree, in hash blocks.
SUPERBLOCK_BLOCKS = 1

# The order in which a layer's keys are written.
KEYS = ["root_hash", "salt", "data_blocks", "hash_start", "data_block_size", "hash_block_size",
        "hash", "format"]


class ToolError(Exception):
    """A program of the build machine failed; the text has its words."""


def run_tool(*command: str | Path) -> str:
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        words = " ".join(str(word) for word in command)
        raise ToolError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@dataclass(frozen=True)
class Layer:
    """A file system with its hash tree behind it, or beside it in hash_disk."""

    disk: Path
    params: dict[str, str]  # socle-init's keys
    hash_disk: Optional[Path] = None
    fec_disk: Optional[Path] = None

    def argument(self, reference: str, **changes: Optional[str]) -> str:
        """The socle.layer= parameter; a change to None leaves the key out."""
        params = {**self.params, **changes}
        pairs = [f",{key}={value}" for key, value in params.items() if value is not None]
        return f"socle.layer={reference}{''.join(pairs)}"

    def short(self, reference: str) -> str:
        """The same with only the keys that have no default to lean on."""
        needed = {"root_hash", "data_blocks"}
        if self.params.get("salt", "-") != "-":
            needed.add("salt")
        return self.argument(reference, **{key: None for key in self.params if key not in needed})

    @property
    def tree(self) -> Tree:
        data_blocks = int(self.params["data_blocks"])
        data_block_size = int(self.params.get("data_block_size", "4096"))
        hash_block_size = int(self.params.get("hash_block_size", "4096"))
        behind_data = -(-data_blocks * data_block_size // hash_block_size) + SUPERBLOCK_BLOCKS
        start = int(self.params.get("hash_start", behind_data))
        return Tree(data_blocks, data_block_size, hash_block_size, start)


def seal_layer(data: Path, out: Path, beside: bool = False, fec: bool = False,
               data_block_size: int = 4096) -> Layer:
    """
    Give any bytes a hash tree with veritysetup, the field's own tool: behind
    them after a superblock, or beside them in a file of its own without one.
    """
    size = data.stat().st_size
    if size % 4096:
        raise ToolError(f"{data} has {size} bytes, which is not a multiple of 4096")
    out.write_bytes(data.read_bytes())
    hash_disk = out.with_suffix(".hash") if beside else None
    fec_disk = out.with_suffix(".fec") if fec else None
    command: list[str | Path] = ["veritysetup", "format", out, hash_disk or out, "--salt=-",
                                 f"--data-blocks={size // data_block_size}",
                                 f"--data-block-size={data_block_size}"]
    command += ["--no-superblock"] if beside else [f"--hash-offset={size}"]
    command += [f"--fec-device={fec_disk}", "--fec-roots=2"] if fec else []
    said = run_tool(*command)
    root_hash = next(line.split()[-1] for line in said.splitlines() if line.startswith("Root hash"))
    params = {"root_hash": root_hash, "data_blocks": str(size // data_block_size)}
    if beside:
        params["hash_start"] = "0"
    if data_block_size != 4096:
        params["data_block_size"] = str(data_block_size)
    return Layer(out, params, hash_disk, fec_disk)



def make_layers(tool: Path, layout: Path, disks: Path, salt: Optional[str] = None) -> None:
    disks.mkdir()
    run_tool(tool, "layers", "--output", disks, *(["--salt", salt] if salt else []), layout)


def read_layers(disks: Path) -> list[Layer]:
    """The topmost first, as in image.json and on the command line."""
    manifest = json.loads((disks / "image.json").read_text())
    return [Layer(disks / layer["file"], parameters(layer["verity"]))
            for layer in manifest["layers"]]


def parameters(verity: dict[str, object]) -> dict[str, str]:
    return {key: str(verity[key]) for key in KEYS if verity[key] != ""}


def make_initramfs(tool: Path, init: Path, modules: Path, out: Path, *more: str | Path) -> None:
    run_tool(tool, "initramfs", "--init", init, "--kernel-modules", modules, "--output", out, *more)
