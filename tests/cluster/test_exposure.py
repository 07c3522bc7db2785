# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The accounts with far-reaching permissions, compared with the answers of the authorizer of an API server."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._contents.access import (
    Account,
    ClusterRoleBinding,
    service_account,
    who_can,
)
from ansible_collections.capability.openshift.plugins.module_utils._contents.contents import (
    Contents,
    ContentsReader,
    contents_of,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.cluster_access import BUILT_IN_ROLES
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.tests.cluster.helpers.access_reviews import (
    RBAC,
    Subject,
    answers,
    subjects_of,
    wait_for_aggregation,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    CAPABILITY,
    Body,
    manifest,
    namespace,
    path_of,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane

API = "rbac.authorization.k8s.io/v1"
SEEDS = range(int(os.environ.get("EXPOSURE_EXAMPLES", "6")))
"""The seeds of the random sets, a few in the gate."""

CAPABILITIES = ("", "Console", "Storage", "Console+Storage")
NAMESPACES = ("team-a", "team-b")
OPENSHIFT_ALONE = {"cluster-reader"}
"""Roles that Kubernetes itself does not have."""


def who(found: Contents) -> dict[str, set[str]]:
    return {permission: set(names) for permission, names in found.accounts.items()}


class RandomSet:
    """Random roles, bindings and accounts."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.roles = [f"role-{number}" for number in range(12)]

    def bodies(self) -> list[Body]:
        bodies = [self.role(name) for name in self.roles]
        bodies += [self.local_role(f"role-{number}", home) for number in range(3) for home in NAMESPACES]
        bodies += [self.binding(f"binding-{number}") for number in range(12)]
        bodies += [self.binding(f"binding-{number}", self.pick(*NAMESPACES)) for number in range(6)]
        bodies += [manifest("ServiceAccount", self.pick("one", "alone"), home) for home in NAMESPACES]
        return bodies

    def pick(self, *values: Any) -> Any:
        return self.random.choice(values)

    def some(self, *values: Any) -> list[Any]:
        """Return one to three of ``values``."""
        return self.random.sample(values, self.random.randint(1, min(3, len(values))))

    def rules(self) -> list[dict[str, Any]]:
        return [self.rule() for _number in range(self.random.randint(0, 3))]

    def rule(self) -> dict[str, Any]:
        resources = ("*", "secrets", "pods", "pods/exec", "*/exec", "nodes/proxy", "*/proxy", "nodes", "pods/*", "jobs")
        more = ("clusterroles", "roles", "users", "groups", "serviceaccounts", "deployments", "exec", "pods/log")
        verbs = ("*", "get", "list", "watch", "create", "bind", "escalate", "impersonate", "delete")
        groups = ("*", "", "apps", "batch", "rbac.authorization.k8s.io", "authentication.k8s.io")
        names = {"resourceNames": ["one"]} if self.random.random() < 0.1 else {}
        return {
            "verbs": self.some(*verbs),
            "apiGroups": self.some(*groups),
            "resources": self.some(*resources, *more),
            **names,
        }

    def annotations(self) -> dict[str, str]:
        capability = self.pick(*CAPABILITIES)
        return {CAPABILITY: capability} if capability else {}

    def role(self, name: str) -> Body:
        labels = {key: self.pick("true", "false") for key in ("a", "b", "c") if self.random.random() < 0.4}
        if self.random.random() < 0.15:
            labels[f"rbac.authorization.k8s.io/aggregate-to-{self.pick('admin', 'edit', 'view')}"] = "true"
        fields: dict[str, Any] = {"rules": self.rules()}
        if self.random.random() < 0.4:
            selectors = [self.selector() for _number in range(self.random.randint(1, 2))]
            fields["aggregationRule"] = {"clusterRoleSelectors": selectors}
            # Which rules two roles have that aggregate each other depends on which of them was created first.
            if labels:
                fields["rules"] = []
        annotations = self.annotations()
        return manifest("ClusterRole", name, api=API, annotations=annotations, labels=labels, **fields)

    def selector(self) -> dict[str, Any]:
        if self.random.random() < 0.5:
            return {"matchLabels": {self.pick("a", "b", "c"): "true"}}
        operator = self.pick("In", "NotIn", "Exists", "DoesNotExist")
        values = {"values": ["true"]} if operator in ("In", "NotIn") else {}
        # The roles of Kubernetes, which have none of these labels, would be in every set that negates.
        labels = {"matchLabels": {self.pick("a", "b"): self.pick("true", "false")}} if "ot" in operator else {}
        return {**labels, "matchExpressions": [{"key": self.pick("a", "b", "c"), "operator": operator, **values}]}

    def local_role(self, name: str, home: str) -> Body:
        return manifest("Role", name, home, api=API, rules=self.rules())

    def binding(self, name: str, home: str = "") -> Body:
        kind = self.pick("Role", "ClusterRole") if home else "ClusterRole"
        others = sorted(BUILT_IN_ROLES.keys() - OPENSHIFT_ALONE - {"cluster-admin"})
        role = self.pick(*self.roles, *self.roles, *others, "missing") if kind == "ClusterRole" else "role-1"
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role}
        subjects = [self.subject(home) for _number in range(self.random.randint(0, 2))]
        fields: dict[str, Any] = {"annotations": self.annotations(), "roleRef": reference, "subjects": subjects}
        return manifest("RoleBinding" if home else "ClusterRoleBinding", name, home, api=API, **fields)

    def subject(self, home: str) -> dict[str, str]:
        team = self.pick(*NAMESPACES)
        account = {"kind": "ServiceAccount", "name": self.pick("one", "two", "three")}
        users = ("alice", "bob", f"system:serviceaccount:{team}:two", "system:anonymous")
        groups = (f"system:serviceaccounts:{team}", "team", "system:unauthenticated", "people")
        wide = ("system:serviceaccounts", "system:authenticated") if self.random.random() < 0.2 else ()
        return self.pick(
            {**account, "namespace": team},
            {**account, "namespace": team},
            account if home else {**account, "namespace": team},
            {"kind": "User", "name": self.pick(*users)},
            {"kind": "Group", "name": self.pick(*groups, *wide)},
        )


def included(bodies: Collection[Body], disabled: str) -> list[Body]:
    return [item for item in bodies if disabled not in item["metadata"]["annotations"].get(CAPABILITY, "").split("+")]


def predicted(folder: Path, bodies: Collection[Body], disabled: str) -> Contents:
    """Return what the product says about a release of ``bodies``."""
    for number, body in enumerate(bodies):
        (folder / f"0000_10_a_{number:03}.json").write_text(json.dumps(body), encoding="utf-8")
    release = load_release(str(folder), Problems(), openshift_version="4.21.0")
    applied = {item.object_id: item for item in release.manifests if disabled not in item.capabilities}
    return contents_of(ContentsReader(release, Problems()).read(applied))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_permissions_are_those_that_the_api_server_allows(
    seed: int, full_cluster: ControlPlane, tmp_path: Path
) -> None:
    api = full_cluster.api
    bodies, disabled = RandomSet(seed).bodies(), ("Storage", "Console")[seed % 2]
    applied = included(bodies, disabled)
    for body in [*map(namespace, NAMESPACES), *applied]:
        api.apply(path_of(body), body)
    wait_for_aggregation(api)

    found = who(predicted(tmp_path, bodies, disabled))

    subjects = subjects_of(applied)
    assert len(subjects) > 2
    assert found == answers(api, subjects)


def test_the_roles_of_each_cluster_grant_what_the_api_server_allows(full_cluster: ControlPlane) -> None:
    api = full_cluster.api
    names = {item["metadata"]["name"] for item in api.list(f"{RBAC}/clusterroles")}
    assert names & BUILT_IN_ROLES.keys() == BUILT_IN_ROLES.keys() - OPENSHIFT_ALONE
    holders = {name: Account("Group", f"holders of {name}") for name in names}
    bodies = [
        manifest(
            "ClusterRoleBinding",
            f"test-{name}",
            api=API,
            roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            subjects=[{"kind": holder.kind, "name": holder.name}],
        )
        for name, holder in holders.items()
    ]
    for body in bodies:
        api.apply(path_of(body), body)
    wait_for_aggregation(api)

    found = who_can({}, [ClusterRoleBinding((), name, (holder,)) for name, holder in holders.items()], ())

    allowed = answers(api, subjects_of(bodies))
    # The roles of controllers, which no release binds, are not in the table.
    others = {holders[name].shown for name in names if name.startswith("system:controller:")}
    assert {key: {holder.shown for holder in accounts} for key, accounts in found.items()} == {
        key: accounts - others for key, accounts in allowed.items()
    }


def test_accounts_are_in_the_groups_in_which_the_api_server_puts_them(full_cluster: ControlPlane) -> None:
    api = full_cluster.api
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    token = api.post(f"{accounts}/default/token", {"spec": {}})["status"]["token"]

    review = api.post("/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": token}})

    user, account = review["status"]["user"], service_account("default", "default")
    assert (user["username"], set(user["groups"])) == (account.name, set(account.groups))
    assert set(Subject("ServiceAccount", "default", "default").review["groups"]) == set(user["groups"])
