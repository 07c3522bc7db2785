# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the selection of a site as it is written: a string with JSON, or a map."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from .._problems import Problems, type_name
from .._yaml.nodes import Pair
from .._yaml.values import YamlError
from .document import SiteObject, is_template

BLOCK = "capabilities"
OVERRIDES = "installConfigOverrides"

_TRAILING_COMMA = re.compile(r",\s*[}\]]")

Form = Literal["overrides", "block", "hosted", "cluster-version"]
"""``overrides``: a string with JSON. ``block``: an install-config. The others are the spec of the API object."""


class Overrides(NamedTuple):
    """What a site overrides, as plain values: the fields of an install-config, of which ``capabilities`` is one.

    ``text`` is the JSON, ``""`` if the selection is a map or missing.
    """

    values: Mapping[str, Any]
    text: str = ""


def read_overrides(
    origin: SiteObject, form: Form, path: str, pair: Pair | None, problems: Problems
) -> Overrides | None:
    """Read a selection; no values if there is none. ``None`` with problems, at ``path``, if it cannot be read."""
    if pair is None and form != "block":
        return Overrides({})
    document, whole = origin.document, form == "block"
    node = document.target(pair.value) if pair is not None else None
    if node is not None and is_template(document.text[node.start : node.end]):
        problems.info("template", path, "is a template, so it is not checked", "Render it, and check the result")
        return None
    try:
        value = document.value_of(origin.node if whole or pair is None else pair.value)
    except YamlError as error:
        problems.error("invalid-yaml", path, error.message, "Write the value without an alias")
        return None
    if form == "overrides":
        return _read_text(value, path, problems)
    return Overrides(value if whole else {BLOCK: value})


def _read_text(value: object, where: str, problems: Problems) -> Overrides | None:
    if value is None or value == "":
        return Overrides({})
    if not isinstance(value, str):
        message = f"is {type_name(value)}, expected a string with JSON"
        problems.error("not-a-string", where, message, "Quote it, and write it as JSON")
        return None
    repeated: list[str] = []
    parsed = _parse(value, repeated, where, problems)
    for name in repeated:
        message = f"the JSON contains the key {name} more than once, and the last one counts"
        problems.error("duplicate-key", where, message, "Keep one of them")
    if problems:
        return None
    if parsed is None:
        return Overrides({}, value)
    if not isinstance(parsed, dict):
        hint = "Write an object that begins with {"
        if isinstance(parsed, str):
            hint = "Remove one of the two layers of quotes"
        problems.error("not-a-map", where, f"contains {type_name(parsed)} in JSON, expected an object", hint)
        return None
    return Overrides(parsed, value)


def _parse(text: str, repeated: list[str], where: str, problems: Problems) -> object:
    """The value of JSON. ``repeated`` collects keys that an object contains more than once."""

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _value in pairs]
        repeated.extend(name for name in dict.fromkeys(names) if names.count(name) > 1)
        return dict(pairs)

    # Python reads NaN and Infinity, Go does not.
    constants: list[str] = []
    try:
        parsed = json.loads(text, object_pairs_hook=collect, parse_constant=constants.append)
        if not constants:
            return parsed
        problems.error("invalid-json", where, f"is not JSON: {constants[0]} is not a value", "Write a number")
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        problems.error("invalid-json", where, f"is not JSON: {error.msg} ({at} of the string)", _json_hint(text))
    except (ValueError, RecursionError):
        problems.error("invalid-json", where, "is not JSON: it is nested too deeply", "Write it without nesting")
    return None


def _json_hint(text: str) -> str:
    """What to do about a text that is not JSON."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return "Write JSON, which begins with {, and not YAML"
    if "'" in text and '"' not in text:
        return "Write double quotes in the JSON, and single quotes around it"
    missing = [close for start, close in ("{}", "[]") if text.count(start) > text.count(close)]
    if missing:
        return f"Add the missing {missing[0]}"
    if _TRAILING_COMMA.search(text):
        return "Remove the comma before the closing bracket"
    return "Correct the syntax"
