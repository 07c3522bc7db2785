# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings of all Python tests: repeatable, and timed."""

from __future__ import annotations

import fcntl
import gc
import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

SECONDS = ".cache/seconds.json"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput") and not config.option.keyword and not any("::" in it for it in config.args):
        config.pluginmanager.register(_Seconds(config.rootpath))
    _configure_hypothesis(config.rootpath / ".cache" / "hypothesis")


def pytest_collection_finish() -> None:
    """Leave what was collected out of garbage collections: ten thousand tests stay, and each collection visits them."""
    gc.collect()
    gc.freeze()


class _Seconds:
    """Notes how long the tests of each file take: `make check` chooses by it, and long ones are begun early."""

    def __init__(self, root: Path) -> None:
        self._file = root / SECONDS
        self._found: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._found[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two lanes of the gate may end at once
            try:
                known = json.loads(self._file.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                known = {}
            known.update({name: round(seconds, 2) for name, seconds in self._found.items()})
            new = self._file.with_suffix(".new")
            new.write_text(json.dumps(known, indent=0), encoding="utf-8")
            new.replace(self._file)  # in one step, because others read it without the lock


def _configure_hypothesis(folder: Path) -> None:
    try:
        from hypothesis import HealthCheck, settings
        from hypothesis.database import DirectoryBasedExampleDatabase
    except ImportError:
        return  # the tests that need it report that
    slow = (HealthCheck.too_slow, HealthCheck.data_too_large)
    database = DirectoryBasedExampleDatabase(folder)
    # Random over the releases of this collection, the same within one: a gate that passed passes again.
    settings.register_profile("gate", deadline=None, database=None, derandomize=True, suppress_health_check=slow)
    settings.register_profile(
        "search", deadline=None, database=database, max_examples=20_000, suppress_health_check=slow
    )
    settings.load_profile("gate")
