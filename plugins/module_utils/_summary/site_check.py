# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of site_check as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """The findings, and the files with corrections. Also errors, if ``options`` are the ones of the module."""
    lines = list(result.get("text", "").splitlines())
    if result.get("fixed_files"):
        label = "Files to correct" if options.get("check_mode") else "Corrected files"
        lines.append(f"{label}: {', '.join(result['fixed_files'])}")
        if any(site["fixed"] and site["kind"] == "ClusterInstance" for site in result.get("sites", ())):
            lines.append(
                "The siteconfig operator rejects a changed ClusterInstance whose cluster is already installed."
            )
        if "fail_on" in options and "text" not in result:
            lines += result["msg"].splitlines()
    return lines
