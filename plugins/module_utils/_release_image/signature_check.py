# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verifies the OpenPGP signature of a release that was read from an image, as the option ``signature`` demands.

A valid signature is recorded next to the release in the cache, with a fingerprint of the key rings that verified it, so
a second use asks no signature store. A failure is not recorded, because the user may have repaired it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from .._data.signatures import RED_HAT_KEYS
from .._files.files import write_cache_file
from .._problems import Problem, Problems, ReleaseError
from .opened_release import OpenedRelease, Signer
from .release_source import SignatureOptions

_RECORD = "release-signature.json"
_MOST_VERIFIED = 16
"""A release can be verified with the keys of several others, and in the stores of several clusters."""


class _SignatureResult(NamedTuple):
    signed_by: tuple[Signer, ...]
    problems: tuple[Problem, ...]


_Record = Mapping[str, _SignatureResult]
"""The results for each fingerprint of key rings and stores, see ``_trust``."""


def check_signature(
    name: str, found: OpenedRelease, options: SignatureOptions, ca_path: str | None, problems: Problems
) -> tuple[Signer, ...]:
    """Return who signed the release. Problems are warnings, or raise ``ReleaseError`` if a signature is required.

    ``name`` is the name of the release for messages.
    """
    if options.mode == "ignore":
        return ()
    record, trust = _read_record(found.directory), _trust(options)
    known = record.get(trust)
    if known is not None:
        problems.extend(known.problems)
        return known.signed_by
    # Imported here: a recorded result needs nothing that verifies signatures.
    from .signature_verification import verify_release

    errors = Problems()
    signed_by = verify_release(name, found, options, ca_path, errors)
    if options.mode == "required":
        errors.raise_errors(ReleaseError)
    warnings = [problem._replace(severity="warning") for problem in errors.unique() if problem.severity != "info"]
    problems.extend(warnings)
    if signed_by and trust:
        verified = {**record, trust: _SignatureResult(signed_by, tuple(warnings))}
        _write_record(found.directory, dict(list(verified.items())[-_MOST_VERIFIED:]))
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


def _file_fingerprint(path: str) -> str:
    with open(path, "rb") as file:
        return _fingerprint(file.read())


def _fingerprint(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write_record(directory: str, record: _Record) -> None:
    verified = {
        trust: {
            "signed_by": [signer._asdict() for signer in found.signed_by],
            "problems": [problem.as_dict() for problem in found.problems],
        }
        for trust, found in record.items()
    }
    # Without a record, the next task verifies again.
    with suppress(OSError):
        write_cache_file(os.path.join(directory, _RECORD), json.dumps({"verified": verified}).encode())


def _read_record(directory: str) -> _Record:
    """The record, empty if there is none, or if it is damaged or of an earlier version."""
    try:
        with open(os.path.join(directory, _RECORD), encoding="utf-8") as file:
            record = json.load(file)
        return {
            trust: _SignatureResult(
                tuple(Signer(**signer) for signer in item["signed_by"]),
                tuple(Problem(**problem) for problem in item["problems"]),
            )
            for trust, item in record["verified"].items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
