# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The object to apply: without fields of other owners, and with all of our ownership metadata."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._cluster.injected_config import InjectedConfig
from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import (
    CREATE_ONLY_ANNOTATION,
    DELETE_ANNOTATION,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    is_create_only,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.desired_object import (
    CREATED_BY_ROLLOUT,
    LAST_APPLIED_HASH,
    PART_OF,
    OwnershipMetadata,
    build_apply_object,
    check_annotations,
    last_applied_hash,
    mark_normalized,
)

OWNERSHIP = OwnershipMetadata("applyset-x-v1", "uid-1", InjectedConfig())
PROXY = InjectedConfig({"httpProxy": "http://p:1", "httpsProxy": "", "noProxy": ".local"})
ADOPTED = OWNERSHIP.of_live({"annotations": {}})
INJECT_PROXY = "config.openshift.io/inject-proxy"
INJECT_CA = "service.beta.openshift.io/inject-cabundle"
VERSION = {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "name": "version"}
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def body_of(kind: str = "ConfigMap", annotations: dict[str, str] | None = None, **fields: Any) -> dict[str, Any]:
    metadata = {"name": "a", "namespace": "b", "annotations": annotations or {}, **fields.pop("metadata", {})}
    return {"apiVersion": fields.pop("api", "v1"), "kind": kind, "metadata": metadata, **fields}


def parsed(body: dict[str, Any]) -> Manifest:
    manifest = manifest_from_object(body, "a.yaml", 1, Problems())
    assert manifest is not None
    return manifest


def build(
    body: dict[str, Any], ownership: OwnershipMetadata = OWNERSHIP, *, namespaced: bool = True
) -> tuple[dict[str, Any], list[Problem]]:
    problems = Problems()
    return build_apply_object(parsed(body), body, ownership, "hash", problems, namespaced=namespaced), problems


def built(body: dict[str, Any], ownership: OwnershipMetadata = OWNERSHIP, *, namespaced: bool = True) -> dict[str, Any]:
    obj, problems = build(body, ownership, namespaced=namespaced)
    assert problems == []
    return obj


# Metadata, status and spec


def test_ownership_metadata_is_added_and_the_rest_is_unchanged() -> None:
    body = body_of(annotations={"x": "y"}, metadata={"labels": {"l": "m"}}, data={"key": "value"})
    obj = built(body)
    assert obj["data"] == {"key": "value"}
    assert obj["metadata"]["labels"] == {"l": "m", PART_OF: "applyset-x-v1"}
    assert obj["metadata"]["annotations"] == {"x": "y", LAST_APPLIED_HASH: "hash", CREATED_BY_ROLLOUT: "true"}


@pytest.mark.parametrize(("hashed", "expected"), [(True, {LAST_APPLIED_HASH: "hash-normalized"}), (False, {})])
def test_object_that_lacks_fields_of_its_manifest_is_marked(hashed: bool, expected: dict[str, str]) -> None:
    body = built(body_of(annotations={"x": "y"}), ADOPTED)
    obj = mark_normalized(mark_normalized(body), hashed=hashed)
    assert obj["metadata"]["annotations"] == {"x": "y", **expected}
    assert body["metadata"]["annotations"] == {"x": "y", LAST_APPLIED_HASH: "hash"}


def test_fields_that_the_server_sets_are_dropped() -> None:
    odd: dict[str, Any] = {
        "uid": "1",
        "resourceVersion": "2",
        "managedFields": [],
        "creationTimestamp": None,
        "generation": 1,
    }
    obj = built(body_of(metadata={**odd, "selfLink": "x", "finalizers": ["f"]}, status={"a": 1}))
    assert set(obj["metadata"]) == {"name", "namespace", "labels", "annotations", "ownerReferences", "finalizers"}
    assert "status" not in obj


def test_namespace_of_a_cluster_scoped_kind_is_dropped() -> None:
    assert "namespace" not in built(body_of("ClusterRole"), namespaced=False)["metadata"]


@pytest.mark.parametrize("given_spec", [{}, {"spec": None}, {"spec": {}}])
def test_cluster_operator_gets_an_empty_spec(given_spec: dict[str, Any]) -> None:
    body = body_of("ClusterOperator", api="config.openshift.io/v1", status={"versions": []}, **given_spec)
    obj = built(body, namespaced=False)
    assert obj["spec"] == {}
    assert "status" not in obj


@pytest.mark.parametrize(("rule", "rules"), [({"clusterRoleSelectors": []}, None), (None, [])])
def test_rules_of_an_aggregated_role_are_left_to_its_controller(rule: Any, rules: Any) -> None:
    body = body_of("ClusterRole", api="rbac.authorization.k8s.io/v1", aggregationRule=rule, rules=[])
    assert built(body, namespaced=False).get("rules") == rules


def test_labels_that_are_not_a_map_are_an_error() -> None:
    _found, problems = build(body_of(metadata={"labels": ["a"]}))
    assert [(item.severity, item.message) for item in problems] == [("error", "is a list, expected a map")]


# Annotations


@pytest.mark.parametrize(("value", "expected"), [("true", True), ("True", True), ("TRUE", True), ("yes", False)])
def test_create_only_is_parsed_as_by_the_cvo(value: str, expected: bool) -> None:
    assert is_create_only({CREATE_ONLY_ANNOTATION: value}) is expected


@pytest.mark.parametrize(("value", "wrong"), [("true", False), ("True", True), ("false", True), ("", True)])
def test_delete_annotation_is_true_or_wrong(value: str, wrong: bool) -> None:
    problems = Problems()
    check_annotations(parsed(body_of(annotations={DELETE_ANNOTATION: value})), problems)
    assert [item.code for item in problems] == (["invalid-annotation"] if wrong else [])


# Owners


@pytest.mark.parametrize(
    ("live", "is_owned"),
    [
        pytest.param(None, True, id="new"),
        pytest.param(
            {"annotations": {"capability.openshift.io/created-by-rollout": "true"}}, True, id="created by a rollout"
        ),
        pytest.param({"annotations": {CREATED_BY_ROLLOUT: "false"}}, False, id="odd annotation"),
        pytest.param({"annotations": None}, False, id="no annotations"),
        pytest.param({}, False, id="of another client"),
    ],
)
def test_only_objects_that_a_rollout_created_get_an_owner(live: dict[str, Any] | None, is_owned: bool) -> None:
    ownership = OWNERSHIP.of_live(live)
    metadata = built(body_of(), ownership)["metadata"]
    assert ("ownerReferences" in metadata, CREATED_BY_ROLLOUT in metadata["annotations"]) == (is_owned, is_owned)


def test_hash_differs_for_an_object_that_existed_before() -> None:
    item = parsed(body_of())
    without_owner = OWNERSHIP._replace(owner_uid="")
    assert last_applied_hash(item, b"", ADOPTED) != last_applied_hash(item, b"", without_owner)


@pytest.mark.parametrize(
    ("references", "annotations", "uid", "expected"),
    [
        (None, {}, "uid-1", [{**VERSION, "uid": "uid-1", "controller": True}]),
        (None, {CREATE_ONLY_ANNOTATION: "true"}, "uid-1", [{**VERSION, "uid": "uid-1"}]),
        (None, {}, "", None),
        ([{"kind": "Boss", "uid": "9"}], {}, "uid-1", [{"kind": "Boss", "uid": "9"}]),
        ([{**VERSION, "uid": "9"}], {}, "uid-1", [{**VERSION, "uid": "uid-1", "controller": True}]),
        ([{**VERSION, "uid": "9"}, {"kind": "Boss"}], {}, "uid-1", [{"kind": "Boss"}]),
        ([{**VERSION, "uid": "9"}], {}, "", None),
    ],
    ids=["ours", "create-only", "no-version", "own", "of-another-cluster", "both", "none"],
)
def test_owners(references: Any, annotations: dict[str, str], uid: str, expected: Any) -> None:
    metadata = {} if references is None else {"ownerReferences": references}
    obj = built(body_of(annotations=annotations, metadata=metadata), OWNERSHIP._replace(owner_uid=uid))
    assert obj["metadata"].get("ownerReferences") == expected


def test_definition_that_is_applied_before_the_owner_has_none() -> None:
    metadata = {"name": "clusterversions.config.openshift.io"}
    body = body_of("CustomResourceDefinition", api="apiextensions.k8s.io/v1", metadata=metadata)
    assert "ownerReferences" not in built(body, namespaced=False)["metadata"]


# The hash


@pytest.mark.parametrize(
    ("ownership", "body", "same"),
    [
        (OWNERSHIP, b"body", True),
        (OWNERSHIP, b"other", False),
        (OWNERSHIP._replace(owner_uid="uid-2"), b"body", False),
        (OWNERSHIP._replace(applyset="y"), b"body", False),
        (OWNERSHIP._replace(config=PROXY), b"body", False),
        (OWNERSHIP._replace(config=InjectedConfig({"readinessEndpoints": ["x"]})), b"body", True),
    ],
    ids=["same", "body", "owner", "set", "proxy", "nothing-of-the-proxy"],
)
def test_hash_changes_with_the_applied_object(ownership: OwnershipMetadata, body: bytes, same: bool) -> None:
    manifest = parsed(body_of("Deployment", {INJECT_PROXY: "main"}, api="apps/v1"))
    assert (last_applied_hash(manifest, b"body", OWNERSHIP) == last_applied_hash(manifest, body, ownership)) is same


def test_hash_of_an_object_without_proxy_does_not_depend_on_it() -> None:
    manifest = parsed(body_of())
    assert last_applied_hash(manifest, b"x", OWNERSHIP) == last_applied_hash(
        manifest, b"x", OWNERSHIP._replace(config=PROXY)
    )


# The CA


@pytest.mark.parametrize("value", ["true", "false"])
def test_ca_that_an_operator_injects_is_dropped(value: str) -> None:
    hook = {"name": "a", "clientConfig": {"caBundle": "x", "url": "u"}}
    body = body_of("ValidatingWebhookConfiguration", {INJECT_CA: value}, webhooks=[hook])
    (webhook,) = built(body, namespaced=False)["webhooks"]
    assert ("caBundle" in webhook["clientConfig"]) is (value == "false")
    assert webhook["clientConfig"]["url"] == "u"


def test_ca_of_a_conversion_and_of_an_api_service_is_dropped() -> None:
    spec = {"caBundle": "x", "conversion": {"webhook": {"clientConfig": {"caBundle": "x", "service": {}}}}}
    obj = built(body_of("APIService", {INJECT_CA: "true"}, spec=spec), namespaced=False)
    assert obj["spec"] == {"conversion": {"webhook": {"clientConfig": {"service": {}}}}}


# Arbitrary bodies


@given(
    st.sampled_from(["ConfigMap", "Deployment", "ClusterOperator"]),
    st.fixed_dictionaries({}, optional={"spec": ODD, "webhooks": ODD, "status": ODD, "data": ODD}),
    st.fixed_dictionaries({}, optional={"labels": ODD, "ownerReferences": ODD}),
    st.sampled_from([{}, {INJECT_CA: "true"}]),
)
def test_no_body_raises_an_exception(
    kind: str, fields: dict[str, Any], metadata: dict[str, Any], annotations: dict[str, str]
) -> None:
    body = body_of(kind, annotations, metadata=metadata, **fields)
    obj, problems = build(body)
    assert problems or obj["metadata"]["labels"][PART_OF] == "applyset-x-v1"
    assert "status" not in obj


@given(st.fixed_dictionaries({}, optional={"spec": ODD, "webhooks": ODD, "data": ODD}))
def test_same_body_gives_the_same_object(fields: dict[str, Any]) -> None:
    body = body_of(annotations={INJECT_CA: "true"}, **fields)
    one, other = (build(copy.deepcopy(body)) for _turn in range(2))
    assert json.dumps(one[0]) == json.dumps(other[0])
    assert one[1] == other[1]
