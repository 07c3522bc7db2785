# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A report as Code Quality of GitLab, which shows it in merge requests.

The fields: gitlab-org/gitlab:app/validators/json_schemas/codeclimate.json.
"""

from __future__ import annotations

import json
from typing import Any

from .._problems import Problem
from .baseline import fingerprints
from .finding import Report, sentences

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def codequality_report(report: Report) -> str:
    """Render the new findings of ``report``. Known ones are not in it, because the format cannot mark them."""
    issues = [_issue(*each) for each in zip(report.findings, fingerprints(report.findings), strict=True)]
    return json.dumps(issues, indent=1) + "\n"


def _issue(finding: Problem, fingerprint: str) -> dict[str, Any]:
    where = finding.where
    text = f"{where.field}: {finding.message}" if where.field else finding.message
    return {
        "description": sentences(text, finding.hint),
        "check_name": finding.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        # GitLab requires a path and a line.
        "location": {"path": where.source or ".", "lines": {"begin": where.line or 1}},
    }
