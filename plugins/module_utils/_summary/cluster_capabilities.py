# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of cluster_capabilities and cluster_capabilities_info as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._problems import plural
from .words import listed, sorted_names, table


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """What is requested, enabled and disabled.

    ``options`` can have ``release``, what release_info returns of the release that the cluster runs. With ``full``, a
    table of all capabilities replaces the lists.
    """
    return list(_lines(result, options)) if "spec" in result else []


def _lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    is_dry_run, full = bool(options.get("check_mode")), bool(options.get("full"))
    release: Mapping[str, Any] = options.get("release") or {}
    contents: Mapping[str, Any] = release.get("capabilities", {})
    added = result.get("added_capabilities", ())
    version, requested = result["openshift_version"], result["requested_capabilities"]
    yield f"OpenShift {version or 'of unknown version'}: {_outcome(result, is_dry_run=is_dry_run)}"
    additional = result["spec"].get("additionalEnabledCapabilities")
    names = f", with {_names(additional)}" if additional else ""
    yield f"selection: capability set {result['spec'].get('baselineCapabilitySet') or 'vCurrent'}{names}"
    if added:
        yield f"requested before: {_names(set(requested).difference(added))}"
        yield f"requested after: {_names(requested)}"
    if not full:
        yield f"enabled: {_names(result['enabled_capabilities'])}"
    if result["pending_capabilities"]:
        yield f"requested but not yet enabled: {_names(result['pending_capabilities'])}"
    if result["implicitly_enabled_capabilities"]:
        yield f"enabled without being requested: {_names(result['implicitly_enabled_capabilities'])}"
    if not full:
        yield f"disabled: {_names(set(result['disabled_capabilities']).difference(result['pending_capabilities']))}"
    if release and release["version"] != version:
        runs = version or "an unknown version"
        yield f"the release has the version {release['version'] or 'unknown'}, but the cluster runs {runs}"
    for name in added:
        if name in contents:
            yield f"{name} contains {_contained(contents[name])}"
    if full:
        yield ""
        yield from _table(result, contents, predicted=added if is_dry_run else ())


def _outcome(result: Mapping[str, Any], *, is_dry_run: bool) -> str:
    if "added_capabilities" not in result:
        return "this run requests nothing"
    if not result["changed"]:
        return "no change, all capabilities are already requested"
    if result["added_capabilities"]:
        return f"{'would request' if is_dry_run else 'now requests'} {_names(result['added_capabilities'])}"
    return f"the selection {'would be' if is_dry_run else 'is'} rewritten, with the same names"


def _contained(contents: Mapping[str, Any]) -> str:
    parts = [plural(contents["manifests"], "manifest")]
    if contents["crds"]:
        parts.append(f"{plural(len(contents['crds']), 'CRD')} ({', '.join(contents['crds'])})")
    if contents["cluster_operators"]:
        parts.append(f"ClusterOperator {', '.join(contents['cluster_operators'])}")
    if contents["namespaces"]:
        parts.append(f"in {', '.join(contents['namespaces'])}")
    return ", ".join(parts)


def _table(result: Mapping[str, Any], contents: Mapping[str, Any], predicted: tuple[str, ...]) -> Iterator[str]:
    enabled, requested = result["enabled_capabilities"], result["requested_capabilities"]
    titles = ("CAPABILITY", "STATE", "MANIFESTS", "CRDS", "CLUSTEROPERATORS")
    rows: list[tuple[str | int, ...]] = [titles if contents else titles[:2]]
    for name in sorted_names({*result["known_capabilities"], *enabled, *requested}):
        if name in enabled:
            state = "enabled" if name in requested else "enabled, not requested"
        elif name in requested:
            state = "would be requested" if name in predicted else "pending"
        else:
            state = "disabled"
        of = contents.get(name)
        numbers = (of["manifests"], len(of["crds"]), ", ".join(of["cluster_operators"])) if of else ("", "", "")
        rows.append((name, state, *(numbers if contents else ())))
    yield from table(rows)


def _names(names: Any) -> str:
    return listed(sorted_names(names))
