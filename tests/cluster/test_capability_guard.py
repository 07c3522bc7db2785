# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the admission guard says to writes, on a real API server, which evaluates its expressions."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection, requested
from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard_policy import PROBE
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import MinorData
from ansible_collections.capability.openshift.tests.cluster.helpers.guard import (
    KNOWN,
    VERSION,
    Run,
    asked,
    block,
    make,
    refusal,
    remake,
    runner,
    status,
    take_any_name,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    CLUSTER_VERSIONS,
    set_cluster_version_status,
)

HINT = (
    ". The guard does not know what the set v9.1 holds: "
    "install the guard of a newer collection, or ask for the names themselves"
)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], cluster: ControlPlane) -> Iterator[Run]:
    yield from runner(capsys, cluster)


def test_a_removal_is_refused_and_named(run: Run, cluster: ControlPlane) -> None:
    make(cluster.api, block("v4.12", "Console", "Build"))
    assert run()["verified"]
    assert asked(cluster.api, block("v4.12", "Console")) == (
        "drops Build, which the spec of the cluster requests. What is on can never be turned off: "
        "keep the names in spec.capabilities.additionalEnabledCapabilities"
    )
    # Console is in the set
    assert asked(cluster.api, block("v4.12", "Build")) == ""
    assert asked(cluster.api, block("v4.11", "Build")).startswith(
        "drops CSISnapshot, Console, Insights, Storage, which"
    )
    assert asked(cluster.api, block("None", "Build", "Console")).startswith(
        "drops CSISnapshot, Insights, MachineAPI, Storage, baremetal, marketplace, openshift-samples, which"
    )


def test_people_see_why(run: Run, cluster: ControlPlane) -> None:
    make(cluster.api, block("v4.12", "Build"))
    run()
    patch = json.dumps({"spec": {"capabilities": block("v4.12")}})
    with pytest.raises(ControlPlaneError, match="drops Build, which the spec of the cluster requests"):
        cluster.kubectl("patch", "clusterversion", "version", "--type=merge", "-p", patch)
    assert asked(cluster.api, block("v4.12"), dry_run=False).startswith("drops Build, which")
    assert cluster.api.get(VERSION)["spec"]["capabilities"] == block("v4.12", "Build")


def test_vcurrent_is_everything_that_the_cluster_knows(run: Run, cluster: ControlPlane) -> None:
    make(cluster.api, None)
    run()
    for capabilities in (None, {}, block("vCurrent"), block(None, "Console")):
        assert asked(cluster.api, capabilities, dry_run=False) == ""
        assert asked(cluster.api, block("None")).startswith(f"drops {', '.join(KNOWN)}, which")
        assert asked(cluster.api, block("None", *KNOWN[1:])).startswith(f"drops {KNOWN[0]}, which")
        for same in (None, block("vCurrent"), block("v4.18", "Console"), block("None", *KNOWN)):
            assert asked(cluster.api, same) == ""


def test_the_block_can_be_deleted_because_that_asks_for_all(run: Run, cluster: ControlPlane) -> None:
    make(cluster.api, block("None", "Console"))
    run()
    assert asked(cluster.api, None) == ""
    assert asked(cluster.api, {"baselineCapabilitySet": "None"}).startswith("drops Console, which")
    assert asked(cluster.api, block("None", "Storage")).startswith("drops Console, which")
    # All is what the cluster knows
    take_any_name(cluster.api)
    remake(cluster.api, block("None", "Strange"), status("4.21.3"))
    assert asked(cluster.api, None).startswith("drops Strange, which")


def test_growth_passes(run: Run, cluster: ControlPlane) -> None:
    make(cluster.api, block("v4.11", "Console"))
    run()
    pinned = ("Console", "MachineAPI", "OperatorLifecycleManager", "baremetal", "marketplace", "openshift-samples")
    for more in (
        block("v4.11", "Console", "Build"),
        block("v4.12"),
        block("v4.18"),
        block("vCurrent"),
        block("None", *pinned),
        # The list may repeat itself, and the expressions may cost something.
        block("v4.11", "Console", *["Build"] * 2000),
    ):
        assert asked(cluster.api, more) == ""


def test_unrelated_writes_pass(run: Run, cluster: ControlPlane) -> None:
    """Also when something is enabled implicitly, and whatever the cluster says of itself."""
    make(cluster.api, block("None", "Console"))
    run(allowed_capabilities=[])
    overrides = [{"kind": "Deployment", "group": "apps", "namespace": "a", "name": "b", "unmanaged": True}]
    known: list[str] | None
    for version, known in (("4.21.3", KNOWN), ("4.21.3", None), ("9.9.9", ["Build"]), ("no version", None)):
        # Writes of the status are not concerned at all.
        set_cluster_version_status(cluster.api, status(version, ["Console", "Ingress", "Insights"], known))
        for change in (
            {"spec": {"channel": f"stable-{version}"}},
            {"spec": {"overrides": overrides}},
            {"spec": {"desiredUpdate": {"version": "4.21.4"}}},
            {"metadata": {"labels": {"site": "berlin"}}},
            {"metadata": {"annotations": {PROBE: "something else"}}},
            {"spec": {"capabilities": block("None", "Console", "Console")}},
            {"spec": {"capabilities": block("None", "Console"), "overrides": []}},
        ):
            assert refusal(lambda body=change: cluster.api.patch(VERSION, body)) == ""  # type: ignore[misc]


def test_implicitly_enabled_names_are_nobodys_request(run: Run, cluster: ControlPlane) -> None:
    make(cluster.api, block("None", "Console", "Storage"), status("4.21.3", ["Console", "Ingress", "Insights"]))
    run()
    assert asked(cluster.api, block("None", "Console", "Storage", "Build")) == ""
    assert asked(cluster.api, block("None", "Console")).startswith("drops Storage, which")


def test_a_set_that_the_guard_does_not_know(run: Run, cluster: ControlPlane) -> None:
    take_any_name(cluster.api)
    make(cluster.api, block("v9.1", "Console"), status("9.1.0", ["Build", "Console", "Strange"], ["Build", "Console"]))
    run()
    assert refusal(lambda: cluster.api.patch(VERSION, {"spec": {"channel": "stable"}})) == ""
    # The same set beside other names
    assert asked(cluster.api, block("v9.1", "Console", "New")) == ""
    assert asked(cluster.api, block("v9.1", "New")).startswith("drops Console, which")
    # What is on counts as its content
    assert asked(cluster.api, block("None", "Console")).startswith("drops Build, which")
    assert asked(cluster.api, block("None", "Console")).endswith(HINT)
    assert asked(cluster.api, block("None", "Build", "Console")) == ""
    assert asked(cluster.api, block("vCurrent")) == ""


def test_a_new_set_that_the_guard_does_not_know(run: Run, cluster: ControlPlane) -> None:
    """It holds nothing that could be relied on, and could bring anything."""
    take_any_name(cluster.api)
    make(cluster.api, block("None", "Build"), status("9.1.0", ["Build"], ["Build", "Console", "New"]))
    run(allowed_capabilities=["Console"])
    assert asked(cluster.api, block("v9.1")).startswith("drops Build, which")
    assert asked(cluster.api, block("v9.1", "Build")) == f"adds New; only Console may be added on this cluster{HINT}"
    run()
    assert asked(cluster.api, block("v9.1", "Build")) == ""


def test_sets_are_those_of_the_minor(run: Run, cluster: ControlPlane) -> None:
    """MachineAPI was put into v4.11 to v4.13 when 4.14 came."""
    old = block("None", "baremetal", "marketplace", "openshift-samples")
    take_any_name(cluster.api)
    make(cluster.api, block("v4.11"), status("4.13.9", known=None))
    run()
    assert asked(cluster.api, old) == ""
    for version in ("4.14.0-rc.1", "4.14", "9.9.9", "4", "x.y.z", "4.99999999999999999999.1", ""):
        set_cluster_version_status(cluster.api, status(version, known=None))
        assert asked(cluster.api, old).startswith("drops MachineAPI, which")
    # What the cluster says to know counts for more than its version.
    set_cluster_version_status(cluster.api, status("4.14.0", known=["Console", *old["additionalEnabledCapabilities"]]))
    assert asked(cluster.api, old) == ""


def test_only_listed_names_may_be_added(run: Run, cluster: ControlPlane) -> None:
    make(cluster.api, block("v4.11"), status("4.21.3", ["Ingress"]))
    run(allowed_capabilities=["Storage", "Console"])
    assert asked(cluster.api, block("v4.11", "Storage")) == ""
    assert asked(cluster.api, block("v4.11", "Build", "Insights", "Storage")) == (
        "adds Build, Insights; only Console, Storage may be added on this cluster"
    )
    assert asked(cluster.api, block("v4.12")).startswith("adds CSISnapshot, Insights; only")
    assert asked(cluster.api, None).startswith("adds Build, CSISnapshot, CloudControllerManager, ")
    # It is in the set, or on already: that turns nothing on.
    assert asked(cluster.api, block("v4.11", "MachineAPI", "Ingress")) == ""
    run(allowed_capabilities=[])
    assert asked(cluster.api, block("v4.11", "Storage")) == "adds Storage; nothing may be added on this cluster"
    run()
    assert asked(cluster.api, block("v4.11", "Storage")) == ""


def test_deletion_is_refused(run: Run, cluster: ControlPlane) -> None:
    make(cluster.api, block("None"))
    run()
    for path in (VERSION, CLUSTER_VERSIONS):
        assert refusal(lambda path=path: cluster.api.delete(path)).startswith(  # type: ignore[misc]
            "deletes the ClusterVersion, and with it all requests for capabilities. Remove the guard first"
        )
    other = {**cluster.api.get(VERSION), "metadata": {"name": "other"}}
    cluster.api.post(CLUSTER_VERSIONS, other)
    cluster.api.delete(f"{CLUSTER_VERSIONS}/other")


def test_the_api_answers_as_the_collection_would(run: Run, cluster: ControlPlane) -> None:
    """Random writes on clusters of all minors, whose status tells what is known or does not."""
    allowed = ["Console", "MachineAPI", "OperatorLifecycleManagerV1", "Storage"]
    chance = random.Random(20)
    take_any_name(cluster.api)
    make(cluster.api, None)
    run(allowed_capabilities=allowed)
    verdicts = {"drops": 0, "adds": 0, "": 0}
    for minor in [*sorted(capability_data.BRANCHES), *chance.choices(sorted(capability_data.BRANCHES), k=24)]:
        facts = capability_data.data_of(minor)
        assert facts is not None
        known = sorted(facts.capabilities)
        old = _random_selection(chance, facts)
        before = requested(old, facts)
        enabled = before | set(chance.sample(known, chance.choice([0, 2])))
        told = status(f"{minor}.7", sorted(enabled), chance.choice([known, None]))
        remake(cluster.api, block(old.baseline, *old.additional), told)
        for _number in range(8):
            new = _random_selection(chance, facts)
            after = requested(new, facts)
            answer = asked(cluster.api, block(new.baseline, *new.additional))
            dropped, added = sorted(before - after), sorted(after - before - enabled - set(allowed))
            same = (old.baseline, old.additional) == (new.baseline, new.additional)
            verdict = "" if same else "drops" if dropped else "adds" if added else ""
            names = ", ".join(dropped or added)
            assert answer == "" if not verdict else answer.startswith((f"{verdict} {names},", f"{verdict} {names};")), (
                minor,
                told,
                old,
                new,
                answer,
            )
            verdicts[verdict] += 1
    assert min(verdicts.values()) > 20, verdicts


def _random_selection(chance: random.Random, facts: MinorData) -> Selection:
    baseline = chance.choice([None, *facts.sets])
    known = sorted(facts.capabilities)
    return Selection(baseline, tuple(chance.sample(known, min(chance.choice([0, 1, 3, 99]), len(known)))))
