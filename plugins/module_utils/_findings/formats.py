# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Renders a report: as text, as JSON, and in the formats of forges and CI systems."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .._problems import InvalidOptionError, Location, Problem, Problems, did_you_mean, shown
from .baseline import fingerprints
from .finding import Report, counts, finding_dict, finding_line, path_of, printable, sentence, sentences, summary
from .sarif import sarif_report

_ANNOTATIONS = {"error": "error", "warning": "warning", "info": "notice"}
_ISSUES = {"error": "major", "warning": "minor", "info": "info"}


def text_report(report: Report) -> str:
    """Render ``report``: a line for each finding with its hint below, then a summary."""
    lines: list[str] = []
    for finding in report.findings:
        lines.append(finding_line(finding))
        if finding.hint:
            lines.append(f"    {printable(sentence(finding.hint))}")
    lines.append(summary(report))
    return "\n".join(lines) + "\n"


def json_report(report: Report) -> str:
    """Render ``report`` as one JSON object, for programs."""
    value = {
        "tool": report.tool,
        "counts": counts(report.findings),
        "failed": bool(report.failures),
        "findings": [finding_dict(finding) for finding in report.findings],
        "baselined": [finding_dict(finding) for finding in report.known],
    }
    return json.dumps(value, indent=1) + "\n"


def github_report(report: Report) -> str:
    """Render ``report`` as annotations of GitHub Actions, one per line. A step of a workflow has to print them.

    The workflow commands, with their escapes: actions/toolkit:packages/core/src/command.ts.
    """
    return "".join(f"{_annotation(finding)}\n" for finding in report.findings)


def _annotation(finding: Problem) -> str:
    where = finding.where
    properties = {"file": where.source, "line": str(where.line or ""), "title": finding.code}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    resource = f"{where.field}: " if where.field else ""
    hint = f". {finding.hint}" if finding.hint else ""
    return f"::{_ANNOTATIONS[finding.severity]} {listed}::{_data(f'{resource}{finding.message}{hint}')}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def codequality_report(report: Report) -> str:
    """Render the new findings of ``report`` as Code Quality of GitLab. The format cannot mark known ones.

    The fields: gitlab-org/gitlab:app/validators/json_schemas/codeclimate.json.
    """
    issues = [_issue(*each) for each in zip(report.findings, fingerprints(report.findings), strict=True)]
    return json.dumps(issues, indent=1) + "\n"


def _issue(finding: Problem, fingerprint: str) -> dict[str, Any]:
    where = finding.where
    text = f"{where.field}: {finding.message}" if where.field else finding.message
    return {
        "description": sentences(text, finding.hint),
        "check_name": finding.code,
        "fingerprint": fingerprint,
        "severity": _ISSUES[finding.severity],
        # GitLab requires a path and a line.
        "location": {"path": path_of(finding), "lines": {"begin": where.line or 1}},
    }


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": text_report,
    "json": json_report,
    "sarif": sarif_report,
    "github": github_report,
    "codequality": codequality_report,
}
"""The formats, by the name that users select them with."""


class Output(NamedTuple):
    """A file to write a report to."""

    format: str
    path: str


def parse_outputs(texts: Sequence[str]) -> list[Output]:
    """Parse the option ``outputs``, each ``FORMAT:PATH``. Raises ``InvalidOptionError`` with all errors."""
    problems, where = Problems(), Location(field="outputs")
    outputs = [Output(*map(str.strip, text.partition(":")[::2])) for text in texts]
    for index, output in enumerate(outputs):
        if output.format not in FORMATS or not output.path:
            message = f"is {shown(texts[index])}, expected FORMAT:PATH with one of the formats {', '.join(FORMATS)}"
            known = output.format in FORMATS
            hint = f"Write {output.format}:PATH" if known else did_you_mean(output.format, FORMATS)
            problems.error("invalid-output", where.child(f"[{index}]"), message, hint)
    problems.raise_errors(InvalidOptionError)
    return outputs
