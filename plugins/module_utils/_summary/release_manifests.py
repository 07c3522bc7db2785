# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of release_manifests as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._problems import plural
from .words import decision_lines, image_lines, listed, table


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """How many manifests are included, whether ``dest`` changed, and the requested lists."""
    return list(_lines(result, options)) if "included" in result else []


def _lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    version, requests = result["version"] or "of unknown version", result.get("credentials_requests")
    yield f"Release {version}: {result['included']} manifests included, {result['excluded']} excluded"
    yield f"Enabled capabilities: {listed(result['enabled_capabilities'])}"
    if options.get("dest"):
        changed = "would change" if options.get("check_mode") else "changed"
        yield f"Directory {options['dest']}: {changed if result['changed'] else 'nothing to change'}"
        if requests is None and result["deletions"]:
            yield f"Left out: {plural(result['deletions'], 'manifest')} with the delete annotation"
        if requests is None and options.get("platform"):
            yield f"CredentialsRequests: only for {options['platform']}"
    if requests is not None:
        yield ""
        rows = [
            (item["name"], item["platform"], f"{item['secret_namespace']}/{item['secret_name']}") for item in requests
        ]
        yield from table([("CREDENTIALSREQUEST", "PLATFORM", "SECRET"), *rows])
    if "images" in result:
        numbers = {part: len(result["images"][part]) for part in ("included", "excluded", "unreferenced")}
        yield ""
        yield "Images: {included} needed, {excluded} only by excluded manifests, {unreferenced} by no manifest".format(
            **numbers
        )
        yield from image_lines(result["images"]["included"])
    if "decisions" in result:
        yield ""
        yield from decision_lines(result["decisions"])
