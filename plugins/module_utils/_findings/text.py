# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A report as text, one finding per line."""

from __future__ import annotations

from .._problems import Problem, counted
from .finding import Report, counts, printable, sentence

_NOUNS = {"error": "error", "warning": "warning", "info": "note"}


def text_report(report: Report) -> str:
    """Render ``report``: a line for each finding with its hint below, then a summary."""
    lines: list[str] = []
    for finding in report.findings:
        lines.append(finding_line(finding))
        if finding.hint:
            lines.append(f"    {printable(sentence(finding.hint))}")
    lines.append(summary(report))
    return "\n".join(lines) + "\n"


def finding_line(finding: Problem) -> str:
    """One finding on one line: location, severity, rule, resource and message."""
    where = finding.where
    start = f"{printable(where.source)}{f':{where.line}' if where.line else ''}: " if where.source else ""
    resource = f"{printable(where.field)}: " if where.field else ""
    return f"{start}{finding.severity} [{finding.code}] {resource}{printable(finding.message)}"


def summary(report: Report) -> str:
    """How many findings there are, in one line."""
    total = counts(report.findings)
    parts = [counted(number, _NOUNS[severity]) for severity, number in total.items() if number]
    text = ", ".join(parts) if parts else "No findings"
    if report.scope:
        text += f" in {counted(*report.scope)}"
    if report.known:
        text += f" ({len(report.known)} more in the baseline)"
    return text
