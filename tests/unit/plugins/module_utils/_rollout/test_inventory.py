# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory: parent of an ApplySet, written and parsed without loss, and rejected if it is not valid."""

from __future__ import annotations

import copy
import json
import secrets
from contextlib import suppress
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._data.version import COLLECTION_VERSION
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import ApiError
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, LockLostError
from ansible_collections.capability.openshift.plugins.module_utils._release.task_graph import MODES
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._rollout import inventory_store
from ansible_collections.capability.openshift.plugins.module_utils._rollout.drift import owned_digest
from ansible_collections.capability.openshift.plugins.module_utils._rollout.inventory import (
    Entry,
    Inventory,
    applyset_id,
    inventory_object,
    parse_inventory,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.inventory_store import (
    StoredInventory,
    write_inventory,
)

US = "capability.openshift"
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="+"), min_size=1, max_size=6)
RESOURCES = st.builds(ResourceId, NAMES | st.just(""), NAMES, NAMES | st.just(""), NAMES)
ENTRIES = st.builds(
    Entry, st.lists(NAMES, max_size=3).map(tuple), st.text("0123456789abcdef", max_size=12), st.booleans()
)
CAPABILITIES = st.frozensets(st.text("abcXYZ09-", min_size=1), max_size=4)
INVENTORIES = st.builds(
    Inventory,
    st.text(max_size=8),
    st.text(max_size=8),
    CAPABILITIES,
    st.sampled_from(["", *MODES]),
    st.dictionaries(RESOURCES, ENTRIES, max_size=5),
    CAPABILITIES,
    st.none() | CAPABILITIES,
    st.dictionaries(RESOURCES, ENTRIES.map(lambda entry: entry._replace(is_earlier=False)), max_size=2),
)
SMALL = Inventory(
    "4.21.0",
    "self-managed-high-availability",
    frozenset({"Console", "Ingress"}),
    "update",
    {
        ResourceId("apps", "Deployment", "b", "x"): Entry(("Console",), "0123456789ab"),
        ResourceId("", "ConfigMap", "a", "x"): Entry(("Console", "Storage")),
        ResourceId("", "ConfigMap", "kube-system", "y"): Entry(()),
        ResourceId("", "Namespace", "", "a"): Entry(()),
        ResourceId("", "ConfigMap", "a", "old"): Entry(("Build",), "ba9876543210", is_earlier=True),
    },
    deleted={ResourceId("", "ConfigMap", "a", "gone"): Entry(("Console",))},
)


@given(INVENTORIES)
def test_parsed_inventory_is_the_written_one(inventory: Inventory) -> None:
    assert parse_inventory(json.loads(json.dumps(inventory_object(inventory)))) == inventory


@given(INVENTORIES)
def test_order_of_resources_does_not_matter(inventory: Inventory) -> None:
    turned = inventory._replace(entries=dict(reversed(list(inventory.entries.items()))))
    assert json.dumps(inventory_object(turned)) == json.dumps(inventory_object(inventory))


@given(INVENTORIES)
def test_manifests_are_those_of_the_last_release_with_the_capabilities_of_their_entries(inventory: Inventory) -> None:
    capabilities = {item.resource_id: item.capabilities for item in inventory.manifests()}
    of_release = {resource: entry for resource, entry in inventory.entries.items() if not entry.is_earlier}
    included = {**of_release, **inventory.deleted}
    assert capabilities == {resource: entry.capabilities for resource, entry in included.items()}


def test_object_on_clusters_has_a_form_that_never_changes() -> None:
    obj = inventory_object(SMALL)
    assert (obj["apiVersion"], obj["kind"]) == ("v1", "ConfigMap")
    assert (obj["metadata"]["namespace"], obj["metadata"]["name"]) == ("kube-system", "capability-openshift-rollout")
    assert obj["data"] == {
        "release": "4.21.0",
        "cluster-profile": "self-managed-high-availability",
        "enabled-capabilities": "Console Ingress",
        "unfinished": "update",
        "implicitly-enabled": "",
        "resources": '["", "ConfigMap", "a", "x", "Console+Storage", ""]\n'
        '["", "ConfigMap", "kube-system", "y", "", ""]\n'
        '["", "Namespace", "", "a", "", ""]\n'
        '["apps", "Deployment", "b", "x", "Console", "0123456789ab"]\n',
        "earlier-resources": '["", "ConfigMap", "a", "old", "Build", "ba9876543210"]\n',
        "feature-gates": "null",
        "deleted-resources": '["", "ConfigMap", "a", "gone", "Console", ""]\n',
    }


def test_the_inventory_of_an_earlier_version_has_neither_feature_gates_nor_deletions() -> None:
    obj = inventory_object(SMALL._replace(gates=frozenset({"New"})))
    for key in ("feature-gates", "deleted-resources"):
        del obj["data"][key]
    assert parse_inventory(obj) == SMALL._replace(deleted={})


def test_object_is_the_parent_of_an_applyset() -> None:
    metadata = inventory_object(SMALL)["metadata"]
    assert metadata["labels"] == {"applyset.kubernetes.io/id": applyset_id()}
    assert metadata["annotations"] == {
        "applyset.kubernetes.io/tooling": f"capability.openshift/v{COLLECTION_VERSION}",
        "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Deployment.apps,Namespace",
        "applyset.kubernetes.io/additional-namespaces": "a,b",
    }


def test_id_of_the_applyset_never_changes() -> None:
    # Of name, namespace, kind and group (KEP 3659): members on clusters carry it.
    assert applyset_id() == "applyset-iHqEgfYyMv8uZAx4u2jhzytYCN7ETwTyR8HRyIMYGOM-v1"


# Objects of other writers


def broken(**data: object) -> dict[str, Any]:
    obj = copy.deepcopy(inventory_object(SMALL))
    obj["data"].update(data)
    return obj


@pytest.mark.parametrize(
    "data",
    [
        {"resources": "nonsense"},
        {"resources": '"abcdef"'},
        {"resources": '{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}'},
        {"resources": "[]"},
        {"resources": '["", "ConfigMap"]'},
        {"resources": "5"},
        {"unfinished": "half"},
        {"unfinished": None},
        {"feature-gates": "5"},
    ],
)
def test_invalid_value_is_a_clear_error(data: dict[str, object]) -> None:
    with pytest.raises(ClusterError) as raised:
        parse_inventory(broken(**data))
    (problem,) = raised.value.problems
    assert problem.code == "unreadable-inventory"
    assert str(problem.where) == "configmaps kube-system/capability-openshift-rollout"
    assert "previous_release" in problem.hint


@pytest.mark.parametrize("field", ["release", "cluster-profile", "enabled-capabilities", "unfinished", "resources"])
def test_missing_field_is_a_clear_error(field: str) -> None:
    obj = broken()
    del obj["data"][field]
    with pytest.raises(ClusterError, match=field):
        parse_inventory(obj)


@pytest.mark.parametrize("obj", [{}, {"data": None}, {"data": []}, {"data": "x"}])
def test_object_without_data_is_a_clear_error(obj: dict[str, Any]) -> None:
    with pytest.raises(ClusterError):
        parse_inventory(obj)


@given(st.dictionaries(st.sampled_from(["release", "resources", "unfinished"]), st.text(max_size=20), max_size=3))
def test_any_text_is_parsed_or_rejected(data: dict[str, str]) -> None:
    with suppress(ClusterError):
        assert isinstance(parse_inventory(broken(**data)), Inventory)


# Writers of an object


def entry(manager: str = US, operation: str = "Apply", subresource: str = "", time: str = "") -> dict[str, Any]:
    written: dict[str, Any] = {"manager": manager, "operation": operation, "time": time, "fieldsV1": {"f:data": {}}}
    return {**written, "subresource": subresource} if subresource else written


def metadata(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"managedFields": list(entries)}


def test_object_that_we_never_applied_is_not_ours() -> None:
    theirs = metadata(entry("kubectl"), entry(US, "Update"), entry(US, "Apply", "status"))
    assert owned_digest(theirs) == ""


def test_digest_depends_on_our_fields_only() -> None:
    alone = owned_digest(metadata(entry()))
    assert alone == owned_digest(metadata(entry("kubectl", "Update"), entry(time="2026-01-01T00:00:05Z"))) != ""
    other = {**entry(), "fieldsV1": {"f:data": {"f:key": {}}}}
    assert owned_digest(metadata(other)) != alone


@given(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=4))
def test_digest_does_not_depend_on_the_order_of_fields(fields: dict[str, Any]) -> None:
    one = {**entry(), "fieldsV1": fields}
    other = {**entry(), "fieldsV1": dict(reversed(fields.items()))}
    assert owned_digest(metadata(one)) == owned_digest(metadata(other))


@pytest.mark.parametrize(
    ("found", "is_own"),
    [
        (StoredInventory(SMALL, "2", "ours"), True),
        (StoredInventory(SMALL, "2", "another"), False),
        (StoredInventory(SMALL._replace(version="4.20.0"), "2", "ours"), False),
    ],
)
def test_a_conflict_with_the_own_write_whose_answer_was_lost_is_a_success(
    monkeypatch: pytest.MonkeyPatch, found: StoredInventory, is_own: bool
) -> None:
    def conflict(*_arguments: Any, **_options: Any) -> NoReturn:
        raise ApiError(409, "the object has been modified", "patch", "it")

    client: Any = None
    monkeypatch.setattr(secrets, "token_hex", lambda _bytes: "ours")
    monkeypatch.setattr(inventory_store, "_write", conflict)
    monkeypatch.setattr(inventory_store, "read_inventory", lambda _client: found)
    if is_own:
        assert write_inventory(client, StoredInventory(None), SMALL, begins=True) == found
    else:
        with pytest.raises(LockLostError):
            write_inventory(client, StoredInventory(None), SMALL, begins=True)
