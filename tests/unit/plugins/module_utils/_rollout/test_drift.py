# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What of an object says that somebody changed it, and that a status was written meanwhile does not."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import FIELD_MANAGER
from ansible_collections.capability.openshift.plugins.module_utils._rollout.drift import (
    is_untouched,
    without_server_fields,
)

OURS = {"manager": FIELD_MANAGER, "operation": "Apply", "fieldsV1": {"f:spec": {}}}
THEIRS = {"manager": "operator", "operation": "Update", "subresource": "status", "fieldsV1": {"f:status": {}}}
BEFORE: dict[str, Any] = {"resourceVersion": "1", "generation": 1, "labels": {"a": "b"}, "managedFields": [OURS]}


def test_status_that_was_written_meanwhile_is_no_change() -> None:
    assert is_untouched(BEFORE, {**BEFORE, "resourceVersion": "2", "managedFields": [OURS, THEIRS]})


@pytest.mark.parametrize(
    "change",
    [
        {"generation": 2},
        {"labels": {"a": "c"}},
        {"annotations": {"x": "y"}},
        {"managedFields": [{**OURS, "fieldsV1": {"f:spec": {"f:x": {}}}}]},
        {"managedFields": []},
        {"uid": "other"},
    ],
    ids=str,
)
def test_anything_else_is_one(change: dict[str, Any]) -> None:
    assert not is_untouched(BEFORE, {**BEFORE, "resourceVersion": "2", **change})


def test_of_what_has_no_generation_each_write_is_a_change() -> None:
    before = {**BEFORE, "generation": None}
    assert not is_untouched(before, {**before, "resourceVersion": "2"})
    assert is_untouched(before, before)


def test_objects_that_differ_in_their_status_alone_are_comparable() -> None:
    before = {"kind": "A", "metadata": BEFORE, "spec": {"x": 1}}
    after = {**before, "metadata": {**BEFORE, "managedFields": [OURS, THEIRS]}, "status": {"ready": True}}
    assert without_server_fields(before) == without_server_fields(after)
    assert without_server_fields(before) != without_server_fields({**after, "spec": {"x": 2}})
