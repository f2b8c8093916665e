# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""Where the blocks of a dm-verity hash tree lie (format 1), to damage them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tree:
    data_blocks: int
    data_block_size: int
    hash_block_size: int
    hash_start: int  # first block of the tree, in hash blocks
    digest_size: int = 32

    @property
    def data_bytes(self) -> int:
        return self.data_blocks * self.data_block_size

    def level_blocks(self) -> list[int]:
        """Hash blocks of each level, the top first, as they lie on the disk."""
        slot = 1 << (self.digest_size - 1).bit_length()
        per_block = self.hash_block_size // slot
        levels, below = [], self.data_blocks
        while below > 1:
            below = -(-below // per_block)
            levels.append(below)
        return levels[::-1]

    def level_offset(self, level: int) -> int:
        """Byte offset of a level on the hash device; level 0 is the top."""
        before = sum(self.level_blocks()[:level])
        return (self.hash_start + before) * self.hash_block_size

    @property
    def end_bytes(self) -> int:
        return self.level_offset(len(self.level_blocks()))
