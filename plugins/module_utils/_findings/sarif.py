# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A report as SARIF 2.1.0, which code scanning services read.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from .._problems import Problem
from .baseline import fingerprints
from .finding import CheckRule, Report, path_of, sentences

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_FINGERPRINT = "capabilityOpenshift/v1"


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
