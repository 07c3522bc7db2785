# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The result of release_info as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .words import listed

_ROW = "{:<26}  {:<9}  {:>9}  {:>8}  {:>4}  {}"
_CHANGE = "{:<24}  {}"
_REQUEST = "{:<46}  {:<24}  {:<8}  {}"


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """What differs between two releases, or a table of the capabilities.

    ``options`` has the result of release_manifests, as ``decided``, for the table.
    """
    if "changes" in result:
        return list(_changes(result["changes"], result["release"]))
    return list(_capabilities(result["release"], options["decided"])) if "release" in result else []


def _capabilities(release: Mapping[str, Any], decided: Mapping[str, Any]) -> Iterator[str]:
    counts = f"{decided['included']} included, {decided['excluded']} excluded"
    yield f"Release {release['version'] or 'of unknown version'}: {release['manifests']} manifests, {counts}"
    yield ""
    yield _ROW.format("CAPABILITY", "STATE", "MANIFESTS", "INCLUDED", "CRDS", "CLUSTEROPERATORS")
    for name, contents in sorted(release["capabilities"].items(), key=lambda item: item[0].lower()):
        known = "available" if name in decided["known_capabilities"] else "unknown"
        state = "enabled" if name in decided["enabled_capabilities"] else known
        included = contents["manifests"] if state == "enabled" else 0
        operators = ", ".join(contents["cluster_operators"])
        row = (name, state, contents["manifests"], included, len(contents["crds"]), operators)
        yield _ROW.format(*row).rstrip()
    count = release["included_without_capability"]
    yield _ROW.format("(no capability)", "", count, count, "", "").rstrip()


def _changes(changes: Mapping[str, Any], release: Mapping[str, Any]) -> Iterator[str]:
    old, new = set(changes["known_capabilities"]), set(release["known_capabilities"])
    manifests = changes["manifests"]
    gone = [*manifests["removed"], *manifests["deleted"]]
    apis = sorted(item["name"] for item in gone if item["kind"] == "CustomResourceDefinition")
    yield f"{changes['version']} -> {release['version']}"
    yield ""
    yield _CHANGE.format("new capabilities", listed(sorted(new - old)))
    yield _CHANGE.format("removed capabilities", listed(sorted(old - new)))
    yield _CHANGE.format("APIs no longer defined", listed(apis))
    for part in ("manifests", "images"):
        numbers = ", ".join(f"{len(changes[part][word])} {word}" for word in ("added", "removed", "changed"))
        yield _CHANGE.format(part, numbers)
    yield _CHANGE.format("manifests that delete", len(manifests["deleted"]))
    if changes["credentials_requests"]:
        yield ""
        yield _REQUEST.format("CREDENTIALSREQUEST", "PROVIDER", "CHANGE", "PERMISSIONS")
    for item in changes["credentials_requests"]:
        permissions = f"{len(item['permissions_added'])} added, {len(item['permissions_removed'])} removed"
        yield _REQUEST.format(item["name"], item["provider"], item["change"], permissions)
    yield ""
    yield from changes["exposure"]["summary"]
    for word in ("added", "deleted", "removed", "changed"):
        if manifests[word]:
            yield ""
            yield f"Manifests {word}:"
        for item in manifests[word]:
            namespace = f"{item['namespace']}/" if item["namespace"] else ""
            capabilities = f" ({' + '.join(item['capabilities'])})" if item["capabilities"] else ""
            yield f"  {item['kind']} {namespace}{item['name']}{capabilities}"
