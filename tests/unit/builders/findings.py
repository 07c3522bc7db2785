# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings and reports of checks."""

from __future__ import annotations

from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._findings.finding import CheckRule, Report
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problem, Severity

RULES = (
    CheckRule("no-namespace", "error", "Namespaces exist", "The API rejects objects without one", "Create it"),
    CheckRule("no-role", "warning", "Roles exist", "A binding without a role grants nothing", "Create it"),
    CheckRule("no-news", "info", "Nothing is new", "People like to know", "Read it"),
)


def finding(
    rule: str = "no-namespace",
    severity: Severity = "error",
    path: str = "a/one.yaml",
    line: int = 7,
    resource: str = "ConfigMap x/one",
    message: str = "its namespace is out",
    hint: str = "Create it",
) -> Problem:
    """Return a finding."""
    return Problem(severity, rule, Location(path, line=line, field=resource), message, hint)


def report(*findings: Problem, **fields: Any) -> Report:
    """Return a report of ``findings``."""
    return Report("release_lint", RULES, findings)._replace(**fields)
