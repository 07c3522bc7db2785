# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks and converts the values of options by an argument spec, as Ansible does."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from ...module_utils._module.argspec import Spec
from ...module_utils._problems import Location, Problems, did_you_mean, shown, type_name

Place = Callable[[str], Location]
"""Where an option is, by its name."""


def checked_options(values: Mapping[str, Any], spec: Spec, place: Place, problems: Problems) -> dict[str, Any]:
    """The value of each option in ``spec``, the default if it is not in ``values``."""
    names = {alias: name for name, option in spec.items() for alias in (name, *option.get("aliases", ()))}
    for name in values.keys() - names:
        problems.error("unknown-option", place(name), "is not an option", did_you_mean(name, names))
    given = {names[name]: value for name, value in values.items() if name in names and value is not None}
    for name, option in spec.items():
        if name not in given and option.get("required"):
            problems.error("missing-option", place(name), "is required", "Set it")
    complete = {name: given.get(name, option.get("default")) for name, option in spec.items()}
    return {name: _checked(value, spec[name], place(name), problems) for name, value in complete.items()}


def _checked(value: Any, option: Mapping[str, Any], where: Location, problems: Problems) -> Any:
    kind, choices = option["type"], option.get("choices", ())
    if value is None:
        return None
    if kind == "list":
        items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [value]
        element = {**option, "type": option["elements"]}
        return [_checked(item, element, where.child(f"[{at}]"), problems) for at, item in enumerate(items)]
    convert, expected = _TYPES[kind]
    # A secret is not shown.
    found = type_name(value) if option.get("no_log") or isinstance(value, (dict, list)) else shown(value)
    try:
        converted = convert(value)
    except (AttributeError, KeyError, TypeError, ValueError):
        problems.error("wrong-type", where, f"is {found}, expected {expected}")
        return None
    if choices and converted not in choices:
        message = f"is {found}, expected {' or '.join(choices)}"
        problems.error("unknown-choice", where, message, did_you_mean(converted, choices))
    return checked_options(converted, option["options"], where.child, problems) if "options" in option else converted


def _string(value: Any) -> str:
    if isinstance(value, (dict, list)):
        raise TypeError
    return str(value)


def _pair(text: str) -> list[str]:
    return text.strip().split("=", 1)


_BOOLEANS = {
    **dict.fromkeys(("yes", "on", "1", "true", "t", "y"), True),
    **dict.fromkeys(("no", "off", "0", "false", "f", "n"), False),
}
"""Source: ansible/ansible:lib/ansible/module_utils/parsing/convert_bool.py."""
_TYPES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "bool": (lambda value: _BOOLEANS[str(value).strip().lower()], "true or false"),
    # A text is name=value,name=value.
    "dict": (lambda value: dict(value if isinstance(value, dict) else map(_pair, value.split(","))), "a map"),
    "int": (lambda value: int(_string(value)), "a whole number"),
    "json": (lambda value: value if isinstance(value, str) else json.dumps(value), "JSON"),
    "path": (lambda value: os.path.expanduser(os.path.expandvars(_string(value))), "a path"),
    "raw": (lambda value: value, "a value"),
    "str": (_string, "a string"),
}
