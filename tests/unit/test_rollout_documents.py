# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What docs/reference/rollouts.md says of a rollout is what the code does."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.capability.openshift.plugins.module_utils._cluster.readiness import READINESS_KINDS, _generic

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "rollouts.md").read_text("utf-8")


def table(head: str) -> list[list[str]]:
    """Return the rows of the table of the page that begins with ``head``."""
    lines = PAGE.partition(f"| {head} |")[2].splitlines()[2:]
    rows = lines[: next((index for index, line in enumerate(lines) if not line.startswith("|")), len(lines))]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_table_of_readiness_is_that_of_the_code():
    expected = [[kind, group or "core", text] for (group, kind), text in READINESS_KINDS.items()]

    assert table("kind | API group | ready when") == [*expected, ["all others", "", _generic.__doc__]]
