# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._lint.lint import LintOptions, lint
from ansible_collections.capability.openshift.plugins.module_utils._lint.source import LintSource, read_source
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files, write_release

Brief = list[tuple[str, str, str, int]]
Lint = Callable[..., tuple[Problem, ...]]
Check = Callable[..., Brief]


def run_lint(source: LintSource, previous: LintSource | None = None, **options: Any) -> tuple[Problem, ...]:
    return lint(source, previous, LintOptions(**options), Problems())


def brief(findings: tuple[Problem, ...]) -> Brief:
    """Rule, severity, file and line of each finding."""
    return [(item.code, item.severity, item.where.source, item.where.line) for item in findings]


@pytest.fixture
def findings(tmp_path: Path) -> Lint:
    """Lint a directory with ``files``, or with one file."""

    def findings(files: dict[str, str | bytes] | str, version: str = "4.20", **options: Any) -> tuple[Problem, ...]:
        files = {"a.yaml": files} if isinstance(files, str) else files
        return run_lint(read_source(str(write_files(tmp_path / "manifests", files)), version), **options)

    return findings


@pytest.fixture
def check(findings: Lint) -> Check:
    """Lint a directory with ``files``, and return rule, severity, file and line of each finding."""

    def check(files: dict[str, str | bytes] | str, **options: Any) -> Brief:
        return brief(findings(files, **options))

    return check


@pytest.fixture
def update(tmp_path: Path) -> Check:
    """Lint the update from the release ``before`` to ``after``, and return the findings of the update."""

    def update(before: str, after: str, versions: tuple[str, str] = ("4.19.1", "4.20.1"), **options: Any) -> Brief:
        keep = {"z.yaml": manifest("kept")}
        old = write_release(tmp_path / "old", {"a.yaml": before, **keep}, versions[0])
        new = write_release(tmp_path / "new", {"a.yaml": after, **keep} if after else keep, versions[1])
        found = run_lint(read_source(str(new), None), read_source(str(old), None), **options)
        return [item for item in brief(found) if item[0] != "unused-capability"]

    return update
