# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The words for an exposure in reports, and its changes as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

LABELS: Mapping[str, str] = {
    "do_everything": "can do everything",
    "read_secrets": "can read all Secrets",
    "exec_into_pods": "can run commands in all Pods",
    "grant_permissions": "can grant any permission (bind or escalate)",
    "impersonate": "can impersonate others",
    "create_pods": "can create Pods in all namespaces",
    "reach_nodes": "can reach the kubelets of all nodes (nodes/proxy)",
    "namespaces": "namespaces",
    "crds": "API definitions",
    "services": "Services",
    "webhooks": "webhook configurations",
    "host_network_workloads": "workloads in the network of their node",
    "privileged_workloads": "workloads with privileged containers",
    "credentials_requests": "CredentialsRequests",
    "cloud_permissions": "permissions in the cloud",
}
"""What is counted. The first ones are about accounts, the others about resources."""

NO_CAPABILITY = "no capability"
KNOWN = "what the manifests allow; what operators create at run time is not known"
UNKNOWN_ROLES = "bound ClusterRoles that no manifest creates, whose permissions are not known"


def exposure_lines(compared: Mapping[str, Any]) -> list[str]:
    """Render what changes between two exposures."""
    lines = [*_lines("accounts that ", compared["accounts"]), *_lines("", compared["resources"])]
    if compared["unknown_roles"]:
        lines.append(f"{UNKNOWN_ROLES}: {', '.join(compared['unknown_roles'])}")
    return [f"exposure: {KNOWN}", *(f"  {line}" for line in lines or ["unchanged"])]


def _lines(noun: str, part: Mapping[str, Any]) -> Iterator[str]:
    for name, entry in part.items():
        changes = [(capabilities_text(group), _change(group)) for group in entry["by_capabilities"]]
        text = ", ".join(f"{capabilities} {change}" for capabilities, change in changes if change)
        if text:
            yield f"{noun}{LABELS[name]}: {entry['before']} -> {entry['after']} ({text})"


def _change(group: Mapping[str, Any]) -> str:
    """Return how many names a group gains and loses. A name can also have moved to another group."""
    gained, lost = len(group["added"]), len(group["removed"])
    if gained or lost:
        return " ".join([*([f"+{gained}"] if gained else []), *([f"-{lost}"] if lost else [])])
    return f"{group['after'] - group['before']:+}" if group["after"] != group["before"] else ""


def capabilities_text(group: Mapping[str, Any]) -> str:
    """Return the capabilities of a group of names as a manifest has them in its annotation."""
    return "+".join(group["capabilities"]) or NO_CAPABILITY
