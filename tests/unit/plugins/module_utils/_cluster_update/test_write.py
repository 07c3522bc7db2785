# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the request of an update writes, and what it leaves as it is."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.admin_acks import ADMIN_ACKS
from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.start import ANNOTATION, start_of
from ansible_collections.capability.openshift.plugins.module_utils._cluster_update.write import (
    FieldChange,
    check_permissions,
    request_update,
)
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import FIELD_MANAGER
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    CLUSTER_VERSIONS,
    CONFIG_MAPS,
    FEATURE_GATES,
    Object,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, fault
from ansible_collections.capability.openshift.tests.unit.builders.cluster_updates import (
    CURRENT,
    NEXT,
    OBJECT,
    TARGET,
    cluster,
    cluster_version,
    image_of,
    release,
)

ACKS = CONFIG_MAPS.path(ADMIN_ACKS.name, ADMIN_ACKS.namespace)
GATES = ("ack-4.21-a", "ack-4.21-b")
REQUEST = {"version": NEXT, "image": TARGET.image}


class Requested(NamedTuple):
    """The ClusterVersion, and what was written."""

    obj: Object
    changes: tuple[FieldChange, ...]


def requested(
    server: ApiServer, gates: Any = None, risks: Any = (), start: Any = None, *, dry_run: bool = False
) -> tuple[Requested, list[str]]:
    problems, changes = Problems(), list[FieldChange]()
    start = start or start_of(server.objects[OBJECT], TARGET)
    obj = request_update(server.client(), TARGET, start, gates, risks, changes, problems, dry_run=dry_run)
    return Requested(obj, tuple(changes)), [item.code for item in problems]


def desired(server: ApiServer) -> Any:
    return server.objects[OBJECT]["spec"].get("desiredUpdate")


def writes(server: ApiServer) -> list[str]:
    return [item for item in server.requests if not item.startswith("GET")]


def test_gates_are_acknowledged_first_and_then_the_update_is_requested():
    server = cluster()
    start = start_of(server.objects[OBJECT], TARGET)
    found, problems = requested(server, GATES)

    assert server.objects[ACKS]["data"] == dict.fromkeys(GATES, "true")
    assert desired(server) == REQUEST
    assert server.objects[OBJECT]["metadata"]["annotations"] == {ANNOTATION: start.annotation()}
    assert writes(server) == [f"PATCH {OBJECT}", f"PATCH {ACKS}", f"PATCH {OBJECT}"]  # first a dry run
    assert [(change.before, change.after) for change in found.changes] == [
        ("", dict.fromkeys(GATES, "true")),
        ({}, REQUEST),
        ({}, {ANNOTATION: start.annotation()}),
    ]
    assert (found.obj, problems) == (server.objects[OBJECT], [])


def test_a_second_request_writes_nothing():
    server = cluster()
    start = start_of(server.objects[OBJECT], TARGET)
    requested(server, GATES, start=start)
    server.requests.clear()
    found, _problems = requested(server, GATES, start=start)

    assert (found.changes, writes(server)) == ((), [])


@pytest.mark.parametrize("state", ["Partial", "Completed"])
def test_an_update_that_has_begun_is_not_requested_again(state):
    server = cluster()
    start = start_of(server.objects[OBJECT], TARGET)
    begun = cluster_version((NEXT, state))
    server.put(CLUSTER_VERSIONS, "version", spec=begun["spec"], status=begun["status"])
    found, _problems = requested(server, start=start)

    assert (found.changes, writes(server), desired(server)) == ((), [], None)


def test_a_dry_run_shows_the_same_and_writes_nothing():
    server, other = cluster(), cluster()
    found, _problems = requested(server, GATES, dry_run=True)

    assert found.changes == requested(other, GATES)[0].changes
    assert (desired(server), ACKS in server.objects) == (None, False)


def test_an_earlier_request_leaves_nothing():
    earlier = {"version": "4.21.0", "image": image_of("4.21.0"), "force": True, "mode": "Preflight"}
    server = cluster(cluster_version(desiredUpdate={**earlier, "acceptRisks": [{"name": "Old"}]}))
    requested(server, None, ["New"])

    assert desired(server) == {**REQUEST, "acceptRisks": [{"name": "New"}]}


@pytest.mark.parametrize("empty", [{}, {"force": False, "architecture": ""}])
def test_an_equal_request_of_another_client_gets_the_annotation(empty):
    server = cluster(cluster_version(desiredUpdate={**REQUEST, **empty}))
    start = start_of(server.objects[OBJECT], TARGET)
    found, _problems = requested(server, start=start)

    assert ANNOTATION in server.objects[OBJECT]["metadata"]["annotations"]
    assert found.changes[-1].after == {ANNOTATION: start.annotation()}
    server.objects[OBJECT]["spec"]["desiredUpdate"] |= empty
    assert requested(server, start=start)[0].changes == ()


def test_what_was_acknowledged_earlier_stays():
    server = cluster()
    fields: dict[str, dict[str, object]] = {"f:data": {"f:ack-4.20-a": {}, "f:gone": {}}}
    entry = {"manager": FIELD_MANAGER, "operation": "Apply", "fieldsV1": fields}
    others = [
        {"manager": manager, "operation": operation, "fieldsV1": {"f:data": {"f:ack-4.20-b": {}}}}
        for manager, operation in (("kubectl", "Apply"), (FIELD_MANAGER, "Update"))
    ]
    data = {"ack-4.20-a": "true", "ack-4.20-b": "true"}
    metadata = {"managedFields": [entry, *others]}
    server.put(CONFIG_MAPS, ADMIN_ACKS.name, ADMIN_ACKS.namespace, data=data, metadata=metadata)
    bodies: list[Any] = []
    apply = server.request_encode_url

    def record(method: str, url: str, **options: Any) -> Any:
        bodies.append(json.loads(options["body"] or "{}"))
        return apply(method, url, **options)

    server.request_encode_url = record  # type: ignore[method-assign]
    requested(server, GATES[:1])

    assert [body["data"] for body in bodies if "data" in body] == [{"ack-4.20-a": "true", GATES[0]: "true"}]


def test_risks_are_accepted_only_where_the_server_knows_the_field():
    server = cluster()
    old, problems = requested(server, None, ["ConsoleImplicitlyEnabled"])
    assert (desired(server)["acceptRisks"], problems) == ([{"name": "ConsoleImplicitlyEnabled"}], [])
    assert len(old.changes) == 2

    pruning = cluster()
    store = pruning._store

    def pruned(kind: Any, path: str, new: Any, manager: str, *, is_dry: bool) -> Any:
        new.get("spec", {}).get("desiredUpdate", {}).pop("acceptRisks", None)
        return store(kind, path, new, manager, is_dry=is_dry)

    pruning._store = pruned  # type: ignore[method-assign]
    without_gate = cluster()
    gates = [{"version": CURRENT, "enabled": []}, {"version": NEXT, "enabled": [{"name": "ClusterUpdateAcceptRisks"}]}]
    without_gate.put(FEATURE_GATES, "cluster", spec={}, status={"featureGates": gates})
    for server in (pruning, without_gate):
        _found, problems = requested(server, None, ["ConsoleImplicitlyEnabled"])
        assert (desired(server), problems) == (REQUEST, ["unknown-accept-risks"])


@pytest.mark.parametrize(
    "changed",
    [
        {"status": {"desired": release("4.21.1")}},
        {"capabilities": {"baselineCapabilitySet": "v4.21"}},
        {"desiredUpdate": release("4.21.1")},
    ],
)
def test_nothing_is_requested_if_the_cluster_is_no_longer_the_planned_one(changed):
    server = cluster()
    start = start_of(server.objects[OBJECT], TARGET)
    now = cluster_version(**changed)
    server.put(CLUSTER_VERSIONS, "version", spec=now["spec"], status=now["status"])

    with pytest.raises(ClusterError) as caught:
        requested(server, start=start)

    assert [item.code for item in caught.value.problems] == ["concurrent-update"]
    assert desired(server) == changed.get("desiredUpdate")


@pytest.mark.parametrize("exists", [True, False])
def test_a_missing_config_map_is_created_although_no_gate_applies(exists):
    server = cluster()
    if exists:
        server.put(CONFIG_MAPS, ADMIN_ACKS.name, ADMIN_ACKS.namespace)
    found, _problems = requested(server, ())

    assert writes(server) == [f"PATCH {path}" for path in (OBJECT, *([] if exists else [ACKS]), OBJECT)]
    assert [(change.before, change.after) for change in found.changes[:-2]] == [("", {})][exists:]


@pytest.mark.parametrize("is_dry", [True, False])
def test_if_the_request_is_denied_no_gate_is_acknowledged_or_that_is_returned(is_dry):
    server, changes = cluster(), list[FieldChange]()
    start, send = start_of(server.objects[OBJECT], TARGET), server.request_encode_url

    def deny(method: str, url: str, **options: Any) -> Any:
        if method == "PATCH" and OBJECT in url and ("dryRun" in url) == is_dry:
            server.faults[(method, OBJECT)] = [fault(403)]
        return send(method, url, **options)

    server.request_encode_url = deny  # type: ignore[method-assign]
    with pytest.raises(ClusterError):
        request_update(server.client(), TARGET, start, GATES, (), changes, Problems(), dry_run=False)

    assert (ACKS in server.objects) == (not is_dry)
    assert [change.after for change in changes] == ([] if is_dry else [dict.fromkeys(GATES, "true")])


@pytest.mark.parametrize(("gates", "exists", "missing"), [(None, False, 1), (GATES, False, 3), ((), True, 2)])
def test_all_missing_permissions_are_named(gates, exists, missing):
    server = cluster()
    if exists:
        server.put(CONFIG_MAPS, ADMIN_ACKS.name, ADMIN_ACKS.namespace)
    server.forbidden = {(verb, "configmaps") for verb in ("patch", "create")} | {("patch", "clusterversions")}

    with pytest.raises(ClusterError) as caught:
        check_permissions(server.client(), gates)

    assert [item.code for item in caught.value.problems] == ["forbidden-request"] * missing
