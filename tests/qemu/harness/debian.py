# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""A small Debian as an OCI image: one base layer, and further ones on top."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Callable, Optional, Sequence

from harness import image
from harness.store import Store, digest

SUITE = "bookworm"
PACKAGES = ["systemd", "systemd-sysv", "dmsetup"]
TAG = "latest"

# Left out of the image: nobody reads them there.
EXCLUDED = ["/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*"]

# Changes when the recipe below does.
RECIPE = "1"

Tell = Callable[[str], None]


class ImageError(Exception):
    """The image could not be made; the text says what to do."""


def silent(_line: str) -> None:
    pass


def tool(name: str, package: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise ImageError(f"{name} is missing: run `make deps`, or install the package {package}")
    return path


def run(command: list[str], what: str, tell: Tell = silent,
        environment: Optional[dict[str, str]] = None) -> None:
    """Run a command, hand its progress lines to tell, and keep the rest for an error."""
    said: list[str] = []
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, **(environment or {})}) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line.rstrip())
            if line.startswith("I: "):
                tell(line[3:].strip())
    if process.returncode != 0:
        words = "\n  ".join(said[-15:])
        raise ImageError(f"{what} failed with status {process.returncode}:\n  {words}")


def mirror() -> tuple[str, str]:
    """
    Where this machine gets Debian from, and something that changes when the
    suite there does. DEBIAN_MIRROR= overrules the machine's own sources.
    """
    uri, state = os.environ.get("DEBIAN_MIRROR", ""), ""
    wanted = "$(ORIGIN)|$(CODENAME)|$(COMPONENT)|$(REPO_URI)|$(FILENAME)"
    listing = subprocess.run(
        ["apt-get", "indextargets", "--format", wanted, "Identifier: Packages"],
        capture_output=True, text=True, check=False).stdout
    targets = [line.split("|") for line in listing.splitlines() if line.count("|") == 4]
    debian = [t for t in targets if t[0] == "Debian" and t[2] == "main"]
    # Any suite's address will do for another machine than Debian 12, but this one's first.
    debian.sort(key=lambda t: (t[1] != SUITE, "security" in t[1]))
    if debian:
        _, codename, component, found, filename = debian[0]
        uri = uri or found
        release = Path(re.sub(rf"_{component}_binary-.*", "_InRelease", filename))
        if codename == SUITE and release.is_file():
            state = digest(release)
    if not uri:
        raise ImageError("no Debian mirror is known: run `apt-get update`, or set DEBIAN_MIRROR=")
    return uri, state or time.strftime("%Y-%m-%d")


def base_tar(store: Store, tell: Tell = silent, more: Sequence[str] = ()) -> Path:
    """Debian minbase with systemd, and more packages, made once for each state of the suite."""
    uri, state = mirror()
    packages = [*PACKAGES, *more]

    def make(draft: Path) -> None:
        command = [
            tool("mmdebstrap", "mmdebstrap"), "--variant=minbase", "--format=tar",
            f"--include={','.join(packages)}", '--aptopt=Acquire::Languages "none"',
            *[f"--dpkgopt=path-exclude={pattern}" for pattern in EXCLUDED],
            SUITE, str(draft / "base.tar"), f"deb {uri} {SUITE} main",
        ]
        run(command, "mmdebstrap", tell, {"SOURCE_DATE_EPOCH": "0"})

    key = digest(SUITE, *packages, *EXCLUDED, RECIPE, state)
    return store.get(f"debian-{SUITE}", key, make) / "base.tar"


def layout(store: Store, base: Path, upper_layers: list[bytes]) -> Path:
    """An OCI layout of the base layer and the given layer tars above it."""

    def make(draft: Path) -> None:
        umoci = tool("umoci", "umoci")
        where = draft / "oci"
        name = f"{where}:{TAG}"
        run([umoci, "init", "--layout", str(where)], "umoci init")
        run([umoci, "new", "--image", name], "umoci new")
        run([umoci, "raw", "add-layer", "--image", name, str(base)], "umoci raw add-layer")
        for number, layer in enumerate(upper_layers):
            tar = draft / f"layer-{number}.tar"
            tar.write_bytes(layer)
            run([umoci, "raw", "add-layer", "--image", name, str(tar)], "umoci raw add-layer")
            tar.unlink()
        run([umoci, "gc", "--layout", str(where)], "umoci gc")

    # The base lies in a directory that is named by its own key.
    key = digest(base.parent.name, *upper_layers, RECIPE)
    return store.get("debian-oci", key, make) / "oci"


def layers(store: Store, socle_image: Path, where: Path) -> list[image.Layer]:
    """The layout's layers as verified disks, the topmost first."""

    def make(draft: Path) -> None:
        image.make_layers(socle_image, where, draft / "disks")

    # The layout lies in a directory that is named by its own key.
    key = digest(socle_image, where.parent.name)
    return image.read_layers(store.get("debian-disks", key, make) / "disks")
