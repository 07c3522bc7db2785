# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who can do what by the rules of RBAC. tests/cluster/test_exposure.py compares the same with an API server."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._contents.access import (
    Account,
    ClusterRoleBinding,
    RbacInputs,
    rbac_inputs,
    service_account,
    who_can,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.cluster_access import PERMISSIONS, ClusterRole
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId

RBAC = "rbac.authorization.k8s.io"
READER = service_account("one", "reader")
OTHER = service_account("two", "other")
ALL = frozenset(PERMISSIONS)


def rule(verbs: str, groups: str, resources: str, **more: Any) -> dict[str, Any]:
    return {"verbs": verbs.split(), "apiGroups": groups.split(","), "resources": resources.split(), **more}


def role(
    *rules: dict[str, Any],
    capabilities: tuple[str, ...] = (),
    labels: dict[str, str] | None = None,
    selectors: list[dict[str, Any]] | None = None,
) -> ClusterRole:
    body: dict[str, Any] = {"metadata": {"labels": labels}, "rules": list(rules)}
    if selectors:
        body["aggregationRule"] = {"clusterRoleSelectors": selectors}
    found = rbac_inputs(ResourceId(RBAC, "ClusterRole", "", "one"), body, capabilities).role
    assert found is not None
    return found


SECRETS = rule("list", "", "secrets")


def bound(name: str, *accounts: Account, capabilities: tuple[str, ...] = ()) -> ClusterRoleBinding:
    return ClusterRoleBinding(capabilities, name, accounts or (READER,))


def permissions_of(account: Account, *args: Any) -> dict[str, tuple[str, ...]]:
    found = who_can(*args)
    return {permission: holders[account] for permission, holders in found.items() if account in holders}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (rule("*", "*", "*"), ALL),
        (rule("*", "", "*"), ALL - {"do_everything", "grant_permissions"}),
        (
            rule("get list watch create update patch delete", "*", "*"),
            ALL - {"do_everything", "grant_permissions", "impersonate"},
        ),
        (rule("*", RBAC, "*"), {"grant_permissions"}),
        (rule("*", RBAC, "clusterroles", resourceNames=["view"]), set()),
        (rule("bind", RBAC, "roles"), {"grant_permissions"}),
        (rule("create update", RBAC, "clusterrolebindings"), set()),
        (rule("get", "", "secrets"), {"read_secrets"}),
        (rule("watch", "apps,", "deployments secrets"), {"read_secrets"}),
        (rule("get", "", "secrets", resourceNames=["pull-secret"]), set()),
        (rule("get", "", "secrets", resourceNames=[]), {"read_secrets"}),
        (rule("get", "apps", "secrets"), set()),
        (rule("create delete", "", "secrets"), set()),
        (rule("create", "", "pods/exec"), {"exec_into_pods"}),
        (rule("create", "", "*/exec"), {"exec_into_pods"}),
        (rule("create", "", "exec"), set()),
        (rule("create", "", "pods/*"), set()),
        (rule("create", "", "pods"), {"create_pods"}),
        (rule("create", "batch", "cronjobs"), {"create_pods"}),
        (rule("create", "", "deployments"), set()),
        (rule("get", "", "nodes/proxy"), {"reach_nodes"}),
        (rule("get", "", "*/proxy"), {"reach_nodes"}),
        (rule("get", "", "nodes nodes/metrics"), set()),
        (rule("impersonate", "", "groups"), {"impersonate"}),
        (rule("impersonate", "authentication.k8s.io", "userextras/scopes"), set()),
        ({"verbs": ["*"], "nonResourceURLs": ["*"]}, set()),
        ({"verbs": "*", "apiGroups": None, "resources": [{}, None]}, set()),
        ({}, set()),
    ],
)
def test_a_rule_grants_what_its_verbs_groups_and_resources_allow_for_all_objects(given, expected):
    assert role(given).permissions == expected


def test_a_cluster_role_binding_gives_its_role_to_its_subjects_alone():
    found = who_can({"reader": role(SECRETS)}, [bound("reader")], [OTHER])

    assert found == {**{name: {} for name in PERMISSIONS}, "read_secrets": {READER: ()}}


def test_roles_that_each_cluster_has_can_be_bound():
    bindings = [bound("cluster-admin"), bound("edit", OTHER)]

    assert set(permissions_of(READER, {}, bindings, ())) == ALL
    assert set(permissions_of(OTHER, {}, bindings, ())) == {
        "read_secrets",
        "exec_into_pods",
        "impersonate",
        "create_pods",
    }


def test_a_role_of_a_release_adds_to_a_role_that_each_cluster_has():
    more = role(rule("get", "", "nodes/proxy"), labels={f"{RBAC}/aggregate-to-view": "true"})

    assert permissions_of(READER, {"more": more}, [bound("cluster-reader")], ()) == {"reach_nodes": ()}


@pytest.mark.parametrize(
    ("selector", "is_selected"),
    [
        ({}, True),
        ({"matchLabels": {"a": "1"}}, True),
        ({"matchLabels": {"a": "1", "b": "2"}}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "2"]}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}, False),
        ({"matchExpressions": [{"key": "b", "operator": "NotIn", "values": ["1"]}]}, True),
        ({"matchExpressions": [{"key": "b", "operator": "In", "values": ["1"]}]}, False),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, False),
        ({"matchExpressions": [{"key": "a", "operator": "Other"}]}, False),
        ({"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "b", "operator": "Exists"}]}, False),
    ],
)
def test_a_role_aggregates_the_rules_of_the_roles_that_its_selectors_match(selector, is_selected):
    # Without this label, the roles that each cluster has would match some selectors as well.
    labels = {"test": ""} | selector.get("matchLabels", {})
    selectors = [{"matchLabels": {"none": ""}}, {**selector, "matchLabels": labels}]
    collected = role(rule("get", "", "nodes/proxy"), selectors=selectors, labels={"test": ""})
    roles = {"all": collected, "one": role(SECRETS, labels={"test": "", "a": "1"})}

    found = permissions_of(READER, roles, [bound("all")], ())

    # The controller replaces the rules of the role that aggregates, unless there are none to replace them with.
    assert set(found) == ({"read_secrets"} if is_selected else {"reach_nodes"})


def test_a_role_keeps_its_rules_if_those_that_it_aggregates_have_none():
    collected = role(SECRETS, selectors=[{"matchLabels": {"a": "1"}}])
    empty, other = role(labels={"a": "1"}), role(rule("get", "", "pods"), labels={"a": "1"})

    assert set(permissions_of(READER, {"all": collected, "empty": empty}, [bound("all")], ())) == {"read_secrets"}
    assert set(permissions_of(READER, {"all": collected, "other": other}, [bound("all")], ())) == set()


def test_an_empty_selector_matches_the_roles_that_each_cluster_has():
    assert set(permissions_of(READER, {"all": role(selectors=[{}])}, [bound("all")], ())) == ALL


def test_aggregation_is_transitive_and_may_be_circular():
    roles = {
        "first": role(labels={"to": "second"}, selectors=[{"matchLabels": {"to": "first"}}], capabilities=("A",)),
        "second": role(labels={"to": "first"}, selectors=[{"matchLabels": {"to": "second"}}], capabilities=("B",)),
        "third": role(SECRETS, labels={"to": "second"}, capabilities=("C",)),
    }

    assert permissions_of(READER, roles, [bound("first")], ()) == {"read_secrets": ("A", "B", "C")}
    assert permissions_of(READER, roles, [bound("second")], ()) == {"read_secrets": ("B", "C")}


def test_a_permission_needs_the_capabilities_of_binding_and_role_and_as_few_as_possible():
    roles = {"a": role(SECRETS, capabilities=("Console",)), "b": role(SECRETS, capabilities=("Storage",))}
    both = bound("a", capabilities=("Build",))

    assert permissions_of(READER, roles, [both], ()) == {"read_secrets": ("Build", "Console")}
    assert permissions_of(READER, roles, [both, bound("b")], ()) == {"read_secrets": ("Storage",)}
    assert permissions_of(READER, roles, [bound("b"), bound("cluster-admin"), both], ())["read_secrets"] == ()


@pytest.mark.parametrize(
    ("group", "members"),
    [
        ("system:serviceaccounts:one", {READER}),
        ("system:serviceaccounts", {READER, OTHER, Account("Group", "system:serviceaccounts:one")}),
        (
            "system:authenticated",
            {
                READER,
                OTHER,
                Account("User", "alice"),
                *(Account("Group", name) for name in ("system:serviceaccounts:one", "team")),
            },
        ),
        ("system:unauthenticated", {Account("User", "system:anonymous")}),
        ("team", set()),
    ],
)
def test_accounts_have_the_permissions_of_their_groups(group, members):
    people = [Account("User", "alice"), Account("User", "system:anonymous"), Account("Group", "team")]
    accounts = [READER, OTHER, *people, Account("Group", "system:serviceaccounts:one")]
    holder = Account("Group", group)

    found = who_can({"reader": role(SECRETS)}, [bound("reader", holder)], accounts)

    assert set(found["read_secrets"]) == {holder, *members}


def test_subjects_are_users_groups_and_service_accounts():
    body = {
        "subjects": [
            {"kind": "User", "name": "alice"},
            {"kind": "Group", "name": "team"},
            {"kind": "ServiceAccount", "name": "reader", "namespace": "one"},
            {"kind": "ServiceAccount", "name": "local"},
            {"kind": "Other", "name": "x"},
            None,
        ]
    }

    local = ResourceId(RBAC, "RoleBinding", "here", "one")
    found = rbac_inputs(local, body, ()).accounts

    assert [account.shown for account in found] == ["User alice", "Group team", "one/reader", "here/local"]
    assert found[2] == Account("User", "system:serviceaccount:one:reader") == READER
    assert rbac_inputs(local, {}, ()) == rbac_inputs(local, {"subjects": None}, ()) == RbacInputs()
    binding = rbac_inputs(ResourceId(RBAC, "ClusterRoleBinding", "ignored", "one"), body, ("Console",)).binding
    assert binding is not None
    assert binding.accounts[3].shown == "/local"


def test_a_role_that_nothing_creates_grants_nothing():
    bindings = [bound("missing"), bound("view"), bound("reader")]

    assert permissions_of(READER, {"reader": role()}, bindings, ()) == {}
