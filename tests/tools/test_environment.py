# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What tools/setup sets up for whom."""

from __future__ import annotations

import pytest
from environment import REQUIREMENTS, SETS, requirement_lines, tool_environment


@pytest.mark.parametrize("name", ["quickstart", "test"])
def test_what_connects_to_a_cluster_is_set_up(name):
    packages = {
        line.partition("==")[0] for file in SETS[name] for line in requirement_lines(REQUIREMENTS / f"{file}.txt")
    }

    assert {"ansible-core", "PyYAML", "kubernetes"} <= packages


@pytest.mark.parametrize("name", ["ANSIBLE_FORKS", "PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE"])
def test_a_setting_of_the_user_does_not_reach_commands(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    assert name not in tool_environment()
