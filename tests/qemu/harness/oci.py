# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""OCI image layouts and layer tars, the same bytes at every run."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

WHITEOUT = ".wh."
OPAQUE = ".wh..wh..opq"


@dataclass
class Entry:
    """One member of a layer. type is one of tarfile's constants."""

    name: str
    content: bytes = b""
    type: bytes = tarfile.REGTYPE
    mode: int = 0o644
    uid: int = 0
    gid: int = 0
    target: str = ""
    major: int = 0
    minor: int = 0
    xattrs: dict[str, bytes] = field(default_factory=dict)


def file(name: str, content: bytes | str, mode: int = 0o644, **more: Any) -> Entry:
    data = content.encode() if isinstance(content, str) else content
    return Entry(name, data, mode=mode, **more)


def directory(name: str, mode: int = 0o755, **more: Any) -> Entry:
    return Entry(name, type=tarfile.DIRTYPE, mode=mode, **more)


def link(name: str, target: str) -> Entry:
    return Entry(name, type=tarfile.SYMTYPE, target=target, mode=0o777)


def hard_link(name: str, target: str) -> Entry:
    return Entry(name, type=tarfile.LNKTYPE, target=target)


def whiteout(name: str) -> Entry:
    """name is deleted: its .wh. entry."""
    path = Path(name)
    return file(str(path.parent / (WHITEOUT + path.name)), b"")


def opaque(name: str) -> Entry:
    """What lower layers have in the directory name is not seen."""
    return file(f"{name}/{OPAQUE}", b"")


def layer_tar(entries: list[Entry]) -> bytes:
    """In the order given: the order of a tar is part of what is tested."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for entry in entries:
            info = tarfile.TarInfo(entry.name)
            info.type = entry.type
            info.size = len(entry.content)
            info.mode = entry.mode
            info.uid, info.gid = entry.uid, entry.gid
            info.mtime = 1_000_000_000
            info.linkname = entry.target
            info.devmajor, info.devminor = entry.major, entry.minor
            info.pax_headers = {
                # tarfile encodes with surrogateescape, so bytes pass as they are.
                f"SCHILY.xattr.{name}": value.decode("utf-8", "surrogateescape")
                for name, value in entry.xattrs.items()}
            tar.addfile(info, io.BytesIO(entry.content))
    return buffer.getvalue()


def write_layout(where: Path, layers: list[bytes], command: Optional[list[str]] = None) -> None:
    """An image layout at where, of uncompressed layer tars, the lowest first."""
    blobs = where / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def blob(data: bytes, media_type: str) -> dict[str, Any]:
        name = hashlib.sha256(data).hexdigest()
        (blobs / name).write_bytes(data)
        return {"mediaType": media_type, "digest": f"sha256:{name}", "size": len(data)}

    kind = "application/vnd.oci.image"
    descriptors = [blob(layer, f"{kind}.layer.v1.tar") for layer in layers]
    config = {
        "architecture": "amd64", "os": "linux",
        "config": {"Cmd": command or ["/sbin/init"]},
        "rootfs": {"type": "layers", "diff_ids": [d["digest"] for d in descriptors]},
    }
    manifest = {
        "schemaVersion": 2, "mediaType": f"{kind}.manifest.v1+json",
        "config": blob(json.dumps(config).encode(), f"{kind}.config.v1+json"),
        "layers": descriptors,
    }
    entry = blob(json.dumps(manifest).encode(), f"{kind}.manifest.v1+json")
    index = {"schemaVersion": 2, "mediaType": f"{kind}.index.v1+json", "manifests": [entry]}
    (where / "index.json").write_text(json.dumps(index))
    (where / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
