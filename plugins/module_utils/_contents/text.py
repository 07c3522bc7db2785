# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The words for an exposure in reports, and its changes as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

ACCOUNTS: Mapping[str, str] = {
    "do_everything": "Accounts that can do everything",
    "read_secrets": "Accounts that can read all Secrets",
    "exec_into_pods": "Accounts that can run commands in all Pods",
    "grant_permissions": "Accounts that can grant any permission (bind or escalate)",
    "impersonate": "Accounts that can impersonate others",
    "create_pods": "Accounts that can create Pods in all namespaces",
    "reach_nodes": "Accounts that can reach the kubelets of all nodes (nodes/proxy)",
}
"""Each of ``PERMISSIONS``."""

RESOURCES: Mapping[str, str] = {
    "namespaces": "Namespaces",
    "crds": "API definitions",
    "services": "Services",
    "webhooks": "Webhook configurations",
    "host_network_workloads": "Workloads in the network of their node",
    "privileged_workloads": "Workloads with privileged containers",
    "credentials_requests": "CredentialsRequests",
    "cloud_permissions": "Permissions in the cloud",
}
"""What is counted besides accounts."""

KNOWN = "what the manifests allow; what operators create at run time is not known"
NO_CAPABILITY = "no capability"


def exposure_lines(compared: Mapping[str, Any]) -> list[str]:
    """Render what changes between two exposures."""
    lines = [f"{label}: {text}" for label, entry in labelled(compared) if (text := changes_text(entry))]
    lines += filter(None, [unknown_roles_text(compared)])
    return [f"Exposure: {KNOWN}", *(f"  {line}" for line in lines or ["unchanged"])]


def labelled(compared: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield all that is counted, with its label."""
    for part, labels in (("accounts", ACCOUNTS), ("resources", RESOURCES)):
        yield from ((label, compared[part][name]) for name, label in labels.items())


def unknown_roles_text(compared: Mapping[str, Any]) -> str:
    """Return a sentence about roles whose permissions are not counted, empty if there are none."""
    names = ", ".join(compared["unknown_roles"])
    return names and f"Bound ClusterRoles with unknown permissions, because no manifest creates them: {names}"


def changes_text(entry: Mapping[str, Any]) -> str:
    """Return both numbers, with the capabilities that make a difference; empty if nothing changes."""
    changes = [("+".join(group["capabilities"]) or NO_CAPABILITY, _change(group)) for group in entry["by_capabilities"]]
    text = ", ".join(f"{capabilities} {change}" for capabilities, change in changes if change)
    return text and f"{entry['before']} -> {entry['after']} ({text})"


def _change(group: Mapping[str, Any]) -> str:
    """Return how many names a group gains and loses. A name can also have moved to another group."""
    texts = [f"{sign}{len(group[key])}" for sign, key in (("+", "added"), ("-", "removed")) if group[key]]
    if not texts and group["after"] != group["before"]:
        texts = [f"{group['after'] - group['before']:+}"]
    return " ".join(texts)
