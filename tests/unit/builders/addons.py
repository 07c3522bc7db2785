# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A small release for add-ons, objects of add-ons, and what a check finds in them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._addons.reader import ReadOptions
from ansible_collections.capability.openshift.plugins.module_utils._addons.run import AddonsResult, check_addons
from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import DEFAULT_CLUSTER_PROFILE
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._findings.finding import in_order
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._registry.access_options import AccessOptions
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest
from ansible_collections.capability.openshift.tests.unit.builders.resolved_clusters import V4_20, Files

ONLY_OLM = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["OperatorLifecycleManager"]}
EVERYTHING = {"baselineCapabilitySet": "vCurrent"}
OPTIONS = ReadOptions(None, (), AccessOptions(), "amd64")


def spec_of(kind: str, group: str, *, namespaced: bool = True, versions: Iterable[str] = ("v1",)) -> dict[str, Any]:
    """Return the spec of a CustomResourceDefinition."""
    plural = kind.lower() + "s"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    served = [{"name": name, "served": True, "storage": not at, "schema": schema} for at, name in enumerate(versions)]
    return {
        "group": group,
        "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
        "scope": "Namespaced" if namespaced else "Cluster",
        "versions": served,
    }


def definition(kind: str, group: str, capability: str = "", **more: Any) -> str:
    """Return a CustomResourceDefinition of a release."""
    spec = spec_of(kind, group, **more)
    name = f"{spec['names']['plural']}.{group}"
    return manifest(
        name,
        capability,
        kind="CustomResourceDefinition",
        api="apiextensions.k8s.io/v1",
        more=f"spec: {json.dumps(spec)}\n",
    )


RELEASE_FILES = {
    "0000_10_console_links.yaml": definition("ConsoleLink", "console.openshift.io", "Console", namespaced=False),
    "0000_10_console_plugins.yaml": definition("ConsolePlugin", "console.openshift.io", "Console", namespaced=False),
    "0000_10_base_sensors.yaml": definition("Sensor", "base.openshift.io", versions=("v1", "v1beta1")),
    "0000_10_hubs.yaml": definition("OperatorHub", "config.openshift.io", "marketplace", namespaced=False),
    "0000_10_olm_csvs.yaml": definition(
        "ClusterServiceVersion", "operators.coreos.com", "OperatorLifecycleManager", versions=("v1alpha1",)
    ),
    "0000_10_olm_subscriptions.yaml": definition(
        "Subscription", "operators.coreos.com", "OperatorLifecycleManager", versions=("v1alpha1",)
    ),
    "0000_20_base_namespace.yaml": manifest("openshift-base", kind="Namespace"),
    "0000_20_marketplace.yaml": manifest("openshift-marketplace", "marketplace", kind="Namespace"),
    "0000_20_two.yaml": manifest("openshift-two", "Build+Storage", kind="Namespace"),
    "0000_30_service.yaml": manifest("hooks", kind="Service", namespace="openshift-base"),
    "0000_30_console_service.yaml": manifest("console", "Console", kind="Service", namespace="openshift-base"),
    "0000_30_role.yaml": manifest("console-reader", "Console", kind="ClusterRole", api="rbac.authorization.k8s.io/v1"),
    "0000_40_snapshot.yaml": manifest("snapshot", "CSISnapshot"),
    "0000_40_olm.yaml": manifest("olm", "OperatorLifecycleManagerV1"),
}
"""Kinds and Namespaces of several capabilities, and some of none. Hosted clusters have no OLM v1."""


@cache
def release(profile: str, minor: Minor = V4_20) -> Release:
    """Return the release with one cluster profile, in memory."""
    own = RELEASE_FILES["0000_40_olm.yaml"]
    texts = (text.replace(DEFAULT_CLUSTER_PROFILE, profile) for text in RELEASE_FILES.values() if text != own)
    return Files(minor, own, *texts).release


def thing(kind: str, name: str = "one", namespace: str = "", api: str = "v1", **fields: Any) -> dict[str, Any]:
    """Return an object."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **fields.pop("metadata", {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}


def own_definition(kind: str = "Widget", group: str = "example.com", **more: Any) -> dict[str, Any]:
    """Return a CustomResourceDefinition of an add-on."""
    return thing(
        "CustomResourceDefinition",
        f"{kind.lower()}s.{group}",
        api="apiextensions.k8s.io/v1",
        spec=spec_of(kind, group, **more),
    )


def csv(name: str = "widgets.v1", **spec: Any) -> dict[str, Any]:
    """Return a ClusterServiceVersion."""
    return thing("ClusterServiceVersion", name, api="operators.coreos.com/v1alpha1", spec=spec)


LINK = thing("ConsoleLink", api="console.openshift.io/v1")
NAMESPACE = thing("Namespace", "fresh")
WIDGET = thing("Widget", "w", "fresh", api="example.com/v1")


def documents(*objects: Mapping[str, Any]) -> str:
    """Return a file of objects."""
    return "".join(f"---\n{json.dumps(item, indent=1)}\n" for item in objects)


def chart(*objects: Mapping[str, Any], folder: str = "templates") -> str:
    """Return objects as ``helm template`` prints them."""
    return "".join(f"---\n# Source: widgets/{folder}/x.yaml\n{json.dumps(item)}\n" for item in objects)


def catalog_bundle(name: str, *objects: Mapping[str, Any], package: str = "widgets", **more: Any) -> dict[str, Any]:
    """Return a bundle of a catalog, with its objects or with what ``more`` says."""
    embedded = [
        {"type": "olm.bundle.object", "value": {"data": base64.b64encode(json.dumps(item).encode()).decode()}}
        for item in objects
    ]
    properties = [*embedded, *more.pop("properties", ())]
    return {"schema": "olm.bundle", "name": name, "package": package, "properties": properties, **more}


def write_addon(folder: Path, files: Mapping[str, str]) -> str:
    """Write an add-on, also into subdirectories, and return its path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder)


def bundle(folder: Path, *objects: Mapping[str, Any], properties: Any = None) -> str:
    """Write a bundle, and return its path."""
    files = {f"manifests/{at}.yaml": documents(item) for at, item in enumerate(objects)}
    if properties is not None:
        files["metadata/properties.yaml"] = json.dumps({"properties": properties})
    return write_addon(folder, files)


def check(
    *names: str,
    capabilities: Any = MappingProxyType(ONLY_OLM),
    profile: str = DEFAULT_CLUSTER_PROFILE,
    cluster: Mapping[str, Any] = MappingProxyType({}),
    minor: Minor = V4_20,
    **options: Any,
) -> AddonsResult:
    """Check add-ons against the release. ``cluster``: other options of the cluster."""
    given = ClusterOptions(capabilities=capabilities, cluster_profile=profile, **cluster)
    return check_addons(list(names), release(profile, minor), given, OPTIONS._replace(**options), Problems())


def found(result: AddonsResult, *severities: str) -> list[tuple[str, str]]:
    """Return rule and resource of the findings of some severities, or of all."""
    return [
        (item.code, item.where.field)
        for item in in_order(result.findings)
        if item.severity in severities or not severities
    ]
