# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The formats of a report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from .codequality import codequality_report
from .finding import Report, counts, finding_dict
from .github import github_report
from .junit import junit_report
from .sarif import sarif_report
from .text import text_report


def json_report(report: Report) -> str:
    """Render ``report`` as one JSON object, for programs."""
    value = {
        "tool": report.tool,
        "counts": counts(report.findings),
        "failed": bool(report.failures),
        "findings": [finding_dict(finding) for finding in report.findings],
        "known": [finding_dict(finding) for finding in report.known],
    }
    return json.dumps(value, indent=1) + "\n"


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": text_report,
    "json": json_report,
    "sarif": sarif_report,
    "junit": junit_report,
    "github": github_report,
    "codequality": codequality_report,
}
"""The formats, by the name that users select them with."""
