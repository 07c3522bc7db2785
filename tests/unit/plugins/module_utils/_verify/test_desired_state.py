# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
    Override,
    included_manifests,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import (
    CAPABILITY_ANNOTATION,
    DELETE_ANNOTATION,
    FEATURE_SET_ANNOTATION,
    PROFILE_ANNOTATION,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._verify.desired_state import (
    DELETED,
    ORPHANED,
    desired_state,
)

PROFILE = f"{PROFILE_ANNOTATION}self"
STATUS = CapabilityStatus(frozenset({"Console", "Build"}), frozenset({"Build"}))
INCLUSION = InclusionContext(cluster_profile="self", feature_set="", capability_status=STATUS)


def resource(name: str) -> ResourceId:
    return ResourceId("", "ConfigMap", "a", name)


def manifest(name: str, capability: str = "", file: str = "", **annotations: str) -> Manifest:
    needs = {CAPABILITY_ANNOTATION: capability} if capability else {}
    return Manifest(resource(name), "v1", {PROFILE: "true", **needs, **annotations}, file or f"{name}.yaml")


def of_release(*manifests, inclusion=INCLUSION, leftovers=()):
    return desired_state(included_manifests(manifests, inclusion), manifests, inclusion, dict.fromkeys(leftovers, ()))


def rules(state, name: str) -> list[str]:
    return [reason.rule for reason in state.unexpected[resource(name)].reasons]


def test_included_manifests_are_expected_and_excluded_ones_are_not():
    state = of_release(manifest("a"), manifest("b", "Build"), manifest("c", "Console"))

    assert [item.resource_id.name for item in state.expected] == ["a", "b"]
    assert list(state.unexpected) == [resource("c")]
    assert state.unexpected[resource("c")].capabilities == ("Console",)
    assert rules(state, "c") == ["disabled_capability"]


def test_a_resource_with_one_included_manifest_is_expected():
    techpreview = {FEATURE_SET_ANNOTATION: "TechPreviewNoUpgrade"}
    state = of_release(manifest("a", file="1", **techpreview), manifest("a", file="2"), manifest("a", "Console", "3"))

    assert [item.file for item in state.expected] == ["2"]
    assert state.unexpected == {}


def test_the_manifest_with_the_fewest_reasons_explains_an_exclusion():
    techpreview = {FEATURE_SET_ANNOTATION: "TechPreviewNoUpgrade"}
    state = of_release(manifest("a", "Console", "1", **techpreview), manifest("a", "Console", "2"))

    assert state.unexpected[resource("a")].manifest == manifest("a", "Console", "2")
    assert rules(state, "a") == ["disabled_capability"]


def test_a_resource_that_the_release_deletes_is_unexpected():
    state = of_release(manifest("a", **{DELETE_ANNOTATION: "true"}))

    assert state.expected == ()
    assert state.unexpected[resource("a")].reasons == (DELETED,)


def test_a_resource_that_only_the_profile_excludes_needs_the_label_of_a_rollout():
    other = {PROFILE: "false"}
    state = of_release(manifest("a", **other), manifest("b", "Console", **other), manifest("c", "Console"))

    needs_label = {name: state.unexpected[resource(name)].needs_label for name in "abc"}
    assert needs_label == {"a": True, "b": False, "c": False}


def test_a_disabled_capability_explains_more_than_another_profile():
    state = of_release(manifest("a", file="1", **{PROFILE: "false"}), manifest("a", "Console", "2"))

    assert rules(state, "a") == ["disabled_capability"]


def test_leftovers_are_unexpected_if_they_have_the_label_of_a_rollout():
    state = of_release(manifest("a"), leftovers=[resource("b")])

    assert state.unexpected[resource("b")].manifest is None
    assert state.unexpected[resource("b")].needs_label
    assert state.unexpected[resource("b")].reasons == (ORPHANED,)


def test_overridden_resources_are_ignored():
    names = ("a", "b", "c", "d")
    overrides = tuple(Override("ConfigMap", "", "a", name, True) for name in names)
    state = of_release(
        manifest("a"),
        manifest("b", "Console"),
        manifest("c", **{DELETE_ANNOTATION: "true"}),
        inclusion=INCLUSION._replace(overrides=overrides),
        leftovers=[resource("d")],
    )

    assert state == ((), {})
