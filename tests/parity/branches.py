#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read what the branches of openshift/api and openshift/hypershift say, from clones of both.

Nothing of the collection is used here, so that the readings check its data.

Usage: tests/parity/branches.py FOLDER MINOR... > tests/parity/facts/hosted.json

FOLDER contains the clones `api` and `hypershift`, bare or with a work tree.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

NEW_PAYLOAD = "control-plane-operator/controllers/hostedcontrolplane/v2/cvo/deployment.go"
OLD_PAYLOAD = "control-plane-operator/controllers/hostedcontrolplane/cvo/reconcile.go"
CLUSTER_VERSION = "control-plane-operator/hostedclusterconfigoperator/controllers/resources/resources.go"
DEFAULTS = "support/capabilities/hosted_control_plane_capabilities.go"
HOSTED_CLUSTER = "api/hypershift/v1beta1/hostedcluster_types.go"
TYPES, FEATURE_SETS = "config/v1/types_cluster_version.go", "config/v1/types_feature.go"


class Branch:
    """The branch of a minor in a clone."""

    def __init__(self, clone: Path, minor: str) -> None:
        self.clone = clone
        names = (f"refs/remotes/origin/release-{minor}", f"refs/heads/release-{minor}")
        found = [name for name in names if self._git("rev-parse", "--verify", "--quiet", name)]
        if not found:
            raise LookupError(f"{clone} has no branch release-{minor}")
        self.commit = self._git("rev-parse", found[0]).strip()

    def text(self, path: str) -> str:
        """Return a file without its comments, empty if the branch does not have it."""
        found = self._git("show", f"{self.commit}:{path}")
        return re.sub(r"/\*.*?\*/|^\s*//(?! \+).*?$", "", found, flags=re.DOTALL | re.MULTILINE)

    def _git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.clone), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def hypershift(branch: Branch) -> dict[str, Any]:
    """Return what HyperShift of the branch does to a release and its ClusterVersion."""
    payload = branch.text(NEW_PAYLOAD) or branch.text(OLD_PAYLOAD)
    deleted = re.findall(r'"([^"]+)"', body(payload, r"manifestsToOmit = \[\]string\{", r"\t\}"))
    kept, _default, removed = body(payload, r"func [rR]esourcesToRemove\(", r"\}").rpartition("default:")
    patterns = re.findall(r'"rm (?:-f )?%s/manifests/(\S+)"', payload)
    types = branch.text(HOSTED_CLUSTER)
    selectable = re.search(r"validation:Enum=(\S+)\s*type OptionalCapability string", types)
    names = selectable[1].split(";") if selectable else []
    return {
        "commit": branch.commit,
        "deleted": sorted(deleted),
        "deleted_without_oauth": re.findall(r'"(0000_50_console-operator_\S+)"', payload),
        "deleted_cvo_manifests": [name for name in patterns if "NoUpgrade" not in name and "Default" not in name],
        "removed": resources(removed),
        "removed_on_keeping_platforms": resources(kept or removed),
        "disabled_by_default": disabled_by_default(branch),
        "platforms": re.findall(r'PlatformType = "(\w+)"', types),
        "can_be_disabled": sorted(names if "Disabled []OptionalCapability" in types else []),
        "can_be_enabled": sorted(names if "Enabled []OptionalCapability" in types else []),
    }


def disabled_by_default(branch: Branch) -> list[str]:
    """Return the capabilities that a HostedCluster without capabilities disables, as the constants name them."""
    written = body(branch.text(CLUSTER_VERSION), r"func \(r \*reconciler\) reconcileClusterVersion\(", r"\}")
    if "Spec.Capabilities = nil" in written or "Spec.Capabilities" not in written:
        return []
    calculated = body(branch.text(DEFAULTS), r"func CalculateEnabledCapabilities\(", r"\}")
    return sorted(re.findall(r"Delete\(configv1\.ClusterVersionCapability(\w+)\)", calculated))


def resources(source: str) -> list[str]:
    """Return the resources of a list of Go objects: kind, namespace if there is one, and name."""
    found = re.findall(r'(\w+)\{ObjectMeta: \S+?\{Name: "(.*?)"(?:, Namespace: "(.*?)")?\}', source)
    found += re.findall(r'kind:\s+"(.*?)",\s+name:\s+"(.*?)",(?:\s+namespace:\s+"(.*?)",)?', source)
    return sorted(f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}" for kind, name, namespace in found)


def api(branch: Branch) -> dict[str, Any]:
    """Return the capabilities of the branch, their feature gates, the capability sets and the feature sets."""
    source = branch.text(TYPES)
    names = dict(re.findall(r"(ClusterVersionCapability\w+)\s+ClusterVersionCapability = \"(.*?)\"", source))
    sets = dict(re.findall(r"(ClusterVersionCapabilitySet\w+)\s+ClusterVersionCapabilitySet = \"(.*?)\"", source))
    known = body(source, r"var KnownClusterVersionCapabilities = ", r"\}")
    contents = body(source, r"var ClusterVersionCapabilitySets = ", r"\}")
    found = re.findall(r"(ClusterVersionCapabilitySet\w+): \{(.*?)\}", contents, re.DOTALL)
    enums = re.findall(r"FeatureGateAwareEnum:featureGate=(\w+),enum=(\S*CloudCredential\S*)", source)
    always = re.search(r'FeatureGateAwareEnum:featureGate="",enum=(\S*CloudCredential\S*)', source)
    gates: dict[str, set[str]] = {}
    for gate, listed in enums:
        for name in set(listed.split(";")) - set(always[1].split(";") if always else ()):
            gates.setdefault(name, set()).add(gate)
    return {
        "commit": branch.commit,
        "known": named(names, known),
        "gates": {name: sorted(found) for name, found in gates.items()},
        "feature_sets": sorted(re.findall(r'FeatureSet = "(\w+)"', branch.text(FEATURE_SETS))),
        "sets": {sets[name]: named(names, content) for name, content in found},
    }


def named(names: dict[str, str], source: str) -> list[str]:
    """Return the values of the constants of a list."""
    return sorted(names[name] for name in re.findall(r"\b(ClusterVersionCapability\w+),", source))


def body(source: str, start: str, end: str) -> str:
    """Return the lines of a block from the line with ``start`` to the line ``end``, empty if there is none."""
    found = re.search(rf"^[^\n]*{start}.*?^{end}$", source, re.DOTALL | re.MULTILINE)
    return found[0] if found else ""


def spans(readings: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the first and the last minor of each name, by the field of its reading, and the commits."""
    minors = list(readings)
    fields: dict[str, Any] = {"commits": {minor: reading.pop("commit") for minor, reading in readings.items()}}
    for field in readings[minors[0]]:
        found: dict[str, list[str]] = {}
        for minor in minors:
            for name in readings[minor][field]:
                found.setdefault(name, []).append(minor)
        for name, has in found.items():
            if has != minors[minors.index(has[0]) : minors.index(has[-1]) + 1]:
                raise ValueError(f"{name} is missing between {has[0]} and {has[-1]}")
        fields[field] = {name: [has[0], has[-1]] for name, has in sorted(found.items())}
    return fields


def at(spans: dict[str, list[str]], minor: str) -> list[str]:
    """Return the names of a field in a minor."""
    return sorted(name for name, (first, last) in spans.items() if key(first) <= key(minor) <= key(last))


def key(minor: str) -> tuple[int, ...]:
    """Return what sorts minors."""
    return tuple(map(int, minor.split(".")))


if __name__ == "__main__":
    folder, *minors = sys.argv[1:]
    readings = {minor: hypershift(Branch(Path(folder) / "hypershift", minor)) for minor in minors}
    text = json.dumps(spans(readings), indent=1)
    print(re.sub(r"\[\s+(\S+),\s+(\S+)\s+\]", r"[\1, \2]", text))
