# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A user whose priority level rejects requests: the rollout sends fewer at the same time, and fails nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    HOME,
    Rollouts,
    config_map,
    crd,
    manifest,
)
from ansible_collections.capability.openshift.tests.control_plane.users import User, certificate_user

pytestmark = pytest.mark.deep

FLOW_CONTROL = "/apis/flowcontrol.apiserver.k8s.io/v1"
LEVEL, SCHEMA = f"{FLOW_CONTROL}/prioritylevelconfigurations", f"{FLOW_CONTROL}/flowschemas"
EVERYTHING = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}, {"nonResourceURLs": ["*"], "verbs": ["*"]}]


@pytest.fixture
def user(rollouts: Rollouts) -> Iterator[User]:
    """A user with one share of the concurrency of the API server, whose further requests are rejected."""
    user = certificate_user(rollouts.plane, "limited", EVERYTHING)
    limited = {"nominalConcurrencyShares": 1, "lendablePercent": 0, "borrowingLimitPercent": 0}
    level = {"type": "Limited", "limited": {**limited, "limitResponse": {"type": "Reject"}}}
    rules = [
        {
            "subjects": [{"kind": "User", "user": {"name": user.name}}],
            "resourceRules": [
                {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": True}
            ],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
        }
    ]
    schema = {"priorityLevelConfiguration": {"name": "limited"}, "matchingPrecedence": 10, "rules": rules}
    api_version = "flowcontrol.apiserver.k8s.io/v1"
    metadata = {"metadata": {"name": "limited"}, "apiVersion": api_version}
    rollouts.api.post(LEVEL, {**metadata, "kind": "PriorityLevelConfiguration", "spec": level})
    rollouts.api.post(SCHEMA, {**metadata, "kind": "FlowSchema", "spec": schema})
    yield user
    rollouts.api.delete(f"{SCHEMA}/limited")
    rollouts.api.delete(f"{LEVEL}/limited")


def test_rejections_of_a_priority_level_lower_the_parallelism(rollouts: Rollouts, user: User) -> None:
    kinds = [f"Thing{chr(ord('a') + index // 26)}{chr(ord('a') + index % 26)}" for index in range(60)]
    bodies = [crd(f"{kind.lower()}s", kind) for kind in kinds]
    bodies += [manifest(kind, "a", HOME, api="test.io/v1") for kind in kinds]
    bodies += [config_map(f"c{index}") for index in range(200)]
    files = {f"0000_10_c{index}_1.yaml": body for index, body in enumerate(bodies)}
    mark = rollouts.plane.audit.mark()
    outcome = rollouts.done(rollouts.release(files), kubeconfig=user.kubeconfig, parallelism=64)
    assert (len(outcome["created"]), outcome["problems"]) == (len(bodies), [])
    codes = [request.code for request in rollouts.plane.audit.requests(mark, user=user.name)]
    assert codes.count(429) < len(bodies) / 4, codes.count(429)
