# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""JSON in signatures. A reader that guesses could see other content than the reader that checks the signature."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

_LONGEST_INTEGER = 19
_LIMIT = 1 << 63
"""Go's int64 has no larger numbers."""


def parse_strict_json(data: bytes) -> dict[str, Any]:
    """Parse one JSON object in UTF-8, without repeated fields, NaN or data after it.

    Raises ``ValueError`` with a reason. Numbers with a fraction, an exponent or many digits become ``float``.
    """
    try:
        text = data.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_integer, parse_float=_float
        )
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON ({error.msg} at character {error.pos + 1})") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("is not a map")
    return value


def check_fields(value: dict[str, Any], fields: Mapping[str, Any], path: str = "", *, required: bool) -> None:
    """Check that an object has only ``fields``, which are names with a type or with the fields of an object.

    If ``required``, it has all of them. Otherwise, null is an absent field. Raises ``ValueError`` with a reason.
    """
    for name in sorted(value.keys() | (fields.keys() if required else set())):
        where = f"{path}{name}"
        if name not in fields:
            raise ValueError(f"has the unknown field {where!r}")
        if name not in value:
            raise ValueError(f"has no field {where!r}")
        item, expected = value[name], fields[name]
        if item is None and not required:
            continue
        is_object = isinstance(expected, Mapping)
        is_right = isinstance(item, dict if is_object else expected) and not isinstance(item, bool)
        if not is_right or (isinstance(item, int) and not -_LIMIT <= item < _LIMIT):
            raise ValueError(f"has a wrong type in the field {where!r}")
        if is_object:
            check_fields(item, expected, f"{where}.", required=required)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("has a field twice")
    return fields


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= _LONGEST_INTEGER else _float(text)


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("contains a number that is too large")
    return value


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"contains {text}")
