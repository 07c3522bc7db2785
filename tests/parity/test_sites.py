# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An AgentClusterInstall has an error exactly if assisted-service rejects it, and else its platform."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._sites.run import SitesOptions, check_sites
from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS
from ansible_collections.capability.openshift.tests.parity.make_sites import VERSION, cases
from ansible_collections.capability.openshift.tests.unit.builders.sites import ANNOTATION, block

PLATFORMS = json.loads((FACTS / "sites.json").read_text("utf-8"))["platforms"]


def only_assisted_service(case: dict[str, Any]) -> bool:
    """Whether an architecture lacks a feature, which the check does not know."""
    spec, architecture = case["spec"], case["architecture"]
    is_oracle = spec.get("platformType") == "External" and spec.get("external", {}).get("platformName") == "oci"
    return (is_oracle and architecture in ("s390x", "ppc64le")) or (
        spec.get("platformType") == "Nutanix" and architecture == "arm64"
    )


def agent_cluster_install(name: str, case: dict[str, Any]) -> dict[str, Any]:
    """Return the object of a case, with a selection that every platform accepts."""
    overrides = json.dumps(block(baseline="vCurrent"))
    return {
        "apiVersion": "extensions.hive.openshift.io/v1beta1",
        "kind": "AgentClusterInstall",
        "metadata": {"name": name, "namespace": name, "annotations": {ANNOTATION: overrides}},
        "spec": {**case["spec"], "clusterDeploymentRef": {"name": name}, "imageSetRef": {"name": case["architecture"]}},
    }


def image_set(architecture: str) -> dict[str, Any]:
    return {
        "apiVersion": "hive.openshift.io/v1",
        "kind": "ClusterImageSet",
        "metadata": {"name": architecture},
        "spec": {"releaseImage": f"quay.io/openshift-release-dev/ocp-release:{VERSION}-{architecture}"},
    }


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the platform of each case, empty with an error."""
    checkout: Path = tmp_path_factory.mktemp("checkout")
    objects = [agent_cluster_install(f"a{number}", case) for number, case in enumerate(cases())]
    objects += map(image_set, {case["architecture"] for case in cases()})
    (checkout / "sites.yaml").write_text("\n---\n".join(map(json.dumps, objects)), "utf-8")
    outcome = check_sites(SitesOptions(str(checkout), (".",)))
    wrong = {item.where.field.split()[-1] for item in outcome.findings if item.severity == "error"}
    return ["" if site.site.name in wrong else site.site.platform or "" for site in outcome.sites]


def test_the_answers_belong_to_the_cases(reported: list[str]) -> None:
    assert len(PLATFORMS) == len(cases()) == len(reported) == 1440


def test_a_platform_is_rejected_as_by_assisted_service(reported: list[str]) -> None:
    both = zip(cases(), reported, PLATFORMS, strict=True)
    assert [case for case, own, theirs in both if own != theirs and not only_assisted_service(case)] == []


def test_only_assisted_service_knows_what_an_architecture_supports(reported: list[str]) -> None:
    both = zip(cases(), reported, PLATFORMS, strict=True)
    found = [(own, theirs) for case, own, theirs in both if own and only_assisted_service(case)]
    assert sorted(set(found)) == [("external", ""), ("nutanix", "")]
