# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The environment in which the gate runs its commands."""

from __future__ import annotations

import pytest
from support import tool_environment


@pytest.mark.parametrize("name", ["ANSIBLE_FORKS", "PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE"])
def test_a_setting_of_the_user_does_not_reach_commands(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")
    assert name not in tool_environment()
