# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Manifests of real releases that a real API server rejects, and how a rollout applies them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    HOME,
    Body,
    Rollouts,
    config_map,
    crd,
    ids,
    later,
    manifest,
    namespace,
    severities,
)
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE

RBAC = "rbac.authorization.k8s.io/v1"
API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
OPERATOR_CRD = EXAMPLE / "manifests" / "0000_00_cluster-version-operator_01_clusteroperators.crd.yaml"


def binding(name: str = "trap") -> Body:
    """A ClusterRoleBinding with a field of another API, as in real releases."""
    return manifest(
        "ClusterRoleBinding",
        name,
        api=RBAC,
        roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        subjects=[{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "user"}],
        userNames=["user"],
    )


# Missing and undeclared fields


def test_cluster_operator_gets_an_empty_spec_and_never_a_status(rollouts: Rollouts) -> None:
    operator = manifest(
        "ClusterOperator",
        "trap",
        api="config.openshift.io/v1",
        status={"versions": [{"name": "operator", "version": "4.21.0"}]},
    )
    folder = rollouts.release({"0000_50_trap_02.yaml": operator})
    (folder / "0000_00_cvo_01.yaml").write_text(OPERATOR_CRD.read_text(encoding="utf-8"), encoding="utf-8")
    rollouts.done(folder)
    found = rollouts.get(operator)
    assert found["spec"] == {}
    assert not found.get("status", {}).get("versions")


def test_dropped_field_costs_nothing_in_the_second_run(rollouts: Rollouts) -> None:
    rollouts.done([binding()])
    with rollouts.unwritten():
        outcome = rollouts.done([binding()])
    assert severities(outcome) == []


def test_required_nullable_fields_are_applied_as_null(rollouts: Rollouts) -> None:
    text = {"type": "string", "nullable": True}
    inner = {"type": "object", "required": ["deep"], "properties": {"deep": text}}
    schema = {"type": "object", "required": ["flat"], "properties": {"flat": text, "inner": inner}}
    body = manifest("Strict", "trap", HOME, api="test.io/v1", spec={"inner": {}})
    outcome = rollouts.done([crd("stricts", "Strict", schema), body])
    assert rollouts.get(body)["spec"] == {"flat": None, "inner": {"deep": None}}
    assert "spec.flat" in outcome.problem("required-field")["message"]


def test_required_field_that_is_not_nullable_is_an_error_and_the_rest_is_applied(rollouts: Rollouts) -> None:
    schema = {"type": "object", "required": ["flat"], "properties": {"flat": {"type": "string"}}}
    body = manifest("Strict", "trap", HOME, api="test.io/v1", spec={})
    files: dict[str, Any] = {"0000_10_a_1.yaml": [crd("stricts", "Strict", schema), body]}
    outcome = rollouts.apply(rollouts.release({**files, "0000_10_b_1.yaml": config_map("other")}))
    assert "spec.flat" in outcome.message
    assert ids(outcome, "failed_resources") == ["Strict trap"]
    assert rollouts.has(config_map("other"))


def constraints(group: str = "security.io") -> list[Body]:
    """SecurityContextConstraints, and the part of their definition that requires the fields."""
    flags = ("allowHostIPC", "allowHostNetwork", "allowPrivilegedContainer")
    nullable = {"type": "array", "nullable": True, "items": {"type": "string"}}
    properties: dict[str, Any] = {
        **{name: {"type": "boolean"} for name in flags},
        **dict.fromkeys(("allowedCapabilities", "defaultAddCapabilities", "volumes"), nullable),
        "priority": {"type": "integer", "format": "int32", "nullable": True},
    }
    kind = "SecurityContextConstraints"
    definition = crd("securitycontextconstraints", kind, namespaced=False, group=group)
    schema = {"type": "object", "required": sorted(properties), "properties": properties}
    definition["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": schema}
    given: Body = dict.fromkeys(flags, False)
    return [definition, manifest(kind, "restricted-v2", api=f"{group}/v1", volumes=["secret"], **given)]


def real_releases() -> list[Path]:
    """The real releases of CAPABILITY_RELEASES that have SecurityContextConstraints in the form of 4.18."""
    root = os.environ.get("CAPABILITY_RELEASES")
    folders = sorted(Path(root).glob("*/release-manifests")) if root else []
    return [folder for folder in folders if list(folder.glob("*securitycontextconstraints-Default.crd.yaml"))]


@pytest.mark.parametrize("real", [None, *real_releases()], ids=lambda folder: folder.parent.name if folder else "small")
def test_security_context_constraints_of_a_bare_definition(rollouts: Rollouts, real: Path | None) -> None:
    bodies = constraints()
    if real is not None:
        names = ("*securitycontextconstraints-Default.crd.yaml", "*_00_scc-*", "*_security_context_constraint.yaml")
        texts = [path.read_text(encoding="utf-8") for name in names for path in sorted(real.glob(name))]
        found = [body for text in texts for body in yaml.safe_load_all(text) if body]
        bodies = [body for body in found if body["kind"] in ("CustomResourceDefinition", "SecurityContextConstraints")]
    release = rollouts.release(bodies)
    outcome = rollouts.done(release, feature_set="Default", openshift_version="4.18.0")
    assert "SecurityContextConstraints restricted-v2" in ids(outcome, "created")
    assert "required-field" in {item["code"] for item in outcome["problems"] if item["severity"] == "info"}
    assert rollouts.done(release, feature_set="Default", openshift_version="4.18.0")["changed"] is False


def test_required_flags_of_security_context_constraints_have_their_zero_value(rollouts: Rollouts) -> None:
    definition, _restricted = constraints("security.openshift.io")
    partial = manifest(
        "SecurityContextConstraints", "partial", api="security.openshift.io/v1", allowPrivilegedContainer=True
    )
    rollouts.done([definition])
    predicted = rollouts.done([definition, partial], check=True)
    outcome = rollouts.done([definition, partial])
    found = rollouts.get(partial)
    assert (found["allowHostIPC"], found["allowPrivilegedContainer"], found["priority"]) == (False, True, None)
    assert predicted["problems"] == outcome["problems"] != []
    assert rollouts.done([definition, partial])["changed"] is False


def test_any_character_reaches_the_server(rollouts: Rollouts) -> None:
    text = "\U0001f389 \u2028 \x85 \x1b \ufeff \u00fc \\ud83c\\udf89"
    body = config_map("a", data={"key": text}, annotations={"to": text})
    release = rollouts.release([config_map("a")])
    (release / "0000_10_a_00.yaml").write_text(yaml.safe_dump(body), encoding="utf-8")
    rollouts.done(release)
    found = rollouts.get(body)
    assert (found["data"]["key"], found["metadata"]["annotations"]["to"]) == (text, text)
    assert rollouts.done(release)["changed"] is False


# Kinds that are not served, or not yet


def test_kind_of_an_aggregated_server_is_one_warning_and_the_rest_is_applied(rollouts: Rollouts) -> None:
    streams = [manifest("ImageStream", name, HOME, api="image.openshift.io/v1") for name in ("a", "b", "c")]
    outcome = rollouts.done([*streams, config_map("other")])
    problem = outcome.problem("unserved-kind")
    assert problem["severity"] == "warning"
    assert all(f"{HOME}/{name}" in problem["message"] for name in ("a", "b", "c"))
    assert {item["state"] for item in outcome["failed_resources"]} == {"skipped"}
    assert outcome["run_levels"][0]["not_sent"] == 3
    assert rollouts.has(config_map("other"))
    assert rollouts.unfinished == ""


@pytest.mark.parametrize("wait", [False, True])
@pytest.mark.parametrize("api", ["apps/v1beta9", "unserved.io/v1"])
def test_kind_that_no_server_offers_is_an_error(rollouts: Rollouts, api: str, wait: bool) -> None:
    release = rollouts.release([manifest("Deployment", "a", HOME, api=api), config_map("other")])
    outcome = rollouts.predicted(release, wait=wait, wait_timeout=1)
    assert outcome.faults == [("unserved-kind", f"Deployment ({api})")]
    assert [item["state"] for item in outcome["failed_resources"]] == ["unserved"]
    assert outcome["run_levels"][0]["failed"] == 1
    assert rollouts.has(config_map("other"))
    assert rollouts.unfinished == "install"
    allowed = rollouts.predicted(release, wait=wait, wait_timeout=1, allow_unserved=[api])
    assert [item["state"] for item in allowed["failed_resources"]] == ["skipped"]
    assert allowed.problem("unserved-kind")["severity"] == "warning"
    assert rollouts.unfinished == ""


def test_wait_without_the_kind_of_cluster_operators_is_an_error(rollouts: Rollouts) -> None:
    operator = manifest("ClusterOperator", "a", api="config.openshift.io/v1")
    outcome = rollouts.apply([operator], wait=True, wait_timeout=1, allow_unserved=["config.openshift.io/v1"])
    assert outcome.faults == [("unserved-kind", "ClusterOperator (config.openshift.io/v1)")]


def api_service(rollouts: Rollouts) -> Body:
    """Register an API server that never answers."""
    spec = {
        "group": "late.io",
        "version": "v1",
        "groupPriorityMinimum": 1000,
        "versionPriority": 10,
        "service": {"namespace": HOME, "name": "missing"},
        "insecureSkipTLSVerify": True,
    }
    body = manifest("APIService", "v1.late.io", api="apiregistration.k8s.io/v1", spec=spec)
    rollouts.api.post(API_SERVICES, body)
    return body


@pytest.fixture
def late_api(rollouts: Rollouts) -> Any:
    api_service(rollouts)
    yield
    if rollouts.api.exists(f"{API_SERVICES}/v1.late.io"):
        rollouts.api.delete(f"{API_SERVICES}/v1.late.io")


@pytest.mark.usefixtures("late_api")
def test_rollout_waits_for_an_api_server_that_does_not_answer_and_reports_it(rollouts: Rollouts) -> None:
    bodies = [manifest("Late", "a", HOME, api="late.io/v1"), config_map("other")]
    begun = time.monotonic()
    outcome = rollouts.apply(bodies, wait=True, wait_timeout=3)
    assert time.monotonic() - begun >= 3
    (problem,) = outcome.errors
    assert "late.io" in problem["where"]
    assert problem["code"] == "unavailable-group"
    assert rollouts.has(config_map("other"))
    assert ids(outcome, "failed_resources") == ["Late a"]


@pytest.mark.usefixtures("late_api")
def test_kind_of_an_api_server_that_answers_at_last_is_applied(rollouts: Rollouts) -> None:
    late = manifest("Late", "a", HOME, api="late.io/v1")

    def serve() -> None:
        # The definition first: the group is absent for the moment between the deletion and its own APIService.
        definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        rollouts.api.post(definitions, crd("lates", "Late", group="late.io"))
        rollouts.api.delete(f"{API_SERVICES}/v1.late.io")

    with later(2, serve):
        outcome = rollouts.done([late, config_map("other")], wait=True, wait_timeout=600)
    assert "Late a" in ids(outcome, "created")


def test_a_server_that_still_has_the_previous_definition_is_asked_again(rollouts: Rollouts) -> None:
    """It needs a moment to use a changed definition, and several API servers need longer."""

    def bodies(mode: str) -> list[Body]:
        schema = {"type": "object", "properties": {"mode": {"type": "string", "enum": ["a", mode]}}}
        return [crd("things", "Thing", schema), manifest("Thing", "a", HOME, api="test.io/v1", spec={"mode": mode})]

    rollouts.done(bodies("b"))
    with FaultProxy(rollouts.plane) as proxy:
        proxy.fail("answer", method="PATCH", path="/things/a", status=422)
        outcome = rollouts.done(bodies("c"), kubeconfig=proxy.kubeconfig)
        assert ids(outcome, "changed_resources") == ["CustomResourceDefinition things.test.io", "Thing a"]
        definition, _thing = bodies("c")
        (version,) = definition["spec"]["versions"]
        definition["spec"]["versions"] = [version, {**version, "name": "v2", "storage": False}]
        newer = manifest("Thing", "a", HOME, api="test.io/v2", spec={"mode": "a"})
        proxy.fail("answer", 3, method="PATCH", path="/v2/.*/things/a", status=404)
        outcome = rollouts.done([definition, newer], kubeconfig=proxy.kubeconfig)
        assert ids(outcome, "changed_resources") == ["CustomResourceDefinition things.test.io", "Thing a"]
        # A refusal by a definition that does not change is final.
        proxy.fail("answer", method="PATCH", path="/configmaps/b", status=422)
        again = rollouts.apply([definition, newer, config_map("b")], kubeconfig=proxy.kubeconfig)
    assert ids(again, "failed_resources") == ["ConfigMap b"]


# Objects that appear during the rollout


def test_rollout_waits_for_a_namespace_of_another_client(rollouts: Rollouts) -> None:
    body = config_map("a", "by-operator")
    with later(2, lambda: rollouts.api.post("/api/v1/namespaces", namespace("by-operator"))):
        outcome = rollouts.done([body, config_map("other")], wait=True, wait_timeout=600)
    assert rollouts.has(body)
    assert ids(outcome, "failed_resources") == []


def test_namespace_of_the_release_itself_may_come_later_in_it(rollouts: Rollouts) -> None:
    files: dict[str, Any] = {"0000_10_a_1.yaml": config_map("a", "mine"), "0000_20_b_1.yaml": namespace("mine")}
    rollouts.done(rollouts.release(files))
    assert rollouts.has(config_map("a", "mine"))


def test_objects_of_thirty_new_kinds_are_all_applied(rollouts: Rollouts) -> None:
    numbers = range(30)
    files: dict[str, Any] = {}
    for number in numbers:
        files[f"0000_10_c{number}_1.yaml"] = crd(f"many{number}s", f"Many{number}", group=f"g{number % 5}.io")
        body = manifest(f"Many{number}", "a", HOME, api=f"g{number % 5}.io/v1", spec={"a": 1})
        files[f"0000_{20 if number % 2 else '05'}_o{number}_1.yaml"] = body
    outcome = rollouts.done(rollouts.release(files), parallelism=16)
    assert len(ids(outcome, "created")) == 60
    assert severities(outcome) == []


def test_kind_whose_names_are_taken_is_reported_immediately(rollouts: Rollouts) -> None:
    rollouts.done(rollouts.release([crd("things", "Thing")], "first"))
    outcome = rollouts.apply([crd("things2", "Thing"), manifest("Thing", "a", HOME, api="test.io/v1", spec={})])
    assert outcome.errors[0]["code"] == "unestablished-definition"
    assert "Thing" in outcome.errors[0]["message"]
