# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names that are enabled without a manifest: by sets, and by options of the cluster-version operator."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import (
    ALWAYS_ENABLED,
    FORCED_CAPABILITIES,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    changes,
    enabled_by,
    manifest,
    one_hop,
    planned,
    select_only,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import PROFILE
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

INGRESS_SOURCE, DEPLOYMENT_CONFIG_SOURCE = ALWAYS_ENABLED.source, FORCED_CAPABILITIES[0].source
NOT_HOSTED = {"cluster_profile": "ibm-cloud-managed", "hosted_control_plane": False}


@pytest.mark.parametrize("baseline", ["v4.11", "v4.12", "v4.13", "vCurrent"])
def test_a_set_that_gained_a_name_requests_it(baseline):
    """4.14 added MachineAPI to the older sets: implicit during the update, and requested afterwards."""
    path = ("4.13.1", "4.14.1")
    with_manifest, without = (
        one_hop([manifest()], after, path=path, capabilities=select_only(baseline=baseline))
        for after in ([manifest("MachineAPI")], [])
    )

    (machine_api,) = [item for item in with_manifest.implicitly_enabled if item.name == "MachineAPI"]
    assert machine_api.cause == "manifest"
    assert "MachineAPI" not in enabled_by(without)
    for hop in (with_manifest, without):
        assert "MachineAPI" in hop.newly_requested & hop.requested
        assert "MachineAPI" in hop.after.enabled - hop.after.implicitly_enabled
        assert "MachineAPI" not in hop.not_in_fresh_install


def test_none_requests_nothing():
    hop = one_hop([manifest()], [manifest("MachineAPI")], path=("4.13.1", "4.14.1"))
    assert [(item.name, item.name in hop.requested) for item in hop.implicitly_enabled] == [
        ("DeploymentConfig", False),
        ("MachineAPI", False),
    ]
    assert hop.newly_requested == frozenset()
    assert hop.newly_known == {"Build", "ImageRegistry"}
    assert hop.not_in_fresh_install == hop.after.implicitly_enabled == {"DeploymentConfig", "MachineAPI"}


@pytest.mark.parametrize(
    ("path", "options", "expected"),
    [
        (("4.13.1", "4.14.1"), {}, [("forced", False)]),
        (("4.13.1", "4.14.1"), NOT_HOSTED, [("forced", False)]),
        (("4.13.1", "4.14.1"), {"capabilities": select_only(baseline="v4.13")}, [("forced", False)]),
        (("4.13.1", "4.14.1"), {"capabilities": None}, [("forced", True)]),
        (("4.12.1", "4.13.1"), {}, []),
        (("4.14.1", "4.15.1"), {}, []),
        (("4.13.1", "4.13.2"), {}, []),
        # Back again after a rollback: it is on already.
        (("4.13.1", "4.14.1"), {"cluster_version": reference.cluster_version(select_only(), ["DeploymentConfig"])}, []),
    ],
)
def test_deployment_config_is_forced_at_4_14(path, options, expected):
    hop = one_hop([], [], path=path, **options)
    found = [item for item in hop.implicitly_enabled if item.name == "DeploymentConfig"]
    assert [(item.cause, item.name in hop.requested) for item in found] == expected
    assert [(item.causes, item.source) for item in found] == [((), DEPLOYMENT_CONFIG_SOURCE)] * len(expected)
    assert ("DeploymentConfig" in hop.after.enabled) == (path == ("4.13.1", "4.14.1"))


def test_a_forced_name_that_a_manifest_enables_has_that_cause():
    hop = one_hop([manifest()], [manifest("DeploymentConfig")], path=("4.13.1", "4.14.1"))
    assert enabled_by(hop) == {"DeploymentConfig": "manifest"}


@pytest.mark.parametrize(
    ("options", "after", "expected"),
    [
        ({}, [], {"Ingress": "forced"}),
        ({}, [manifest("Ingress")], {"Ingress": "manifest"}),
        ({"cluster_profile": "single-node-developer"}, [], {"Ingress": "forced"}),
        (NOT_HOSTED, [], {}),
        ({"cluster_profile": "hypershift"}, [], {}),
        ({"always_enabled_capabilities": []}, [], {}),
        ({**NOT_HOSTED, "always_enabled_capabilities": ["Ingress"]}, [], {"Ingress": "forced"}),
        ({"always_enabled_capabilities": ["CloudControllerManager"]}, [], {"CloudControllerManager": "forced"}),
        # The selection itself asks for it: nothing is forced.
        ({"capabilities": None}, [], {}),
        ({"capabilities": None}, [manifest("Ingress")], {"Ingress": "manifest"}),
    ],
)
def test_ingress_is_forced_from_4_16_on(options, after, expected):
    of_profile = manifest(profile=options.get("cluster_profile", PROFILE))
    hop = one_hop([of_profile], after, path=("4.15.1", "4.16.1"), **options)

    assert enabled_by(hop) == expected
    assert {item.source for item in hop.implicitly_enabled if item.cause == "forced"} <= {INGRESS_SOURCE}
    assert hop.after.enabled >= set(expected)
    assert hop.not_in_fresh_install.isdisjoint({"CloudControllerManager"})
    if "capabilities" not in options:
        assert hop.after.enabled == set(expected)


def test_what_is_always_on_is_on_before():
    hop = one_hop([manifest()], [manifest("Console+Storage")], always_enabled_capabilities=["Console"])
    assert enabled_by(hop) == {"Storage": "manifest"}
    assert hop.before.enabled == hop.before.implicitly_enabled == {"Console"}
    assert hop.after.implicitly_enabled == {"Console", "Storage"}
    assert hop.not_in_fresh_install == {"Storage"}


@pytest.mark.parametrize(("name", "refused"), [("Ingress", False), ("Consol", True)])
def test_an_always_enabled_name_must_be_known_by_a_release_of_the_path(name, refused):
    if not refused:
        assert one_hop([], [], path=("4.15.1", "4.16.1"), always_enabled_capabilities=[name]).after.enabled == {name}
        return
    with pytest.raises(InvalidOptionError, match=r"always_enabled_capabilities: 'Consol' is .* of 4.15 or 4.16"):
        planned([], [], path=("4.15.1", "4.16.1"), always_enabled_capabilities=[name])


@pytest.mark.parametrize(
    ("path", "selection", "requested", "known"),
    [
        (("4.17.1", "4.18.1"), select_only(), set(), {"OperatorLifecycleManagerV1"}),
        (("4.17.1", "4.18.1"), select_only(baseline="v4.17"), set(), {"OperatorLifecycleManagerV1"}),
        (("4.17.1", "4.18.1"), select_only(baseline="vCurrent"), {"OperatorLifecycleManagerV1"}, set()),
        (("4.17.1", "4.18.1"), None, {"OperatorLifecycleManagerV1"}, set()),
        (("4.17.1", "4.18.1"), {"excludedCapabilities": []}, set(), {"OperatorLifecycleManagerV1"}),
        (("4.18.1", "4.19.1"), None, set(), set()),
    ],
)
def test_a_new_name_is_requested_or_stays_disabled(path, selection, requested, known):
    hop = one_hop([], [manifest("OperatorLifecycleManagerV1")], path=path, capabilities=selection)
    assert (hop.newly_requested, hop.newly_known) == (requested, known)
    assert hop.implicitly_enabled == ()
    assert changes(hop) == ({} if "OperatorLifecycleManagerV1" not in hop.after.enabled else {"added": ["one"]})
    assert hop.not_in_fresh_install == frozenset()


def test_excluded_names_are_pinned_at_the_beginning():
    plan = planned([], [], path=("4.17.1", "4.18.1"), capabilities={"excludedCapabilities": ["Console"]}).plan
    assert plan.selection.baseline == "None"
    assert "Console" not in plan.selection.additional
    assert plan.selection.additional == tuple(sorted(plan.hops[0].before.enabled))


@pytest.mark.parametrize(
    ("excluded", "options", "reported"),
    [
        (["Ingress", "Console"], {}, ["Ingress"]),
        (["Console"], {}, []),
        (["Ingress"], {"always_enabled_capabilities": []}, []),
        (["Console", "Build"], {"always_enabled_capabilities": ["Build", "Console"]}, ["Build", "Console"]),
    ],
)
@pytest.mark.parametrize("field", ["excluded_capabilities", "exclude"])
def test_excluding_an_always_enabled_name_has_no_effect(excluded, options, reported, field):
    selection = {field: excluded, **({"inclusion_default": "Include"} if field == "exclude" else {})}
    answer = planned([], [], capabilities=selection, **options)

    found = [item for item in answer.problems if item.code == "ineffective-exclusion"]
    assert [(item.severity, str(item.where)) for item in found] == [("warning", f"capabilities.{field}")] * len(
        reported
    )
    assert [item.message.split()[0] for item in found] == reported
    assert set(reported) <= answer.plan.status.enabled
