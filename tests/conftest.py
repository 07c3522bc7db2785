# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings of all Python tests: with or without the optional accelerator, and repeatable random tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ACCELERATOR = "ryml"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--without-accelerator", action="store_true", help="run as if rapidyaml were not installed: libyaml reads all"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--without-accelerator"):
        # What was imported before would go on using it, and the run would prove nothing.
        if sys.modules.get(ACCELERATOR):
            raise pytest.UsageError(f"{ACCELERATOR} was imported before --without-accelerator could forbid it")
        sys.modules[ACCELERATOR] = None  # type: ignore[assignment]
    _configure_hypothesis(config.rootpath / ".cache" / "hypothesis")


def pytest_report_header(config: pytest.Config) -> str:
    if config.getoption("--without-accelerator"):
        return "heads of manifests: libyaml alone (--without-accelerator)"
    try:
        import ryml
    except ImportError:
        return "heads of manifests: libyaml alone (rapidyaml is not installed)"
    return f"heads of manifests: rapidyaml {ryml.version}, with libyaml for what it doubts"


def _configure_hypothesis(folder: Path) -> None:
    try:
        from hypothesis import HealthCheck, settings
        from hypothesis.database import DirectoryBasedExampleDatabase
    except ImportError:
        return  # whoever needs it says so
    slow = (HealthCheck.too_slow, HealthCheck.data_too_large)
    database = DirectoryBasedExampleDatabase(folder)
    # Random over the releases of this collection, the same within one: a gate that passed passes again.
    settings.register_profile("gate", deadline=None, database=None, derandomize=True, suppress_health_check=slow)
    settings.register_profile(
        "search", deadline=None, database=database, max_examples=20_000, suppress_health_check=slow
    )
    settings.load_profile("gate")
