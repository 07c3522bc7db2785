# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory of a rollout, which it stores on the cluster for the next run.

It records the release, the enabled capabilities and the applied resources. It is the parent of an ApplySet, so other
tools find the members too.
Source of the format: kubernetes/enhancements:keps/sig-cli/3659-kubectl-apply-prune.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from .._data.inclusion_rules import CAPABILITY_ANNOTATION
from .._data.version import COLLECTION_VERSION
from .._problems import ClusterError, Problem, shown, type_name
from .._release.manifest import Manifest
from .._release.task_graph import MODES, Mode
from .._resources import CONFIG_MAPS, ResourceId

NAMESPACE = "kube-system"
"""Exists on every cluster before the first rollout."""

NAME = "capability-openshift-rollout"
TOOLING = f"capability.openshift/v{COLLECTION_VERSION}"
_SEPARATOR = "."
_LOCATION = f"{CONFIG_MAPS.resource} {NAMESPACE}/{NAME}"


class Entry(NamedTuple):
    """An applied resource, with the capabilities that its manifest requires.

    ``owned`` is the digest of the fields that we own, empty if unknown. ``is_earlier``: only an earlier release applied
    it.
    """

    capabilities: tuple[str, ...]
    owned: str = ""
    is_earlier: bool = False


class Inventory(NamedTuple):
    """What the last rollout applied. ``unfinished`` is the mode of a rollout that did not succeed, else empty.

    ``enabled`` are the enabled capabilities, even if the status of the ClusterVersion cannot list them yet. Of these,
    ``implicit`` are the ones that the unfinished rollout enabled without a request, so the next run reports them.
    ``gates``: the feature gates that the release had, ``None`` if they did not decide, or an earlier version wrote it.
    ``deleted``: resources that the release deletes.
    """

    version: str
    cluster_profile: str
    enabled: frozenset[str]
    unfinished: Mode | Literal[""]
    entries: Mapping[ResourceId, Entry]
    implicit: frozenset[str] = frozenset()
    gates: frozenset[str] | None = None
    deleted: Mapping[ResourceId, Entry] = MappingProxyType({})

    def manifests(self) -> tuple[Manifest, ...]:
        """Manifests of the last release that were included, with the fields that implicit enablement reads."""
        return tuple(
            Manifest(resource, "", {CAPABILITY_ANNOTATION: "+".join(entry.capabilities)}, _LOCATION)
            for resource, entry in (*self.entries.items(), *self.deleted.items())
            if not entry.is_earlier
        )


def applyset_id() -> str:
    """The id of the ApplySet, which is the value of its members' label."""
    unencoded = _SEPARATOR.join((NAME, NAMESPACE, CONFIG_MAPS.kind, CONFIG_MAPS.group))
    digest = base64.urlsafe_b64encode(hashlib.sha256(unencoded.encode()).digest()).decode().rstrip("=")
    return f"applyset-{digest}-v1"


def inventory_object(inventory: Inventory) -> dict[str, Any]:
    """Build the ConfigMap of ``inventory``. Equal inventories give the same object, byte for byte."""
    resources = sorted(inventory.entries)
    kinds = {f"{resource.kind}.{resource.group}" if resource.group else resource.kind for resource in resources}
    namespaces = {resource.namespace for resource in resources} - {"", NAMESPACE}
    lines: dict[bool, list[str]] = {False: [], True: []}
    for resource in resources:
        entry = inventory.entries[resource]
        lines[entry.is_earlier].append(_line(resource, entry))
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
            "implicitly-enabled": " ".join(sorted(inventory.implicit)),
            "resources": "".join(lines[False]),
            "earlier-resources": "".join(lines[True]),
            # Always written, because a merge keeps a key that is absent.
            "feature-gates": json.dumps(None if inventory.gates is None else sorted(inventory.gates)),
            "deleted-resources": "".join(_line(*item) for item in sorted(inventory.deleted.items())),
        },
    }


def _line(resource: ResourceId, entry: Entry) -> str:
    return f"{json.dumps([*resource, '+'.join(entry.capabilities), entry.owned], ensure_ascii=False)}\n"


def parse_inventory(obj: Mapping[str, Any]) -> Inventory:
    """Parse the ConfigMap of ``inventory_object``. Raises ``ClusterError`` if another writer has changed it."""
    data = obj.get("data")
    data = data if isinstance(data, Mapping) else {}
    try:
        entries = {
            **dict(_entries(data["resources"], is_earlier=False)),
            **dict(_entries(data["earlier-resources"], is_earlier=True)),
        }
        gates = json.loads(data.get("feature-gates", "null"))
        return Inventory(
            str(data["release"]),
            str(data["cluster-profile"]),
            frozenset(str(data["enabled-capabilities"]).split()),
            _mode(data["unfinished"]),
            entries,
            frozenset(str(data["implicitly-enabled"]).split()),
            None if gates is None else frozenset(map(str, gates)),
            dict(_entries(data.get("deleted-resources", ""), is_earlier=False)),
        )
    except (KeyError, TypeError, ValueError) as error:
        message = f"is not an inventory of a rollout ({type(error).__name__}: {error})"
        hint = "Restore it, or delete it and set previous_release for the next update"
        raise ClusterError([Problem("error", "unreadable-inventory", _LOCATION, message, hint)]) from None


def _mode(value: object) -> Mode | Literal[""]:
    found = next((mode for mode in MODES if mode == value), None)
    if found is None and value != "":
        raise ValueError(f"unfinished is {shown(value)}")
    return found or ""


def _entries(lines: object, *, is_earlier: bool) -> Iterator[tuple[ResourceId, Entry]]:
    # Not splitlines(): it splits at more characters than JSON escapes.
    for line in filter(None, str(lines).split("\n")):
        fields = json.loads(line)
        if not isinstance(fields, list):
            raise TypeError(f"a resource is {type_name(fields)}")
        group, kind, namespace, name, capabilities, owned = map(str, fields)
        names = tuple(capabilities.split("+")) if capabilities else ()
        yield ResourceId(group, kind, namespace, name), Entry(names, owned, is_earlier)
