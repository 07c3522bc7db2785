# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A report as annotations of GitHub Actions.

The workflow commands, with their escapes: actions/toolkit:packages/core/src/command.ts.
"""

from __future__ import annotations

from .._problems import Problem
from .finding import Report

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def github_report(report: Report) -> str:
    """Render ``report`` as workflow commands, one per line. A step of a workflow has to print them."""
    return "".join(f"{_annotation(finding)}\n" for finding in report.findings)


def _annotation(finding: Problem) -> str:
    where = finding.where
    properties = {"file": where.source, "line": str(where.line or ""), "title": finding.code}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    resource = f"{where.field}: " if where.field else ""
    hint = f". {finding.hint}" if finding.hint else ""
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(f'{resource}{finding.message}{hint}')}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
