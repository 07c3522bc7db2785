# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A directory that files come from."""
    path = tmp_path / "source"
    path.mkdir()
    return path


@pytest.fixture
def dest(tmp_path: Path) -> Path:
    """A directory that is not there yet."""
    return tmp_path / "dest"
