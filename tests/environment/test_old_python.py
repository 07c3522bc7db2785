# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each module on a host whose Python is too old. ``tests/unit/test_old_python.py`` needs no such Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from environment import find_python

from ansible_collections.capability.openshift.tests.unit.test_old_python import interpreter, outcomes

MODULES = sorted(path.stem for path in (Path(__file__).parents[2] / "plugins" / "modules").glob("*.py"))
OLD = next(filter(None, map(find_python, ("3.8", "3.9", "3.10"))), None)
"""The oldest that is installed. ansible-core itself rejects those before."""

pytestmark = pytest.mark.deep
__test__ = OLD is not None
"""Without an older Python these tests do not exist, because a skipped test fails the gate."""


def test_each_module_ends_with_a_sentence_on_an_older_python(tmp_path: Path) -> None:
    assert OLD is not None
    names = [name for name in MODULES if name != "validate_arguments"]
    for name, result in outcomes(tmp_path, interpreter(tmp_path, OLD), *names).items():
        assert [item["code"] for item in result["problems"]] == ["old-python"], name
