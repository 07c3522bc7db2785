# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verifies the OpenPGP signature of a release that was read from an image, as the option ``signature`` demands.

A valid signature is recorded next to the release in the cache, with a fingerprint of the key rings that verified it, so
a second use asks no signature store. A failure is not recorded, because the user may have repaired it. A server that
did not answer is not asked again for an hour, because a disconnected site would wait for it in each task.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

from .._data.release_keys import RED_HAT_KEYS
from .._files.files import write_cache_file
from .._problems import Problem, Problems, ReleaseError
from .opened_release import OpenedRelease, Signer
from .release_source import SignatureOptions, UnreachableServers

_RECORD = "release-signature.json"
_UNREACHABLE_SECONDS = 3600.0
_MOST_VERIFIED = 16
"""A release can be verified with the keys of several others, and in the stores of several clusters."""


class _SignatureResult(NamedTuple):
    signed_by: tuple[Signer, ...]
    problems: tuple[Problem, ...]


class _Record(NamedTuple):
    """``verified`` has the signers for each fingerprint of key rings and stores, see ``_trust``.

    ``connection`` is a fingerprint of the proxies and certificates with which servers were ``unreachable``.
    """

    verified: Mapping[str, _SignatureResult] = MappingProxyType({})
    connection: str = ""
    unreachable: Mapping[str, tuple[str, float]] = MappingProxyType({})


def check_signature(
    name: str, found: OpenedRelease, options: SignatureOptions, ca_path: str | None, problems: Problems
) -> tuple[Signer, ...]:
    """Return who signed the release. Problems are warnings, or raise ``ReleaseError`` if a signature is required.

    ``name`` is the name of the release for messages.
    """
    if options.mode == "ignore":
        return ()
    record = _read_record(found.directory)
    trust, connection = _trust(options), _connection(ca_path)
    known = record.verified.get(trust)
    if known is not None:
        problems.extend(known.problems)
        return known.signed_by
    # Imported here: a recorded result needs nothing that verifies signatures.
    from .signature_verification import verify_release

    is_asked_again = options.mode == "required" or record.connection != connection
    unreachable = {} if is_asked_again else _still_unreachable(record.unreachable)
    errors = Problems()
    signed_by = verify_release(name, found, options, ca_path, unreachable, errors)
    if options.mode == "required":
        errors.raise_errors(ReleaseError)
    warnings = [problem._replace(severity="warning") for problem in errors.unique() if problem.severity != "info"]
    problems.extend(warnings)
    verified = dict(record.verified)
    if signed_by and trust:
        verified[trust] = _SignatureResult(signed_by, tuple(warnings))
    if signed_by or unreachable:
        newest = dict(list(verified.items())[-_MOST_VERIFIED:])
        _write_record(found.directory, _Record(newest, connection, unreachable))
    return signed_by


def _trust(options: SignatureOptions) -> str:
    """A fingerprint of what verifies a signature; empty if a key ring cannot be read.

    It contains key rings and the ConfigMap of the previous release by their content, because files can change. The
    cached release itself cannot: its directory is that of its digest.
    """
    try:
        rings = [_file_fingerprint(path) for path in options.keys]
    except OSError:
        return ""
    known: Iterable[str] = sorted(RED_HAT_KEYS)
    if options.previous and not (options.keys and options.stores):
        # Imported here: few tasks read two releases.
        from .verification_documents import verification_documents

        documents = verification_documents(options.previous.directory)
        known = [_fingerprint(data) for _path, data in documents]
    # Not the options themselves: the URL of a store can contain a password.
    used = [options.keys, rings, options.stores, known, bool(options.previous)]
    return _fingerprint(json.dumps(used, default=list).encode())


def _connection(ca_path: str | None) -> str:
    """A fingerprint of how web servers are reached: proxies and certificate authorities."""
    proxies = sorted((name, value) for name, value in os.environ.items() if name.lower().endswith("_proxy"))
    authorities = ""
    with suppress(OSError):
        authorities = _file_fingerprint(ca_path) if ca_path else ""
    return _fingerprint(json.dumps([proxies, ca_path, authorities]).encode())


def _file_fingerprint(path: str) -> str:
    with open(path, "rb") as file:
        return _fingerprint(file.read())


def _fingerprint(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _still_unreachable(servers: Mapping[str, tuple[str, float]]) -> UnreachableServers:
    now = time.time()
    return {server: (why, since) for server, (why, since) in servers.items() if now - since < _UNREACHABLE_SECONDS}


def _write_record(directory: str, record: _Record) -> None:
    verified = {
        trust: {
            "signed_by": [signer._asdict() for signer in found.signed_by],
            "problems": [problem.as_dict() for problem in found.problems],
        }
        for trust, found in record.verified.items()
    }
    content = {**record._asdict(), "verified": verified}
    # Without a record, the next task verifies again.
    with suppress(OSError):
        write_cache_file(os.path.join(directory, _RECORD), json.dumps(content).encode())


def _read_record(directory: str) -> _Record:
    """The record, empty if there is none, or if it is damaged or of an earlier version."""
    try:
        with open(os.path.join(directory, _RECORD), encoding="utf-8") as file:
            record = json.load(file)
        verified = {
            trust: _SignatureResult(
                tuple(Signer(**signer) for signer in item["signed_by"]),
                tuple(Problem(**problem) for problem in item["problems"]),
            )
            for trust, item in record["verified"].items()
        }
        unreachable = {server: (str(reason), float(since)) for server, (reason, since) in record["unreachable"].items()}
        return _Record(verified, record["connection"], unreachable)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return _Record()
