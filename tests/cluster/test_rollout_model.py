# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random rollouts, and what other clients do in between, compared with a model after each step.

A history that fails is printed as calls, and becomes a test at the end of this file.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.plugins.modules import release_verify
from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_model import (
    CLUSTER_SCOPED,
    Identity,
    Model,
    identity,
    needs,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    CAPABILITY,
    HOME,
    INVENTORY,
    PROFILE,
    Body,
    Rollouts,
    config_map,
    crd,
    manifest,
    namespace,
    path_of,
    rollouts_of,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import selection
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

DEEP = [pytest.param(50, number, marks=[pytest.mark.deep, pytest.mark.alone]) for number in range(3)]
"""How many random histories, and the seed that they begin with: they are the same in each run."""

LONGEST_RUN = 120
"""Seconds after which a rollout that is to be killed is killed anyway."""

STEPS = 8
TEAM = "team"
ADDED: dict[str, Any] = {"data": {"extra": "theirs"}, "metadata": {"labels": {"team": "theirs"}}}
"""What another client adds to an object."""

KEPT = [config_map(f"kept-{index}") for index in range(12)]
"""Enough objects that a release never drops the greater part, which the module refuses."""


def annotated(body: Body, name: str, value: str) -> Body:
    """Return a manifest with another annotation."""
    annotations = {**body["metadata"]["annotations"], name: value}
    return {**body, "metadata": {**body["metadata"], "annotations": annotations}}


def of_other_profile(body: Body) -> Body:
    """Return a manifest that no cluster of this test includes."""
    annotations = {"include.release.openshift.io/hypershift": "true"}
    return {**body, "metadata": {**body["metadata"], "annotations": annotations}}


def with_namespace(body: Body, name: str) -> Body:
    """Return the manifest of a cluster-scoped object with a namespace, which the API ignores."""
    return {**body, "metadata": {**body["metadata"], "namespace": name}}


def versions(body: Body) -> Body:
    """Return a definition whose objects have two versions."""
    (version,) = body["spec"]["versions"]
    other = {**version, "name": "v1beta1", "storage": False}
    return {**body, "spec": {**body["spec"], "versions": [version, other]}}


def forms(body: Body, *others: Body) -> st.SearchStrategy[Body | None]:
    """Return the ways in which a release can contain an object: not at all, for other clusters, and so on."""
    return st.sampled_from([None, body, *others, annotated(body, CAPABILITY, "Console"), of_other_profile(body), body])


def cluster_scoped(body: Body) -> st.SearchStrategy[Body | None]:
    """Return the forms of an object without a namespace."""
    return forms(body, with_namespace(body, "elsewhere"), with_namespace(body, TEAM))


DEFINITION = versions(crd("things", "Thing"))
READ = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}
ROLE = manifest("ClusterRole", "reader", api="rbac.authorization.k8s.io/v1", rules=[READ])
RELEASES = st.tuples(
    cluster_scoped(namespace(TEAM)),
    cluster_scoped(DEFINITION),
    cluster_scoped(ROLE),
    forms(config_map("one"), config_map("one", data={"key": "other"})),
    forms(config_map("one", TEAM)),
    forms(manifest("Secret", "one", HOME, stringData={})),
    forms(manifest("Thing", "one", HOME, api="test.io/v1"), manifest("Thing", "one", HOME, api="test.io/v1beta1")),
    forms(config_map("theirs")),
).map(lambda bodies: [body for body in bodies if body is not None])


def api_path(body: Body) -> str:
    """Return where an object is, whatever namespace its manifest has."""
    metadata = {**body["metadata"], "namespace": identity(body)[2]}
    return path_of({**body, "metadata": metadata})


class Histories(RuleBasedStateMachine):
    """A cluster on which rollouts take place, and other clients work."""

    start: Callable[[], Rollouts]
    forget_output: Callable[[], object]

    def __init__(self) -> None:
        super().__init__()
        self.rollouts = type(self).start()
        self.api = self.rollouts.api
        self.model = Model({"Ingress"})
        self.edited: set[Identity] = set()
        self.extended: set[Identity] = set()
        self.create()

    @rule(
        release=RELEASES,
        console=st.booleans(),
        prune=st.booleans(),
        kill=st.none() | st.integers(0, 60),
        diff=st.booleans(),
    )
    def roll_out(self, release: list[Body], console: bool, prune: bool, kill: int | None, diff: bool = False) -> None:
        """Roll a release out, perhaps at the second attempt, and compare it with the check and with the model."""
        bodies = [*KEPT, *self.possible(release)]
        options: dict[str, Any] = {"capabilities": selection("Ingress", *["Console"] * console), "prune": prune}
        path = self.rollouts.release(bodies)
        type(self).forget_output()  # hypothesis prints what it draws
        before = self.objects()
        if kill is not None:
            self.killed_after(kill, path, options)
        outcome = self.rollouts.predicted(path, **options, diff=diff)
        if outcome.failed:
            assert {identity_of(item) for item in outcome["conflicts"]} <= self.edited
            assert all(self.objects()[item]["data"]["key"] == "edited" for item in self.edited)
            assert not self.rollouts.predicted(path, **options, force_conflicts=True, diff=diff).failed
        if self.end_namespaces():
            # What was being deleted is a leftover until a run finds that it is gone.
            self.rollouts.done(path, **options)
        expected = self.model.roll_out(bodies, options["capabilities"]["additionalEnabledCapabilities"], prune=prune)
        after = self.objects()
        assert set(after) == set(self.model.objects)
        assert not outcome.failed or self.edited & set(expected.applied)
        for item, body in expected.applied.items():
            assert after[item]["metadata"]["uid"] == before.get(item, after[item])["metadata"]["uid"], item
            assert_contains(after[item], content(body))
        for item in set(after) - set(expected.applied) - expected.pruned:
            assert after[item] == before[item], item
        for item in self.extended & set(after):
            assert_contains(after[item], ADDED)
        self.edited = self.edited & set(after) - set(expected.applied)
        self.extended &= set(after)
        self.same_again(path, options)
        self.verified(path, expected.unexpected)
        self.recorded()

    @rule(action=st.sampled_from(["add", "edit", "delete", "create"]), data=st.data())
    def others_act(self, action: str, data: st.DataObject) -> None:
        """Another client adds what no manifest has, changes what one has, deletes an object, or makes one."""
        there = self.editable()
        if action == "create":
            self.create()
        elif there:
            self.change(action, data.draw(st.sampled_from(there)))

    def create(self) -> None:
        """Have another client make an object that a release may contain too, unless there is one."""
        body = config_map("theirs", data=ADDED["data"], labels=ADDED["metadata"]["labels"])
        if identity(body) not in {*self.model.objects, *self.model.inventory}:
            self.api.post(f"/api/v1/namespaces/{HOME}/configmaps", body)
            self.model.add(body)
            self.extended.add(identity(body))

    def change(self, action: str, item: Identity) -> None:
        """Have another client change or delete an object."""
        path = api_path(self.model.objects[item].body)
        if action == "add":
            self.api.patch(path, ADDED)
            self.extended.add(item)
        elif action == "edit":
            self.api.patch(path, {"data": {"key": "edited"}})
            self.edited.add(item)
        else:
            self.api.delete(path)
            self.model.remove(item)
            self.edited.discard(item)
            self.extended.discard(item)

    def editable(self) -> list[Identity]:
        """Return the ConfigMaps that rollouts applied or may apply."""
        there = sorted(item for item in self.model.objects if item[1] == "ConfigMap" and item[3] in ("one", "theirs"))
        return [item for item in there if item not in self.model.held]

    def possible(self, release: list[Body]) -> list[Body]:
        """Return what of a release has its namespace and its definition, on the cluster or in the release."""
        plain = {identity(body) for body in release if set(body["metadata"]["annotations"]) == {PROFILE}}
        there = plain | set(self.model.objects)
        kinds = {"Thing": identity(DEFINITION)}
        homes = {TEAM: identity(namespace(TEAM))}
        return [
            body
            for body in release
            if identity(body) not in self.model.held
            if kinds.get(body["kind"]) in {None, *there} and homes.get(identity(body)[2]) in {None, *there}
        ]

    def objects(self) -> dict[Identity, dict[str, Any]]:
        """Return all objects that rollouts of this test can concern, by identity."""
        found: dict[Identity, dict[str, Any]] = {}
        for body in (namespace(TEAM), DEFINITION, ROLE):
            if self.api.exists(path_of(body)):
                found[identity(body)] = self.api.get(path_of(body))
        paths = {"ConfigMap": "/api/v1/configmaps", "Secret": "/api/v1/secrets", "Thing": "/apis/test.io/v1/things"}
        if identity(DEFINITION) not in found:
            del paths["Thing"]
        for kind, path in paths.items():
            for item in self.api.list(path):
                metadata = item["metadata"]
                if metadata["namespace"] in (HOME, TEAM):
                    group = "test.io" if kind == "Thing" else ""
                    found[group, kind, metadata["namespace"], metadata["name"]] = item
        deleted = {item for item, found_object in found.items() if "deletionTimestamp" in found_object["metadata"]}
        assert deleted <= self.model.held
        return found

    def killed_after(self, requests: int, release: Any, options: dict[str, Any]) -> None:
        """Run a rollout in a process that ends before its next request after so many."""
        child = os.fork()
        if child:
            self.await_end(child)
            return
        try:
            for descriptor in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
            send, sent = Client._send, iter(range(requests))

            def counted(*arguments: Any, **more: Any) -> Any:
                if next(sent, None) is None:
                    os._exit(0)
                return send(*arguments, **more)

            Client._send = counted  # type: ignore[method-assign]
            self.rollouts.apply(release, **options)
        finally:
            os._exit(0)

    def await_end(self, child: int) -> None:
        """Wait for a forked process, and kill it if it hangs: a fork can inherit a lock that is never released."""
        deadline = time.monotonic() + LONGEST_RUN
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return
            time.sleep(0.01)

    def end_namespaces(self) -> bool:
        """Play the controller that empties and removes namespaces, and wait for that of definitions.

        Return whether there was something to end.
        """
        has_ended = False
        if self.api.exists(path_of(namespace(TEAM))):
            found = self.api.get(path_of(namespace(TEAM)))
            if "deletionTimestamp" in found["metadata"]:
                self.api.delete(f"/api/v1/namespaces/{TEAM}/configmaps")
                self.api.put(f"{path_of(namespace(TEAM))}/finalize", {**found, "spec": {"finalizers": []}})
                has_ended = True
        definition = path_of(DEFINITION)
        if self.api.exists(definition) and "deletionTimestamp" in self.api.get(definition)["metadata"]:
            wait_for(lambda: not self.api.exists(definition), "the definition to be gone")
            has_ended = True
        return has_ended

    def same_again(self, release: Any, options: dict[str, Any]) -> None:
        """A second run writes nothing."""
        with self.rollouts.unwritten():
            assert self.rollouts.done(release, **options)["changed"] is False

    def verified(self, release: Any, unexpected: set[Identity]) -> None:
        """``release_verify`` agrees with the model."""
        options = {"kubeconfig": self.rollouts.plane.kubeconfig, "openshift_version": "4.21.0"}
        outcome = self.rollouts.site.call(release_verify, release=release, **options)
        assert (outcome["missing"], outcome["different"]) == ([], [])
        assert {identity_of(item) for item in outcome["unexpected"]} == unexpected

    def recorded(self) -> None:
        """The inventory is that of the model."""
        data = self.api.get(INVENTORY)["data"]
        found = {}
        for line in (data["resources"] + data["earlier-resources"]).splitlines():
            group, kind, home, name, names, _owned = json.loads(line)
            found[group, kind, "" if kind in CLUSTER_SCOPED else home, name] = set(names.split("+")) - {""}
        assert found == {item: needs(body) for item, body in self.model.inventory.items()}
        assert set(data["enabled-capabilities"].split()) == self.model.enabled
        assert data["unfinished"] == ""


def content(body: Body) -> dict[str, Any]:
    """Return the fields of a manifest beside its metadata."""
    return {field: value for field, value in body.items() if field not in ("apiVersion", "kind", "metadata")}


class HeldHistories(Histories):
    """Histories in which other clients prevent that an object goes."""

    @rule()
    def hold(self) -> None:
        """Another client gives an object a finalizer. The namespace that rollouts delete would wait for its objects."""
        for item in [item for item in self.editable() if item[2] == HOME][:1]:
            self.api.patch(api_path(self.model.objects[item].body), {"metadata": {"finalizers": ["test.io/theirs"]}})
            self.model.held.add(item)

    @rule()
    def let_go(self) -> None:
        """The other client removes its finalizers."""
        for item in sorted(self.model.held):
            path = api_path(self.model.objects[item].body)
            self.api.patch(path, {"metadata": {"finalizers": None}})
            self.model.held.remove(item)
            if not self.api.exists(path):
                self.model.remove(item)


def identity_of(item: dict[str, Any]) -> Identity:
    """Return the identity of a resource in a result."""
    return item["group"], item["kind"], "" if item["kind"] in CLUSTER_SCOPED else item["namespace"], item["name"]


def assert_contains(actual: Any, expected: Any) -> None:
    """Fail unless an object has the fields of a manifest."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert name in actual or value == {}, name
            assert_contains(actual.get(name, {}), value)
    elif isinstance(expected, list):
        for one, other in zip(actual, expected, strict=True):
            assert_contains(one, other)
    else:
        assert actual == expected


Machines = Callable[[type[Histories]], Any]


@pytest.fixture
def machine(
    plane: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Machines:
    """Return a function that lets histories begin on a cluster with nothing but a namespace."""

    def machine(histories: type[Histories]) -> type[Histories]:
        histories.start = staticmethod(lambda: rollouts_of(plane, tmp_path, capsys, monkeypatch))
        histories.forget_output = staticmethod(capsys.readouterr)
        return histories

    return machine


def limits(examples: int) -> settings:
    """Return how long histories are looked for. One that fails is short, and to make it shorter takes many runs."""
    checks = list(HealthCheck)
    return settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        suppress_health_check=checks,
        phases=[Phase.generate],
        report_multiple_bugs=False,
    )


@pytest.mark.parametrize(("examples", "number"), [(6, 0), *DEEP])
@pytest.mark.parametrize("histories", [Histories, HeldHistories])
def test_random_histories(machine: Machines, histories: type[Histories], examples: int, number: int) -> None:
    run_state_machine_as_test(seed(number)(machine(histories)), settings=limits(examples))


# Histories that find a bug, as hypothesis prints them.


@pytest.mark.parametrize("prune", [False, True])
def test_manifest_that_gains_a_namespace_which_the_api_ignores(machine: Machines, prune: bool) -> None:
    state = machine(Histories)()
    state.roll_out([ROLE], console=False, prune=False, kill=None)
    state.roll_out([with_namespace(ROLE, "elsewhere")], console=False, prune=prune, kill=None)


def test_object_of_another_client_that_a_release_drops(machine: Machines) -> None:
    state = machine(Histories)()
    state.roll_out([config_map("theirs")], console=False, prune=False, kill=None)
    state.roll_out([], console=False, prune=True, kill=None)


def test_namespace_that_a_release_drops_before_its_content(machine: Machines) -> None:
    state = machine(Histories)()
    state.roll_out([namespace(TEAM), config_map("one", TEAM)], console=False, prune=False, kill=None)
    state.roll_out([config_map("one", TEAM)], console=False, prune=True, kill=None)


def test_leftover_whose_deletion_hangs(machine: Machines) -> None:
    state = machine(HeldHistories)()
    state.roll_out([config_map("one")], console=False, prune=False, kill=None)
    state.hold()
    state.roll_out([], console=False, prune=True, kill=None)
