# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An object is applied instead of created only while no other client can have created it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import WriteResult
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.crds import create_of_new_kind
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.rest_mapper import RestMapper
from ansible_collections.capability.openshift.plugins.module_utils._resources import CLUSTER_VERSIONS, Target

CRD = {
    "spec": {
        "group": CLUSTER_VERSIONS.group,
        "scope": "Cluster",
        "names": {"plural": CLUSTER_VERSIONS.plural, "kind": CLUSTER_VERSIONS.kind},
        "versions": [{"name": "v1", "served": True}],
    }
}


class Client:
    def create(self, *_arguments: Any, **_options: Any) -> WriteResult:
        return WriteResult(True, {"by": "create"})

    def apply(self, *_arguments: Any, **_options: Any) -> WriteResult:
        return WriteResult(True, {"by": "apply"})


@pytest.mark.parametrize(
    ("new", "age", "way"), [(True, 0, "apply"), (True, 4, "apply"), (True, 6, "create"), (False, 0, "create")]
)
def test_object_of_a_kind_that_is_not_brand_new_is_created(
    monkeypatch: pytest.MonkeyPatch, new: bool, age: float, way: str
) -> None:
    client: Any = Client()
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    kinds = RestMapper(client)
    kinds.learn(CRD, new=new)
    now += age
    assert create_of_new_kind(client, kinds, Target(CLUSTER_VERSIONS, "version"), {}).object == {"by": way}
