#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""call_serve.py PROGRAM [SOCLE_VOLUME]: mount/serve as another program's client and hub see it.

PROGRAM has nothing but the server, with mounts that are none; SOCLE_VOLUME is the real one."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import Callable, Iterator, Optional

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "qemu"))

# pylint: disable=wrong-import-position
from harness import ttrpc  # noqa: E402
from harness.ttrpc import Client, Hub, Refused  # noqa: E402

DIGEST = "sha256:" + "0123456789abcdef" * 4
FOUND = "registry.example:5000/team/app@sha256:" + "f" * 64
LIMIT_S = 30


def image(reference: str, description: object = "SERIAL=a") -> dict[str, object]:
    return {"reference": reference, "digest": DIGEST, "description": description}


def images(*references: str) -> str:
    return json.dumps({"version": 1, "images": [image(r) for r in references]})


def wait(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {LIMIT_S} s"
        time.sleep(0.005)


class Bed:
    """A folder with bundles, and a server on a socket in it."""

    def __init__(self, command: list[str], folder: pathlib.Path) -> None:
        self.command = command
        self.folder = folder
        self.socket = folder / "run/confidential/cdh.sock"
        self.errors = ""
        (folder / "bundles").mkdir()

    def put(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def bundle(self, name: str) -> str:
        path = self.folder / "bundles" / name
        path.mkdir(exist_ok=True)
        return str(path)

    def arguments(self, *more: str) -> list[str]:
        return [*self.command, "--socket", str(self.socket), "--bundles",
                str(self.folder / "bundles"), *more]

    @contextlib.contextmanager
    def serve(self, *arguments: str) -> Iterator[Client]:
        """kata-agent's way: the program, its socket, one connection for everything."""
        with subprocess.Popen(self.arguments(*arguments), cwd="/", env={"PATH": "/bin"},
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            try:
                wait(self.socket.exists, "the socket")
                client = Client.connect(str(self.socket), LIMIT_S)
                yield client
                client.close()
            finally:
                process.terminate()
                self.errors = process.communicate(timeout=LIMIT_S)[1]
        assert process.returncode == 0, f"it ended with {process.returncode}: {self.errors}"
        assert not self.socket.exists(), "its socket is still there"


def expect_refused(call: Callable[[], object], status: int, words: str) -> None:
    try:
        call()
    except Refused as refused:
        assert refused.status == status and words in refused.text, refused
    else:
        raise AssertionError(f"not refused: {words}")


def test_initdata(bed: Bed) -> None:
    """The images are in initdata, whose other keys look like ours."""
    inner = '[data]\n"socle.json" = """{"version":1,"images":[]}"""\n'
    text = ('algorithm = "sha384"\nversion = "0.1.0"\n\n[data]\n'
            f"\"aa.toml\" = '''\n{inner}'''\n\"socle.json\" = '''\n{images(FOUND)}'''\n")
    with bed.serve("--initdata", bed.put("initdata.toml", text)) as client:
        assert client.pull_image(FOUND, bed.bundle("c1")) == DIGEST
        assert (bed.folder / "bundles/c1/rootfs").is_dir()
        expect_refused(lambda: client.pull_image(FOUND + "0", bed.bundle("c2")),
                       ttrpc.NOT_FOUND, f'code=IMAGE_UNKNOWN: no disks are described for the '
                       f'image "{FOUND}0"')
        expect_refused(lambda: client.call("api.GetResourceService", "GetResource"),
                       ttrpc.UNIMPLEMENTED, "api.GetResourceService/GetResource")
    assert f"socle: image {FOUND} ({DIGEST}) is on " in bed.errors
    assert "socle: FAILED step=describe volume=- code=IMAGE_UNKNOWN: " in bed.errors


def test_initdata_of_others(bed: Bed) -> None:
    """Initdata without our key, and a file beside it."""
    initdata = bed.put("initdata.toml", '[data]\n"cdh.toml" = ""\n')
    with bed.serve("--initdata", initdata, "--images", bed.put("images", images("a"))) as client:
        assert client.pull_image("a", bed.bundle("c1")) == DIGEST


def test_broken(bed: Bed) -> None:
    """It serves, so that the reason reaches who asks."""
    initdata = bed.put("initdata.toml", "[data]\n\"socle.json\" = '''{'''\n")
    with bed.serve("--initdata", initdata) as client:
        expect_refused(lambda: client.pull_image("a", bed.bundle("c1")), ttrpc.FAILED_PRECONDITION,
                       "code=DESCRIPTION_INVALID: " + initdata + ": socle.json: ")
    assert bed.errors.count("code=DESCRIPTION_INVALID") == 2, "at the start, and when asked"
    with bed.serve("--images", str(bed.folder / "missing")) as client:
        expect_refused(lambda: client.pull_image("a", bed.bundle("c1")), ttrpc.FAILED_PRECONDITION,
                       "missing: read it: No such file")


def test_word_for_word(bed: Bed) -> None:
    text = json.dumps({"version": 1, "images": [image("bad", "refuse")]})
    with bed.serve("--images", bed.put("images", text)) as client:
        expect_refused(lambda: client.pull_image("bad", bed.bundle("c1")),
                       ttrpc.FAILED_PRECONDITION,
                       "socle: FAILED step=verity volume=volume-0 code=ROOT_HASH_MISMATCH: "
                       'the top of "x" does not match')


def test_side_by_side(bed: Bed) -> None:
    """One call waits for its disk; those after it on the same connection do not."""
    text = json.dumps({"version": 1, "images": [image("slow", "wait"), image("fast")]})
    with bed.serve("--images", bed.put("images", text)) as client:
        slow = client.start_pull("slow", bed.bundle("slow"))
        streams = [client.start_pull("fast", bed.bundle(f"c{i}")) for i in range(20)]
        assert {client.finish_pull(stream) for stream in streams} == {DIGEST}
        bed.put("bundles/slow/go", "")
        assert client.finish_pull(slow) == DIGEST


def is_gone(pid: int) -> bool:
    """Or a zombie that nobody here is to wait for."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] in "ZX"


def children(pid: int) -> list[int]:
    return [int(child) for child in
            pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_killed(bed: Bed) -> None:
    """SIGKILL of the server in the middle of a pull ends the pull as well; the next one serves."""
    text = json.dumps({"version": 1, "images": [image("slow", "wait"), image("fast")]})
    images_file = bed.put("images", text)
    command = bed.arguments("--images", images_file)
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        wait(bed.socket.exists, "the socket")
        client = Client.connect(str(bed.socket), LIMIT_S)
        client.start_pull("slow", bed.bundle("slow"))
        wait(lambda: bool(children(process.pid)), "the pull's process")
        [pull] = children(process.pid)
        process.kill()
        process.wait()
    wait(lambda: is_gone(pull), "the pull ends")
    bed.put("bundles/slow/go", "")
    assert not (bed.folder / "bundles/slow/rootfs").exists(), "the pull went on"
    bed.socket.unlink()
    with bed.serve("--images", images_file) as again:
        assert again.pull_image("slow", bed.bundle("slow")) == DIGEST


def test_hub_behind(bed: Bed) -> None:
    """Everything else is as if the hub were asked itself: bytes, order, refusals."""
    def answer(service: str, method: str, data: bytes) -> ttrpc.Answer:
        if (service, method) == ttrpc.PULL:
            return ttrpc.message([(1, "sha256:of-the-hub")])
        if method == "Refuse":
            return Refused(7, "not for you: \u00e4")
        return data[::-1]

    path = str(bed.folder / "hub.sock")
    arguments = ["--images", bed.put("images", images("a")), "--forward", path]
    hub = Hub(path, answer)
    with bed.serve(*arguments) as client:
        streams = [client.start("api.S", "M", bytes([i]) * i * 200) for i in range(40)]
        for i, stream in reversed(list(enumerate(streams))):
            assert client.finish(stream) == bytes([i]) * i * 200
        big = os.urandom(3_900_000)
        assert client.call("api.S", "M", big) == big[::-1]
        expect_refused(lambda: client.call("api.S", "Refuse"), 7, "not for you: \u00e4")
        expect_refused(lambda: client.pull_image("b", bed.bundle("c")), ttrpc.NOT_FOUND,
                       "code=IMAGE_UNKNOWN")
        assert client.pull_image("a", bed.bundle("c")) == DIGEST
    assert all((service, method) != ttrpc.PULL for service, method, _ in hub.calls)
    with bed.serve(*arguments, "--pull-unknown") as client:
        assert client.pull_image("b", bed.bundle("d")) == "sha256:of-the-hub"
        assert client.pull_image("a", bed.bundle("d")) == DIGEST
    hub.close()


def test_measured(bed: Bed) -> None:
    """The event that the data hub has for a pull, before the caller gets its answer."""
    results = iter([b"", ttrpc.message([(1, 1)]), Refused(13, "no device")])
    path = str(bed.folder / "aa.sock")
    agent = Hub(path, lambda *call: next(results))
    with bed.serve("--images", bed.put("images", images(FOUND)), "--attestation",
                   path) as client:
        assert client.pull_image(FOUND, bed.bundle("c1")) == DIGEST
        expect_refused(lambda: client.pull_image(FOUND, bed.bundle("c2")),
                       ttrpc.FAILED_PRECONDITION, "code=MEASUREMENT_FAILED: ")
        expect_refused(lambda: client.pull_image(FOUND, bed.bundle("c2")),
                       ttrpc.FAILED_PRECONDITION, "the attestation agent says: no device")
        assert not (bed.folder / "bundles/c2/rootfs").exists(), "mounted, and not measured"
    service, method, data = agent.calls[0]
    event = ttrpc.fields(data)
    assert (service, method) == ttrpc.EXTEND
    assert ttrpc.text(event, 1) == "github.com/confidential-containers"
    assert ttrpc.text(event, 2) == "PullImage"
    assert json.loads(ttrpc.text(event, 3)) == {"image": FOUND, "digest": DIGEST}
    agent.close()


def real_program(bed: Bed) -> None:
    """What needs no disk: libsocle's own refusals, from the program as it is in the guest."""
    unverified = {"volume_type": "image_raw_block", "source": "/dev/vda", "fs_type": "erofs"}
    text = json.dumps({"version": 1, "images": [
        image("unverified", unverified), image("broken", {"volume_type": "cheese"})]})
    with bed.serve("--images", bed.put("images", text), "--timeout", "1") as client:
        for reference, code in ("unverified", "VERITY_MISSING"), ("broken", "DESCRIPTION_"):
            stream = client.start_pull(reference, bed.bundle(reference))
            expect_refused(lambda: client.finish_pull(stream), ttrpc.FAILED_PRECONDITION,
                           "socle: FAILED step=describe volume=")
            expect_refused(lambda: client.pull_image(reference, bed.bundle(reference)),
                           ttrpc.FAILED_PRECONDITION, f"code={code}")
            assert not (bed.folder / "bundles" / reference / "rootfs").exists()


def main(program: str, socle_volume: Optional[str] = None) -> None:
    tests = [(value, [os.path.abspath(program)]) for name, value in globals().items()
             if name.startswith("test_")]
    if socle_volume:
        tests.append((real_program, [os.path.abspath(socle_volume), "serve"]))
    for test, command in tests:
        with tempfile.TemporaryDirectory(prefix="socle-serve.") as folder:
            test(Bed(command, pathlib.Path(folder)))
        print(test.__name__)


if __name__ == "__main__":
    main(*sys.argv[1:])
