# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Exits of modules: documented results, and one error message with all errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from .._problems import CapabilityError, Problem, problem_dicts
from .interface import Module

MASK = "********"
HIDDEN = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
"""What Ansible shows for an option with ``no_log``."""


def error_text(error: CapabilityError) -> str:
    """The message for the user, one line per error."""
    errors = [problem for problem in error.problems if problem.severity == "error"]
    if len(errors) == 1:
        return str(errors[0])
    return "\n".join([f"{len(errors)} problems were found:", *(f"- {problem}" for problem in errors)])


def fail(module: Module, error: CapabilityError, **result: Any) -> NoReturn:
    """Fail the module with every problem of ``error``, and with the results that are available despite it."""
    warn(module, error.problems)
    module.fail_json(msg=error_text(error), problems=problem_dicts(error.problems), **result)


def succeed(module: Module, result: dict[str, Any], problems: Iterable[Problem]) -> NoReturn:
    """Exit the module with its result."""
    reported = tuple(problems)
    warn(module, reported)
    module.exit_json(**with_problems(result, reported))


def warn(module: Module, problems: Iterable[Problem]) -> None:
    """Show the warnings among ``problems``, because few users read return values."""
    for message in warnings_of(problems):
        module.warn(message)


def warnings_of(problems: Iterable[Problem]) -> list[str]:
    """The warnings among ``problems``, as Ansible shows them."""
    return [str(problem) for problem in problems if problem.severity == "warning"]


def with_problems(result: dict[str, Any], problems: Iterable[Problem]) -> dict[str, Any]:
    """Return ``result`` with the return value ``problems``."""
    return {**result, "problems": problem_dicts(problems)}


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return ``value``, which JSON can have, with ``change`` applied to each text in it. Keys stay as they are."""
    if isinstance(value, dict):
        return {key: map_texts(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [map_texts(item, change) for item in value]
    return change(value) if isinstance(value, str) else value


def masked(text: str, secrets: Iterable[str]) -> str:
    """Return ``text`` with every occurrence of one of ``secrets`` masked. A secret can contain another one."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


def diff_entry(what: str, before: str | Mapping[str, Any], after: str | Mapping[str, Any]) -> dict[str, Any]:
    """One part of a diff as Ansible prints it, an object as JSON; ``what`` is its header."""
    return {"before_header": what, "after_header": what, "before": before, "after": after}
