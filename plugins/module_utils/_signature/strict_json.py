# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""JSON in signatures. A reader that guesses could see other content than the reader that checks the signature."""

from __future__ import annotations

import json
from typing import Any, NoReturn

_LONGEST_INTEGER = 19


def parse_strict_json(data: bytes) -> dict[str, Any]:
    """Parse one JSON object in UTF-8, without repeated fields, NaN or data after it.

    Raises ``ValueError`` with a reason. Numbers with a fraction or an exponent become ``float``.
    """
    try:
        text = data.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_integer)
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON ({error.msg} at character {error.pos + 1})") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("is not a map")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("has a field twice")
    return fields


def _integer(text: str) -> int:
    if len(text) > _LONGEST_INTEGER:
        raise ValueError("contains a number that is too large")
    return int(text)


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"contains {text}")
