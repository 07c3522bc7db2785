# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What a rollout keeps on the cluster for the next one: the release, what is on, and which resources it applied.

It is the parent of an ApplySet, so that other tools find the members too.
Source of the format: kubernetes/enhancements:keps/sig-cli/3659-kubectl-apply-prune.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from .._problems import ClusterError, Problem, shown, type_name
from .._release.manifest import CAPABILITY_ANNOTATION, Manifest
from .._release.task_graph import MODES, Mode
from .._resources import CONFIG_MAPS, ResourceId

NAMESPACE = "kube-system"
"""It is on each cluster before anything else."""

NAME = "capability-openshift-rollout"
TOOLING = "capability.openshift/v0.1.0"
_SEPARATOR = "."
_LOCATION = f"{CONFIG_MAPS.resource} {NAMESPACE}/{NAME}"


class Entry(NamedTuple):
    """A resource of the release that was rolled out, with the capabilities that it needed.

    ``owned`` is the digest of the fields that were ours after it was sent, empty where that is not known. ``made``: a
    rollout made the resource, and found none there.
    """

    capabilities: tuple[str, ...]
    owned: str = ""
    made: bool = False


class Inventory(NamedTuple):
    """What was rolled out last. ``unfinished``: the mode of a rollout that did not end well, empty after one that did.

    ``enabled`` are the capabilities that are on, also where the status of the ClusterVersion cannot say so yet;
    ``implicit`` those of them that the unfinished rollout turned on without being asked, so that they are told.
    """

    version: str
    cluster_profile: str
    enabled: frozenset[str]
    unfinished: Mode | Literal[""]
    entries: Mapping[ResourceId, Entry]
    implicit: frozenset[str] = frozenset()

    def manifests(self) -> tuple[Manifest, ...]:
        """Return what was applied as manifests, as far as implicit enablement looks at these."""
        return tuple(
            Manifest(resource, "", {CAPABILITY_ANNOTATION: "+".join(entry.capabilities)}, _LOCATION)
            for resource, entry in self.entries.items()
        )


def applyset_id() -> str:
    """Return the id of the ApplySet, which the label of its members holds."""
    unencoded = _SEPARATOR.join((NAME, NAMESPACE, CONFIG_MAPS.kind, CONFIG_MAPS.group))
    digest = base64.urlsafe_b64encode(hashlib.sha256(unencoded.encode()).digest()).decode().rstrip("=")
    return f"applyset-{digest}-v1"


def inventory_object(inventory: Inventory) -> dict[str, Any]:
    """Return the ConfigMap that holds ``inventory``; the same for the same, byte for byte."""
    resources = sorted(inventory.entries)
    kinds = {f"{resource.kind}.{resource.group}" if resource.group else resource.kind for resource in resources}
    namespaces = {resource.namespace for resource in resources} - {"", NAMESPACE}
    lines = [
        json.dumps([*resource, "+".join(entry.capabilities), entry.owned, entry.made], ensure_ascii=False)
        for resource, entry in ((resource, inventory.entries[resource]) for resource in resources)
    ]
    return {
        "apiVersion": CONFIG_MAPS.api_version,
        "kind": CONFIG_MAPS.kind,
        "metadata": {
            "name": NAME,
            "namespace": NAMESPACE,
            "labels": {"applyset.kubernetes.io/id": applyset_id()},
            "annotations": {
                "applyset.kubernetes.io/tooling": TOOLING,
                "applyset.kubernetes.io/contains-group-kinds": ",".join(sorted(kinds)),
                "applyset.kubernetes.io/additional-namespaces": ",".join(sorted(namespaces)),
            },
        },
        "data": {
            "release": inventory.version,
            "cluster-profile": inventory.cluster_profile,
            "enabled-capabilities": " ".join(sorted(inventory.enabled)),
            "unfinished": inventory.unfinished,
            "turned-on": " ".join(sorted(inventory.implicit)),
            "resources": "".join(f"{line}\n" for line in lines),
        },
    }


def parse_inventory(found: Mapping[str, Any]) -> Inventory:
    """Read what ``inventory_object`` made. Raises ``ClusterError`` where somebody wrote something else into it."""
    data = found.get("data")
    data = data if isinstance(data, Mapping) else {}
    try:
        # Not splitlines(): it takes more characters for ends of lines than JSON escapes.
        entries = dict(_entry(json.loads(line)) for line in str(data["resources"]).split("\n") if line)
        return Inventory(
            str(data["release"]),
            str(data["cluster-profile"]),
            frozenset(str(data["enabled-capabilities"]).split()),
            _mode(data["unfinished"]),
            entries,
            frozenset(str(data["turned-on"]).split()),
        )
    except (KeyError, TypeError, ValueError) as error:
        message = f"is not what a rollout wrote ({type(error).__name__}: {error})"
        hint = "Restore it, or delete it: then give previous_release with the next update"
        raise ClusterError([Problem("error", "todo", _LOCATION, message, hint)]) from None


def _mode(value: object) -> Mode | Literal[""]:
    if value == "":
        return ""
    for mode in MODES:
        if mode == value:
            return mode
    raise ValueError(f"unfinished is {shown(value)}")


def _entry(line: Any) -> tuple[ResourceId, Entry]:
    if not isinstance(line, list):
        raise TypeError(f"a resource is {type_name(line)}")
    *texts, made = line
    group, kind, namespace, name, capabilities, owned = map(str, texts)
    if not isinstance(made, bool):
        raise TypeError(f"whether a resource was made is {type_name(made)}")
    names = tuple(capabilities.split("+")) if capabilities else ()
    return ResourceId(group, kind, namespace, name), Entry(names, owned, made)
