# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""References that dangle for some selection, in releases of a few manifests."""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._contents.unmet_references import (
    ReleaseReferences,
    report_dangling,
    unmet_references,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.tests.unit.builders.releases import DELETE, manifest, write_release

NOTHING: frozenset[str] = frozenset()
RBAC = "rbac.authorization.k8s.io/v1"
CRD = "apiextensions.k8s.io/v1"


def pods(spec):
    return f"spec: {json.dumps({'template': {'spec': spec}})}\n"


def deployment(spec, capability="", **more):
    return manifest("app", capability, kind="Deployment", api="apps/v1", namespace="ns", more=pods(spec), **more)


def binding(role, *subjects, kind="RoleBinding"):
    content = {"roleRef": {"kind": role[0], "name": role[1]}, "subjects": list(subjects)}
    more = "".join(f"{key}: {json.dumps(value)}\n" for key, value in content.items())
    return manifest("bound", kind=kind, api=RBAC, namespace="ns" if kind == "RoleBinding" else "", more=more)


ACCOUNT = manifest("robot", "Console", kind="ServiceAccount", namespace="ns")
CONFIG = manifest("config", "Console", namespace="ns")
SECRET = manifest("secret", "Console", kind="Secret", namespace="ns")
ROLE = manifest("role", "Console", kind="Role", api=RBAC, namespace="ns")
CLUSTER_ROLE = manifest("role", "Console", kind="ClusterRole", api=RBAC)
NAMESPACE = manifest("ns", "Console", kind="Namespace")
DEFINITION = manifest(
    "widgets.example.org",
    "Console",
    kind="CustomResourceDefinition",
    api=CRD,
    more='spec: {"group": "example.org", "names": {"kind": "Widget", "plural": "widgets"}}\n',
)


@pytest.fixture
def release(tmp_path):
    """Write and load a release of one file per manifest."""

    def release(*texts):
        files = {f"{number:02}.yaml": text for number, text in enumerate(texts)}
        return load_release(str(write_release(tmp_path, files)), Problems(), release_image="image")

    return release


@pytest.fixture
def dangling(release):
    """Return what dangles with ``enabled``: kind of reference, name of the source, kind and name of the target."""

    def dangling(*texts, enabled=NOTHING):
        loaded = release(*texts)
        found = ReleaseReferences(loaded, loaded.manifests).dangling(frozenset(enabled))
        return [(item.kind, item.source.resource_id.name, item.target.kind, item.target.name) for item in found]

    return dangling


def test_an_object_whose_namespace_is_out(dangling):
    found = dangling(NAMESPACE, manifest("one", namespace="ns"), manifest("two", namespace="other"))
    assert found == [("dangling-namespace", "one", "Namespace", "ns")]


def test_a_custom_resource_whose_definition_is_out(dangling):
    other = manifest("gadget", kind="Gadget", api="example.org/v1")
    found = dangling(DEFINITION, manifest("one", kind="Widget", api="example.org/v2"), other)
    assert found == [("dangling-definition", "one", "CustomResourceDefinition", "widgets.example.org")]


@pytest.mark.parametrize(
    ("target", "spec"),
    [
        (ACCOUNT, {"serviceAccountName": "robot"}),
        (ACCOUNT, {"serviceAccount": "robot"}),
        (CONFIG, {"volumes": [{"configMap": {"name": "config"}}]}),
        (SECRET, {"volumes": [{"secret": {"secretName": "secret"}}]}),
        (CONFIG, {"volumes": [{"projected": {"sources": [{"configMap": {"name": "config"}}]}}]}),
        (SECRET, {"volumes": [{"projected": {"sources": [{"secret": {"name": "secret"}}]}}]}),
        (CONFIG, {"containers": [{"envFrom": [{"configMapRef": {"name": "config"}}]}]}),
        (SECRET, {"initContainers": [{"env": [{"valueFrom": {"secretKeyRef": {"name": "secret"}}}]}]}),
    ],
)
def test_a_workload_that_needs_what_is_out(dangling, target, spec):
    (found,) = dangling(target, deployment(spec))
    assert found[:2] == ("dangling-workload", "app")


@pytest.mark.parametrize(
    "spec",
    [
        {"volumes": [{"configMap": {"name": "config", "optional": True}}]},
        {"containers": [{"env": [{"name": "X", "value": "config"}]}]},
        {"volumes": [{"configMap": {"name": "config-2"}}, {"configMap": {}}, 7, {"secret": "config"}]},
        {"serviceAccountName": ["robot"], "volumes": {"configMap": {"name": "config"}}},
        "config",
    ],
)
def test_what_a_workload_does_not_need(dangling, spec):
    assert dangling(CONFIG, ACCOUNT, deployment(spec)) == []


def test_a_binding_whose_role_is_out(dangling):
    assert dangling(ROLE, binding(("Role", "role"))) == [("dangling-role", "bound", "Role", "role")]
    assert dangling(CLUSTER_ROLE, binding(("ClusterRole", "role"))) == [
        ("dangling-role", "bound", "ClusterRole", "role")
    ]
    assert dangling(ROLE, binding(("ClusterRole", "role"))) == []


@pytest.mark.parametrize(
    "subject",
    [
        {"kind": "ServiceAccount", "name": "robot", "namespace": "ns"},
        {"kind": "ServiceAccount", "name": "robot"},
        {"kind": "User", "name": "system:serviceaccount:ns:robot"},
    ],
)
def test_rights_for_an_account_that_is_out(dangling, subject):
    found = dangling(ACCOUNT, binding(("ClusterRole", "view"), subject))
    assert found == [("dangling-rights", "bound", "ServiceAccount", "robot")]


@pytest.mark.parametrize("subject", [{"kind": "Group", "name": "robot"}, {"kind": "ServiceAccount"}, "robot"])
def test_other_subjects_are_no_reference(dangling, subject):
    assert dangling(ACCOUNT, binding(("ClusterRole", "view"), subject, kind="ClusterRoleBinding")) == []


def credentials_request(spec):
    more = f"spec: {json.dumps(spec)}\n"
    return manifest("cloud", kind="CredentialsRequest", api="cloudcredential.openshift.io/v1", namespace="x", more=more)


def test_rights_in_a_cloud_for_an_account_that_is_out(dangling):
    spec = {"secretRef": {"namespace": "ns", "name": "cloud"}, "serviceAccountNames": ["robot", "other"]}
    account = ("dangling-rights", "cloud", "ServiceAccount", "robot")
    namespace = ("dangling-rights", "cloud", "Namespace", "ns")
    assert dangling(ACCOUNT, credentials_request(spec)) == [account]
    # Operators create the accounts that the release does not contain.
    assert dangling(NAMESPACE, credentials_request({"secretRef": spec["secretRef"]})) == [namespace]
    assert dangling(NAMESPACE, ACCOUNT, credentials_request(spec)) == [namespace, account]
    assert dangling(NAMESPACE, ACCOUNT, credentials_request(spec), enabled={"Console"}) == []


@pytest.mark.parametrize(
    "spec",
    [{}, 7, {"serviceAccountNames": ["robot"]}, {"secretRef": {"namespace": "other"}, "serviceAccountNames": "robot"}],
)
def test_a_credentials_request_without_an_account_of_the_release(dangling, spec):
    assert dangling(NAMESPACE, ACCOUNT, credentials_request(spec)) == []


OPERATOR = manifest("web", kind="ClusterOperator", api="config.openshift.io/v1")
"""A ClusterOperator without a capability. Its Deployments are those of its component, in the same run level or not."""


def operator_files(*operators, more=OPERATOR):
    files = {f"0000_50_web_0{number}.yaml": text for number, text in enumerate(operators)}
    return {**files, "0000_51_web_09.yaml": more}


@pytest.fixture
def waiting(tmp_path):
    """Return the Deployments that ClusterOperators in ``files`` lack with ``enabled``."""

    def waiting(files, *enabled):
        loaded = load_release(str(write_release(tmp_path, files)), Problems(), release_image="image")
        names = frozenset(enabled)
        found = ReleaseReferences(loaded, loaded.manifests).dangling(names)
        assert {(item.kind, item.blocks) for item in found} <= {("dangling-operator", True)}
        return [item.target.name for item in found]

    return waiting


def test_a_cluster_operator_whose_operator_is_out(waiting):
    files = operator_files(deployment({}, "Console"))
    assert waiting(files) == ["app"]
    assert waiting(files, "Console") == []


def test_one_deployment_of_the_component_may_be_the_operator(waiting):
    assert waiting(operator_files(deployment({}, "Console"), deployment({}).replace("name: app", "name: other"))) == []
    several = operator_files(deployment({}, "Console"), deployment({}, "Storage").replace("name: app", "name: other"))
    assert waiting(several) == ["app"]
    assert waiting(several, "Storage") == []


def test_a_cluster_operator_without_deployments_has_its_operator_elsewhere(waiting):
    other = {"0000_50_other_01.yaml": deployment({}, "Console")}
    assert waiting({**other, **operator_files()}) == []
    deletion = deployment({}, "Console", annotations={DELETE: "true"})
    assert waiting(operator_files(deletion)) == []


def test_files_without_a_component_have_no_operator(waiting):
    assert waiting({"a.yaml": deployment({}, "Console"), "b.yaml": OPERATOR}) == []


def test_what_the_selection_includes_does_not_dangle(dangling):
    texts = (NAMESPACE, ACCOUNT, deployment({"serviceAccountName": "robot"}))
    assert len(dangling(*texts)) == 2
    assert dangling(*texts, enabled={"Console"}) == []


def test_an_excluded_manifest_needs_nothing(dangling):
    texts = (NAMESPACE, manifest("one", "Storage", namespace="ns"))
    assert dangling(*texts) == []
    assert dangling(*texts, enabled={"Storage"}) == [("dangling-namespace", "one", "Namespace", "ns")]


def test_one_included_manifest_of_the_target_is_enough(dangling):
    assert dangling(NAMESPACE, manifest("ns", "Storage", kind="Namespace"), manifest("one", namespace="ns")) == [
        ("dangling-namespace", "one", "Namespace", "ns")
    ]
    assert dangling(NAMESPACE, manifest("ns", kind="Namespace"), manifest("one", namespace="ns")) == []


def test_what_the_release_does_not_contain_comes_from_elsewhere(dangling):
    assert (
        dangling(ACCOUNT, manifest("one", namespace="kube-system"), deployment({"serviceAccountName": "default"})) == []
    )


def test_a_deletion_needs_only_the_definition_of_its_kind(dangling):
    deletes = {DELETE: "true"}
    assert dangling(NAMESPACE, manifest("one", namespace="ns", annotations=deletes)) == []
    assert dangling(ACCOUNT, deployment({"serviceAccountName": "robot"}, annotations=deletes)) == []
    texts = (DEFINITION, manifest("one", kind="Widget", api="example.org/v2", annotations=deletes))
    assert dangling(*texts) == [("dangling-definition", "one", "CustomResourceDefinition", "widgets.example.org")]
    assert dangling(*texts, enabled={"Console"}) == []


def test_the_cvo_deletes_some_kinds_without_looking_them_up(dangling):
    definition = manifest(
        "operatorgroups.operators.coreos.com",
        "Console",
        kind="CustomResourceDefinition",
        api=CRD,
        more='spec: {"group": "operators.coreos.com", "names": {"kind": "OperatorGroup"}}\n',
    )
    text = manifest("one", kind="OperatorGroup", api="operators.coreos.com/v1")
    assert len(dangling(definition, text)) == 1
    text = manifest("one", kind="OperatorGroup", api="operators.coreos.com/v1", annotations={DELETE: "true"})
    assert dangling(definition, text) == []


def test_manifests_that_delete_provide_nothing(dangling):
    deletes = {DELETE: "true"}
    assert (
        dangling(manifest("ns", "Console", kind="Namespace", annotations=deletes), manifest("one", namespace="ns"))
        == []
    )


@pytest.mark.parametrize(
    ("kind", "blocks"), [("Deployment", True), ("Job", True), ("DaemonSet", False), ("StatefulSet", False)]
)
def test_the_cvo_looks_at_the_pods_of_two_kinds(release, kind, blocks):
    api = "batch/v1" if kind == "Job" else "apps/v1"
    workload = manifest("app", kind=kind, api=api, namespace="ns", more=pods({"serviceAccountName": "robot"}))
    loaded = release(ACCOUNT, workload)
    (found,) = unmet_references(loaded, loaded.manifests)
    assert found.blocks is blocks


def problems_of(loaded, *enabled):
    problems = Problems()
    names = frozenset(enabled)
    report_dangling(ReleaseReferences(loaded, loaded.manifests).dangling(names), names, "error", problems)
    return problems


def test_a_target_is_reported_once_with_the_first_manifest(release):
    loaded = release(NAMESPACE, manifest("one", "Storage", namespace="ns"), manifest("two", "Storage", namespace="ns"))
    (problem,) = problems_of(loaded, "Storage")
    assert (problem.severity, problem.code) == ("error", "dangling-namespace")
    assert str(problem.where) == "release-manifests/01.yaml, document 1"
    assert problem.message == (
        "ConfigMap ns/one and 1 more are included and refer to Namespace ns, which is excluded because Console is "
        "disabled: the API server rejects an object in a Namespace that does not exist, so the cluster-version "
        "operator cannot finish"
    )
    assert problem.hint == "Create Namespace ns, disable Storage, or enable Console permanently"


def test_a_deletion_that_the_cvo_cannot_do_is_an_error(release):
    text = manifest("one", kind="Widget", api="example.org/v1", annotations={DELETE: "true"})
    (problem,) = problems_of(release(DEFINITION, text))
    assert problem.severity == "error"
    assert problem.message == (
        "Widget.example.org one is included and refers to CustomResourceDefinition.apiextensions.k8s.io "
        "widgets.example.org, which is excluded because Console is disabled: the cluster-version operator looks up "
        "the kind before it deletes, so it cannot finish"
    )


def test_a_cluster_operator_without_operator_is_an_error(tmp_path):
    files = operator_files(deployment({}, "Console"))
    (problem,) = problems_of(load_release(str(write_release(tmp_path, files)), Problems(), release_image="image"))
    assert problem.severity == "error"
    assert problem.message.endswith(
        "Deployment.apps ns/app, which is excluded because Console is disabled: no operator writes its status, so the "
        "cluster-version operator cannot finish"
    )


def test_only_what_stops_the_cvo_is_an_error(release):
    bound = binding(("Role", "role"), {"kind": "ServiceAccount", "name": "robot"})
    loaded = release(ROLE, ACCOUNT, bound, deployment({"serviceAccountName": "robot"}))
    severities = {problem.code: problem.severity for problem in problems_of(loaded)}
    # Only the authors of a release can correct the binding.
    assert severities == {"dangling-workload": "error"}


def test_a_workload_whose_pods_the_cvo_ignores_is_a_warning(release):
    daemon = manifest(
        "app", kind="DaemonSet", api="apps/v1", namespace="ns", more=pods({"serviceAccountName": "robot"})
    )
    (problem,) = problems_of(release(ACCOUNT, daemon))
    assert problem.severity == "warning"
