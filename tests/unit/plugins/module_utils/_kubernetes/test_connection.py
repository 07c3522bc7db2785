# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import connection


@pytest.mark.parametrize(("open_files", "names"), [("/proc/self/fd", 0), ("/nowhere", 1)])
def test_a_certificate_of_a_kubeconfig_is_in_a_file_while_it_is_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, open_files: str, names: int
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(connection, "_OPEN_FILES", open_files)
    with connection._as_file(b"PEM") as path:
        assert (Path(path).read_bytes(), Path(path).stat().st_mode & 0o777) == (b"PEM", 0o600)
        assert len(list(tmp_path.iterdir())) == names
    assert list(tmp_path.iterdir()) == []
