# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings and reports of checks."""

from __future__ import annotations

from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._findings.finding import CheckRule, Finding, Report

RULES = (
    CheckRule("no-namespace", "error", "Namespaces exist", "The API rejects objects without one", "Create it"),
    CheckRule("no-role", "warning", "Roles exist", "A binding without a role grants nothing", "Create it"),
    CheckRule("no-news", "info", "Nothing is new", "People like to know", "Read it"),
)


def finding(**fields: Any) -> Finding:
    """Return a finding, with the values of ``fields`` instead of the usual ones."""
    usual = Finding("no-namespace", "error", "a/one.yaml", 7, "ConfigMap x/one", "its namespace is out", "Create it")
    return usual._replace(**fields)


def report(*findings: Finding, **fields: Any) -> Report:
    """Return a report of ``findings``."""
    return Report("release_lint", RULES, findings)._replace(**fields)
