# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Things that take time to make, kept by the hash of what they are made from."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Callable, Union

Ingredient = Union[str, bytes, Path]


def digest(*ingredients: Ingredient) -> str:
    """Of texts and of files' contents, each one told from its neighbours."""
    whole = hashlib.sha256()
    for ingredient in ingredients:
        if isinstance(ingredient, Path):
            with open(ingredient, "rb") as file:
                data = hashlib.file_digest(file, "sha256").digest()
        elif isinstance(ingredient, bytes):
            data = ingredient
        else:
            data = ingredient.encode()
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()


class Store:
    """
    Directories below root, each made once. Several processes may ask at once:
    the first one makes it, the others wait.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.made = False  # whether the last get() had to make its entry

    def get(self, name: str, key: str, make: Callable[[Path], None]) -> Path:
        """The directory name-key; make() fills it where there is none yet."""
        self.root.mkdir(parents=True, exist_ok=True)
        entry = self.root / f"{name}-{key[:16]}"
        self.made = False
        if entry.is_dir():
            return entry
        with open(self.root / f".{entry.name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not entry.is_dir():
                draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=self.root))
                try:
                    make(draft)
                    self.made = True
                    draft.chmod(0o755)
                    os.rename(draft, entry)
                finally:
                    shutil.rmtree(draft, ignore_errors=True)
        return entry
