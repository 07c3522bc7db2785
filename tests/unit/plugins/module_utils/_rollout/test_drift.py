# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Drift: other changes than those of the status count."""

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


def test_written_status_does_not_count() -> None:
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
def test_any_other_change_counts(change: dict[str, Any]) -> None:
    assert not is_untouched(BEFORE, {**BEFORE, "resourceVersion": "2", **change})


def test_every_write_counts_if_there_is_no_generation() -> None:
    before = {**BEFORE, "generation": None}
    assert not is_untouched(before, {**before, "resourceVersion": "2"})
    assert is_untouched(before, before)


def test_objects_that_differ_only_in_status_are_equal() -> None:
    before = {"kind": "A", "metadata": BEFORE, "spec": {"x": 1}}
    after = {**before, "metadata": {**BEFORE, "managedFields": [OURS, THEIRS]}, "status": {"ready": True}}
    assert without_server_fields(before) == without_server_fields(after)
    assert without_server_fields(before) != without_server_fields({**after, "spec": {"x": 2}})
