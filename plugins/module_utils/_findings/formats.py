# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Renders a report: as text, as JSON, and in the formats of forges and CI systems.

SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from .._problems import InvalidOptionError, Location, Problem, Problems, did_you_mean, sentence, shown
from .baseline import fingerprints
from .finding import (
    CheckRule,
    Report,
    counts,
    finding_dict,
    finding_line,
    path_of,
    printable,
    sentences,
    summary,
)

_ANNOTATIONS = {"error": "error", "warning": "warning", "info": "notice"}
_ISSUES = {"error": "major", "warning": "minor", "info": "info"}
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_FINGERPRINT = "capabilityOpenshift/v1"


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


def sarif_report(report: Report) -> str:
    """Render ``report``. Findings of the baseline are in it as suppressed results."""
    findings = (*report.findings, *report.known)
    # A selection is checked with code that also checks options, so a finding can have any code of a problem.
    ids = {rule.id for rule in report.rules}
    others = {found.code: _other_rule(found) for found in findings if found.code not in ids}
    rules = [_rule(rule) for rule in (*report.rules, *others.values())]
    indexes = {rule["id"]: index for index, rule in enumerate(rules)}
    results = [_result(*each, indexes) for each in zip(findings, fingerprints(findings), strict=True)]
    for suppressed in results[len(report.findings) :]:
        suppressed["suppressions"] = [{"kind": "external", "justification": "in the baseline"}]
    run = {
        "tool": {"driver": {"name": f"capability.openshift.{report.tool}", "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _other_rule(found: Problem) -> CheckRule:
    name = found.code.replace("-", " ").capitalize()
    return CheckRule(found.code, found.severity, f"{name}.", f"{name}, see the page on the codes of problems.")


def _rule(rule: CheckRule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.reason},
        "help": {"text": f"{rule.hint}." if rule.hint else rule.reason},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Problem, fingerprint: str, indexes: dict[str, int]) -> dict[str, Any]:
    return {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": sentences(finding.message, finding.hint)},
        "ruleIndex": indexes[finding.code],
        "locations": [_location(finding)],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
    }


def _location(finding: Problem) -> dict[str, Any]:
    """The file and the resource. Code scanning of GitHub refuses a file with a result that has no physical location.

    Source: microsoft/sarif-sdk:docs/Rules.md GH1001.
    """
    where, uri = finding.where, quote(path_of(finding).encode(errors="surrogateescape"))
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}}
    if where.line:
        physical["region"] = {"startLine": where.line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if where.field:
        location["logicalLocations"] = [{"fullyQualifiedName": where.field, "kind": "resource"}]
    return location


def markdown_report(report: Report) -> str:
    """Render ``report`` as Markdown: its summary as a heading, the findings as text, and its appendix."""
    *findings, _summary = text_report(report).splitlines()
    block = ["", "```text", *findings, "```"] if findings else []
    return "\n".join([f"## {summary(report)}", *block, report.appendix])


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": text_report,
    "json": json_report,
    "sarif": sarif_report,
    "github": github_report,
    "codequality": codequality_report,
    "markdown": markdown_report,
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
            message = f"is {shown(texts[index])}, expected FORMAT:PATH"
            known = output.format in FORMATS
            hint = f"Write {output.format}:PATH" if known else did_you_mean(output.format, FORMATS)
            problems.error("invalid-output", where.child(f"[{index}]"), message, hint)
    problems.raise_errors(InvalidOptionError)
    return outputs
