# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Updates of hosted clusters, whose capabilities HyperShift writes again for each release."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.result import PlanSerializer
from ansible_collections.capability.openshift.tests.unit.builders.installations import known
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    changes,
    manifest,
    one_hop,
    planned,
    select_only,
)
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

PROFILE = "ibm-cloud-managed"
HOSTED: dict[str, Any] = {"cluster_profile": PROFILE}
GATED = {"ClusterAPI", "CompatibilityRequirements"}
FOUR = ("4.17.1", "4.18.1")


def default_of(minor: str) -> set[str]:
    """Return what HyperShift enables by default: from 4.20 on, all but baremetal."""
    return set(known(minor)) - GATED - ({"baremetal"} if minor not in ("4.17", "4.18", "4.19") else set())


def written(minor: str, *disabled: str) -> dict[str, object]:
    """Return the ClusterVersion of a hosted cluster that disables names, as HyperShift writes it."""
    names = sorted(default_of(minor) - set(disabled))
    return reference.cluster_version(select_only(*names), names, sorted(known(minor)))


@pytest.mark.parametrize("start", [{"capabilities": None}, {"cluster_version": written("4.20")}])
def test_new_names_come_with_the_update(start):
    hop = one_hop([], [], path=("4.20.1", "4.23.1"), **HOSTED, **start)

    assert hop.before.enabled == default_of("4.20")
    assert hop.after.enabled == default_of("4.23")
    assert hop.after.implicitly_enabled == set()
    assert hop.implicitly_enabled == ()


def test_what_the_cluster_disables_stays_disabled_and_the_rest_is_requested():
    hop = one_hop(
        [],
        [manifest("ImageRegistry", profile=PROFILE)],
        path=("4.18.1", "4.20.1"),
        **HOSTED,
        cluster_version=written("4.18", "ImageRegistry"),
    )

    assert hop.after.enabled == default_of("4.20") - {"ImageRegistry"} | {"baremetal"}
    assert changes(hop) == {}


def test_an_update_from_4_18_enables_what_its_list_lacks():
    """HyperShift of 4.18 does not know the name, and that of 4.19 writes it."""
    lost, start = "OperatorLifecycleManagerV1", written("4.18", "ImageRegistry", "OperatorLifecycleManagerV1")
    patch, minor = (
        one_hop([], [], path=("4.18.1", end), **HOSTED, cluster_version=start) for end in ("4.18.2", "4.19.1")
    )

    assert lost not in patch.before.enabled | patch.after.enabled
    assert lost in minor.newly_requested
    assert minor.after.enabled == default_of("4.19") - {"ImageRegistry"}


def test_the_hint_for_a_misspelled_exclusion_names_what_the_cluster_can_disable():
    with pytest.raises(InvalidOptionError) as raised:
        planned([], [], path=("4.18.1", "4.19.1"), capabilities={"excluded_capabilities": ["Storag"]}, **HOSTED)

    assert [(item.code, item.hint) for item in raised.value.problems] == [
        ("unknown-capability", "Use one of: ImageRegistry")
    ]


def test_a_standalone_cluster_with_the_same_list_does_not_get_new_names():
    list_of_4_17 = {"capabilities": select_only(*default_of("4.17"))}

    hosted, bare = (
        one_hop([], [], path=FOUR, cluster_profile=PROFILE, hosted_control_plane=hosted, **list_of_4_17)
        for hosted in (True, False)
    )

    assert "OperatorLifecycleManagerV1" in hosted.newly_requested & hosted.after.enabled
    assert "OperatorLifecycleManagerV1" not in bare.after.enabled


def test_the_outgoing_operator_enables_nothing_because_it_never_loads_the_new_release():
    before, after = manifest(profile=PROFILE), manifest("Console", profile=PROFILE)
    disabled = {"capabilities": {"excludedCapabilities": ["Console", "Ingress"]}}

    hosted, bare = (
        one_hop(
            [before], [after], path=("4.20.1", "4.21.1"), cluster_profile=PROFILE, hosted_control_plane=on, **disabled
        )
        for on in (True, False)
    )

    assert [item.name for item in bare.implicitly_enabled] == ["Console"]
    assert hosted.implicitly_enabled == ()
    assert "Console" not in hosted.after.enabled


@pytest.mark.parametrize("start", [{"capabilities": None}, {"cluster_version": written("4.19")}])
def test_baremetal_stays_enabled_after_4_19_which_enables_it(start):
    result = planned([], [], path=("4.19.1", "4.20.1"), **HOSTED, **start)

    (hop,) = result.plan.hops
    assert hop.before.enabled == known("4.19")
    assert hop.after.enabled == known("4.20")
    assert hop.after.implicitly_enabled == {"baremetal"}
    assert result.plan.condition is not None
    assert result.plan.condition.status == "True"


def test_4_18_and_4_19_enable_baremetal_as_4_17_does():
    result = planned([], [], path=FOUR, **HOSTED, capabilities=None)

    (hop,) = result.plan.hops
    assert hop.after.enabled == known("4.18")
    assert hop.after.implicitly_enabled == set()


def test_the_selection_of_the_plan_is_the_difference_from_the_default():
    plan = planned([], [], path=("4.20.1", "4.21.1"), **HOSTED, cluster_version=written("4.20", "Console"))

    assert PlanSerializer().plan(plan, details=False)["capabilities"] == {
        "baseline_capability_set": "vCurrent",
        "additional_enabled_capabilities": [],
        "excluded_capabilities": ["Console"],
    }


def test_names_that_a_hosted_cluster_cannot_disable_are_reported():
    result = planned([], [], path=("4.20.1", "4.21.1"), **HOSTED, capabilities={"excludedCapabilities": ["Storage"]})

    assert ("warning", "unsupported-capability", "capabilities") in {
        (item.severity, item.code, str(item.where)) for item in result.problems
    }


@pytest.mark.parametrize(("platform", "removed"), [(None, False), ("aws", False), ("ibmcloud", True)])
def test_the_platform_decides_about_files_that_two_platforms_keep(platform, removed):
    storage = manifest(profile=PROFILE, file="0000_50_cluster-storage-operator_10_deployment-ibm-cloud-managed.yaml")

    result = planned([storage], [], path=("4.20.1", "4.21.1"), **HOSTED, capabilities=None, platform=platform)

    (hop,) = result.plan.hops
    assert bool(hop.changes.removed) == removed
    assert ("unknown-hosted-platform" in {item.code for item in result.problems}) == (platform is None)
