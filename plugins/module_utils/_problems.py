# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What can be wrong, said so that it can be mended: problems, and the one error tree that carries them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "info"]


class Problem(NamedTuple):
    """One thing that is wrong or worth knowing.

    ``where`` names file, document and field (or the option); ``message`` says what was found and what was
    expected; ``mend`` says what to do about it (empty where nothing has to be done).
    """

    severity: Severity
    where: str
    message: str
    mend: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}. {self.mend}" if self.mend else text

    def as_dict(self) -> dict[str, str]:
        """Return the shape that modules and filters hand to playbooks."""
        return {"severity": self.severity, "where": self.where, "message": self.message, "mend": self.mend}


class CapabilityError(Exception):
    """Base of every error that the collection raises; carries all problems found, errors first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        rank = {"error": 0, "warning": 1, "info": 2}
        self.problems: tuple[Problem, ...] = tuple(sorted(problems, key=lambda problem: rank[problem.severity]))
        super().__init__("\n".join(str(problem) for problem in self.problems if problem.severity == "error"))


class ReleaseError(CapabilityError):
    """A release cannot be read."""


class FactsError(CapabilityError):
    """A fact about the cluster (feature set, gates, overrides, always-enabled capabilities) is not possible."""


class DestinationError(CapabilityError):
    """The directory to write to cannot be used."""


class ClusterError(CapabilityError):
    """A cluster cannot be asked, or says no."""


class Cause(NamedTuple):
    """One of the causes that an API server gives for an answer: its word for it, the field, and a message."""

    reason: str
    field: str
    message: str


class ApiError(ClusterError):
    """An API server's answer that is no success: ``code`` is that of HTTP, ``named`` the object that it is about.

    ``named`` is empty where the answer names none. ``repeated``: the request was sent more than once, and an earlier
    one may have been heard although its answer was not. ``said`` is the server's message as it was.
    """

    def __init__(
        self, code: int, named: str, repeated: bool, problem: Problem, causes: Iterable[Cause] = (), said: str = ""
    ) -> None:
        self.code, self.named, self.repeated = code, named, repeated
        self.causes, self.said = tuple(causes), said
        super().__init__([problem])


class ClaimError(ClusterError):
    """A cluster is another rollout's by now."""


def has_errors(problems: Iterable[Problem]) -> bool:
    """Tell whether at least one of ``problems`` is an error."""
    return any(problem.severity == "error" for problem in problems)


def raise_errors(problems: Iterable[Problem], error: type[CapabilityError]) -> None:
    """Raise ``error`` with all ``problems`` if at least one of them is an error; do nothing otherwise."""
    found = tuple(problems)
    if has_errors(found):
        raise error(found)


def type_name(value: object) -> str:
    """Return what kind of value was found, in the words of YAML."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", type(None): "null"}
    return "a map" if isinstance(value, Mapping) else names.get(type(value), f"a {type(value).__name__}")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return the mend for an unknown ``name``: the nearest of ``known``, and a word on case where that is the cause."""
    # Imported here because only a mistake needs it, and every module start would pay for it.

    names = sorted(known)
    text = str(name)
    by_lower = {candidate.lower(): candidate for candidate in names}
    same = by_lower.get(text.strip().lower())
    if same is not None and same.strip() == text.strip():
        return f"Write {same} without blanks around it"
    if same is not None:
        return f"Write {same}: names are case sensitive"
    begun = [lower for lower in by_lower if len(text) > 2 and lower.startswith(text.lower())]
    near = begun if len(begun) == 1 else get_close_matches(text.lower(), by_lower, n=1, cutoff=0.6)
    return f"Did you mean {by_lower[near[0]]}?" if near else f"Known are: {', '.join(names) or 'none'}"


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
