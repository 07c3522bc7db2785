# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._extract.destination import (
    DestinationPlan,
    apply_destination,
    plan_destination,
)
from ansible_collections.capability.openshift.plugins.module_utils._extract.result import destination_diff

FILES = {"a.yaml": b"a\n", "b.yaml": b"b\n"}


def write(dest: Path, files: dict[str, bytes], source: Path) -> DestinationPlan:
    plan = plan_destination(str(dest), files, (str(source),))
    apply_destination(plan)
    return plan


def test_the_diff_shows_which_files_come_and_go_and_what_changes_inside(dest, source):
    write(dest, {"a.yaml": b"a\n", "b.yaml": b"before\n", "old.yaml": b"old\n"}, source)
    diff = destination_diff(plan_destination(str(dest), {**FILES, "new.yaml": b"new\n"}, (str(source),)))

    assert diff == [
        {
            "before_header": f"{dest} (files)",
            "after_header": f"{dest} (files)",
            "before": "a.yaml\nb.yaml\nold.yaml\n",
            "after": "a.yaml\nb.yaml\nnew.yaml\n",
        },
        {"before_header": f"{dest}/b.yaml", "after_header": f"{dest}/b.yaml", "before": "before\n", "after": "b\n"},
    ]


@pytest.mark.parametrize(
    "text", [b"kind: Secret\n", b'{"kind": "Secret"}\n', b"x: 1\nkind : 'Secret'\n", b'"kind":Secret\n']
)
@pytest.mark.parametrize("side", ["before", "after"])
def test_the_diff_never_shows_what_a_secret_holds(text, side, dest, source):
    secret, other = text + b"data: hunter2\n", b"plain hunter3\n"
    before, after = (secret, other) if side == "before" else (other, secret)
    write(dest, {"a.yaml": before}, source)
    secrets = frozenset({"a.yaml"} if side == "after" else ())
    diff = destination_diff(plan_destination(str(dest), {"a.yaml": after}, (str(source),), secrets))

    assert "hunter2" not in str(diff)
    assert "sha256" in diff[0][side]
