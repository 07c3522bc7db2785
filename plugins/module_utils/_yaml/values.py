# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values of plain scalars as Go reads them.

The CVO reads YAML through sigs.k8s.io/yaml (goyaml.v2), which differs from PyYAML: timestamps and ``1:30`` are
strings, a bare ``=`` is a string, ``y`` is a boolean, repeated keys are valid and the last one counts.
"""

from __future__ import annotations

import json
import re
from typing import Any

_NUMBER = (
    r"[-+]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
    r"|0b[-+][01]+"
)
_OCTAL = r"[-+]?0[0-7]+"
_INT64_MIN, _UINT64_MAX = -(2**63), 2**64 - 1

_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}


class YamlError(Exception):
    """A document cannot be read. ``line`` and ``column`` count from 1 within the text; 0 if unknown."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


class YamlValueError(YamlError):
    """A document has a value that does not match its tag. The message does not contain the value."""


def resolve_plain(text: str) -> object:
    """The value of an unquoted scalar: null, boolean, number or string (sigs.k8s.io/yaml:goyaml.v2/resolve.go)."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    # After a point, Go's ParseFloat itself accepts an underscore between two digits, and no other.
    digits = re.sub("(?<=[0-9])_(?=[0-9])", "", text) if text[0] == "." else text.replace("_", "")
    return _number(digits, text) if re.fullmatch(_NUMBER, digits) else text


def _number(digits: str, text: str) -> object:
    """The number of ``digits``, or ``text`` if Go cannot represent it."""
    if digits.startswith(("0b-", "0b+")):
        return int(digits[2:], 2)
    decimal = digits.lstrip("+-")[1:2].lower() not in ("x", "o", "b")
    if not decimal or digits.lstrip("+-").isdigit():
        try:
            number = int(digits, 8 if re.fullmatch(_OCTAL, digits) else 0)
        except ValueError:  # 08 is not octal, so Go reads a float
            return float(digits)
        if _INT64_MIN <= number <= _UINT64_MAX:
            return number
        if not decimal:
            return text
    value = float(digits)
    return text if value in (float("inf"), float("-inf")) else value


def parse_json_object(data: str | bytes) -> dict[str, Any] | None:
    """Parse ``data`` as a JSON object. ``None`` if it is not one: a YAML flow map also begins with ``{``."""
    if isinstance(data, str):
        # An option of a module can contain a surrogate, which is no character.
        data = data.encode(errors="replace")
    if not data.lstrip().startswith(b"{"):
        return None
    try:
        value: dict[str, Any] = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value
