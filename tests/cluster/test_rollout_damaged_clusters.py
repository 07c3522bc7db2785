# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rollouts to damaged clusters: half-done definitions, terminating objects, dead webhooks, ill-timed restarts."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.crds import TOUCHED
from ansible_collections.capability.openshift.plugins.module_utils._rollout import run as _rollout
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    DELETE,
    HOME,
    INVENTORY,
    NEXT,
    Body,
    Rollouts,
    config_map,
    crd,
    finalize,
    later,
    manifest,
    namespace,
    path_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import short_waits, up_again
from ansible_collections.capability.openshift.tests.cluster.helpers.verifications import ran
from ansible_collections.capability.openshift.tests.control_plane.faults import FaultProxy
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.control_plane.storage import forget, rewrite_definition
from ansible_collections.capability.openshift.tests.control_plane.users import certificate_user

WIDGETS = crd("widgets", "Widget")
WIDGET = manifest("Widget", "widget", HOME, api="test.io/v1", spec={"some": "field"})
LONG = 300
"""Seconds to wait for what certainly happens."""


def with_finalizer(rollouts: Rollouts, body: Body) -> None:
    """Delete an object with a finalizer."""
    rollouts.api.patch(path_of(body), {"metadata": {"finalizers": ["test.io/hold"]}})
    rollouts.api.delete(path_of(body))


def finish(rollouts: Rollouts, body: Body) -> None:
    rollouts.api.patch(path_of(body), {"metadata": {"finalizers": None}})


# Definitions


def test_rollout_waits_for_a_definition_that_a_killed_run_left_half_done(rollouts: Rollouts) -> None:
    first = {"0000_10_a_00.yaml": WIDGETS, "0000_10_b_00.yaml": config_map("a")}
    rollouts.done(rollouts.release(first, "first"))
    rollouts.plane.kill_api_server()

    rewrite_definition(rollouts.plane, WIDGETS["metadata"]["name"], forget)
    rollouts.plane.start_api_server()
    up_again(rollouts.plane)
    outcome = rollouts.done(rollouts.release({**first, "0000_20_c_00.yaml": WIDGET}, "second"))
    assert [item["name"] for item in outcome["created"]] == ["widget"]
    assert rollouts.has(WIDGET)


def test_trace_of_a_killed_wait_is_removed(rollouts: Rollouts) -> None:
    release = rollouts.release([WIDGETS])
    rollouts.done(release)
    rollouts.api.patch(path_of(WIDGETS), {"metadata": {"annotations": {TOUCHED: "1"}}})
    rollouts.done(release)
    assert TOUCHED not in rollouts.get(WIDGETS)["metadata"]["annotations"]
    with rollouts.unwritten():
        assert rollouts.done(release)["changed"] is False


def test_user_without_get_on_definitions_can_define_kinds(rollouts: Rollouts) -> None:
    verbs = ["list", "create", "patch"]
    rules = [
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
        {"apiGroups": ["", "apps", "test.io"], "resources": ["*"], "verbs": ["*"]},
        {"apiGroups": ["apiextensions.k8s.io"], "resources": ["*"], "verbs": verbs},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get"]},
        {"apiGroups": ["config.openshift.io"], "resources": ["infrastructures"], "verbs": ["get"]},
    ]
    user = certificate_user(rollouts.plane, "no-get-of-definitions", rules)
    release = rollouts.release({"0000_10_a_00.yaml": WIDGETS, "0000_20_b_00.yaml": WIDGET})
    rollouts.done(release, kubeconfig=user.kubeconfig)
    assert rollouts.has(WIDGET)


@pytest.mark.deep
def test_conversion_webhook_that_does_not_answer_can_be_repaired(rollouts: Rollouts) -> None:
    broken = copy.deepcopy(WIDGETS)
    broken["spec"]["versions"].append({**broken["spec"]["versions"][0], "name": "v2", "storage": False})
    webhook = {"clientConfig": {"service": {"name": "none", "namespace": HOME}}, "conversionReviewVersions": ["v1"]}
    broken["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
    files = {"0000_10_a_00.yaml": broken, "0000_20_b_00.yaml": WIDGET, "0000_30_c_00.yaml": config_map("operator")}
    rollouts.apply(rollouts.release(files, "broken"))
    repaired = config_map("operator", data={"key": "repaired"})
    rollouts.apply(rollouts.release({**files, "0000_30_c_00.yaml": repaired}, "repaired"))
    verification = ran(rollouts, rollouts.folder / "repaired")
    assert {item["hint"].partition(" of ")[0] for item in verification.errors} == {"Check the conversion webhook"}
    assert rollouts.get(repaired)["data"] == repaired["data"]
    # Otherwise the next test could not list them.
    rollouts.api.patch(path_of(broken), {"spec": {"conversion": {"strategy": "None", "webhook": None}}})


# Terminating objects


def test_terminating_namespace_is_re_created(rollouts: Rollouts) -> None:
    home, inside = namespace("going"), config_map("inside", "going")
    release = rollouts.release([home, inside])
    rollouts.done(release)
    rollouts.api.delete(path_of(inside))
    with_finalizer(rollouts, home)

    def gone() -> None:
        finish(rollouts, home)
        finalize(rollouts, home)  # no controller of namespaces runs here

    with later(4, gone):
        outcome = rollouts.done(release, wait=True, wait_timeout=LONG)
    assert {item["kind"] for item in outcome["created"]} == {"Namespace", "ConfigMap"}
    assert rollouts.has(inside)


def test_terminating_namespace_is_not_reported_as_missing(rollouts: Rollouts) -> None:
    home = namespace("leaves")
    rollouts.api.post("/api/v1/namespaces", home)
    rollouts.api.delete(path_of(home))  # No controller runs, so it never ends.
    outcome = rollouts.apply([config_map("a", "leaves"), config_map("b")])
    assert outcome.faults == [("terminating-namespace", "namespaces leaves")]
    assert [(item["name"], item["state"]) for item in outcome["failed_resources"]] == [("a", "terminating")]
    outcome = rollouts.apply([home])
    assert "finalizers: kubernetes" in outcome.problem("terminating-object")["message"]


def test_terminating_object_is_an_error_and_the_rest_is_applied(rollouts: Rollouts) -> None:
    goes, rest = config_map("goes"), config_map("rest")
    rollouts.done(rollouts.release({"0000_10_a_00.yaml": goes}, "before"))
    with_finalizer(rollouts, goes)
    release = rollouts.release({"0000_10_a_00.yaml": goes, "0000_30_b_00.yaml": rest}, "after")
    outcome = rollouts.apply(release, mode="update")
    assert outcome.failed
    assert [(item["name"], item["state"]) for item in outcome["failed_resources"]] == [("goes", "terminating")]
    (error,) = outcome.errors
    assert "finalizers: test.io/hold" in error["message"]
    assert rollouts.has(rest)
    assert rollouts.unfinished
    finish(rollouts, goes)
    assert [item["name"] for item in rollouts.done(release)["created"]] == ["goes"]
    assert not rollouts.unfinished


def test_deletion_whose_answer_is_lost_is_reported(rollouts: Rollouts) -> None:
    stays, goes = config_map("stays"), config_map("goes")
    rollouts.done(rollouts.release([stays, goes], "old"))
    release = rollouts.release([stays, config_map("goes", annotations={DELETE: "true"})], "new")
    with FaultProxy(rollouts.plane) as proxy:
        proxy.fail("lose", method="DELETE", path="configmaps/goes")
        outcome = rollouts.done(release, kubeconfig=proxy.kubeconfig, openshift_version="4.22.0")
    assert [item["name"] for item in outcome["deleted"]] == ["goes"]
    assert outcome["changed"]


# Restarts


@contextmanager
def killed_at(rollouts: Rollouts, monkeypatch: pytest.MonkeyPatch, function: str, seconds: float) -> Iterator[None]:
    """Kill the API server when a rollout first calls a function, and start it again ``seconds`` later."""
    real: Callable[..., Any] = getattr(_rollout, function)
    back: list[threading.Thread] = []

    def restart() -> None:
        time.sleep(seconds)
        rollouts.plane.start_api_server()

    def kill_first(*arguments: Any, **options: Any) -> Any:
        if not back:
            rollouts.plane.kill_api_server()
            back.append(threading.Thread(target=restart))
            back[0].start()
        return real(*arguments, **options)

    monkeypatch.setattr(_rollout, function, kill_first)
    yield
    assert back, f"the rollout never came to {function}"
    back[0].join()
    up_again(rollouts.plane)


@pytest.mark.parametrize(
    ("function", "seconds"), [pytest.param("wait_until_ready", 6.0, marks=pytest.mark.deep), ("final_inventory", 0.6)]
)
def test_rollout_waits_for_a_restart_at_an_awkward_moment(
    rollouts: Rollouts, monkeypatch: pytest.MonkeyPatch, function: str, seconds: float
) -> None:
    """The restart takes longer than the retries of the client. The second time, both take a tenth."""
    release = rollouts.release({"0000_10_a_00.yaml": namespace("of-it"), "0000_30_a_00.yaml": config_map("a")})
    if seconds < 1:
        short_waits(monkeypatch)
    with killed_at(rollouts, monkeypatch, function, seconds):
        rollouts.done(release, mode="update", wait=True, wait_timeout=LONG)
    assert rollouts.has(config_map("a"))
    assert not rollouts.unfinished


def test_rollout_waits_for_a_busy_api_server_at_a_barrier(rollouts: Rollouts, monkeypatch: pytest.MonkeyPatch) -> None:
    release = rollouts.release({"0000_10_a_00.yaml": namespace("of-it"), "0000_30_a_00.yaml": config_map("a")})
    real: Callable[..., Any] = vars(_rollout)["wait_until_ready"]
    with FaultProxy(rollouts.plane) as proxy:

        def busy(*arguments: Any, **options: Any) -> Any:
            proxy.fail("answer", 8, status=503, method="GET", path="namespaces\\?labelSelector")
            return real(*arguments, **options)

        monkeypatch.setattr(_rollout, "wait_until_ready", busy)
        rollouts.done(release, kubeconfig=proxy.kubeconfig, mode="update", wait=True, wait_timeout=LONG)
    assert rollouts.has(config_map("a"))


# Killed between the status and the inventory


def test_update_that_was_killed_before_its_inventory_is_still_an_update(
    rollouts: Rollouts, monkeypatch: pytest.MonkeyPatch
) -> None:
    rollouts.done(EXAMPLE, capabilities={"baselineCapabilitySet": "None"})
    rollouts.api.delete(INVENTORY)

    class Killed(BaseException):
        pass

    def die(*_arguments: Any, **_options: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(_rollout, "write_inventory", die)
        with pytest.raises(Killed):
            rollouts.apply(NEXT, previous_release=EXAMPLE)
    assert not rollouts.api.exists(INVENTORY)
    outcome = rollouts.done(NEXT, previous_release=EXAMPLE)
    assert outcome["mode"] == "update"
    assert outcome["deleted"]
