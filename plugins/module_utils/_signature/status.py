# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The status lines of ``gpgv`` (gnupg:doc/DETAILS, "Format of the --status-fd output")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from .._problems import Problems
from .key_ring import KeyRing

_PREFIX = "[GNUPG:] "
_NO_PUBLIC_KEY = "9"
_GOOD = ("GOODSIG", "EXPKEYSIG")
CHANGED = "is not what the key {} signed: the content or the signature was changed"


_Lines = Mapping[str, Sequence[Sequence[str]]]


def read_status(
    where: str, status: str, key_ring: KeyRing, announced: str, problems: Problems
) -> tuple[str, str] | None:
    """Return the key of the valid signature that ``status`` reports: the fingerprint of its primary key, and its user.

    ``announced`` is the ID of the key in the first packet of the message, by which the CVO finds the key.
    ``None`` after a reported problem.
    """
    lines: dict[str, list[list[str]]] = {}
    for line in status.splitlines():
        if line.startswith(_PREFIX):
            keyword, *fields = line.removeprefix(_PREFIX).split(" ")
            lines.setdefault(keyword, []).append(fields)
    failure = _check_keywords(lines, key_ring) or _check_validity(lines) or _check_key(lines, key_ring, announced)
    if failure:
        problems.error(failure[0], where, failure[1])
        return None
    valid = lines["VALIDSIG"][0]
    good = next(fields for keyword in _GOOD for fields in lines.get(keyword, ()))
    return valid[9], unquote(" ".join(good[1:]))


def _check_keywords(lines: _Lines, key_ring: KeyRing) -> tuple[str, str] | None:
    """Code and message if a signature in the message is bad."""
    expected = ", ".join(key_ring.fingerprints)
    for fields in lines.get("ERRSIG", ()):
        if fields[5:6] == [_NO_PUBLIC_KEY]:
            return "signature-unknown-key", f"is signed by the key {fields[0]}, expected a key of {expected}"
        return "signature-not-checked", f"uses the algorithms {fields[1]} and {fields[2]}, which gpgv does not check"
    for fields in lines.get("BADSIG", ()):
        return "signature-wrong", CHANGED.format(fields[0])
    for fields in lines.get("REVKEYSIG", ()):
        return "signature-revoked-key", f"is signed by the key {fields[0]}, which is revoked"
    for fields in lines.get("EXPSIG", ()):
        return "signature-expired", f"is a signature of the key {fields[0]} that has expired"
    return None


def _check_validity(lines: _Lines) -> tuple[str, str] | None:
    """Code and message if there is no valid signature."""
    valid, good = lines.get("VALIDSIG", []), sum(len(lines.get(keyword, ())) for keyword in _GOOD)
    if not len(valid) == good == 1 or len(valid[0]) < 10:
        return "signature-unreadable", "is no signed OpenPGP message"
    return None


def _check_key(lines: _Lines, key_ring: KeyRing, announced: str) -> tuple[str, str] | None:
    """Code and message if the CVO does not accept the key of a valid signature."""
    fields = lines["VALIDSIG"][0]
    if not fields[0].endswith(announced):
        return "signature-not-accepted", f"announces the key {announced}, and is signed by the key {fields[0]}"
    if fields[9] in key_ring.revoked:
        return "signature-revoked-key", f"is signed by the key {fields[9]}, which is revoked"
    return None
