# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Real add-ons on an API server with exactly the definitions of a selection: it rejects what addon_check reports.

The GitOps directories are also the extra manifests of a site, and site_check reports the same.

They are not part of the collection: CAPABILITY_RELEASES names a folder of extracted releases, and CAPABILITY_ADDONS one
of add-ons. Without it, the folder ``addons`` next to the releases is used.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import addon_check, site_check
from ansible_collections.capability.openshift.tests.cluster.helpers import real_rollouts
from ansible_collections.capability.openshift.tests.cluster.helpers.addon_oracle import (
    Body,
    TrimmedCluster,
    errors_of,
    read_items,
    release_manifests,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.real_rollouts import folder_of, release_of
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.unit.builders.sites import (
    cluster_instance,
    overrides,
    quoted,
    write_checkout,
)
from ansible_collections.capability.openshift.tests.unit.run_module import Call

pytestmark = pytest.mark.deep

ADDONS = Path(os.environ.get("CAPABILITY_ADDONS") or folder_of("..").joinpath("addons"))
REJECTED = ("absent-kind", "absent-namespace", "unserved-version", "wrong-order")
RAN_DU = ("Ingress", "NodeTuning", "OperatorLifecycleManager")
CASES = [
    ("cert-manager-operator", "olm", 4),
    ("ptp-operator", "olm", 0),
    ("lvm-operator", "olm", 0),
    ("telco/telco-ran", "gitops", 7),
    ("telco/telco-core", "gitops", 2),
    ("telco/telco-hub", "gitops", 3),
]
"""Add-ons, and the number of objects that a cluster with the selection of RAN DU rejects."""

__test__ = real_rollouts.are_there("4.20") and (ADDONS / "telco").is_dir()
"""Without releases these tests do not exist, because a skipped test fails the gate."""


@cache
def manifests() -> list[Body]:
    return release_manifests(release_of("4.20"))


def selection(*names: str) -> dict[str, Any]:
    return {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": list(names)}


def check_as_extra_manifests(call: Call, folder: Path, checkout: Path) -> dict[str, Any]:
    """Check a copy of ``folder`` of which kustomize generates the ConfigMap of a site."""
    shutil.copytree(folder, checkout)
    files = [str(path.relative_to(checkout)) for path in sorted(checkout.rglob("*.yaml"))]
    site = cluster_instance(
        quoted(overrides(*RAN_DU)), image_set="img4.20.0", more="  extraManifestsRefs: [{name: extra}]\n"
    )
    generator = {"name": "extra", "files": files, "options": {"disableNameSuffixHash": True}}
    kustomization = {"namespace": "berlin", "configMapGenerator": [generator]}
    write_checkout(checkout, {"site/site.yaml": site, "kustomization.yaml": json.dumps(kustomization)})
    return call(site_check, checkout=checkout, releases=[str(folder_of("4.20"))], fail_on="never").result


def test_ran_du(plane: ControlPlane, call: Call, tmp_path: Path) -> None:
    cluster = TrimmedCluster(plane, manifests(), RAN_DU)
    for name, installer, expected in CASES:
        options = {"addons": [str(ADDONS / name)], "release": str(folder_of("4.20")), "fail_on": "never"}
        outcome = call(addon_check, **options, capabilities=selection(*RAN_DU))
        assert {row["installer"] for row in outcome["addons"]} == {installer}
        rejected = cluster.rejected(read_items(ADDONS / name), installer)
        assert errors_of(outcome.result, REJECTED) == sorted(set(rejected)), name
        assert (outcome["counts"]["error"], len(rejected)) == (expected, expected), name
        verdicts = Counter(row["verdict"] for row in outcome["objects"])
        assert verdicts["error"] == expected
        assert outcome["repairs"] or not expected
        if installer == "gitops":
            found = check_as_extra_manifests(call, ADDONS / name, tmp_path / Path(name).name)
            # Extra manifests are applied as they are, references of kube-compare as well.
            applied = [row for row in errors_of(found, REJECTED) if "kube-compare" not in row[0]]
            sites = ": extra manifest of berlin"
            assert applied == sorted({(path, resource + sites) for path, resource in rejected}), name


@pytest.mark.parametrize("name", [name for name, _installer, _expected in CASES])
def test_nothing_is_rejected_if_everything_is_enabled(call: Call, name: str) -> None:
    options = {"addons": [str(ADDONS / name)], "release": str(folder_of("4.20"))}
    outcome = call(addon_check, **options, capabilities={"baselineCapabilitySet": "vCurrent"})
    assert outcome["counts"]["error"] == 0


def test_every_selection_names_what_an_addon_needs(call: Call) -> None:
    options = {"release": str(folder_of("4.20")), "fail_on": "never"}
    needs = {
        name: {capability for row in outcome["addons"] for capability in row["needs"]}
        for name, outcome in (
            (name, call(addon_check, addons=[str(ADDONS / name)], **options))
            for name, _installer, _expected in CASES[:4]
        )
    }
    assert needs == {
        "cert-manager-operator": {"Console"},
        "ptp-operator": set(),
        "lvm-operator": set(),
        "telco/telco-ran": {"NodeTuning", "OperatorLifecycleManager", "marketplace"},
    }
