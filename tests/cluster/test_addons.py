# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random add-ons on an API server with exactly the definitions of a selection: it rejects what the check reports.

Real add-ons are in ``test_addons_of_others.py``.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._data.kinds import (
    CLUSTER_SCOPED,
    is_of_kubernetes,
    kubernetes_serves,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.tests.cluster.helpers.addon_oracle import Body, Item, TrimmedCluster
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError
from ansible_collections.capability.openshift.tests.unit.builders.addons import (
    NAMESPACE,
    RELEASE_FILES,
    WIDGET,
    bundle,
    chart,
    check,
    csv,
    documents,
    own_definition,
    thing,
    write_addon,
)

SEED = 20
SELECTIONS, ADDONS_OF_EACH = 8, 25
REJECTED = ("absent-kind", "absent-namespace", "unserved-version", "wrong-order")
NAMES = ("Build", "CSISnapshot", "Console", "DeploymentConfig", "OperatorLifecycleManager", "Storage", "marketplace")
NAMESPACES = ("", "default", "openshift-base", "openshift-marketplace", "openshift-two", "elsewhere")
KINDS = (
    ("ConfigMap", "v1"),
    ("ConfigMap", "v1"),
    ("ServiceAccount", "v1"),
    ("ClusterRole", "rbac.authorization.k8s.io/v1"),
    ("ConsoleLink", "console.openshift.io/v1"),
    ("ConsolePlugin", "console.openshift.io/v1"),
    ("ConsolePlugin", "console.openshift.io/v1alpha1"),
    ("Sensor", "base.openshift.io/v1"),
    ("Sensor", "base.openshift.io/v1beta1"),
    ("Sensor", "base.openshift.io/v2"),
    ("OperatorHub", "config.openshift.io/v1"),
    ("Subscription", "operators.coreos.com/v1alpha1"),
    ("BuildConfig", "build.openshift.io/v1"),
    ("DeploymentConfig", "apps.openshift.io/v1"),
    ("VolumeSnapshotClass", "snapshot.storage.k8s.io/v1"),
    ("PtpConfig", "foreign.example.org/v1"),
)


class RandomAddon(NamedTuple):
    """An add-on for an installer. ``replaces``: it brings what the release has for a capability."""

    installer: str
    objects: list[Body]
    in_crds: list[Body]
    replaces: bool


def random_addon(number: int, chance: random.Random) -> RandomAddon:
    """Return an add-on whose names no other has."""
    own_group, own_namespace = f"own-{number}.example.com", f"fresh-{number}"
    kinds = [*KINDS, ("Widget", f"{own_group}/v1"), ("Widget", f"{own_group}/v1"), ("Widget", f"{own_group}/v2")]
    objects = []
    for at in range(chance.randint(3, 12)):
        kind, api = chance.choice(kinds)
        namespace = chance.choice((*NAMESPACES, own_namespace, own_namespace))
        objects.append(thing(kind, f"o-{number}-{at}", namespace, api=api))
    definitions = [own_definition("Widget", own_group)] if chance.random() < 0.8 else []
    replaces = chance.random() < 0.1
    if replaces:
        definitions.append(own_definition("ConsoleLink", "console.openshift.io", namespaced=False))
        objects.append(thing("Namespace", "openshift-marketplace"))
    if chance.random() < 0.8:
        objects.append(thing("Namespace", own_namespace))
    installer = chance.choice(("olm", "helm", "kubectl", "gitops"))
    in_crds = definitions if installer == "helm" and chance.random() < 0.5 else []
    objects += [] if in_crds else definitions
    chance.shuffle(objects)
    return RandomAddon(installer, objects, in_crds, replaces)


def write(folder: Path, addon: RandomAddon) -> tuple[str, list[Item]]:
    """Write an add-on in the form of its installer, and return its path and its objects."""
    if addon.installer == "helm":
        text = chart(*addon.objects) + chart(*addon.in_crds, folder="crds")
        items = [Item("all.yaml", body) for body in addon.objects]
        items += [Item("all.yaml", body, "widgets/crds/x.yaml") for body in addon.in_crds]
        return write_addon(folder, {"all.yaml": text}), items
    if addon.installer == "olm":
        objects = [csv(f"csv-{folder.name}"), *addon.objects]
        return bundle(folder, *objects), [Item(f"manifests/{at}.yaml", body) for at, body in enumerate(objects)]
    path = write_addon(folder, {"all.yaml": documents(*addon.objects)})
    items = [Item("all.yaml", body) for body in addon.objects]
    return (path if addon.installer == "gitops" else f"{path}/all.yaml"), items


@pytest.mark.deep
def test_random_addons(plane: ControlPlane, tmp_path: Path) -> None:
    manifests = [yaml.safe_load(text) for text in RELEASE_FILES.values()]
    manifests = [body for body in manifests if body["kind"] in ("CustomResourceDefinition", "Namespace")]
    chance = random.Random(SEED)
    seen: Counter[str] = Counter()
    for group in range(SELECTIONS):
        names = sorted(chance.sample(NAMES, chance.randint(0, len(NAMES) - 1)))
        selection = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": names}
        cluster = TrimmedCluster(plane, manifests, names)
        for number in range(group * ADDONS_OF_EACH, (group + 1) * ADDONS_OF_EACH):
            addon = random_addon(number, chance)
            path, items = write(tmp_path / str(number), addon)
            result = check(path, capabilities=selection)
            assert [row["installer"] for row in result.keys["addons"]] == [addon.installer]
            found = {(item.where.source, item.where.field) for item in result.findings if item.code in REJECTED}
            assert sorted(found) == sorted(cluster.rejected(items, addon.installer)), (number, names, addon.installer)
            seen.update({item.code for item in result.findings})
            seen["fine"] += not found
            if addon.replaces:
                cluster = TrimmedCluster(plane, manifests, names)
    assert min(seen[rule] for rule in (*REJECTED, "late-definition", "unknown-kind", "fine")) >= 10, seen


def test_kubectl_looks_up_kinds_first(plane: ControlPlane, tmp_path: Path) -> None:
    TrimmedCluster(plane, [], ())
    path = f"{write_addon(tmp_path, {'all.yaml': documents(own_definition(), NAMESPACE, WIDGET)})}/all.yaml"
    (finding,) = check(path).findings
    assert (finding.code, finding.where.field) == ("late-definition", "Widget.example.com fresh/w")
    with pytest.raises(ControlPlaneError, match="ensure CRDs are installed first"):
        plane.kubectl("apply", "-f", path)
    plane.kubectl("apply", "-f", path)


def test_the_table_of_cluster_scoped_kinds(plane: ControlPlane) -> None:
    TrimmedCluster(plane, [], ())
    groups = plane.api.get("/apis")["groups"]
    paths = ["/api/v1", *(f"/apis/{item['groupVersion']}" for group in groups for item in group["versions"])]
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for path in paths:
        for item in plane.api.get(path)["resources"]:
            if "/" not in item["name"]:
                found[item["namespaced"]].add(item["kind"])
                group = path.split("/")[2] if path.startswith("/apis") else ""
                assert kubernetes_serves(group, item["kind"], Minor(4, 21)), (group, item["kind"])
    assert found[False] == CLUSTER_SCOPED
    assert not found[True] & CLUSTER_SCOPED
    assert all(is_of_kubernetes(group["name"]) for group in groups)
