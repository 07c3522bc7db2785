# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.tests.conftest import configure_hypothesis
from ansible_collections.capability.openshift.tests.unit.run_module import Call, caller

# ansible-test reads no settings above this folder.
configure_hypothesis()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "deep: in the deep tier, see pyproject.toml")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a module: ``call(module, option=value)``."""
    return caller(capsys)
