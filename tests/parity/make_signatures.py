#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make signatures and random releases with stores, and write which of them library-go and x/crypto accept.

Usage: python -m ansible_collections.capability.openshift.tests.parity.make_signatures [SEED [FILE]]

It runs the program in ``go/signatures``. ``gpgv`` decides about a signature, so those here are examples: what it
accepts and the CVO does not, and the other way round. Their contents, and all releases, are decided by this collection.
"""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS, write
from ansible_collections.capability.openshift.tests.unit.builders.openpgp import (
    COMPRESSED,
    EMBEDDED,
    ISSUER,
    KEY_EXPIRES,
    KEY_FLAGS,
    LONG_AGO,
    PUBLIC_KEY,
    REVOCATION,
    RSA_SIGN,
    SIGNATURE,
    SIGNATURE_EXPIRES,
    SUBKEY,
    TEXT,
    USER_ID,
    Key,
    armored,
    content,
    four,
    literal,
    mpi,
    packet,
    subpacket,
)

PROGRAM = FACTS.parent / "go" / "signatures"
DIGEST, OTHER_DIGEST = f"sha256:{'b' * 64}", f"sha256:{'c' * 64}"
SEED, RELEASES, KEYS = 25, 160, 6
LATER, FUTURE = 1_600_000_000, 4_000_000_000
ED25519 = packet(SUBKEY, b"\x04" + four(LONG_AGO) + b"\x16" + bytes.fromhex("092b06010401da470f01") + mpi(1 << 262 | 7))
CREATED, FINGERPRINT, PRIMARY, REASON, CRITICAL = 2, 33, 25, 29, 0x80


@cache
def signed(key: Key, digest: str) -> bytes:
    """Return a signature of an image."""
    return key.sign(content(digest), created=LATER)


def messages(key: Key, other: Key) -> dict[str, bytes]:
    """Return messages that ``key`` signed, in which one thing is unusual, by what it is."""
    text = content(DIGEST)
    start, body = key.one_pass(), literal(text)

    def seal(kind: int = 0, **options: Any) -> bytes:
        return key.signature(text, kind, created=LATER, **options)

    def with_signature(**options: Any) -> bytes:
        return start + body + seal(**options)

    def with_issuer(*more: bytes) -> bytes:
        return with_signature(unhashed=subpacket(ISSUER, key.id) + b"".join(more))

    plain, fingerprint = with_signature(), b"\x04" + bytes.fromhex(key.fingerprint)
    lines = json.dumps(json.loads(text), indent=1).encode()
    crossed = lines.replace(b"\n", b"\r\n")
    sealed = key.signature(text, created=LATER, headless=True)
    late, long = subpacket(SIGNATURE_EXPIRES, four(0x50000000)), subpacket(SIGNATURE_EXPIRES, four(0xF0000000))
    soon, old = subpacket(SIGNATURE_EXPIRES, four(1000)), key.signature(b"", 0x19, version=3, headless=True)
    return {
        "plain": plain,
        "signature-first": seal() + body,
        "one-pass-other-key": key.one_pass(key=other.id) + body + seal(),
        "one-pass-not-last": key.one_pass(last=0) + body + seal(),
        "text-as-binary": key.one_pass(TEXT) + literal(lines) + key.signature(lines, created=LATER),
        "spoiled-start": with_signature(spoil="start"),
        "expires-0": with_signature(more=subpacket(SIGNATURE_EXPIRES, bytes(4))),
        "expires-twice-early": with_signature(more=late + soon),
        "expires-twice": with_signature(more=soon + late),
        "expires-overflow": with_signature(more=long),
        "bad-flags": with_signature(more=subpacket(KEY_FLAGS, b"")),
        "bad-primary": with_signature(more=subpacket(PRIMARY, b"ab")),
        "bad-reason": with_signature(more=subpacket(REASON, b"")),
        "bad-key-lifetime": with_signature(more=subpacket(KEY_EXPIRES, b"a")),
        "critical-fingerprint": with_signature(more=subpacket(CRITICAL | FINGERPRINT, fingerprint)),
        "embedded-bad": with_signature(more=subpacket(EMBEDDED, b"\x04\x19")),
        "embedded-old": with_signature(more=subpacket(EMBEDDED, old)),
        "time-also-unhashed": with_issuer(subpacket(CREATED, four(LATER))),
        "uncompressed": packet(COMPRESSED, b"\x00" + plain),
        "zlib": packet(COMPRESSED, b"\x02" + zlib.compress(plain)),
        "zlib-wrong-sum": packet(COMPRESSED, b"\x02" + zlib.compress(plain)[:-4] + b"abcd"),
        "zlib-inside": start + packet(COMPRESSED, b"\x02" + zlib.compress(body + seal())),
        "text": key.one_pass(TEXT) + literal(lines) + key.signature(crossed, TEXT, created=LATER),
        "text-crlf": key.one_pass(TEXT) + literal(crossed) + key.signature(crossed, TEXT, created=LATER),
        "kind-16": start + body + seal(16),
        "version-3": with_signature(version=3),
        "md5": key.one_pass(algorithm="md5") + body + seal(algorithm="md5"),
        "sha1": key.one_pass(algorithm="sha1") + body + seal(algorithm="sha1"),
        "issuer-fingerprint": with_signature(unhashed=subpacket(FINGERPRINT, fingerprint)),
        "issuer-none": with_signature(unhashed=b""),
        "issuer-other": with_signature(unhashed=subpacket(ISSUER, other.id)),
        "issuer-twice": with_signature(unhashed=subpacket(ISSUER, other.id) + subpacket(ISSUER, key.id)),
        "time-before-key": start + body + key.signature(text, created=LONG_AGO - 1000),
        "more-data": plain + body,
        "more-junk": plain + b"\x00\x01",
        "signature-more": plain + other.signature(text, created=LATER),
        "signature-inside": start + other.signature(b"", created=LATER) + body + seal(),
        "two-one-pass": start + start + body + seal(),
        "two-last": other.one_pass() + start + body + seal() + other.signature(text, created=LATER),
        "user-before": packet(USER_ID, b"a") + plain,
        "unknown-packet": packet(60, b"abc") + plain,
        "signature-rest": start + body + bytes([0x80 | SIGNATURE << 2 | 3]) + sealed,
        **({"sign-only-number": with_signature(number=RSA_SIGN)} if key.algorithm != RSA_SIGN else {}),
        **{f"json-{label}": key.sign(changed, created=LATER) for label, changed in contents(text).items()},
    }


def contents(text: bytes) -> dict[str, bytes]:
    """Return contents that are no plain atomic container signature, by what is unusual."""
    document = json.loads(text)
    critical = document["critical"]

    def changed(**fields: Any) -> bytes:
        return json.dumps({**document, "critical": {**critical, **fields}}).encode()

    return {
        "other-type": changed(type="cosign container image signature"),
        "type-null": changed(type=None),
        "type-number": changed(type=1),
        "unknown-critical": changed(extra=1),
        "identity-empty": changed(identity={"docker-reference": ""}),
        "identity-null": changed(identity=None),
        "identity-list": changed(identity=[]),
        "identity-unknown": changed(identity={**critical["identity"], "x": 1}),
        "image-null": changed(image=None),
        "image-unknown": changed(image={**critical["image"], "x": 1}),
        "digest-upper": changed(image={"docker-manifest-digest": DIGEST.upper()}),
        "digest-space": changed(image={"docker-manifest-digest": f"{DIGEST} "}),
        "no-optional": json.dumps({"critical": critical}).encode(),
        "optional-null": json.dumps({**document, "optional": None}).encode(),
        "optional-list": json.dumps({**document, "optional": []}).encode(),
        "creator-number": json.dumps({**document, "optional": {"creator": 1}}).encode(),
        "timestamp-fraction": json.dumps({**document, "optional": {"timestamp": 1.5}}).encode(),
        "timestamp-exponent": text.replace(b'"timestamp": 1', b'"timestamp": 1e3'),
        "timestamp-one-zero": text.replace(b'"timestamp": 1', b'"timestamp": 1.0'),
        "timestamp-large": text.replace(b'"timestamp": 1', b'"timestamp": 9223372036854775807'),
        "timestamp-too-large": text.replace(b'"timestamp": 1', b'"timestamp": 9223372036854775808'),
        "timestamp-negative": text.replace(b'"timestamp": 1', b'"timestamp": -1'),
        "timestamp-text": text.replace(b'"timestamp": 1', b'"timestamp": "1"'),
        "timestamp-true": text.replace(b'"timestamp": 1', b'"timestamp": true'),
        "optional-unknown": json.dumps({**document, "optional": {"other": 1}}).encode(),
        "top-unknown": json.dumps({**document, "other": 1}).encode(),
        "top-list": b"[" + text + b"]",
        "top-null": b"null",
        "empty": b"",
        "twice": text.replace(b'"type":', b'"type": "x", "type":'),
        "other-case": text.replace(b'"critical"', b'"Critical"'),
        "other-case-inside": text.replace(b'"docker-reference"', b'"Docker-Reference"'),
        "kelvin": text.replace(b'"docker-reference"', '"doc\u212aer-reference"'.encode()),
        "trailing-space": text + b" \n",
        "trailing-junk": text + b"x",
        "second-object": text + text,
        "leading-newline": b"\n" + text,
        "byte-order-mark": "\ufeff".encode() + text,
        "not-utf8": text.replace(b"tests", b"\xff"),
        "surrogate": text.replace(b"tests", b"\\ud800"),
        "escaped": text.replace(b'"type"', b'"\\u0074ype"'),
        "nan": text.replace(b'"timestamp": 1', b'"timestamp": NaN'),
        "comment": text + b"// a",
        "nested": b'{"critical":' * 200 + text,
        "large": text + b" " * 70_000,
        "creator-large": json.dumps({**document, "optional": {"creator": "a" * 70_000}}).encode(),
    }


def key_rings(key: Key, other: Key) -> dict[str, bytes]:
    """Return key rings with ``key`` in which one thing is unusual, by what it is."""
    head, name, own = key.head, key.name, key.certify(created=LATER)
    second, plain = b"Second <b@example.com>", key.head + key.name + key.certify(created=LATER)
    named = plain + packet(USER_ID, second)
    reason = subpacket(REASON, b"\x01gone")
    text = armored(plain)
    wide = base64.b64encode(plain).decode()
    wide = "\n".join(wide[at : at + 120] for at in range(0, len(wide), 120))
    block = f"{text.partition(chr(10))[0]}\n\n{wide}\n{text.splitlines()[-1]}\n"
    rings = {
        "self-casual": head + name + key.certify(kind=0x12, created=LATER),
        "self-spoiled-start": head + name + key.certify(created=LATER, spoil="start"),
        "self-bad-primary": head + name + key.certify(created=LATER, more=subpacket(PRIMARY, b"")),
        "self-reason": head + name + key.certify(created=LATER, more=reason),
        "self-md5": head + name + key.certify(created=LATER, algorithm="md5"),
        "self-before-key": head + name + key.certify(created=LONG_AGO - 1000),
        "second-user-spoiled": named + key.certify(second, created=LATER, spoil="value"),
        "revocation-spoiled": head + key.signature(key.framed, REVOCATION, created=LATER, spoil="value") + name + own,
        "revoked": head + key.signature(key.framed, REVOCATION, created=LATER) + name + own,
        "revoked-by-other": head + other.signature(key.framed, REVOCATION, created=LATER) + name + own,
        "subkey-alone": plain + packet(SUBKEY, other.body),
        "subkey-not-crossed": plain + key.bind(other, created=LATER, crossed=False),
        "subkey-spoiled": plain + key.bind(other, created=LATER, spoil="value"),
        "subkey-ed25519": plain + ED25519 + key.signature(b"", 0x18, created=LATER),
        "subkey-before-user": head + key.bind(other, created=LATER) + name + own,
        "literal-inside": plain + literal(b"text"),
        "junk-before": b"\x00" + plain,
        "partial": bytes([0xC0 | PUBLIC_KEY, 224 | 6])
        + key.body[:64]
        + b"\xff"
        + four(len(key.body) - 64)
        + key.body[64:],
    }
    rings["partial"] += name + own
    return rings | {
        "armor-wide": block.encode(),
        "armor-wrong-checksum": armored(plain, checksum="=AAAA\n").encode(),
        "armor-other-block-first": (text.replace("PUBLIC KEY BLOCK", "MESSAGE") + text).encode(),
        "armor-second-block": (text + armored(other.ring)).encode(),
        "armor-private": text.replace("PUBLIC KEY", "PRIVATE KEY").encode(),
        "armor-crlf": text.replace("\n", "\r\n").encode(),
    }


def examples() -> list[tuple[str, bytes, bytes]]:
    """Return a name, a message and a key ring for each example."""
    key, other = Key(), Key("Other <other@example.com>")
    found = [(label, message, key.ring) for label, message in messages(key, other).items()]
    found += [(f"ring-{label}", signed(key, DIGEST), ring) for label, ring in key_rings(key, other).items()]
    for label, made in {
        "P-256": Key(curve="P-256"),
        "brainpool": Key(curve="brainpoolP256r1"),
        "future": Key(created=FUTURE),
        "expired": Key(expires=1000),
        "revoked": Key(revoked=True),
    }.items():
        found.append((f"key-{label}", signed(made, DIGEST), made.ring))
    curve = Key(curve="P-256")
    found.append(("version-3-P-256", curve.sign(content(DIGEST), created=LATER, version=3), curve.ring))
    return [
        *found,
        ("other-key", signed(other, DIGEST), key.ring),
        ("other-digest", signed(key, OTHER_DIGEST), key.ring),
    ]


def random_release(
    chance: random.Random, keys: Sequence[Key], messages: list[bytes], rings: list[bytes]
) -> dict[str, Any]:
    """Return the data of the ConfigMap that verifies a release, and what is in its stores."""
    digest = (
        DIGEST
        if chance.random() < 0.95
        else chance.choice(["", "sha256", "sha256:", f"SHA256:{'b' * 64}", f"{DIGEST} ", f"{DIGEST}:a", "sha-512:b="])
    )
    data: dict[str, Any] = {}
    used: list[Key] = []
    for name in chance.sample(["a", "b", "redhat", ""], chance.choice([1, 1, 2, 2, 3])):
        owners = chance.sample(list(keys), chance.choice([1, 1, 2]))
        ring = armored(b"".join(key.ring for key in owners))
        if chance.random() < 0.08:
            ring = chance.choice(["", "text", ring[:100], ring.replace("PUBLIC KEY", "MESSAGE")])
        data[f"verifier-public-key-{name}"] = add(rings, ring.encode())
        used.append(chance.choice(owners))
    stores: list[dict[str, int]] = []
    folder = digest.replace(":", "=") if digest.count(":") == 1 else "none"
    for name in chance.sample(["a", "b", "c"], chance.choice([1, 1, 2, 3])):
        base = chance.choice(["FILES", "SERVER"])
        url = f"{base}/{len(stores)}"
        if chance.random() < 0.1:
            url = chance.choice(
                [
                    f" {url}\n",
                    f"{url}/",
                    f"{url}/../{len(stores)}",
                    f"{url}?a=b",
                    f"{url}#a",
                    "ftp://example.com/a",
                    "/path",
                    "://",
                    "FILES/missing",
                ]
            )
        data[f"store-{name}"] = url
        stores.append(signatures(chance, used, keys, messages, f"{folder}/signature-", 1))
    maps: list[dict[str, int]] = []
    for _number in range(chance.choice([0, 0, 0, 1, 2])):
        prefix = digest.replace(":", "-") if digest.count(":") == 1 else "none"
        maps.append(
            signatures(
                chance,
                used,
                keys,
                messages,
                chance.choice([f"{prefix}-", prefix, "sha256-other"]),
                chance.choice([0, 1, 7]),
            )
        )
    if chance.random() < 0.1:
        data.pop(chance.choice(sorted(data)))
    if chance.random() < 0.1:
        data["other"] = "text"
    return {"digest": digest, "data": data, "stores": stores, "config_maps": maps}


def signatures(
    chance: random.Random, used: list[Key], keys: Sequence[Key], messages: list[bytes], prefix: str, first: int
) -> dict[str, int]:
    """Return the signatures of a store: their paths, and the numbers of the messages."""
    found: dict[str, int] = {}
    number = first
    for _count in range(chance.choice([0, 1, 1, 2, 2, 3, 5, 11])):
        key = chance.choice(used)
        roll = chance.random()
        if roll < 0.55:
            message = signed(key, DIGEST)
        elif roll < 0.7:
            message = signed(chance.choice(list(keys)), chance.choice([DIGEST, OTHER_DIGEST]))
        else:
            message = chance.choice([b"", b"<html>", key.sign(b"{}", created=LATER), signed(key, DIGEST)[:-9]])
        found[f"{prefix}{number}"] = add(messages, message)
        number += 1 if chance.random() < 0.93 else 2
    return found


def add(items: list[bytes], item: bytes) -> int:
    """Return the number of an item, which may be new."""
    if item not in items:
        items.append(item)
    return items.index(item)


def main(arguments: list[str]) -> int:
    """Write the facts."""
    chance = random.Random(int(arguments[0]) if arguments else SEED)
    keys = [Key(f"User {number} <u@example.com>") for number in range(KEYS)]
    rings: list[bytes] = []
    bodies: list[bytes] = []
    given = [(label, add(bodies, message), add(rings, ring)) for label, message, ring in examples()]
    releases = [random_release(chance, keys, bodies, rings) for _number in range(RELEASES)]
    answers = ask(rings, bodies, [pair[1:] for pair in given], releases)
    facts = {
        "digest": DIGEST,
        "rings": [base64.b64encode(ring).decode() for ring in rings],
        "messages": [base64.b64encode(message).decode() for message in bodies],
        "examples": {label: [*pair, found] for (label, *pair), found in zip(given, answers["Pairs"], strict=True)},
        "releases": [{**item, "accepted": found} for item, found in zip(releases, answers["Releases"], strict=True)],
    }
    write(Path(arguments[1]) if len(arguments) > 1 else FACTS / "signatures.json", facts)
    return 0


def ask(
    rings: list[bytes], bodies: list[bytes], pairs: list[tuple[int, int]], releases: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the answers of the CVO's code."""
    given = {
        "digest": DIGEST,
        "rings": [base64.b64encode(ring).decode() for ring in rings],
        "messages": [base64.b64encode(message).decode() for message in bodies],
        "pairs": pairs,
        "releases": [
            {
                "digest": item["digest"],
                "data": {
                    key: value if isinstance(value, str) else rings[value].decode()
                    for key, value in item["data"].items()
                },
                "stores": item["stores"],
                "configMaps": item["config_maps"],
            }
            for item in releases
        ],
    }
    finished = subprocess.run(
        ["go", "run", "."], cwd=PROGRAM, input=json.dumps(given), stdout=subprocess.PIPE, text=True, check=True
    )
    answers: dict[str, Any] = json.loads(finished.stdout)
    return answers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
