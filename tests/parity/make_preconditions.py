#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make clusters that want to update, and write which of them the preconditions of the CVO of each minor refuse.

Usage: python -m ansible_collections.capability.openshift.tests.parity.make_preconditions MINOR=CVO_CHECKOUT...

A checkout is one of openshift/cluster-version-operator, of the branch ``release-MINOR``. The program of
``go/preconditions`` is copied there, and removed afterwards. Left out is the backup of etcd, up to 4.14, for which a
cluster only has to wait.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.tests.parity.go_program import run_in_checkout
from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS, write

CHECKS = {
    "rollback": "Rollback",
    "gianthop": "GiantHop",
    "upgradeable": "Upgradeable",
    "recommendedupdate": "RecommendedUpdate",
}
DONE, BEGUN = "Completed", "Partial"
OVERRIDE = {"kind": "Deployment", "group": "apps", "namespace": "a", "name": "b", "unmanaged": True}


class Case(NamedTuple):
    """A cluster that runs ``current``, and the version that it is to update to."""

    current: str
    target: str
    cluster: dict[str, Any]


def cases(minor: str) -> Iterator[Case]:
    """Yield the cases of a minor: each history with each target and each condition."""
    major, number = map(int, minor.split("."))
    earlier = "4.23" if minor == "5.0" else f"{major}.{number - 1}"
    current, later, past, old = f"{minor}.5", f"{minor}.7", f"{minor}.3", f"{earlier}.9"
    targets = (
        later,
        f"{minor}.4",
        past,
        current,
        f"{major}.{number + 1}.2",
        f"{major}.{number + 2}.0",
        old,
        f"{earlier}.8",
    )
    histories = (
        [(DONE, current)],
        [(DONE, current), (DONE, past)],
        [(DONE, current), (DONE, old)],
        [(DONE, current), (DONE, "not a version")],
        [(DONE, current), (BEGUN, later), (DONE, current)],
        [(BEGUN, current), (DONE, past)],
        [(BEGUN, current), (DONE, old)],
        [(BEGUN, current), (BEGUN, past), (DONE, old)],
    )
    shown = (("", False), ("True", False), ("Unknown", False), ("False", False), ("False", True))
    for history, target, (upgradeable, overridden) in itertools.product(histories, targets, shown):
        conditions = [{"type": "Progressing", "status": str(history[0][0] == BEGUN)}]
        if upgradeable:
            conditions.append({"type": "Upgradeable", "status": upgradeable, "reason": "Reason", "message": "why"})
        status = {
            "desired": {"version": current, "image": current},
            "history": [{"state": state, "version": version, "image": version} for state, version in history],
            "conditions": conditions,
        }
        spec = {"channel": "stable", "overrides": [OVERRIDE] if overridden else []}
        yield Case(current, target, {"spec": spec, "status": status})


def answers(checkout: Path, minor: str) -> str:
    """Return a digit for each case: 1 if the CVO of a checkout refuses the update."""
    package = "pkg/payload/precondition/clusterversion"
    known = [name for file, name in CHECKS.items() if (checkout / package / f"{file}.go").exists()]
    lines = [
        "package main",
        f'import "github.com/openshift/cluster-version-operator/{package}"',
        'import "github.com/openshift/cluster-version-operator/pkg/payload/precondition"',
        "func preconditions(l lister) []precondition.Precondition {",
        f"return []precondition.Precondition{{{', '.join(f'clusterversion.New{name}(l)' for name in known)}}}",
        "}",
    ]
    given = [{"cluster": item.cluster, "target": item.target} for item in cases(minor)]
    files = {"preconditions.go": "\n".join(lines)}
    return "".join(str(int(refused)) for refused in run_in_checkout("preconditions", checkout, given, files=files))


def main(arguments: list[str]) -> int:
    """Write the facts."""
    checkouts = dict(argument.split("=", 1) for argument in arguments)
    write(FACTS / "preconditions.json", {minor: answers(Path(path), minor) for minor, path in checkouts.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
