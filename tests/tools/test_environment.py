# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What tools/setup sets up for whom."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from environment import REQUIREMENTS, ROOT, SETS, WITH_KUBERNETES_CORE, requirement_lines, tool_environment

FRAGMENT = "kubernetes.core."
MODULES = ROOT / "plugins" / "modules"


def uses_kubernetes_core(module: Path) -> bool:
    """Whether the documentation of a module, or one of its own doc fragments, takes options from kubernetes.core."""
    text = module.read_text(encoding="utf-8")
    documentation = yaml.safe_load(text.partition('DOCUMENTATION = r"""')[2].partition('"""')[0])
    return any(name.startswith(FRAGMENT) for name in documentation.get("extends_documentation_fragment", ()))


@pytest.mark.parametrize("name", ["quickstart", "test"])
def test_what_connects_to_a_cluster_is_set_up(name):
    packages = {
        line.partition("==")[0] for file in SETS[name] for line in requirement_lines(REQUIREMENTS / f"{file}.txt")
    }

    assert {"ansible-core", "PyYAML", "kubernetes"} <= packages
    assert any(uses_kubernetes_core(module) for module in MODULES.glob("*.py"))
    assert name in WITH_KUBERNETES_CORE


@pytest.mark.parametrize("name", ["ANSIBLE_FORKS", "PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE"])
def test_a_setting_of_the_user_does_not_reach_commands(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    assert name not in tool_environment()
