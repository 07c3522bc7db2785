# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Values of options that have another type than they should."""

from __future__ import annotations

from ._problems import Problem, type_name

_LONGEST_SHOWN = 60


def shown(value: object) -> str:
    """Return ``value`` for a message. What is long is not shown: it may be a secret that is in the wrong place."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{type_name(value)} of {len(text)} characters"


def string_problems(where: str, value: object) -> list[Problem]:
    """Return what is wrong with ``value`` where a string is expected."""
    return [] if isinstance(value, str) else [Problem("error", where, f"is {value!r}, expected a string", "Quote it")]


def list_problems(where: str, value: object, *, of_strings: bool) -> list[Problem]:
    """Return what is wrong with ``value`` where a list is expected."""
    if not isinstance(value, (list, tuple)):
        return [Problem("error", where, f"is {value!r}, expected a list", "Write [...]")]
    if not of_strings:
        return []
    return [problem for index, item in enumerate(value) for problem in string_problems(f"{where}[{index}]", item)]
