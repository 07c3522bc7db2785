# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which release an update is to, and how far it is."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.target import (
    TargetRelease,
    find_target,
    update_phase,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.unit.builders.cluster_updates import (
    CURRENT,
    NEXT,
    TARGET,
    cluster_version,
    image_of,
    release,
)

OTHER = image_of("other")
BOTH = [release(NEXT, architecture="Multi"), {**release(NEXT), "image": OTHER, "architecture": ""}]
NAMED = [BOTH[0], {**BOTH[1], "architecture": "amd64"}]


def find(obj: dict[str, Any], **options: Any) -> tuple[TargetRelease | None, list[tuple[str, str]]]:
    problems = Problems()
    given = {"version": None, "image": None, "architecture": "amd64", **options}
    found = find_target(**given, cluster_version=obj, problems=problems)
    return found, [(item.code, str(item.where)) for item in problems]


@pytest.mark.parametrize(
    ("options", "available", "image"),
    [
        ({"version": NEXT}, [release(NEXT)], TARGET.image),
        ({"version": CURRENT}, [], image_of(CURRENT)),
        ({"version": NEXT, "architecture": "multi"}, NAMED, TARGET.image),
        ({"version": NEXT}, NAMED, OTHER),
        ({"version": CURRENT, "architecture": "arm64"}, [], image_of(CURRENT)),
        ({"image": OTHER, "version": NEXT}, BOTH, OTHER),
        ({"image": TARGET.image}, [release(NEXT)], TARGET.image),
    ],
)
def test_a_listed_release_is_found(options, available, image):
    found, problems = find(cluster_version(available=available), **options)

    assert (found, problems) == (TargetRelease(options.get("version", NEXT), image), [])


def test_a_version_of_the_history_is_requested_by_its_image():
    """The operator accepts its version, but finds no image."""
    obj, problems = cluster_version((NEXT, "Completed"), (CURRENT, "Completed")), Problems()
    find_target(CURRENT, None, "amd64", obj, problems)
    assert [item.code for item in problems] == ["unavailable-update"]
    assert "would ignore the request" in problems[0].message
    assert image_of(CURRENT) in problems[0].hint


MIGRATION = TargetRelease(CURRENT, "", image_of(CURRENT))


def test_the_version_of_the_cluster_for_several_architectures_is_a_migration():
    """After the request, the CVO lists the image, too."""
    for available in ([], [{**release(CURRENT), "image": OTHER}]):
        assert find(cluster_version(available=available), version=CURRENT, architecture="multi") == (MIGRATION, [])


@pytest.mark.parametrize(("version", "codes"), [("4.12.9", [("missing-architecture", "architecture")]), ("4.13.1", [])])
def test_older_clusters_do_not_know_the_architecture_of_a_request(version, codes):
    obj = cluster_version((version, "Completed"))
    assert find(obj, version=version, architecture="multi")[1] == codes


@pytest.mark.parametrize(
    ("update", "image", "state", "phase"),
    [
        (None, "", "Completed", "not_started"),
        ({"version": CURRENT}, "", "Completed", "not_started"),
        ({"version": CURRENT, "architecture": "Multi"}, "", "Completed", "requested"),
        ({"architecture": "Multi"}, "", "Completed", "requested"),
        ({"version": CURRENT, "architecture": "Multi"}, OTHER, "Partial", "partial"),
        ({"version": CURRENT, "architecture": "Multi"}, OTHER, "Completed", "completed"),
        (release(NEXT), "", "Completed", "not_started"),
    ],
)
def test_a_migration_ends_with_another_image_of_the_same_version(update, image, state, phase):
    obj = cluster_version((CURRENT, state), **({} if update is None else {"desiredUpdate": update}))
    if image:
        obj["status"]["desired"]["image"] = obj["status"]["history"][0]["image"] = image
    assert update_phase(obj, MIGRATION) == phase
    assert update_phase(cluster_version((NEXT, "Completed")), MIGRATION) == "not_started"


def test_a_conditional_update_and_a_request_are_listed():
    conditional = cluster_version(status={"conditionalUpdates": [{"release": release(NEXT), "conditions": []}]})
    requested = cluster_version(desiredUpdate=release(NEXT))

    assert find(conditional, version=NEXT) == (TARGET, [])
    assert find(requested, version=NEXT) == (TARGET, [])


@pytest.mark.parametrize("architecture", ["amd64", "multi"])
def test_a_requested_image_is_not_another_one_of_a_listed_version(architecture):
    """Such as one that the operator rejects, because it does not exist."""
    listed = {"availableUpdates": [release(NEXT)]}
    conditional = {"conditionalUpdates": [{"release": release(NEXT), "conditions": []}]}
    for status in (listed, conditional):
        obj = cluster_version(status=status, desiredUpdate={"version": NEXT, "image": OTHER})
        assert find(obj, version=NEXT, architecture=architecture) == (TARGET, [])
        assert find(obj, image=OTHER) == (TARGET._replace(image=OTHER), [])


@pytest.mark.parametrize("obj", [cluster_version((NEXT, "Partial")), cluster_version(desiredUpdate=release(NEXT))])
def test_an_image_has_the_name_by_which_it_was_requested(obj):
    mirrored = TARGET.image.replace("quay.io/openshift", "mirror.example:5000/ocp")
    assert find(obj, image=mirrored) == (TARGET, [])
    requested = cluster_version(available=[release(NEXT)], desiredUpdate={"version": NEXT, "image": mirrored})
    assert find(requested, version=NEXT) == (TARGET._replace(image=mirrored), [])


def test_an_image_that_is_not_listed_has_no_version_yet():
    assert find(cluster_version(), image=TARGET.image) == (TARGET._replace(version=""), [])


@pytest.mark.parametrize(
    ("options", "available", "problem"),
    [
        ({"version": NEXT}, [], ("unavailable-update", "version")),
        ({"version": NEXT}, BOTH, ("several-images", "version")),
        ({"version": "4.22"}, [release(NEXT)], ("invalid-version", "version")),
        ({"version": ""}, [release(NEXT)], ("invalid-version", "version")),
        ({"image": "quay.io/openshift/release:4.22.0"}, [release(NEXT)], ("no-digest", "image")),
        ({"image": "release"}, [release(NEXT)], ("invalid-pull-spec", "image")),
        ({"image": TARGET.image, "version": "4.22.1"}, [release(NEXT)], ("other-release", "version")),
    ],
)
def test_another_release_is_refused(options, available, problem):
    assert find(cluster_version(available=available), **options) == (None, [problem])


@pytest.mark.parametrize(
    ("obj", "phase"),
    [
        (cluster_version(available=[release(NEXT)]), "not_started"),
        (cluster_version(desiredUpdate=release("4.22.1")), "not_started"),
        (cluster_version(desiredUpdate=release(NEXT)), "requested"),
        (cluster_version(desiredUpdate={"version": NEXT}), "requested"),
        (cluster_version(desiredUpdate={"version": NEXT, "image": OTHER}), "not_started"),
        (cluster_version((NEXT, "Partial"), (CURRENT, "Completed"), desiredUpdate=release(NEXT)), "partial"),
        (cluster_version((NEXT, "Completed"), (CURRENT, "Completed"), desiredUpdate=release(NEXT)), "completed"),
        (cluster_version((CURRENT, "Partial"), (NEXT, "Completed")), "not_started"),
        (cluster_version((CURRENT, "Completed"), status={"desired": release(NEXT)}), "not_started"),
    ],
)
def test_the_phase_is_that_of_the_image(obj, phase):
    assert update_phase(obj, TARGET) == phase


def test_the_same_version_of_another_image_is_another_update():
    obj = cluster_version((NEXT, "Completed"))
    assert update_phase(obj, TARGET._replace(image=OTHER)) == "not_started"
