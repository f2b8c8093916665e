#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""compare.py PRINT_TARS [COUNT [SEED]]: COUNT generated tars, and those of SOCLE_FIXTURES and
SOCLE_FAULTS where these name folders, read by image-build/tree/tar_read.c and by second.py."""
import lzma
import os
import pathlib
import subprocess
import sys

import generate
import second

BATCH = 1000


def ours(program, tars):
    """The words of each; of a refusal only that it is one."""
    stream = b"".join(b"%d\n" % len(tar) + tar for tar in tars)
    out = subprocess.run([program], input=stream, stdout=subprocess.PIPE, check=True).stdout
    lines = [line.split(" ") for line in out.decode().splitlines()]
    if len(lines) != len(tars):
        sys.exit(f"{program}: {len(lines)} answers to {len(tars)} tars")
    return [words[:-1] + [words[-1][:1]] for words in lines]


def complain(label, one, two):
    at = next((i for i, (a, b) in enumerate(zip(one, two)) if a != b), min(len(one), len(two)))
    print(f"{label}, entry {at}:\n  ours   {' '.join(one[at:at + 1])}\n  second {' '.join(two[at:at + 1])}")


def compare(program, label, tars, read, reduce):
    """How many are read otherwise."""
    different = 0
    for i, (tar, words) in enumerate(zip(tars, ours(program, tars))):
        one, two = reduce(words), read(tar)
        if one != two:
            different += 1
            if different <= 5:
                complain(f"{label}, tar {i}", one, two)
    return different


def generated(program, count, seed):
    different = accepted = 0
    for first in range(0, count, BATCH):
        size = min(BATCH, count - first)
        tars = list(generate.tars(seed + first, size))
        different += compare(program, f"seed {seed + first}", tars, second.words, lambda words: words)
        accepted += sum(second.words(tar)[-1] == "." for tar in tars) if first == 0 else 0
        plain = list(generate.plain_tars(seed + first, size // 4))
        different += compare(program, f"plain, seed {seed + first}", plain, second.by_tarfile,
                             lambda words: [second.as_tarfile(word) for word in words[:-1]])
    # A generator whose tars all are refused would show nothing.
    if not min(BATCH, count) * 0.3 < accepted < min(BATCH, count) * 0.9:
        sys.exit(f"{accepted} of the first tars are accepted")
    return different


def files():
    for name in ("SOCLE_FIXTURES", "SOCLE_FAULTS"):
        for path in sorted(pathlib.Path(os.environ.get(name) or os.devnull).glob("**/*.tar*")):
            data = path.read_bytes()
            yield path, lzma.decompress(data) if path.suffix == ".xz" else data


def main():
    program, count, seed = sys.argv[1], *map(int, (sys.argv[2:] + ["4000", "1"][len(sys.argv) - 2:]))
    different, found = generated(program, count, seed), 0
    for path, tar in files():
        found += 1
        different += compare(program, path.name, [tar], second.words, lambda words: words)
    print(f"{count} generated tars and {found} files, {different} read otherwise")
    sys.exit(different != 0)


if __name__ == "__main__":
    main()
