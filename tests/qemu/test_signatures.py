# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""
Root hashes with a signature, which the kernel verifies with the keys built into it.

Debian's kernel has none of ours, so every signature is one by a stranger there. The
tests that are marked built boot a kernel with a certificate in it (kernel-config/link.sh):
SOCLE_KERNEL_KEYS is that kernel, SOCLE_SIGNING_KEY the folder of its key.pem and cert.pem.
"""

from __future__ import annotations

import base64
import json
import os
import uuid
from pathlib import Path
from typing import Optional

import pytest

from harness import expect, gpt, oci
from harness.bed import Bed, Result, filler
from harness.image import Layer, run_tool
from harness.vm import Disk, Machine

SIGNATURE_MAX = 4096  # VERITY_SIGNATURE_MAX in verity/signature.h
FILE = "/etc/socle/root.p7s"
VICTIM = "/opt/victim"

# The kernel refuses every root hash that is not signed, whatever the plan says.
DEMANDED = "dm_verity.require_signatures=1"


# --- keys and signatures ------------------------------------------------------------


def openssl(*words: str | Path) -> None:
    run_tool("openssl", *words)


def stranger(bed: Bed) -> Path:
    """A folder with a key that no kernel knows."""
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=stranger",
            "-keyout", bed.path("key.pem"), "-out", bed.path("cert.pem"))
    return bed.directory


def sign(bed: Bed, keys: Path, root_hash: str, *more: str) -> bytes:
    """As socle-init(8) says it: over the hexadecimal digits, without a line end."""
    bed.path("root_hash.txt").write_text(root_hash)
    openssl("smime", "-sign", "-noattr", "-binary", *(more or ["-nocerts"]),
            "-in", bed.path("root_hash.txt"), "-inkey", keys / "key.pem",
            "-signer", keys / "cert.pem", "-outform", "der", "-out", bed.path("root_hash.p7s"))
    return bed.path("root_hash.p7s").read_bytes()


def text(signature: bytes) -> str:
    return "base64:" + base64.b64encode(signature).decode()


def machine_of(bed: Bed, layer: Layer, signature: Optional[str], *arguments: str,
               files: Optional[dict[str, bytes]] = None) -> Machine:
    machine = bed.machine([Disk(layer.disk, "layer0")],
                          [layer.argument("SERIAL=layer0", signature=signature), *arguments])
    machine.initramfs = bed.initramfs(files=files)
    return machine


# --- a signature that cannot be used --------------------------------------------------


def test_unknown_key(bed: Bed, one: list[Layer]) -> None:
    signature = sign(bed, stranger(bed), one[0].params["root_hash"])
    result = bed.boot(machine_of(bed, one[0], text(signature)))
    sentence = expect.failure(result, "SIGNATURE_REJECTED", "verity", "layer-0")
    assert "none of the kernel's keys made it" in sentence, sentence


def test_unknown_key_with_its_certificate(bed: Bed, one: list[Layer]) -> None:
    """A certificate in the message is nobody's word."""
    signature = sign(bed, stranger(bed), one[0].params["root_hash"], "-nodetach")
    result = bed.boot(machine_of(bed, one[0], FILE, files={FILE: signature}))
    expect.failure(result, "SIGNATURE_REJECTED", "verity", "layer-0")


def test_message_that_is_none(bed: Bed, one: list[Layer]) -> None:
    result = bed.boot(machine_of(bed, one[0], text(b"\x30\x03\x02\x01\x01")))
    sentence = expect.failure(result, "SIGNATURE_REJECTED", "verity", "layer-0")
    assert "PKCS#7" in sentence, sentence


@pytest.mark.parametrize("files", [
    {}, {FILE: b""}, {FILE: b"-----BEGIN PKCS7-----\n"}, {FILE: b"0" * (SIGNATURE_MAX + 1)},
], ids=["absent", "empty", "PEM", "too long"])
def test_file_that_holds_no_signature(bed: Bed, one: list[Layer], files: dict[str, bytes]) -> None:
    result = bed.boot(machine_of(bed, one[0], FILE, files=files))
    expect.failure(result, "SIGNATURE_INVALID", "verity", "layer-0")


def test_text_that_is_no_signature(bed: Bed, one: list[Layer]) -> None:
    result = bed.boot(machine_of(bed, one[0], "base64:MAMCAQE"))
    expect.failure(result, "SIGNATURE_INVALID", "plan", "layer-0")


# --- a root hash that has none ----------------------------------------------------------


def test_kernel_demands_one(bed: Bed, one: list[Layer]) -> None:
    result = bed.boot(machine_of(bed, one[0], None, DEMANDED))
    expect.failure(result, "SIGNATURE_MISSING", "verity", "layer-0")


def test_policy_demands_one(bed: Bed, one: list[Layer]) -> None:
    result = bed.boot(machine_of(bed, one[0], None,
                                 files={"/etc/socle/policy": b"signature=required\n"}))
    expect.failure(result, "POLICY_REFUSED", "plan", "layer-0")


# --- a kernel that knows the key ------------------------------------------------------


@pytest.fixture
def keys() -> Path:
    return Path(os.environ["SOCLE_SIGNING_KEY"])


def boot_signed(bed: Bed, machine: Machine) -> Result:
    machine.kernel = Path(os.environ["SOCLE_KERNEL_KEYS"])
    return bed.boot(machine)


def expect_signed(result: Result, layers: list[Layer]) -> None:
    """The agent runs, and the table that it runs on has signature and policy."""
    expect.success(result, layers)
    for device in result.report.all("dm"):
        words = device["table"].split()
        assert {"root_hash_sig_key_desc", "panic_on_corruption"} <= set(words), device


@pytest.mark.built
@pytest.mark.parametrize("demanded", [[], [DEMANDED]], ids=["", "demanded"])
def test_signed(bed: Bed, one: list[Layer], keys: Path, demanded: list[str]) -> None:
    signature = sign(bed, keys, one[0].params["root_hash"])
    expect_signed(boot_signed(bed, machine_of(bed, one[0], text(signature), *demanded)), one)


@pytest.mark.built
def test_signed_in_a_file(bed: Bed, one: list[Layer], keys: Path) -> None:
    """Under the policy that an image for more than one root hash has."""
    files = {FILE: sign(bed, keys, one[0].params["root_hash"]),
             "/etc/socle/policy": b"signature=required\n"}
    expect_signed(boot_signed(bed, machine_of(bed, one[0], FILE, files=files)), one)


@pytest.mark.built
def test_signed_layers_of_a_manifest(bed: Bed, keys: Path) -> None:
    layers = bed.image(bed.base(), [oci.directory("opt"), oci.file("opt/top", "layer two\n")])
    listed = [{"device": f"SERIAL=layer{number}", **layer.params,
               "signature": text(sign(bed, keys, layer.params["root_hash"]))}
              for number, layer in enumerate(layers)]
    machine = bed.machine([Disk(layer.disk, f"layer{n}") for n, layer in enumerate(layers)], [])
    machine.initramfs = bed.initramfs(files={"/etc/socle/manifest.json": json.dumps(
        {"version": 1, "layers": listed}).encode()})
    expect_signed(boot_signed(bed, machine), layers)


@pytest.mark.built
def test_signed_roothash(bed: Bed, one: list[Layer], keys: Path) -> None:
    """systemd's words for it; data and tree are partitions named by the hash."""
    layer, root_hash = one[0], one[0].params["root_hash"]
    disk = layer.disk.read_bytes()
    bed.path("data").write_bytes(disk[:layer.tree.data_bytes])
    bed.path("tree").write_bytes(disk[layer.tree.data_bytes:])
    gpt.write_disk(bed.path("gpt"), [
        gpt.Partition(bed.path("data"), str(uuid.UUID(root_hash[:32])), "root"),
        gpt.Partition(bed.path("tree"), str(uuid.UUID(root_hash[-32:])), "root-verity"),
    ], str(uuid.UUID(int=77)))
    signature = text(sign(bed, keys, root_hash))
    result = boot_signed(bed, bed.machine([Disk(bed.path("gpt"))], [
        f"roothash={root_hash}", f"systemd.verity_root_options=root-hash-signature={signature}"]))
    assert not result.report.failures and result.report.agent_finished, result.outcome
    assert "root_hash_sig_key_desc" in result.report.one("dm")["table"].split()


@pytest.mark.built
def test_signed_by_another(bed: Bed, one: list[Layer]) -> None:
    signature = sign(bed, stranger(bed), one[0].params["root_hash"])
    result = boot_signed(bed, machine_of(bed, one[0], text(signature)))
    expect.failure(result, "SIGNATURE_REJECTED", "verity", "layer-0")


@pytest.mark.built
def test_signed_for_another_root_hash(bed: Bed, one: list[Layer], keys: Path) -> None:
    signature = sign(bed, keys, one[0].params["root_hash"][::-1])
    result = boot_signed(bed, machine_of(bed, one[0], text(signature)))
    sentence = expect.failure(result, "SIGNATURE_REJECTED", "verity", "layer-0")
    assert "another root hash" in sentence, sentence


@pytest.mark.built
def test_unsigned_where_demanded(bed: Bed, one: list[Layer]) -> None:
    result = boot_signed(bed, machine_of(bed, one[0], None, DEMANDED))
    expect.failure(result, "SIGNATURE_MISSING", "verity", "layer-0")


@pytest.mark.built
def test_corruption_of_a_signed_layer_panics(bed: Bed, keys: Path) -> None:
    """The policy is loaded once the layers are mounted, and with it the signature anew."""
    content = filler("victim")
    [layer] = bed.image([*bed.base(f"read {VICTIM}"), oci.file(VICTIM[1:], content)])
    offset = bed.offset_of(layer.disk, content[len(content) // 2:][:4096])
    damaged = Layer(bed.flipped(layer.disk, offset), layer.params)
    signature = sign(bed, keys, layer.params["root_hash"])
    machine = machine_of(bed, damaged, text(signature))
    result = boot_signed(bed, machine)
    report = result.report
    assert report.all("about")[-1]["path"] == VICTIM, result.outcome
    assert not report.all("read"), f"the read came back: {result.outcome}"
    assert result.outcome.ended == machine.kind.panic, result.outcome
