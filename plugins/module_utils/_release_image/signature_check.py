# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Verifies the OpenPGP signature of a release that was read from an image, as the option ``signature`` demands.

The result is kept next to the release in the cache, so a second use asks no signature store. A failure is kept for an
hour, because each verification can wait a minute for stores that a disconnected site cannot reach.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from typing import Any

from .._files import write_cache_file
from .._problems import Problem, Problems, ReleaseError
from .._signature.signer import Signer
from .cache import CachedRelease
from .release_source import SignatureOptions

_RECORD = "release-signature.json"
_FAILURE_SECONDS = 3600.0
"""How long a failed verification is repeated as a warning. A store that did not answer may answer later."""


def check_signature(
    name: str, found: CachedRelease, options: SignatureOptions, ca_path: str | None, problems: Problems
) -> tuple[Signer, ...]:
    """Return who signed the release. Problems are warnings, or raise ``ReleaseError`` if a signature is required.

    ``name`` is that of the release for messages.
    """
    if options.mode == "ignore":
        return ()
    record = _read_record(found.directory)
    # Not the options themselves: the URL of a store can contain a password.
    previous = options.previous and options.previous.directory
    used = hashlib.sha256(json.dumps([options.keys, options.stores, previous], default=list).encode()).hexdigest()
    known = record is not None and record["options"] == used
    if record is not None and known and (record["signed_by"] or options.mode == "warn"):
        problems.extend(Problem(**problem) for problem in record["problems"])
        return tuple(Signer(**signer) for signer in record["signed_by"])
    # Imported here: a result that is kept needs nothing that verifies signatures.
    from .signature_verification import verify_release

    errors = Problems()
    signed_by = verify_release(name, found, options, ca_path, errors)
    if options.mode == "required":
        errors.raise_errors(ReleaseError)
    warnings = [problem._replace(severity="warning") for problem in errors.unique() if problem.severity != "info"]
    problems.extend(warnings)
    _write_record(
        found.directory,
        {
            "options": used,
            "signed_by": [signer._asdict() for signer in signed_by],
            "problems": [problem.as_dict() for problem in warnings],
        },
    )
    return signed_by


def _read_record(directory: str) -> dict[str, Any] | None:
    """The record, unless it is damaged or an old failure."""
    try:
        with open(os.path.join(directory, _RECORD), encoding="utf-8") as file:
            record = json.load(file)
            age = time.time() - os.fstat(file.fileno()).st_mtime
    except (OSError, ValueError):
        return None
    if not isinstance(record, dict) or not record.keys() >= {"options", "signed_by", "problems"}:
        return None
    return record if record["signed_by"] or age < _FAILURE_SECONDS else None


def _write_record(directory: str, record: dict[str, Any]) -> None:
    # Without a record, the next task verifies again.
    with suppress(OSError):
        write_cache_file(os.path.join(directory, _RECORD), json.dumps(record).encode())
