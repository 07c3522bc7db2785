# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The accounts with far-reaching permissions on a new cluster with the selection of RAN DU.

The cluster has exactly the objects of the selection that decide about permissions. Clusters that grew by updates are in
``test_rollout_real_releases.py``.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._contents.contents import ContentsReader, contents_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.cluster.helpers.access_reviews import (
    answers,
    subjects_of,
    wait_for_aggregation,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.real_rollouts import are_there, release_of, wanted
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import namespace, path_of
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane

pytestmark = pytest.mark.deep

__test__ = are_there("4.20")

RAN_DU = ("Ingress", "NodeTuning", "OperatorLifecycleManager")
FIELDS = ("apiVersion", "kind", "metadata", "rules", "aggregationRule", "roleRef", "subjects")
"""Some manifests have others, which no API server knows."""

KINDS = ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")


def test_a_new_cluster_with_the_selection_of_ran_du(full_cluster: ControlPlane) -> None:
    api, release = full_cluster.api, release_of("4.20")
    included = wanted("4.20", RAN_DU).included.values()
    manifests = [release.read_body(item) for item in included if item.resource_id.kind in KINDS]
    bodies = [{name: body[name] for name in FIELDS if name in body} for body in manifests]
    homes = sorted({home for body in bodies if (home := body["metadata"].get("namespace"))})
    for several in (map(namespace, homes), bodies):
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda body: api.apply(path_of(body), body), several))
    wait_for_aggregation(api)

    found = contents_of(ContentsReader(release, Problems()).read({item.object_id: item for item in included}))

    subjects = subjects_of(bodies)
    assert len(subjects) > 20
    assert not found.unknown_roles
    assert {key: set(accounts) for key, accounts in found.accounts.items()} == answers(api, subjects)
