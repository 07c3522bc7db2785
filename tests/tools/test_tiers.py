# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each test runs in one of the two tiers of the gate."""

from __future__ import annotations

import re

from ansible_collections.capability.openshift.tests.unit.sources import ROOT


def test_the_deep_tests_of_each_folder_are_run_by_a_step_of_the_deep_tier() -> None:
    """The step ``unit`` runs three folders."""
    marked = {
        path.relative_to(ROOT / "tests").parts[0]
        for path in (ROOT / "tests").rglob("test_*.py")
        if "mark.deep" in path.read_text("utf-8")
    } - {"tools", "unit", "parity"}
    sessions = re.split(r"(?m)^def (\w+)\(session", (ROOT / "noxfile.py").read_text("utf-8"))
    steps = {
        folder: name
        for name, body in zip(sessions[1::2], sessions[2::2], strict=True)
        for folder in re.findall(r'pytest\(session, "tests/(\w+)"', body)
    }
    (deep,) = re.findall(r"(?m)^DEEP = (.*)$", (ROOT / "Makefile").read_text("utf-8"))

    assert {"cluster", "registry"} <= marked
    assert {steps[folder] for folder in marked} <= set(deep.split())
