# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the annotation keeps of the start of an update."""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.start import (
    ANNOTATION,
    read_start,
    start_of,
    with_start,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.target import TargetRelease
from ansible_collections.capability.openshift.tests.unit.builders.cluster_updates import (
    CURRENT,
    NEXT,
    TARGET,
    cluster_version,
    image_of,
)

BEFORE = cluster_version(channel="stable-4.22")
START = start_of(BEFORE, TARGET)


def annotated(text: object) -> dict[str, object]:
    after = cluster_version((NEXT, "Partial"), (CURRENT, "Completed"))
    return {**after, "metadata": {"annotations": {ANNOTATION: text}}}


def test_it_is_read_as_it_was_written():
    obj = annotated(START.annotation())

    assert read_start(obj, TARGET) == START
    repeated = START.cluster_version(obj)
    assert start_of(repeated, TARGET) == START
    changed = {**obj, "spec": {"capabilities": {"baselineCapabilitySet": "vCurrent"}}}
    assert start_of(START.cluster_version(changed), TARGET) == START
    assert repeated["kind"] == "ClusterVersion"


@pytest.mark.parametrize(
    "text",
    [
        *(None, 1, "", "{", "[]", "1", json.dumps({"image": TARGET.image})),
        START._replace(image=image_of("4.22.1")).annotation(),
        START._replace(capabilities=[]).annotation(),  # type: ignore[arg-type]
    ],
)
def test_another_annotation_does_not_count(text):
    assert read_start(annotated(text), TARGET) is None


def test_a_cluster_that_reports_several_architectures_continues_its_migration_and_begins_no_other():
    obj = cluster_version((CURRENT, "Completed"))
    obj["status"]["desired"] |= {"architecture": "Multi"}
    now = image_of(CURRENT)
    target = TargetRelease(CURRENT, "", now)
    assert with_start(target, obj) == TargetRelease(CURRENT, now)
    start = START._replace(image="", from_version=CURRENT, from_image=image_of("amd64"))
    migrated = {**obj, "metadata": {"annotations": {ANNOTATION: start.annotation()}}}
    assert with_start(target, migrated) == target._replace(replaced=image_of("amd64"))
