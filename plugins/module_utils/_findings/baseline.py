# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The baseline: a file of findings that are known and accepted, so that a check reports only new ones.

A finding is recognized by rule, path and resource. Its line and its wording may change.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from .._problems import Problem, Problems, type_name
from .finding import in_order

_VERSION = 1
_FIELDS = ("rule", "path", "resource")
_HINT = "Choose another file, or write this one again with update_baseline"

Key = tuple[str, str, str]


class Comparison(NamedTuple):
    """Problems compared with a baseline. ``gone`` counts entries of the baseline that no finding matches."""

    new: tuple[Problem, ...]
    known: tuple[Problem, ...]
    gone: int


def baseline_text(findings: Iterable[Problem]) -> str:
    """The content of a baseline file with ``findings``: one line per finding so that a diff of two files is readable.

    The message is for the reader only.
    """
    entries = [
        json.dumps({**dict(zip(_FIELDS, finding_key(found), strict=True)), "message": found.message})
        for found in in_order(findings)
    ]
    lines = ",\n    ".join(sorted(entries))
    content = f"[\n    {lines}\n  ]" if entries else "[]"
    return f'{{\n  "version": {_VERSION},\n  "findings": {content}\n}}\n'


def parse_baseline(text: str, where: str, problems: Problems) -> Counter[Key]:
    """Read the content of a baseline file. ``where`` is its path. Counts equal entries."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        problems.error("invalid-json", where, f"is not valid JSON: {error}", _HINT)
        return Counter()
    version = value.get("version") if isinstance(value, dict) else None
    entries = value.get("findings") if isinstance(value, dict) else None
    if version != _VERSION or isinstance(version, bool) or not isinstance(entries, list):
        message = f"is not a baseline, expected a map with version {_VERSION} and a list of findings"
        problems.error("invalid-baseline", where, message, _HINT)
        return Counter()
    known: Counter[Key] = Counter()
    for index, entry in enumerate(entries):
        key = _entry(entry, f"{where}, findings[{index}]", problems)
        if key is not None:
            known[key] += 1
    return known


def compare_with_baseline(findings: Iterable[Problem], known: Counter[Key]) -> Comparison:
    """Divide ``findings`` into new and known ones. Each entry of the baseline matches one finding."""
    left = Counter(known)
    new: list[Problem] = []
    old: list[Problem] = []
    for found in in_order(findings):
        key = finding_key(found)
        if left[key] > 0:
            left[key] -= 1
            old.append(found)
        else:
            new.append(found)
    return Comparison(tuple(new), tuple(old), sum(left.values()))


def finding_key(found: Problem) -> Key:
    """What identifies a finding: its rule, path and resource."""
    return found.code, found.where.source, found.where.field


def fingerprints(findings: Iterable[Problem]) -> list[str]:
    """A digest of each finding, which stays the same if its line changes. Findings with the same key are numbered."""
    seen: Counter[Key] = Counter()
    digests = []
    for found in findings:
        key = finding_key(found)
        seen[key] += 1
        identity = "\0".join((*key, str(seen[key])))
        digests.append(hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest())
    return digests


def _entry(entry: Any, where: str, problems: Problems) -> Key | None:
    if not isinstance(entry, dict):
        problems.error("invalid-baseline", where, f"is {type_name(entry)}, expected a map", _HINT)
        return None
    for field in _FIELDS:
        if not isinstance(entry.get(field), str):
            message = f"is {type_name(entry.get(field))}, expected a string"
            problems.error("invalid-baseline", f"{where}.{field}", message, _HINT)
            return None
    return entry["rule"], entry["path"], entry["resource"]
