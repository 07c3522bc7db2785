# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A cluster, a model of it, compared with the release that was rolled out to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import CapabilityStatus
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSION_CRD,
    CLUSTER_VERSIONS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    LEASES,
    ResourceId,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.cluster_state import read_cluster_state
from ansible_collections.capability.openshift.plugins.module_utils._verify.compare import CheckedResource, shorten
from ansible_collections.capability.openshift.plugins.module_utils._verify.difference import Difference
from ansible_collections.capability.openshift.plugins.module_utils._verify.verify import (
    Verification,
    verification_dict,
    verify,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import fault
from ansible_collections.capability.openshift.tests.unit.builders.releases import DELETE, manifest
from ansible_collections.capability.openshift.tests.unit.builders.rolled_out import Site

VERSION = "4.20.3"


def config(name: str, **annotations: str) -> str:
    return manifest(name, namespace="team", more="data: {a: b}\n", annotations=annotations)


DEPLOYMENT = manifest("d", kind="Deployment", api="apps/v1", namespace="team", more="spec: {replicas: 1}\n")
CONSOLE = manifest("console", "Console", namespace="team")
RELEASE = (
    manifest("team", kind="Namespace"),
    *map(config, "abc"),
    DEPLOYMENT,
    CONSOLE,
    config("gone", **{DELETE: "true"}),
)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site(tmp_path)
    site.roll_out(VERSION, *RELEASE)
    numbers = dict.fromkeys(("observedGeneration", "replicas", "updatedReplicas", "availableReplicas"), 1)
    conditions = [{"type": "Available", "status": "True"}]
    site.server.objects[DEPLOYMENTS.path("d", "team")]["status"] = {**numbers, "conditions": conditions}
    return site


def found(site: Site, *release: str) -> dict[str, Any]:
    """The names in each list of the result, and the codes of problems."""
    verification = site.verify(VERSION, *(release or RELEASE))
    result = verification_dict(verification)
    lists = {key: [item["name"] for item in result[key]] for key in ("missing", "unexpected", "different", "unready")}
    shown = {key: names for key, names in lists.items() if names}
    codes = sorted({item.code for item in verification.problems if item.severity != "info"})
    return {**shown, **({"problems": codes} if codes else {}), "verified": result["verified"]}


def test_a_rollout_leaves_no_difference(site: Site) -> None:
    requests = len(site.writes())
    assert found(site) == {"verified": 7}
    assert (requests > 0, site.writes()) == (True, [])


def test_every_kind_of_difference_is_found(site: Site) -> None:
    objects = site.server.objects
    del objects[CONFIG_MAPS.path("a", "team")]
    objects[CONFIG_MAPS.path("b", "team")]["data"] = {"a": "c"}
    objects[DEPLOYMENTS.path("d", "team")]["status"]["availableReplicas"] = 0
    site.server.put(CONFIG_MAPS, "console", "team")
    site.server.put(CONFIG_MAPS, "gone", "team")
    site.server.put(CONFIG_MAPS, "of_others", "team")

    assert found(site) == {
        "missing": ["a"],
        "different": ["b"],
        "unready": ["d"],
        "unexpected": ["console", "gone"],
        "verified": 7,
    }


def test_what_an_earlier_release_left_is_unexpected(site: Site) -> None:
    result = verification_dict(site.verify(VERSION, *RELEASE[:-2], config("new")))

    assert [item["name"] for item in result["missing"]] == ["new"]
    result = verification_dict(site.verify(VERSION, *RELEASE[:2], *RELEASE[3:]))
    (left,) = result["unexpected"]
    assert (left["name"], left["file"], [reason["rule"] for reason in left["reasons"]]) == ("b", "", ["orphaned"])


def test_what_a_directory_without_the_manifests_of_the_cvo_lacks_is_not_unexpected(site: Site) -> None:
    definition = manifest(
        CLUSTER_VERSION_CRD.name,
        kind="CustomResourceDefinition",
        api="apiextensions.k8s.io/v1",
        more="spec: {group: config.openshift.io, names: {plural: clusterversions, kind: ClusterVersion}, "
        "scope: Cluster, versions: [{name: v1, served: true}]}\n",
    )
    site.roll_out(VERSION, *RELEASE, definition)
    assert found(site) == {"problems": ["partial-release"], "verified": 7}


def test_what_cannot_be_read_is_not_verified(site: Site) -> None:
    site.server.faults["GET", CONFIG_MAPS.path("a", "team")] = [fault(403)]
    site.server.faults["GET", CONFIG_MAPS.path("b", "team")] = [fault(403)]
    site.server.faults["GET", CONFIG_MAPS.path("c", "team")] = [fault(404, 'configmaps "c" not found')]
    assert found(site) == {"missing": ["c"], "problems": ["forbidden-request"], "verified": 5}


def test_records_that_cannot_be_read_are_not_missing(site: Site) -> None:
    for path in (CLUSTER_VERSIONS.path("version"), CONFIG_MAPS.path("capability-openshift-rollout", "kube-system")):
        site.server.faults["GET", path] = [fault(403)] * 2
    with pytest.raises(ClusterError) as error:
        site.verify(VERSION, *RELEASE)
    verification = site.verify(VERSION, *RELEASE, selected={"baseline_capability_set": "vCurrent"})
    for problems in (error.value.problems, verification.problems):
        assert [item.code for item in problems if item.severity == "error"] == ["forbidden-request"] * 2
    assert verification.verified > 0


def test_owners_that_cannot_be_compared_are_named(site: Site) -> None:
    metadata = site.server.objects[CONFIG_MAPS.path("a", "team")]["metadata"]
    metadata.update(ownerReferences=[], annotations={})
    site.server.faults["GET", LEASES.path("version", "openshift-cluster-version")] = [fault(403)]
    assert found(site)["problems"] == ["forbidden-request"]


def test_the_version_of_a_flat_directory_can_be_a_minor(site: Site) -> None:
    client, release = site.server.client(), site.release(VERSION, *RELEASE)._replace(version="4.20")
    assert verify(client, read_cluster_state(client), release, None, ClusterOptions()).verified == 7


def test_another_release_is_an_error_and_an_unfinished_rollout_is_named(site: Site) -> None:
    with pytest.raises(ClusterError) as error:
        site.verify("4.20.4", *RELEASE)
    (problem,) = [item for item in error.value.problems if item.severity == "error"]
    assert (problem.code, str(problem.where)) == ("other-release", "release")
    site.server.faults["PATCH", CONFIG_MAPS.path("new", "team")] = [fault(403)] * 20
    more = (*RELEASE, config("new"))
    site.roll_out(VERSION, *more, reported=Problems())
    verification = site.verify(VERSION, *more)
    assert [item.code for item in verification.problems if item.severity == "warning"] == ["unfinished-rollout"]


def test_an_update_that_is_not_completed_is_named(site: Site) -> None:
    status = site.server.objects[CLUSTER_VERSIONS.path("version")]["status"]
    for state, expected in (("Partial", ["unfinished-rollout"]), ("Completed", [])):
        status["history"] = [{"state": state, "version": VERSION}]
        assert found(site).get("problems", []) == expected


def test_a_selection_replaces_what_the_cluster_reports(site: Site) -> None:
    selection = {"baseline_capability_set": "None", "additional_enabled_capabilities": ["Console"]}
    verification = site.verify(VERSION, *RELEASE, selected=selection)
    assert [item["name"] for item in verification_dict(verification)["missing"]] == ["console"]


MANIFEST = Manifest(ResourceId("", "ConfigMap", "a", "b"), "v1", {}, "file.yaml")


def shown(*fields: Difference):
    status = CapabilityStatus(frozenset(), frozenset())
    verification = Verification(status, 1, (), (), (CheckedResource(MANIFEST, fields=fields),), ())
    (item,) = verification_dict(verification)["different"]
    return item


def test_short_values_are_shown_as_they_are():
    reported = Difference(".a", {"b": [1, True]}, None)

    assert shorten(reported) == reported
    assert shown(reported)["fields"] == [{"field": ".a", "expected": {"b": [1, True]}, "actual": None}]


def test_of_long_values_the_beginning_is_shown():
    reported = shorten(Difference(".a", "x" * 1000, ["y" * 1000]))

    assert reported.expected == f"{'x' * 200}... (1000 characters)"
    assert reported.actual == f'["{"y" * 198}... (1004 characters)'


def test_a_resource_with_many_differences_stays_short():
    item = shown(*(shorten(Difference(f".a{index}", "x" * 10_000, "y" * 10_000)) for index in range(100)))

    assert len(item["fields"]) == 20
    assert item["more_fields"] == 80
    assert len(json.dumps(item)) < 12_000
