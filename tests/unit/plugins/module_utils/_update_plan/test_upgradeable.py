# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A verdict is ``go`` only if the CVO of the release will not report ``Upgradeable=False``, whatever the plan has read.

The conditions come from the simulated CVO of ``tests/control_plane``, which is compared with the unit tests of the CVO.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.admin_acks import AdminAcks, admin_gates
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.acceptance import Acceptance
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import Planner
from ansible_collections.capability.openshift.tests.control_plane.cvo_status import condition, upgradeable_conditions
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import reported
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    admin_gates_manifest,
    build_release,
    manifest,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import PROFILE
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

PATH = ("4.18.3", "4.19.1")
OF_RELEASE = {"ack-4.18-apis": "APIs are removed.", "ack-4.18-more": "APIs are removed. All of them."}
OF_OPERATORS = {"ack-4.18-boot": "Boot images are old.", "ack-4.19-later": "Not yet."}
NAMES = (*OF_RELEASE, "ack-4.18-boot")
OPERATOR = {
    "metadata": {"name": "kube-storage"},
    "status": {"conditions": [condition("Upgradeable", "False", "OldDriver", "A driver is old.")]},
}


class Case(NamedTuple):
    """A cluster: the gates of its release, those that operators added, and the acknowledged ones, ``None`` without."""

    gates: tuple[str, ...]
    added: tuple[str, ...]
    acks: tuple[str, ...] | None
    is_blocked: bool
    is_updating: bool

    @property
    def all_gates(self) -> dict[str, str]:
        texts = {**OF_RELEASE, **OF_OPERATORS}
        return {name: texts[name] for name in (*self.gates, *self.added)}

    def cluster_version(self, *, updating: bool) -> dict[str, Any]:
        """What the CVO reports, now or once the update is completed."""
        state, shown = ("Partial", [condition("Progressing", "True")]) if updating else ("Completed", [])
        options: dict[str, Any] = {"state": state, "past": ["4.17.9"], "available": PATH[1:]}
        acks = None if self.acks is None else dict.fromkeys(self.acks, "true")
        # Until 4.18, a CVO did not report that an update is in progress.
        config = reported(PATH[0], **options)
        operators = [OPERATOR] if self.is_blocked else []
        return reported(PATH[0], *shown, *upgradeable_conditions(config, self.all_gates, acks, operators), **options)


def subsets(names: Any) -> Iterator[tuple[str, ...]]:
    for size in range(len(names) + 1):
        yield from itertools.combinations(names, size)


CASES = tuple(
    itertools.starmap(
        Case,
        itertools.product(
            subsets(tuple(OF_RELEASE)),
            subsets(tuple(OF_OPERATORS)),
            (None, *subsets(NAMES)),
            (False, True),
            (False, True),
        ),
    )
)


def verdict(case: Case, acks: AdminAcks) -> tuple[str, bool]:
    """Return the verdict, and whether it considers everything."""
    gates = admin_gates_manifest({name: OF_RELEASE[name] for name in case.gates})
    releases = [build_release(PATH[0], [manifest(), gates]), build_release(PATH[1], [manifest()])]
    request = reference.plan_request(releases, cluster_version=case.cluster_version(updating=case.is_updating))
    accepted = tuple(Acceptance(name, "It is right.") for name in ("update-in-progress", *(case.acks or ())))
    request = request._replace(state=request.state._replace(acks=acks, acceptances=accepted))
    found = reference.shared_plan(Planner(releases), request).verdicts[0]
    return found.verdict, not found.not_checked


@pytest.mark.parametrize("reads_config_maps", [False, True])
def test_the_verdict_is_that_of_the_cvo(reads_config_maps: bool) -> None:
    wrong = []
    for case in CASES:
        acks = AdminAcks()
        if reads_config_maps:
            acks = AdminAcks(admin_gates(case.all_gates, "here"), frozenset(case.acks or ()))
        done = case.cluster_version(updating=False)
        refuses = any(
            item["type"] == "Upgradeable" and item["status"] == "False" for item in done["status"]["conditions"]
        )
        found = verdict(case, acks)
        if found == ("go", True) if refuses else found[0] != "go" and not case.is_updating:
            wrong.append((case, found))
    assert wrong == []
    assert len(CASES) == 576


@pytest.mark.parametrize("profile", [PROFILE, "ibm-cloud-managed"])
@pytest.mark.parametrize("minor", range(13, 22))
def test_the_condition_blocks_patches_until_the_minor_before_is_left(minor: int, profile: str) -> None:
    """release-4.11 to release-4.16 compare with the last completed version, later ones with the desired version.

    Source: pkg/payload/precondition/clusterversion/upgradeable.go Run. HyperShift compares nothing.
    """
    path = (f"4.{minor}.10", f"4.{minor}.20", f"4.{minor + 1}.1")
    current, patch, following = (build_release(version, [manifest(profile=profile)]) for version in path)
    shown = condition("Upgradeable", "False", "PoolUpdating", "Pools are updating.")
    for state, past in itertools.product(("Partial", "Completed"), (f"4.{minor - 1}.9", f"4.{minor}.9")):
        cluster = reported(path[0], shown, state=state, past=[past], available=path[1:])
        is_left = state == "Completed" or past.startswith(f"4.{minor}.")
        refuses = minor < 17 and not is_left and profile == PROFILE
        for target, blocks in ((patch, refuses), (following, True)):
            releases = [current, target]
            request = reference.plan_request(releases, cluster_version=cluster, cluster_profile=profile)
            (found,) = reference.shared_plan(Planner(releases), request).verdicts
            blocking = [item for item in found.reasons if item.verdict == "blocked"]
            assert [item.reason for item in blocking] == ["PoolUpdating"] * blocks
            assert ["another patch" in item.hint for item in blocking] == [not refuses] * blocks
