#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""build_images.py SOCLE_IMAGE [--megabytes N] [--rounds N] [--work DIR] [--tar FILE]: socle-image layers beside
mkfs.erofs --tar=f and veritysetup format, on this machine's /usr (or the members of a tar) in one layer and in six,
plain, gzip and zstd. Processor time, wall time, the largest process and the room that is taken besides the result,
of whole commands in turn; the figures are medians, and only their ratios mean anything elsewhere."""
import argparse
import hashlib
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

UNPACK = {"": "cat", "+gzip": "gzip -dc", "+zstd": "zstd -qdc"}
PACK = {"+gzip": "gzip -6 -c", "+zstd": "zstd -q -3 -c"}
MEDIA = "application/vnd.oci.image.layer.v1.tar"


def members(source, size):
    """Names of /usr, or members of a tar, until their files have so many bytes."""
    total = 0
    if source:
        with tarfile.open(source) as tar:
            for member in tar:
                if total < size and not member.islnk():
                    total += member.size
                    yield member, tar.extractfile(member) if member.isreg() else None
        return
    for path, directories, files in os.walk("/usr"):
        directories.sort()
        for name in [""] + sorted(files):
            full = pathlib.Path(path, name)
            if total >= size or not (full.is_symlink() or full.is_dir() or full.is_file()):
                continue
            with tarfile.TarFile(os.devnull, "w", format=tarfile.PAX_FORMAT) as tar:
                member = tar.gettarinfo(full)
            if member.isreg():
                total += member.size
                with full.open("rb") as file:
                    yield member, file
            else:
                yield member, None


def write_tars(work, options):
    """The whole as one tar, and in six of about the same size."""
    one = tarfile.open(work / "one.tar", "w", format=tarfile.PAX_FORMAT)
    parts, total = [], 0
    for member, file in members(options.tar, options.megabytes << 20):
        want = min(5, total * 6 // (options.megabytes << 20))
        while len(parts) <= want:
            if parts:
                parts[-1].close()
            parts.append(tarfile.open(work / f"part{len(parts)}.tar", "w", format=tarfile.PAX_FORMAT))
        for tar in one, parts[-1]:
            if file:
                file.seek(0)
            tar.addfile(member, file)
        total += member.size
    one.close()
    parts[-1].close()
    return [work / "one.tar"], [work / f"part{i}.tar" for i in range(len(parts))]


def sha256(path):
    with open(path, "rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def layout(work, tars, packing):
    """An OCI layout of layers that are packed in this way; and the layers' files."""
    blobs = work / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def put(path):
        digest = sha256(path)
        path.rename(blobs / digest[7:])
        return {"digest": digest, "size": (blobs / digest[7:]).stat().st_size}

    def put_json(value, kind):
        (work / "json").write_text(json.dumps(value))
        return put(work / "json") | {"mediaType": f"application/vnd.oci.image.{kind}.v1+json"}

    layers = []
    for tar in tars:
        copy = work / "layer"
        if packing:
            subprocess.run(f"{PACK[packing]} {tar} >{copy}", shell=True, check=True)
        else:
            os.link(tar, copy)
        layers.append(put(copy) | {"mediaType": MEDIA + packing})
    config = put_json({"os": "linux", "architecture": "amd64",
                       "rootfs": {"type": "layers", "diff_ids": [sha256(tar) for tar in tars]}}, "config")
    manifest = put_json({"schemaVersion": 2, "config": config, "layers": layers}, "manifest")
    (work / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [manifest]}))
    (work / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    return [blobs / layer["digest"][7:] for layer in layers]


def occupied(out, processes):
    """Bytes on the disk of what is in a directory or open for writing, names or not."""
    found = {}
    places = list(out.iterdir())
    for process in processes:
        places += pathlib.Path("/proc", process, "fd").glob("*")
    for place in places:
        try:
            if place.parent == out or str(out) in os.readlink(place):
                status = place.stat()
                found[status.st_dev, status.st_ino] = status.st_blocks * 512
        except OSError:
            pass
    return sum(found.values())


def children(process):
    """Of a process, itself included."""
    found = [str(process)]
    for one in found:
        try:
            for task in pathlib.Path("/proc", one, "task").iterdir():
                found += (task / "children").read_text().split()
        except OSError:
            pass
    return found


def largest(processes):
    """KiB that the largest of some processes has had so far."""
    found = [0]
    for process in processes:
        try:
            lines = pathlib.Path("/proc", process, "status").read_text().splitlines()
            found += [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
        except OSError:
            pass
    return max(found)


def run(command, out):
    """Seconds of processor and of wall, KiB of the largest process, bytes besides the result."""
    for path in out.iterdir():
        path.unlink()
    os.sync()
    started, peak, memory = time.monotonic(), 0, 0
    with subprocess.Popen(["bash", "-o", "pipefail", "-ec", command], stdout=subprocess.DEVNULL) as process:
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            processes = children(process.pid)
            peak = max(peak, occupied(out, processes))
            memory = max(memory, largest(processes))
            time.sleep(0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command}: status {process.returncode}")
    result = occupied(out, [])
    return (usage.ru_utime + usage.ru_stime, time.monotonic() - started, memory, max(0, peak - result),
            sum(path.stat().st_size for path in out.iterdir()))


def peer(blobs, packing, out, digests):
    """What people do. The file is synced, as ours are."""
    commands = []
    for i, blob in enumerate(blobs):
        image = shlex.quote(str(out / f"{i}.img"))
        if digests:
            commands.append(f"sha256sum {blob}")
        source = f"{UNPACK[packing]} {blob} | " if packing else ""
        commands.append(f"{source}mkfs.erofs --quiet --tar=f {image} {'' if packing else blob}")
        commands.append(f"veritysetup format {image} {image}.verity; sync {image} {image}.verity")
    return "\n".join(commands)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--megabytes", type=int, default=950)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--tar", type=pathlib.Path)
    options = parser.parse_args()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    print("| layers | | CPU, of the peer's | of the peer's with sha256sum | wall, of the peer's | largest process "
          "| besides the result | result, of the peer's |\n" + "|---" * 8 + "|")
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        work = pathlib.Path(work)
        for tars in write_tars(work, options):
            for packing in UNPACK:
                name = work / f"layout{len(tars)}{packing}"
                name.mkdir()
                blobs = layout(name, tars, packing)
                out = work / "out"
                out.mkdir(exist_ok=True)
                ours = f"{shlex.quote(str(options.program.absolute()))} layers --output {out} {name}"
                runs = [[], [], []]
                for _ in range(options.rounds):
                    for which, command in enumerate((ours, peer(blobs, packing, out, False),
                                                     peer(blobs, packing, out, True))):
                        runs[which].append(run(command, out))
                mine, theirs, checked = ([statistics.median(column) for column in zip(*one)] for one in runs)
                print(f"| {len(tars)} | {packing[1:] or 'plain'} | {mine[0]:.2f} / {theirs[0]:.2f} s = "
                      f"{mine[0] / theirs[0]:.2f} | {mine[0] / checked[0]:.2f} | {mine[1]:.1f} / {theirs[1]:.1f} s = "
                      f"{mine[1] / theirs[1]:.2f} | {mine[2] / 1024:.0f} / {theirs[2] / 1024:.0f} MiB | "
                      f"{mine[3] / mine[4]:.2f} / {theirs[3] / theirs[4]:.2f} | {mine[4] / theirs[4]:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
