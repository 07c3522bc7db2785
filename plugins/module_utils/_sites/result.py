# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Converts checked sites to the return values of the module, and writes corrected files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .._checkout.walk import read_again
from .._data.capabilities import API_FIELDS
from .._files import cannot, write_file
from .._module.result import diff_entry
from .._problems import DestinationError, Location, Problems
from .correction import HOSTED_DISABLED, HOSTED_ENABLED
from .fix import FixedFile
from .run import CheckedSite, SitesResult

_FIELDS = (*API_FIELDS, HOSTED_ENABLED, HOSTED_DISABLED)


def site_dicts(result: SitesResult) -> list[dict[str, Any]]:
    """The sites, in the order of their files."""
    fixed = {(file.path, change.number) for file in result.fixed for change in file.changes}
    return [_site_dict(site, fixed) for site in result.sites]


def _site_dict(site: CheckedSite, fixed: set[tuple[str, int]]) -> dict[str, Any]:
    summary, checked = site.summary, site.result
    return {
        "name": summary.name,
        "kind": summary.kind,
        "path": summary.path,
        "line": summary.line,
        "openshift_version": site.version.version,
        "version_source": site.version.source,
        "platform": summary.platform,
        "capabilities": checked.block if isinstance(checked.block, dict) else {},
        "enabled_capabilities": None if checked.enabled is None else sorted(checked.enabled),
        "fixed": (summary.path, summary.number) in fixed,
    }


def sites_diff(files: Iterable[FixedFile]) -> list[dict[str, str]]:
    """The selections before and after, and nothing else of a file, because the rest may contain secrets."""
    return [
        diff_entry(f"{file.path} ({change.resource})", _shown(change.before), _shown(change.after))
        for file in files
        for change in file.changes
    ]


def _shown(block: object) -> str:
    if block is None:
        return ""
    fields = block.items() if isinstance(block, dict) else ()
    lines = json.dumps({key: value if key in _FIELDS else "(removed)" for key, value in fields}, indent=2)
    return f"{lines}\n"


def write_files(files: Iterable[FixedFile]) -> None:
    """Replace each file at once. Raises ``DestinationError`` with all files that could not be written."""
    problems = Problems()
    for file in files:
        if read_again(file.path, file.real_path, problems) != file.before:
            hint = "Run the module again, one run at a time"
            problems.error("concurrent-change", Location(file.path), "has changed since it was read", hint)
            continue
        try:
            write_file(file.real_path, file.after)
        except OSError as error:
            problems.append(cannot("write", file.path, error)._replace(where=Location(file.path)))
    problems.raise_errors(DestinationError)
