# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads the keys of an install-config as Go does: in any case.

Source: golang/go:src/encoding/json/decode.go Unmarshal, which prefers an exact match, and accepts any other case.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .._data.capabilities import API_FIELDS
from .._data.platforms import PLATFORMS
from .._problems import Location, Problems
from .validation import READ_FIELDS

_PLATFORM_FIELDS = ("cloudControllerManager", "hosts", "platformName")


def as_go_decodes(document: Mapping[str, Any], source: str, problems: Problems) -> dict[str, Any]:
    """``document`` with the documented spelling of the keys that a selection depends on.

    ``source`` names it in problems. Two spellings of one key are an error.
    """
    where = Location(source)
    fields = _spelled(document, READ_FIELDS, where, problems)
    block, platform = fields.get("capabilities"), fields.get("platform")
    if isinstance(block, Mapping):
        fields["capabilities"] = _spelled(block, API_FIELDS, where.child("capabilities"), problems)
    if isinstance(platform, Mapping):
        own = where.child("platform")
        platform = fields["platform"] = _spelled(platform, PLATFORMS, own, problems)
        for name, settings in platform.items():
            if isinstance(settings, Mapping):
                platform[name] = _spelled(settings, _PLATFORM_FIELDS, own.child(name), problems)
    return fields


def _spelled(values: Mapping[Any, Any], names: Collection[str], where: Location, problems: Problems) -> dict[Any, Any]:
    spelling = {name.lower(): name for name in names}
    result: dict[Any, Any] = {}
    for key, value in values.items():
        name = spelling.get(str(key).lower(), key)
        if name != key and (name in values or name in result):
            message = f"is the same field as {name} to the installer"
            problems.error("duplicate-field", where.child(key), message, "Keep one of them")
            continue
        if name != key:
            message = f"is read as {name} by the installer, but not by other programs"
            problems.warning("misspelled-field", where.child(key), message, f"Write {name}")
        result[name] = value
    return result
