# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Problems, and the exceptions that carry them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "info"]

_LONGEST_SHOWN = 60
_MOST_NAMES = 5


class Location(NamedTuple):
    """A place that a problem names. Its text is made where a person reads it, and is never read back.

    ``source`` is a file, an object or a cluster; empty for an option. ``document`` and ``line`` count from 1; 0 if they
    are not known. ``field`` is the path of a field or of an option.
    """

    source: str = ""
    document: int = 0
    line: int = 0
    field: str = ""

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line else ""
        if self.document:
            line = f"document {self.document} ({line})" if line else f"document {self.document}"
        return ", ".join(filter(None, (self.source, line, self.field)))

    def child(self, name: object) -> Location:
        """The field ``name`` of this one, or its item if ``name`` is an index in brackets."""
        separator = "." if self.field and not str(name).startswith("[") else ""
        return self._replace(field=f"{self.field}{separator}{name}")

    def within(self, context: str) -> Location:
        """The same place, in one of several clusters or releases."""
        if self.source or not self.field:
            return self._replace(source=f"{context}: {self.source}" if self.source else context)
        return self._replace(field=f"{context}: {self.field}")


class _ProblemFields(NamedTuple):
    severity: Severity
    code: str
    where: Location
    message: str
    hint: str


class Problem(_ProblemFields):
    """One fault or remark.

    ``code`` identifies the kind of problem in kebab case; programs compare it, and never the text. ``where`` is the
    location; a string stands for an option or a field. ``message`` says what is wrong and what was expected. ``hint``
    is one imperative sentence, empty if there is nothing to do.
    """

    __slots__ = ()

    def __new__(cls, severity: Severity, code: str, where: Location | str, message: str, hint: str = "") -> Problem:
        return super().__new__(cls, severity, code, as_location(where), message, hint)

    def __str__(self) -> str:
        where = str(self.where)
        text = f"{where}: {self.message}" if where else self.message
        return f"{text}. {self.hint}" if self.hint else text

    def as_dict(self) -> dict[str, str]:
        """Convert to the form that modules and filters return."""
        return {**self._asdict(), "where": str(self.where)}


def problem_dicts(problems: Iterable[Problem]) -> list[dict[str, str]]:
    """Convert problems to the form of the return value ``problems``."""
    return [problem.as_dict() for problem in problems]


def as_location(where: Location | str) -> Location:
    """The location of an option or a field that is given as a string."""
    return Location(field=where) if isinstance(where, str) else where


class Problems(list[Problem]):
    """Collects problems; functions that can report several take it as their last argument."""

    def error(self, code: str, where: Location | str, message: str, hint: str = "") -> None:
        """Add a problem that stops the caller."""
        self.append(Problem("error", code, where, message, hint))

    def warning(self, code: str, where: Location | str, message: str, hint: str = "") -> None:
        """Add a problem that does not stop the caller."""
        self.append(Problem("warning", code, where, message, hint))

    def info(self, code: str, where: Location | str, message: str, hint: str = "") -> None:
        """Add a remark."""
        self.append(Problem("info", code, where, message, hint))

    def collect(self, error: type[CapabilityError]) -> _Collector:
        """Return a context manager that adds the problems of an ``error`` and ends the block there."""
        return _Collector(self, error)

    @property
    def has_errors(self) -> bool:
        """Whether at least one problem is an error."""
        return has_errors(self)

    def raise_errors(self, error: type[CapabilityError]) -> None:
        """Raise ``error`` with all problems if at least one of them is an error."""
        raise_errors(self, error)

    def unique(self) -> tuple[Problem, ...]:
        """Every distinct problem once, in the order of its first report."""
        return tuple(dict.fromkeys(self))


class _Collector(NamedTuple):
    # Not a generator: only for a class with this __exit__ does mypy know that the code after the block is reachable.
    problems: Problems
    error: type[CapabilityError]

    def __enter__(self) -> None:
        pass

    def __exit__(self, _type: object, raised: BaseException | None, _traceback: object) -> bool:
        if not isinstance(raised, self.error):
            return False
        self.problems.extend(raised.problems)
        return True


class CapabilityError(Exception):
    """Base of all exceptions that the collection raises. ``problems`` has all problems, errors first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        rank = {"error": 0, "warning": 1, "info": 2}
        self.problems: tuple[Problem, ...] = tuple(sorted(problems, key=lambda problem: rank[problem.severity]))
        super().__init__("\n".join(str(problem) for problem in self.problems if problem.severity == "error"))


class ReleaseError(CapabilityError):
    """A release cannot be read."""


class RegistryError(CapabilityError):
    """An image cannot be read from a registry or an archive."""


class InvalidOptionError(CapabilityError):
    """An option is invalid, on its own or in combination with other options."""


class DestinationError(CapabilityError):
    """A file or directory to write cannot be used."""


class ClusterError(CapabilityError):
    """An API server cannot be reached, or rejects a request."""


class LockLostError(ClusterError):
    """Another rollout has taken the lock on the cluster."""


def has_errors(problems: Iterable[Problem]) -> bool:
    """Whether at least one of ``problems`` is an error."""
    return any(problem.severity == "error" for problem in problems)


def raise_errors(problems: Iterable[Problem], error: type[CapabilityError]) -> None:
    """Raise ``error`` with all ``problems`` if at least one of them is an error."""
    collected = tuple(problems)
    if has_errors(collected):
        raise error(collected)


MISSING_LIBRARY = "missing-library"
"""The code of ``missing_library``."""


def missing_library(name: str, where: Location | str = "", error: ImportError | None = None) -> Problem:
    """The problem of a Python library that is not installed. ``name`` is its name on the Python package index.

    ``error``: of its import. Another library that it needs can be missing instead.
    """
    fault = "is missing" if error is None or error.name == name else f"cannot be imported ({error})"
    message = f"the Python library {name} {fault} for {sys.executable}"
    return Problem("error", MISSING_LIBRARY, where, message, f"Install it for this Python: pip install {name}")


def empty_option(name: str, *, required: bool = False) -> Problem:
    """The problem of an option that is set but empty, for example by a shell variable that is not set."""
    hint = "Set a value" if required else "Set a value, or do not set the option"
    return Problem("error", "empty-option", name, "is set but empty", hint)


def type_name(value: object) -> str:
    """Name the YAML type of ``value``, with its article."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", type(None): "null"}
    return "a map" if isinstance(value, Mapping) else names.get(type(value), f"a {type(value).__name__}")


def nearest_name(name: object, known: Iterable[str]) -> str | None:
    """The name in ``known`` that is closest to the misspelled ``name``; ``None`` if none is close."""
    # Imported here, because only misspellings need it, and it would slow down the start of every module.
    from difflib import get_close_matches

    text = str(name)
    by_lower = {candidate.lower(): candidate for candidate in sorted(known)}
    if text.strip().lower() in by_lower:
        return by_lower[text.strip().lower()]
    part = text.strip().lower()
    starting = [lower for lower in by_lower if len(part) > 2 and lower.startswith(part)]
    containing = [lower for lower in by_lower if len(part) > 3 and part in lower]
    for near in (starting, containing):
        if len(near) == 1:
            return by_lower[near[0]]
    # A misspelling adds or drops few letters: without this, "none" would be close to "nonsense".
    similar = [lower for lower in by_lower if abs(len(lower) - len(part)) <= max(2, len(part) // 3)]
    closest = get_close_matches(part, similar, n=1, cutoff=0.65)
    return by_lower[closest[0]] if closest else None


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The hint for an unknown ``name``: the nearest of ``known``, or the spelling if only case or spaces differ."""
    names = sorted(known)
    text = str(name).strip()
    nearest = nearest_name(name, names)
    if nearest is None:
        return f"Use one of: {', '.join(names)}" if names else "Remove it"
    if nearest.lower() != text.lower():
        return f"Did you mean {nearest}?"
    return f"Remove the spaces around {nearest}" if nearest == text else f"Write {nearest}: names are case sensitive"


def unknown_choice(value: object, text: str, choices: Sequence[str]) -> tuple[str, str]:
    """The message and the hint for an unknown ``value`` that ``text`` shows. They list the ``choices`` once."""
    hint = "" if nearest_name(value, choices) is None else did_you_mean(value, choices)
    return f"is {text}, expected {' or '.join(choices)}", hint


def plural(number: int, noun: str) -> str:
    """``number`` with ``noun`` in its form."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def shown_names(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Return the first names, and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def of_clusters(problem: Problem, names: Sequence[str]) -> Problem:
    """Return ``problem`` with the clusters that have it in its location. A single cluster has no name."""
    if not any(names):
        return problem
    return problem._replace(where=problem.where.within(shown_names(names)))


def shown(value: object) -> str:
    """Format ``value`` for a message. A long value is not shown, because it may be a misplaced secret."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{type_name(value)} of {len(text)} characters"


def check_string(where: Location | str, value: object, problems: Problems) -> None:
    """Report a ``value`` that is not a string."""
    if not isinstance(value, str):
        problems.error("not-a-string", where, f"is {value!r}, expected a string", "Quote it")


def check_boolean(where: Location | str, value: object, problems: Problems) -> None:
    """Report a ``value`` that is not a boolean."""
    if not isinstance(value, bool):
        problems.error("not-a-boolean", where, f"is {value!r}, expected true or false", "Set it to true or false")


def check_list(where: Location | str, value: object, problems: Problems, *, of_strings: bool) -> None:
    """Report a ``value`` that is not a list, or not one of strings."""
    if not isinstance(value, (list, tuple)):
        problems.error("not-a-list", where, f"is {value!r}, expected a list", "Write [...]")
    elif of_strings:
        for index, item in enumerate(value):
            check_string(as_location(where).child(f"[{index}]"), item, problems)


def sentence(text: str) -> str:
    """``text`` with a full stop, unless it ends with a mark already."""
    return text if text.endswith(("?", "!", ".")) else f"{text}."
