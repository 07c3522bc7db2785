# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings of all Python tests, so that they are repeatable."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_configure(config: pytest.Config) -> None:
    # Tests start programs of the environment of pytest, also where it is not activated.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    configure_hypothesis()


def pytest_collection_finish() -> None:
    """Leave what was collected out of garbage collections: ten thousand tests stay, and each collection visits them."""
    gc.collect()
    gc.freeze()


def configure_hypothesis() -> None:
    """Make random tests repeatable."""
    try:
        from hypothesis import HealthCheck, settings
        from hypothesis.database import DirectoryBasedExampleDatabase
    except ImportError:
        return  # Tests that need it report this.
    slow = (HealthCheck.too_slow, HealthCheck.data_too_large)
    database = DirectoryBasedExampleDatabase(Path(__file__).parents[1] / ".cache" / "hypothesis")
    # Random over the releases of this collection, the same within one: a gate that passed passes again.
    settings.register_profile(
        "gate", deadline=None, database=None, derandomize=True, max_examples=50, suppress_health_check=slow
    )
    settings.register_profile(
        "search", deadline=None, database=database, max_examples=20_000, suppress_health_check=slow
    )
    settings.load_profile("gate")
