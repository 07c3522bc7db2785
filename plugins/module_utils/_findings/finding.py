# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a check of files finds: rules, findings and the report that contains them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from .._problems import Problem, Severity, plural, sentence

FailOn = Literal["error", "warning", "info", "never"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""All severities, the worst one first."""

_NOUNS = {"error": "error", "warning": "warning", "info": "note"}


class CheckRule(NamedTuple):
    """A rule of a check.

    ``id`` is its name in kebab case, which stays the same in later versions. ``summary`` says in one sentence what must
    hold, ``reason`` why, and ``hint`` what to do, as one imperative sentence; empty if each finding has its own.
    """

    id: str
    severity: Severity
    summary: str
    reason: str
    hint: str = ""


class Report(NamedTuple):
    """The result of a check. ``tool`` is the name of the module.

    ``rules`` are all rules that were checked. ``findings`` are the new ones, ``known`` those in the baseline. The code
    of a finding is the id of its rule. Its location has the path relative to the checked directory, with ``/`` between
    its parts, the line, and the resource as field. ``fail_on`` is the least severity that fails the check. ``scope`` is
    what was checked, a number and a noun, such as ``(5, "site")``, and ``unchecked`` what was not, as clauses.
    ``appendix`` is Markdown about what was checked.
    """

    tool: str
    rules: tuple[CheckRule, ...]
    findings: tuple[Problem, ...]
    known: tuple[Problem, ...] = ()
    fail_on: FailOn = "error"
    scope: tuple[int, str] | None = None
    unchecked: tuple[str, ...] = ()
    appendix: str = ""

    @property
    def failures(self) -> tuple[Problem, ...]:
        """The findings that fail the check."""
        severities = () if self.fail_on == "never" else SEVERITIES[: SEVERITIES.index(self.fail_on) + 1]
        return tuple(finding for finding in self.findings if finding.severity in severities)


def counts(findings: Iterable[Problem]) -> dict[str, int]:
    """The number of findings by severity, the worst one first. Every severity has an entry."""
    total: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        total[finding.severity] += 1
    return total


def in_order(findings: Iterable[Problem]) -> tuple[Problem, ...]:
    """Every distinct finding once, by path, line, severity and rule."""

    def order(found: Problem) -> tuple[object, ...]:
        where = found.where
        rank = SEVERITIES.index(found.severity)
        return where.source, where.line, rank, found.code, where.field, found.message, found.hint

    return tuple(sorted(dict.fromkeys(findings), key=order))


def finding_dict(finding: Problem) -> dict[str, Any]:
    """Convert to the form that modules return."""
    where = finding.where
    return {
        "rule": finding.code,
        "severity": finding.severity,
        "path": where.source,
        "line": where.line,
        "resource": where.field,
        "message": finding.message,
        "hint": finding.hint,
    }


def unread_files(findings: Iterable[Problem], rules: Collection[str], of: str = "") -> Iterator[str]:
    """Yield the number of files with findings of ``rules``, which are about what was not checked, as a clause.

    ``of`` is what the files belong to. A finding about a resource is about one that was read.
    """
    number = len({item.where.source for item in findings if item.code in rules and not item.where.field})
    if number:
        yield f"{plural(number, 'file')}{of} {'was' if number == 1 else 'were'} not checked completely"


def path_of(finding: Problem) -> str:
    """The path for a forge, which refuses a file with a finding that has none."""
    return finding.where.source or "."


def finding_line(finding: Problem) -> str:
    """One finding on one line: location, severity, rule, resource and message."""
    where = finding.where
    start = f"{printable(where.source)}{f':{where.line}' if where.line else ''}: " if where.source else ""
    resource = f"{printable(where.field)}: " if where.field else ""
    return f"{start}{finding.severity} [{finding.code}] {resource}{printable(finding.message)}"


def summary(report: Report) -> str:
    """How many findings there are in what was checked, and what was not checked, in one line."""
    total = counts(report.findings)
    parts = [plural(number, _NOUNS[severity]) for severity, number in total.items() if number]
    text = ", ".join(parts) if parts else "No findings"
    if report.scope:
        text += f" in {plural(*report.scope)}"
    if report.known:
        text += f" ({len(report.known)} more in the baseline)"
    return "; ".join([text, *report.unchecked])


def printable(text: str) -> str:
    """``text`` on one line, with control characters escaped: names in files may contain what a terminal executes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def sentences(*texts: str) -> str:
    """The ``texts`` that are not empty, as sentences."""
    return " ".join(sentence(text) for text in texts if text)
