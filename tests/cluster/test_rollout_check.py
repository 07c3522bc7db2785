# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What check mode promises about objects that are being deleted, and about what a rollout itself writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard_policy import GUARD_NAME
from ansible_collections.capability.openshift.plugins.modules import capability_guard
from ansible_collections.capability.openshift.tests.cluster.helpers.guard import BINDING, POLICY, is_guarded
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    CLUSTER_VERSION_CRD,
    CREATE_ONLY,
    HOME,
    INVENTORY,
    Body,
    Rollouts,
    config_map,
    crd,
    deployment,
    ids,
    manifest,
    namespace,
    path_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import OBJECT, selection
from ansible_collections.capability.openshift.tests.control_plane.api import ApiError
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.users import Rule, certificate_user
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

INGRESS_ONLY = selection("Ingress")
ADMISSION = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
READ = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}


def is_denied(rollouts: Rollouts, body: Body) -> bool:
    """Whether the API server refuses to create an object."""
    try:
        rollouts.api.post(path_of(body).rpartition("/")[0], body, dryRun="All")
    except ApiError:
        return True
    return False


# Objects that are being deleted


def held(rollouts: Rollouts, body: Body) -> None:
    """Delete an object that does not go."""
    rollouts.api.patch(path_of(body), {"metadata": {"finalizers": ["test.io/hold"]}})
    rollouts.api.delete(path_of(body))


@pytest.mark.parametrize("other", [False, True], ids=["same", "changed"])
@pytest.mark.parametrize(
    "body",
    [
        config_map("a"),
        config_map("a", annotations={CREATE_ONLY: "true"}),
        deployment("a"),
        manifest("ClusterRole", "a", api="rbac.authorization.k8s.io/v1", rules=[READ]),
        crd("things", "Thing"),
    ],
    ids=lambda body: body["kind"],
)
def test_an_object_that_is_being_deleted_is_terminating(rollouts: Rollouts, body: Body, other: bool) -> None:
    rollouts.done([body, config_map("rest")])
    held(rollouts, body)
    changed = {**body, "metadata": {**body["metadata"], "labels": {"new": "label"}}} if other else body
    outcome = rollouts.predicted(rollouts.release([changed, config_map("rest"), config_map("more")]), diff=True)
    rollouts.api.patch(path_of(body), {"metadata": {"finalizers": None}})
    assert [(item["kind"], item["state"]) for item in outcome["failed_resources"]] == [(body["kind"], "terminating")]
    assert ids(outcome, "created") == ["ConfigMap more"]


@pytest.mark.parametrize("listed", [False, True], ids=["of another client", "of the release"])
@pytest.mark.parametrize("mode", ["reconcile", "update"])
def test_a_namespace_that_is_being_deleted_takes_nothing(rollouts: Rollouts, mode: str, listed: bool) -> None:
    home = namespace("going")
    of_release = [home] if listed else []
    if not listed:
        rollouts.api.post("/api/v1/namespaces", home)
    rollouts.done([*of_release, config_map("there", "going")])
    rollouts.api.delete(path_of(home))  # No controller runs, so it never ends.
    outcome = rollouts.predicted(
        rollouts.release([*of_release, config_map("there", "going"), config_map("more", "going"), config_map("rest")]),
        mode=mode,
    )
    states = {(item["name"], item["state"]) for item in outcome["failed_resources"]}
    assert states == {("more", "terminating"), *([("going", "terminating")] if listed else [])}
    assert ids(outcome, "created") == ["ConfigMap rest"]


def test_a_kind_that_is_being_deleted_takes_nothing(rollouts: Rollouts) -> None:
    definition, thing = crd("things", "Thing"), manifest("Thing", "a", HOME, api="test.io/v1", spec={})
    rollouts.done([definition, thing])
    rollouts.api.patch(path_of(thing), {"metadata": {"finalizers": ["test.io/hold"]}})
    rollouts.api.delete(path_of(definition))
    more = manifest("Thing", "b", HOME, api="test.io/v1", spec={})
    wait_for(lambda: is_denied(rollouts, more), "the API server to know of it")
    outcome = rollouts.predicted(rollouts.release([definition, thing, more]))
    rollouts.api.patch(path_of(thing), {"metadata": {"finalizers": None}})
    assert outcome.failed
    assert ids(outcome, "created") == []


# What the rollout itself writes


@pytest.fixture
def guard(rollouts: Rollouts) -> Iterator[Callable[[str], None]]:
    """Return a function that installs the guard, which allows a capability."""

    def install(allowed: str) -> None:
        options = {"kubeconfig": rollouts.plane.kubeconfig, "allowed_capabilities": [allowed]}
        assert not rollouts.site.call(capability_guard, **options).failed

    yield install
    for path in (BINDING, POLICY):
        if rollouts.api.exists(path):
            rollouts.api.delete(path)
    wait_for(lambda: not is_guarded(rollouts.api), "the removal of the guard")


@pytest.mark.parametrize("allowed", ["Storage", "Console"])
def test_the_guard_decides_on_the_new_spec(rollouts: Rollouts, guard: Callable[[str], None], allowed: str) -> None:
    rollouts.done(EXAMPLE, capabilities=INGRESS_ONLY, feature_set="Default")
    guard(allowed)
    outcome = rollouts.predicted(EXAMPLE, capabilities=selection("Console", "Ingress"))
    assert outcome.failed == (allowed == "Storage")
    assert not outcome.failed or GUARD_NAME in outcome.message


def without(resource: str, *verbs: str) -> list[Rule]:
    """Return rules that allow everything except ``verbs`` on a resource of ClusterVersion."""
    others = [verb for verb in ("get", "list", "watch", "create", "patch", "delete") if verb not in verbs]
    both = {"clusterversions", "clusterversions/status"}
    objects = ["clusteroperators", "featuregates", "infrastructures", "proxies", "apiservers", "ingresses", "consoles"]
    groups = ["", "apps", "batch", "apiextensions.k8s.io", "rbac.authorization.k8s.io", "coordination.k8s.io"]
    groups += ["operator.openshift.io", "console.openshift.io", "monitoring.coreos.com", "security.openshift.io"]
    return [
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
        {"apiGroups": groups, "resources": ["*"], "verbs": ["*"]},
        {"apiGroups": ["config.openshift.io"], "resources": [*objects, *sorted(both - {resource})], "verbs": ["*"]},
        {"apiGroups": ["config.openshift.io"], "resources": [resource], "verbs": others},
    ]


@pytest.mark.parametrize("served", [False, True], ids=["kind of the release", "kind of the cluster"])
@pytest.mark.parametrize(
    ("resource", "verb"),
    [("clusterversions", "create"), ("clusterversions", "patch"), ("clusterversions/status", "patch")],
)
def test_a_permission_that_the_first_rollout_lacks(rollouts: Rollouts, resource: str, verb: str, served: bool) -> None:
    release = rollouts.release([config_map("a")], cluster_version=True)
    if served:
        rollouts.done(release, only="crds")
    user = certificate_user(rollouts.plane, "less", without(resource, verb))
    outcome = rollouts.predicted(release, capabilities=INGRESS_ONLY, kubeconfig=user.kubeconfig)
    assert outcome.errors[0]["code"] == "forbidden-request"
    assert resource in outcome.message
    assert not rollouts.has(config_map("a"))


def test_a_permission_that_an_update_lacks(rollouts: Rollouts) -> None:
    rollouts.done(rollouts.release([config_map("a")], cluster_version=True), capabilities=INGRESS_ONLY)
    user = certificate_user(rollouts.plane, "less", without("clusterversions/status", "patch"))
    update = rollouts.release([config_map("a"), config_map("b")], cluster_version=True)
    outcome = rollouts.predicted(update, openshift_version="4.21.1", kubeconfig=user.kubeconfig)
    assert outcome.errors[0]["code"] == "forbidden-request"
    assert rollouts.api.get(OBJECT)["status"]["desired"]["version"] == "4.21.0"


@pytest.fixture
def denied(rollouts: Rollouts) -> Iterator[Callable[[], None]]:
    """Return a function that denies the writes of ConfigMaps where the inventory is."""
    paths = [f"{ADMISSION}{plural}" for plural in ("ies", "ybindings")]

    def deny() -> None:
        operations = ["CREATE", "UPDATE"]
        rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": operations, "resources": ["configmaps"]}]
        validation = {"expression": "object.metadata.namespace != 'kube-system'", "message": "not there"}
        policy = {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": rules}, "validations": [validation]}
        binding = {"policyName": "deny", "validationActions": ["Deny"]}
        for path, spec in zip(paths, (policy, binding), strict=True):
            rollouts.api.post(path, {"metadata": {"name": "deny"}, "spec": spec})
        wait_for(lambda: is_denied(rollouts, config_map("trial", "kube-system")), "the policy to be enforced")

    yield deny
    for path in paths:
        rollouts.api.delete(f"{path}/deny")
    wait_for(lambda: not is_denied(rollouts, config_map("trial", "kube-system")), "the policy to be gone")


@pytest.mark.parametrize("again", [False, True], ids=["first", "second"])
def test_a_policy_that_denies_the_inventory(rollouts: Rollouts, denied: Callable[[], None], again: bool) -> None:
    if again:
        rollouts.done([config_map("a")])
    denied()
    outcome = rollouts.predicted(rollouts.release([config_map("a"), config_map("b")]))
    assert "not there" in outcome.message
    assert not rollouts.has(config_map("b"))
    assert rollouts.api.exists(INVENTORY) == again


# Diffs


def test_the_diff_has_the_definition_of_cluster_version(rollouts: Rollouts) -> None:
    first = rollouts.predicted(EXAMPLE, capabilities=selection("Console", "Ingress"), feature_set="Default", diff=True)
    assert not first.failed, first.message
    release = rollouts.release([config_map("a")], cluster_version=True)
    definition = release / CLUSTER_VERSION_CRD
    text = definition.read_text(encoding="utf-8")
    definition.write_text(text.replace("description: ", "description: New ", 1), encoding="utf-8")
    outcome = rollouts.predicted(release, openshift_version="4.21.1", diff=True)
    (shown,) = (item for item in outcome["diff"] if CLUSTER_VERSION_CRD in item["before_header"])
    assert shown["before"] != ""
    assert "New " not in shown["before"]
    assert "New " in shown["after"]


# Definitions that change in the same run


def test_an_object_can_fit_the_definition_that_changes_before_it(rollouts: Rollouts) -> None:
    def kind(*modes: str) -> Body:
        return crd("things", "Thing", {"type": "object", "properties": {"mode": {"type": "string", "enum": modes}}})

    def thing(name: str, mode: str) -> Body:
        return manifest("Thing", name, HOME, api="test.io/v1", spec={"mode": mode})

    rollouts.done([kind("a"), thing("old", "a")])
    outcome = rollouts.predicted(rollouts.release([kind("a", "b"), thing("old", "b"), thing("new", "b")]))
    assert not outcome.failed, outcome.message
    assert (ids(outcome, "created"), ids(outcome, "changed_resources")[1:]) == (["Thing new"], ["Thing old"])
    outcome = rollouts.predicted(rollouts.release([kind("a", "b"), thing("old", "b"), thing("new", "c")]))
    assert [item["name"] for item in outcome["failed_resources"]] == ["new"]


def test_an_object_changes_to_a_version_that_its_definition_adds(rollouts: Rollouts) -> None:
    definition = crd("things", "Thing")
    rollouts.done([definition, manifest("Thing", "a", HOME, api="test.io/v1", spec={"x": 1})])
    (version,) = definition["spec"]["versions"]
    definition["spec"]["versions"] = [version, {**version, "name": "v2", "storage": False}]
    things = [manifest("Thing", name, HOME, api="test.io/v2", spec={"x": 2}) for name in ("a", "b")]
    outcome = rollouts.predicted(rollouts.release([definition, *things]))
    assert (ids(outcome, "created"), ids(outcome, "changed_resources")[1:]) == (["Thing b"], ["Thing a"])
