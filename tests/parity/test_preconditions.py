# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A verdict is ``blocked`` exactly if the preconditions of the CVO of each minor refuse the update.

``facts/preconditions.json`` has their answers. ``make_preconditions.py`` makes it again.
"""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS
from ansible_collections.capability.openshift.tests.parity.make_preconditions import cases
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import reported
from ansible_collections.capability.openshift.tests.unit.builders.plans import build_release, manifest
from ansible_collections.capability.openshift.tests.unit.oracles import implicit_enablement as reference

GOLDEN: dict[str, str] = json.loads((FACTS / "preconditions.json").read_bytes())


@pytest.mark.parametrize("minor", GOLDEN)
def test_an_update_is_blocked_exactly_if_the_cvo_refuses_it(minor: str) -> None:
    wrong = []
    for (current, target, cluster), answer in zip(cases(minor), GOLDEN[minor], strict=True):
        path = [build_release(version, [manifest()]) for version in (current, target)]
        status = reported(current, status=cluster["status"], **cluster["spec"])
        plan = reference.plan_of(path, allow_downgrade=True, cluster_version=status)
        if (plan.verdict == "blocked") != (answer == "1"):
            wrong.append((cluster["status"], target, answer, plan.verdicts[0].reasons))

    assert wrong == []
    assert 0.2 < GOLDEN[minor].count("1") / len(GOLDEN[minor]) < 0.8
