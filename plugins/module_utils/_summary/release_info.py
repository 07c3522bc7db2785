# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of release_info as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._problems import plural
from .words import decision_lines, first_lines, first_of, image_lines, listed, resource_text, table

_MEBIBYTE = 1024 * 1024
_MOST = 10
"""Lines of a list. All of 4.12 and 4.21 would be 94 kB."""
_RESOURCES: Mapping[str, str] = {
    "crds": "CustomResourceDefinitions",
    "namespaces": "Namespaces",
    "cluster_operators": "ClusterOperators",
    "deployments": "Deployments",
    "daemonsets": "DaemonSets",
    "statefulsets": "StatefulSets",
    "jobs": "Jobs",
    "cronjobs": "CronJobs",
    "services": "Services",
    "webhooks": "Webhook configurations",
    "host_network_workloads": "Workloads in the network of their node",
    "privileged_workloads": "Workloads with privileged containers",
    "images": "Images",
    "credentials_requests": "CredentialsRequests",
    "cloud_permissions": "Permissions in the cloud",
}
_ACCOUNTS: Mapping[str, str] = {
    "do_everything": "Accounts that can do everything",
    "read_secrets": "Accounts that can read all Secrets",
    "exec_into_pods": "Accounts that can run commands in all Pods",
    "grant_permissions": "Accounts that can grant any permission",
    "impersonate": "Accounts that can impersonate others",
    "create_pods": "Accounts that can create Pods in all namespaces",
    "reach_nodes": "Accounts that can reach the kubelets of all nodes",
}
_CAPABILITIES: Mapping[str, str] = {"known_capabilities": "known", "enabled_capabilities": "enabled"}
_NOT_KNOWN = "This is what manifests allow and request. What operators create at run time is not known."


def summary_lines(result: Mapping[str, Any], _options: Mapping[str, Any]) -> list[str]:
    """What differs from another release or selection, what resources require, or else a table of the capabilities."""
    return list(_lines(result, result["release"])) if "release" in result else []


def _lines(result: Mapping[str, Any], release: Mapping[str, Any]) -> Iterator[str]:
    if "changes" in result:
        yield from changes_lines(result["changes"], release["version"])
        if "resources" in result:
            yield ""
    elif "resources" not in result:
        yield from _capabilities(release)
    if "resources" in result:
        yield from _resources(result["resources"])
    if "images" in release:
        yield ""
        yield from image_lines(release["images"])


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
    rows.append(("(no capability)", "", count, count, "", ""))
    yield from table(rows)
    if sum(int(row[3]) for row in rows[1:]) > included:
        yield "A manifest that needs several capabilities counts for each of them."


def _resources(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield plural(len(found), "manifest")
    if found:
        yield f"Required capabilities: {listed(sorted({name for item in found for name in item['capabilities']}))}"
        yield ""
        yield from decision_lines(found)


def changes_lines(changes: Mapping[str, Any], version: str | None) -> Iterator[str]:
    """Render ``changes`` of the release ``version``: what the module release_info returns."""
    old, new = changes["previous_version"] or "unknown version", version or "unknown version"
    names = (changes[key][word] for key in _CAPABILITIES for word in ("added", "removed"))
    same = "with another selection" if any(names) else "with the same capabilities"
    yield f"{old} -> {new}" if old != new else f"{new}, {same}"
    yield ""
    yield from table(_facts(changes))
    yield ""
    yield from table([("", "BEFORE", "AFTER", "CHANGE"), *_numbers(changes)])
    yield _NOT_KNOWN
    yield from _credentials(changes["credentials_requests"])
    yield from _unknown_roles(changes["unknown_roles"])
    for word in ("added", "removed", "deleted", "changed"):
        manifests = changes["manifests"][word]
        if manifests:
            yield ""
            yield f"Manifests {word}: {len(manifests)}"
        lines = (f"  {resource_text(item)}{_needed(item['capabilities'])}" for item in manifests)
        yield from first_lines(lines, _MOST, "  ")


def _facts(changes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, label in _CAPABILITIES.items():
        yield f"newly {label} capabilities", listed(changes[key]["added"])
        yield f"no longer {label} capabilities", listed(changes[key]["removed"])
    yield "definitions removed", first_of(changes["resources"]["crds"]["removed"], _MOST)
    images = changes["images"]
    yield "images of the release", ", ".join(f"{len(images[word])} {word}" for word in ("added", "removed", "changed"))


def _numbers(changes: Mapping[str, Any]) -> Iterator[tuple[str, int, int, str]]:
    """Yield what changes, with both numbers. The changes of all groups add up to the difference of the numbers."""
    manifests, cpu, memory = changes["manifests"], changes["cpu_millicores"], changes["memory_bytes"]
    different = len(manifests["changed"])
    change = ", ".join(filter(None, [_signed(manifests), f"{different} changed" if different else ""]))
    yield "Manifests", manifests["before"], manifests["after"], change
    for part, labels in (("resources", _RESOURCES), ("accounts", _ACCOUNTS)):
        for key, label in labels.items():
            entry = changes[part][key]
            if text := _by_capabilities(entry["by_capabilities"]):
                yield label, entry["before"], entry["after"], text
    yield "CPU requests, in millicores", cpu["before"], cpu["after"], f"{cpu['after'] - cpu['before']:+}"
    old, new = (round(memory[side] / _MEBIBYTE) for side in ("before", "after"))
    yield "Memory requests, in MiB", old, new, f"{new - old:+}"


def _by_capabilities(groups: Iterable[Mapping[str, Any]]) -> str:
    """How many names each group gains and loses. A name that needs other capabilities than before changes both."""
    texts = (("+".join(group["capabilities"]) or "no capability", _signed(group)) for group in groups)
    return ", ".join(f"{capabilities} {change}" for capabilities, change in texts if change)


def _signed(entry: Mapping[str, Any]) -> str:
    return " ".join(f"{sign}{len(entry[key])}" for sign, key in (("+", "added"), ("-", "removed")) if entry[key])


def _credentials(requests: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not requests:
        return
    rows = [("CREDENTIALSREQUEST", "PLATFORM", "CHANGE", "PERMISSIONS")]
    for item in requests:
        secret = item["secret"]
        change = "added" if secret["before"] is None else "removed" if secret["after"] is None else "changed"
        rows.append((item["name"], item["platform"], change, _signed(item["permissions"])))
    yield ""
    yield from first_lines(table(rows), _MOST + 1, "  ")


def _unknown_roles(names: Sequence[str]) -> Iterator[str]:
    if names:
        roles = plural(len(names), "ClusterRole")
        yield ""
        yield f"{roles} with unknown permissions, because no manifest creates them: {', '.join(names)}"


def _needed(capabilities: Sequence[str]) -> str:
    return f" ({' + '.join(capabilities)})" if capabilities else ""
