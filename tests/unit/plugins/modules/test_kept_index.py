# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Modules that check or count keep the index of a release, too, and their results are the same with it."""

from __future__ import annotations

import json
from time import time
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._release import index
from ansible_collections.capability.openshift.plugins.modules import (
    addon_check,
    capability_usage_info,
    release_lint,
    site_check,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files, write_release
from ansible_collections.capability.openshift.tests.unit.builders.request_counts import (
    Counted,
    cluster_version,
    hour,
    request_count,
)
from ansible_collections.capability.openshift.tests.unit.builders.sites import INSTALL_CONFIG, write_checkout

LINKS = "consolelinks.console.openshift.io"
FILES: dict[str, str | bytes] = {
    "a.yaml": manifest(LINKS, "Console", kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1"),
    "b.yaml": manifest("two", "Consle"),
}


@pytest.fixture(autouse=True)
def old_files(monkeypatch):
    """All files are old enough to keep an index of them."""
    later = time() + 60
    monkeypatch.setattr(index, "time", lambda: later)


def options_of(module: Any, tmp_path) -> dict[str, Any]:
    release = str(write_release(tmp_path / "release", FILES, "4.20.3"))
    if module is release_lint:
        return {"release": release, "fail_on": "never"}
    if module is site_check:
        write_checkout(tmp_path / "checkout", {"install-config.yaml": INSTALL_CONFIG})
        return {"checkout": tmp_path / "checkout", "releases": [release], "fail_on": "never"}
    if module is addon_check:
        return {"release": release, "addons": [release], "fail_on": "never"}
    counts = tmp_path / "counts.json"
    counted = hour([Counted("alice", {"get": 1})])
    objects = [request_count("consolelinks.v1.console.openshift.io", counted), cluster_version("Console")]
    counts.write_text(json.dumps({"kind": "List", "items": objects}))
    return {"release": release, "request_counts": counts, "capability_names": ["Console"]}


@pytest.mark.parametrize("module", [addon_check, release_lint, site_check, capability_usage_info])
def test_a_kept_index_is_read_and_changes_nothing(call, tmp_path, module):
    options = {**options_of(module, tmp_path), "release_cache": tmp_path / "cache"}
    first = call(module, **options)
    (kept,) = (tmp_path / "cache").glob("indexes*/*.index")
    written = kept.stat()
    second = call(module, **options)

    assert not first.failed, first.result
    assert second.result == first.result
    assert kept.stat().st_ino == written.st_ino, "the index was written again"
    assert kept.stat().st_mtime_ns > written.st_mtime_ns, "the index was not read"


def test_the_lint_finds_lines_with_a_kept_index(call, tmp_path):
    options = {**options_of(release_lint, tmp_path), "release_cache": tmp_path / "cache"}

    for _run in range(2):
        found = [(item["rule"], item["path"], item["line"]) for item in call(release_lint, **options)["findings"]]
        assert ("unknown-capability", "release-manifests/b.yaml", 7) in found


def test_the_lint_keeps_no_index_of_a_repository(call, tmp_path):
    directory = write_files(tmp_path / "manifests", {"a.yaml": manifest("one")})

    outcome = call(release_lint, release=directory, openshift_version="4.20", release_cache=tmp_path / "cache")

    assert not outcome.failed, outcome.result
    assert not (tmp_path / "cache").exists()
