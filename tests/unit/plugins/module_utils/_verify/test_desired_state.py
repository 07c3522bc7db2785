# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
    Override,
    included_manifests,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    CAPABILITY_ANNOTATION,
    DELETE_ANNOTATION,
    FEATURE_SET_ANNOTATION,
    PROFILE_ANNOTATION,
    Manifest,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._verify.desired_state import (
    DELETED,
    ORPHANED,
    desired_state,
)

PROFILE = f"{PROFILE_ANNOTATION}self"
STATUS = CapabilityStatus(frozenset({"Console", "Build"}), frozenset({"Build"}))
FACTS = InclusionContext(cluster_profile="self", feature_set="", capability_status=STATUS)


def resource(name: str) -> ResourceId:
    return ResourceId("", "ConfigMap", "a", name)


def manifest(name: str, capability: str = "", file: str = "", **annotations: str) -> Manifest:
    needs = {CAPABILITY_ANNOTATION: capability} if capability else {}
    return Manifest(resource(name), "v1", {PROFILE: "true", **needs, **annotations}, file or f"{name}.yaml")


def expected(*manifests, facts=FACTS, leftovers=()):
    return desired_state(included_manifests(manifests, facts), manifests, facts, dict.fromkeys(leftovers, ()))


def rules(found, name: str) -> list[str]:
    return [reason.rule for reason in found.unwanted[resource(name)].reasons]


def test_what_is_in_is_wanted_and_what_is_out_is_not():
    found = expected(manifest("a"), manifest("b", "Build"), manifest("c", "Console"))

    assert [item.resource_id.name for item in found.wanted] == ["a", "b"]
    assert list(found.unwanted) == [resource("c")]
    assert found.unwanted[resource("c")].capabilities == ("Console",)
    assert rules(found, "c") == ["disabled_capability"]


def test_a_resource_that_one_manifest_of_several_brings_is_wanted():
    techpreview = {FEATURE_SET_ANNOTATION: "TechPreviewNoUpgrade"}
    found = expected(manifest("a", file="1", **techpreview), manifest("a", file="2"), manifest("a", "Console", "3"))

    assert [item.file for item in found.wanted] == ["2"]
    assert found.unwanted == {}


def test_of_several_manifests_the_nearest_miss_tells_why():
    techpreview = {FEATURE_SET_ANNOTATION: "TechPreviewNoUpgrade"}
    found = expected(manifest("a", "Console", "1", **techpreview), manifest("a", "Console", "2"))

    assert found.unwanted[resource("a")].manifest == manifest("a", "Console", "2")
    assert rules(found, "a") == ["disabled_capability"]


def test_what_the_release_deletes_is_not_wanted():
    found = expected(manifest("a", **{DELETE_ANNOTATION: "true"}))

    assert found.wanted == ()
    assert found.unwanted[resource("a")].reasons == (DELETED,)


def test_leftovers_are_not_wanted():
    found = expected(manifest("a"), leftovers=[resource("b")])

    assert found.unwanted[resource("b")].manifest is None
    assert found.unwanted[resource("b")].reasons == (ORPHANED,)


def test_overridden_resources_are_nobodys_business():
    names = ("a", "b", "c", "d")
    overrides = tuple(Override("ConfigMap", "", "a", name, True) for name in names)
    found = expected(
        manifest("a"),
        manifest("b", "Console"),
        manifest("c", **{DELETE_ANNOTATION: "true"}),
        facts=FACTS._replace(overrides=overrides),
        leftovers=[resource("d")],
    )

    assert found == ((), {})
