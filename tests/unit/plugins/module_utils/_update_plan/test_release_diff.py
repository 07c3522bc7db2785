# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import (
    CAPABILITY_ANNOTATION,
    DELETE_ANNOTATION,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.plan import Changes, ReleaseDiff


def manifest(text: str, file: str = "") -> Manifest:
    """Return a manifest: its name, the capabilities after a colon, an exclamation mark in front if it deletes."""
    name, _colon, capabilities = text.removeprefix("!").partition(":")
    annotations = {DELETE_ANNOTATION: "true"} if text.startswith("!") else {}
    annotations |= {CAPABILITY_ANNOTATION: capabilities} if capabilities else {}
    return Manifest(ResourceId("", "A", "", name), "v1", annotations, file)


def release(text: str) -> list[Manifest]:
    return [manifest(item, f"{number}.yaml") for number, item in enumerate(text.split())]


def names(changes: Changes) -> tuple[str, ...]:
    return tuple(" ".join(item.resource_id.name for item in part) for part in changes)


def changed(current: str, target: str, before: str, after: str) -> tuple[str, ...]:
    sides = [frozenset(side.split()) for side in (before, after)]
    return names(ReleaseDiff(release(current), release(target)).changes(*sides))


@pytest.mark.parametrize(
    ("current", "target", "before", "after", "expected"),
    [
        ("a", "a", "", "", ("", "", "")),
        ("a", "a b", "", "", ("b", "", "")),
        ("a b", "a", "", "", ("", "b", "")),
        # In the order of the release, one for each resource
        ("", "c:X b a:Y b", "", "X Y", ("c b a", "", "")),
        ("c:X b a:Y b", "", "X Y", "", ("", "c b a", "")),
        # What is off is neither there nor coming
        ("a:X", "a:X", "", "", ("", "", "")),
        ("a:X", "a:X", "", "X", ("a", "", "")),
        ("a:X", "a:X", "X", "", ("", "a", "")),
        ("a:X", "a:X+Y", "X", "X", ("", "a", "")),
        ("a:X", "a:X+Y", "X", "X Y", ("", "", "")),
        ("a", "a:X", "", "X", ("", "", "")),
        # A resource is in where one of its manifests is
        ("a:X a:Y", "a:Z", "Y", "Z", ("", "", "")),
        ("a:X", "a:X a:Y", "", "Y", ("a", "", "")),
        # Deleting
        ("a", "!a", "", "", ("", "", "a")),
        ("", "!a", "", "", ("", "", "a")),
        ("!a", "!a", "", "", ("", "", "")),
        ("a", "!a:X", "", "", ("", "a", "")),
        ("a", "!a:X", "", "X", ("", "", "a")),
        ("!a", "a", "", "", ("a", "", "")),
        ("!a", "", "", "", ("", "", "")),
    ],
)
def test_added_removed_and_deleted_resources(current, target, before, after, expected):
    assert changed(current, target, before, after) == expected


def test_manifests_are_those_of_the_release_that_they_come_from():
    old, new = release("a b:X"), release("b:X c")
    changes = ReleaseDiff(old, new).changes(frozenset("X"), frozenset())

    assert changes == Changes((new[1],), (old[0], old[1]), ())


def test_the_manifest_of_a_resource_is_an_included_one():
    new = release("a:X a:Y")
    changes = ReleaseDiff([], new).changes(frozenset(), frozenset("Y"))

    assert changes.added == (new[1],)


CAPABILITIES = st.frozensets(st.sampled_from("XYZ"))
MANIFESTS = st.lists(
    st.builds(
        lambda name, needs, deletes: f"{'!' if deletes else ''}{name}:{'+'.join(sorted(needs))}",
        st.sampled_from("abcd"),
        CAPABILITIES,
        st.sampled_from([False, False, True]),
    ),
    max_size=8,
).map(" ".join)


@given(MANIFESTS, MANIFESTS, CAPABILITIES, CAPABILITIES)
def test_the_result_is_that_of_each_resource_alone(current, target, before, after):
    old, new = release(current), release(target)

    def applied(manifests, enabled, *, deletes):
        return {
            item.resource_id for item in manifests if item.deletes is deletes and enabled.issuperset(item.capabilities)
        }

    was_in, is_in = applied(old, before, deletes=False), applied(new, after, deletes=False)
    was_deleted, is_deleted = applied(old, before, deletes=True), applied(new, after, deletes=True)
    changes = ReleaseDiff(old, new).changes(before, after)

    assert {item.resource_id for item in changes.added} == is_in - was_in - is_deleted
    assert {item.resource_id for item in changes.removed} == was_in - is_in - is_deleted
    assert {item.resource_id for item in changes.deleted} == is_deleted - was_deleted
    for part, manifests in ((changes.added, new), (changes.removed, old), (changes.deleted, new)):
        assert [item for item in manifests if any(item is one for one in part)] == list(part)
        assert len({item.resource_id for item in part}) == len(part)
