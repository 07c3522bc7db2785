# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of release_info as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._problems import plural
from .changes import changes_lines
from .words import listed, resource_text, table


def summary_lines(result: Mapping[str, Any], _options: Mapping[str, Any]) -> list[str]:
    """What differs from another release or selection, what resources require, or a table of the capabilities."""
    if "changes" in result:
        return list(changes_lines(result["changes"], result["release"]["version"]))
    if "resources" in result:
        return list(_resources(result["resources"]))
    return list(_capabilities(result["release"])) if "release" in result else []


def _capabilities(release: Mapping[str, Any]) -> Iterator[str]:
    total, included = release["manifests"], release["included"]
    yield f"Release {release['version'] or 'of unknown version'}: {total} manifests, {included} included, " + (
        f"{total - included} excluded"
    )
    yield ""
    rows: list[Sequence[str | int]] = [("CAPABILITY", "STATE", "MANIFESTS", "INCLUDED", "CRDS", "CLUSTEROPERATORS")]
    for name, contents in sorted(release["capabilities"].items(), key=lambda item: str(item[0]).lower()):
        known = "disabled" if name in release["known_capabilities"] else "unknown"
        state = "enabled" if name in release["enabled_capabilities"] else known
        decides = state == "enabled" or not release["known_capabilities"]
        number, operators = contents["manifests"], ", ".join(contents["cluster_operators"])
        rows.append((name, state, number, number if decides else 0, len(contents["crds"]), operators))
    count = release["included_without_capability"]
    yield from table([*rows, ("(no capability)", "", count, count, "", "")])


def _resources(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    needed = sorted({name for item in found for name in item["capabilities"]})
    yield plural(len(found), "manifest")
    if not found:
        return
    yield f"Required capabilities: {listed(needed)}"
    yield ""
    ordered = sorted(found, key=lambda item: str(item["file"]))
    rows = [
        (
            "included" if item["included"] else "excluded",
            " + ".join(item["capabilities"]) or "(no capability)",
            f"{resource_text(item)} ({item['file']})",
        )
        for item in ordered
    ]
    for item, line in zip(ordered, table(rows), strict=True):
        yield line
        if item["reasons"]:
            yield f"          {'; '.join(reason['message'] for reason in item['reasons'])}"
