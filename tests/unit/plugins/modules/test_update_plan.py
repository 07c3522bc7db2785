# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of one cluster, through the module as Ansible runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import condition, reported
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import (
    BAREMETAL,
    KNOWN_4_13,
    KNOWN_4_14,
    NOTHING,
    cluster_version,
)


def names(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["name"] for entry in entries]


def resource(kind: str, name: str, namespace: str = "", group: str = "") -> dict[str, str]:
    return {"group": group, "kind": kind, "namespace": namespace, "name": name}


def cause(kind: str, name: str, file: str, before: list[str], after: list[str]) -> dict[str, Any]:
    inside = {"namespace": "operators", "group": "apps"} if kind == "Deployment" else {}
    old = file.replace("_09", "_01")
    files = {"from_file": f"release-manifests/{old}", "to_file": f"release-manifests/{file}"}
    lists = {"from_capabilities": before, "to_capabilities": after, "deleted": False}
    return {**resource(kind, name, **inside), **files, **lists}


def applied(kind: str, name: str, file: str, **place: str) -> dict[str, Any]:
    return {**resource(kind, name, **place), "file": f"release-manifests/{file}", "capabilities": []}


MACHINE_API = [
    cause("Deployment", "machine-api", "0000_30_machine-api_09.yaml", [], ["MachineAPI"]),
    cause("Service", "machine-api", "0000_30_machine-api_09.yaml", [], ["MachineAPI"]),
    cause("Deployment", "baremetal", "0000_31_baremetal_01.yaml", ["baremetal"], ["baremetal", "MachineAPI"]),
]
CREDENTIALS = {"namespace": "credentials", "group": "cloudcredential.openshift.io"}
REQUESTS = [
    applied("CredentialsRequest", name, "0000_80_credentials_01.yaml", **CREDENTIALS) for name in ("ebs", "vsphere")
]


def test_a_hop_is_returned_with_all_details(run):
    outcome = run(capabilities=BAREMETAL)
    (hop,) = outcome["hops"]
    forced, by_manifest = hop.pop("implicitly_enabled")

    assert by_manifest == {
        "name": "MachineAPI",
        "cause": "manifest",
        "requested": False,
        "source": "",
        "count": 3,
        "resources": MACHINE_API,
    }
    assert "cluster-version-operator#981" in forced.pop("source")
    assert forced == {"name": "DeploymentConfig", "cause": "forced", "requested": False, "count": 0, "resources": []}
    assert hop == {
        "from": "4.13.5",
        "to": "4.14.2",
        "verdict": "go",
        "reasons": [],
        "accepted": [],
        "not_checked": [
            {
                "code": "cluster-state",
                "message": "no conditions of a ClusterVersion are known, "
                "nor the updates that the update service recommends",
            },
            {
                "code": "admin-gates",
                "message": "the gates of 4.13.5 are not known, because its directory lacks the CVO's own manifests",
            },
        ],
        "downgrade": False,
        "enabled_before": ["baremetal"],
        "enabled_after": ["DeploymentConfig", "MachineAPI", "baremetal"],
        "known_before": KNOWN_4_13,
        "known_after": KNOWN_4_14,
        "newly_enabled": ["DeploymentConfig", "MachineAPI"],
        "newly_requested": [],
        "newly_known": ["Build", "ImageRegistry"],
        "no_longer_optional": [],
        "not_in_fresh_install": ["DeploymentConfig", "MachineAPI"],
        "moved": [{"name": "baremetal", "resources": MACHINE_API[2:]}],
        "added": [applied("ConfigMap", "new", "0000_20_new_01.yaml"), REQUESTS[1]],
        "removed": [applied("ConfigMap", "old", "0000_60_old_01.yaml")],
        "deleted": [applied("ConfigMap", "gone", "0000_70_gone_01.yaml")],
        "credentials_requests": [{**REQUESTS[0], "new": False}, {**REQUESTS[1], "new": True}],
    }


def test_the_end_of_the_path_is_returned(run, releases):
    outcome = run(releases=releases.path, capabilities=BAREMETAL)

    assert outcome["changed"] is False
    assert outcome["releases"] == ["4.13.5", "4.14.2", "4.15.0"]
    assert outcome["capabilities"] == {
        "baseline_capability_set": "None",
        "additional_enabled_capabilities": ["baremetal"],
    }
    assert outcome["enabled_capabilities"] == ["DeploymentConfig", "MachineAPI", "baremetal"]
    assert outcome["implicitly_enabled_capabilities"] == ["DeploymentConfig", "MachineAPI"]
    assert set(outcome["known_capabilities"]) == {*KNOWN_4_14, "CloudCredential", "OperatorLifecycleManager"}
    assert outcome["condition"] == {
        "type": "ImplicitlyEnabledCapabilities",
        "status": "True",
        "reason": "CapabilitiesImplicitlyEnabled",
        "message": "The following capabilities could not be disabled: DeploymentConfig, MachineAPI",
    }
    assert (outcome["violations"], outcome["problems"]) == ([], [])
    assert outcome["hops"][1]["implicitly_enabled"] == []
    assert outcome["hops"][1]["newly_known"] == ["CloudCredential", "OperatorLifecycleManager"]


def test_without_details_there_are_the_first_cause_and_its_count(run):
    options = {"capabilities": BAREMETAL}
    full, short = run(**options), run(**options, details=False)
    hop, cut = full["hops"][0], short["hops"][0]

    assert set(hop) - set(cut) == {"moved", "added", "removed", "deleted", "credentials_requests"}
    (machine_api,) = [item for item in cut["implicitly_enabled"] if item["name"] == "MachineAPI"]
    assert machine_api["resources"] == MACHINE_API[:1]
    assert machine_api["count"] == 3
    same = set(cut) - {"implicitly_enabled"}
    assert {key: cut[key] for key in same} == {key: hop[key] for key in same}


FORMS = {
    "dict": lambda folder, value: value,
    "list": lambda folder, value: {"apiVersion": "v1", "kind": "List", "items": [value]},
    "yaml": lambda folder, value: write(folder / "cv.yaml", "---\n# saved\n" + yaml.safe_dump(value)),
    "json": lambda folder, value: write(folder / "cv.json", json.dumps(value, indent=2)),
    "list in a file": lambda folder, value: write(
        folder / "list.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [value]})
    ),
}


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("option", ["cluster_version", "clusterVersion"])
def test_a_cluster_version_in_every_form_takes_precedence_over_its_sets(form, option, run, tmp_path):
    outcome = run(**{option: FORMS[form](tmp_path, cluster_version())})

    assert outcome["problems"] == []
    assert outcome["hops"][0]["enabled_before"] == ["Console", "baremetal"]
    assert outcome["implicitly_enabled_capabilities"] == ["Console", "DeploymentConfig", "MachineAPI"]
    assert outcome["capabilities"]["additional_enabled_capabilities"] == ["baremetal"]


def test_enabled_names_count_as_requested_by_name(run):
    outcome = run(enabled_capabilities=["baremetal", "Console"])

    assert outcome["hops"][0]["enabled_before"] == ["Console", "baremetal"]
    assert outcome["hops"][0]["known_before"] == KNOWN_4_13
    assert outcome["implicitly_enabled_capabilities"] == ["DeploymentConfig", "MachineAPI"]
    assert outcome.problem("unknown-selection")["severity"] == "info"


def test_known_capabilities_replace_those_of_the_version(run):
    outcome = run(enabledCapabilities=["Console"], knownCapabilities=["Console", "Storage"])

    assert outcome["hops"][0]["known_before"] == ["Console", "Storage"]
    assert set(KNOWN_4_13) - {"Console", "Storage"} < set(outcome["hops"][0]["newly_known"])


def live(*kinds_and_names: tuple[str, str, str, str]) -> list[dict[str, str]]:
    return [resource(kind, name, namespace, group) for group, kind, namespace, name in kinds_and_names]


@pytest.mark.parametrize(
    ("present", "enabled"),
    [
        ([], {}),
        (live(("apps", "Deployment", "operators", "console")), {"Console": "0000_50_console_01.yaml"}),
        # Only on the cluster, and in no manifest of the outgoing release
        (
            live(("cloudcredential.openshift.io", "CredentialsRequest", "credentials", "registry")),
            {"ImageRegistry": ""},
        ),
        (live(("apps", "Deployment", "elsewhere", "console"), ("", "Deployment", "operators", "console")), {}),
        ([{"kind": "Service", "name": "machine-api"}], {"MachineAPI": "0000_30_machine-api_01.yaml"}),
    ],
)
def test_the_rule_presence_compares_the_new_release_with_the_cluster(present, enabled, run):
    outcome = run(capabilities=NOTHING, live_resources=present, rule="presence")

    causes = {item["name"]: item for item in outcome["hops"][0]["implicitly_enabled"] if item["cause"] == "manifest"}
    assert {name: item["resources"][0]["from_file"] for name, item in causes.items()} == {
        name: f"release-manifests/{file}" if file else None for name, file in enabled.items()
    }
    assert set(outcome["enabled_capabilities"]) == {"DeploymentConfig", *enabled}
    assert outcome.problem("presence-rule")["severity"] == "warning"


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        (None, ["ebs", "vsphere", "registry"]),
        ("aws", ["ebs", "registry"]),
        ("AWS", ["ebs", "registry"]),
        ("VSphere", ["vsphere"]),
        ("gcp", []),
        ("BareMetal", []),
        ("None", []),
    ],
)
def test_the_platform_limits_credentials_requests(platform, expected, run):
    (hop,) = run(platform=platform)["hops"]

    assert {item["name"] for item in hop["credentials_requests"]} == set(expected)


FAILING = condition("Failing", True, "ClusterOperatorDegraded", "etcd is degraded")
NOT_UPGRADEABLE = condition("Upgradeable", False, "PoolUpdating", "pools are updating")


@pytest.mark.parametrize(
    ("conditions", "options", "violated"),
    [
        ([FAILING], {}, []),
        ([FAILING], {"fail_on": "risk"}, ["risk"]),
        ([NOT_UPGRADEABLE], {}, ["blocked"]),
        ([NOT_UPGRADEABLE, FAILING], {"fail_on": "risk", "forbidden_capabilities": ["Console"]}, ["blocked"]),
        ([NOT_UPGRADEABLE], {"fail_on": "never"}, []),
        ([], {"fail_on": "acknowledge"}, []),
    ],
)
def test_fail_on_is_the_least_serious_verdict_that_fails(conditions, options, violated, run):
    outcome = run(cluster_version=reported("4.13.5", *conditions, available=["4.14.2"]), **options)

    assert [item["name"] for item in outcome["violations"]] == violated
    assert outcome.failed is bool(violated)
    assert outcome["verdict"] == outcome["hops"][0]["verdict"]
    assert outcome["hops"][0]["reasons"] == [] or outcome["verdict"] != "go"


def test_overrides_of_the_cluster_version_apply_unless_others_are_given(run):
    value = cluster_version(overrides=[{"kind": "ConfigMap", "name": "new", "unmanaged": True}])
    theirs, none = run(cluster_version=value), run(cluster_version=value, overrides=[])

    assert "new" not in names(theirs["hops"][0]["added"])
    assert theirs["verdict"] == "blocked"
    assert "new" in names(none["hops"][0]["added"])
    assert none["verdict"] != "blocked"


@pytest.mark.parametrize(
    ("options", "shown"),
    [({}, False), ({"feature_set": "TechPreviewNoUpgrade"}, True), ({"featureSet": "Default"}, False)],
)
def test_the_feature_set_decides_which_manifests_count(options, shown, run):
    assert ("preview" in names(run(**options)["hops"][0]["added"])) is shown
