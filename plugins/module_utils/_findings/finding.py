# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a check of files finds: rules, findings and the report that contains them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from .._problems import Severity

FailOn = Literal["error", "warning", "info", "never"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""All severities, the worst one first."""


class CheckRule(NamedTuple):
    """A rule of a check.

    ``id`` is its name in kebab case, which stays the same in later versions. ``summary`` says in one sentence what must
    hold, ``reason`` why, and ``hint`` what to do, as one imperative sentence. ``default``: whether it is checked unless
    the user selects rules.
    """

    id: str
    severity: Severity
    summary: str
    reason: str
    hint: str
    default: bool = True


class Finding(NamedTuple):
    """A place that breaks a rule.

    ``path`` is relative to the checked directory, with ``/`` between its parts; empty if no file is to blame. ``line``
    counts from 1; 0 if it is not known. ``resource`` names the object, empty if there is none. ``message`` says what is
    wrong, and ``hint`` what to do about it.
    """

    rule: str
    severity: Severity
    path: str
    line: int
    resource: str
    message: str
    hint: str

    @property
    def location(self) -> str:
        """Path and line, as compilers write them."""
        return f"{self.path}:{self.line}" if self.path and self.line else self.path

    def as_dict(self) -> dict[str, Any]:
        """Convert to the form that modules return."""
        return dict(self._asdict())


class Report(NamedTuple):
    """The result of a check. ``tool`` is the name of the module.

    ``rules`` are all rules that were checked. ``findings`` are the new ones, ``known`` those in the baseline.
    ``fail_on`` is the least severity that fails the check.
    """

    tool: str
    rules: tuple[CheckRule, ...]
    findings: tuple[Finding, ...]
    known: tuple[Finding, ...] = ()
    fail_on: FailOn = "error"

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that fail the check."""
        return tuple(finding for finding in self.findings if fails(finding.severity, self.fail_on))


def fails(severity: Severity, fail_on: FailOn) -> bool:
    """Whether a finding of ``severity`` fails a check with ``fail_on``."""
    return fail_on != "never" and SEVERITIES.index(severity) <= SEVERITIES.index(fail_on)


def counts(findings: Iterable[Finding]) -> dict[str, int]:
    """The number of findings by severity, the worst one first. Every severity has an entry."""
    total: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        total[finding.severity] += 1
    return total


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Every distinct finding once, by path, line, severity and rule."""
    return tuple(
        sorted(
            dict.fromkeys(findings),
            key=lambda found: (found.path, found.line, SEVERITIES.index(found.severity), found[0], found[4:]),
        )
    )


def printable(text: str) -> str:
    """``text`` on one line, with control characters escaped: names in files may contain what a terminal executes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def sentence(text: str) -> str:
    """``text`` with a full stop, unless it ends with a mark already."""
    return text if text.endswith(("?", "!", ".")) else f"{text}."
