# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every shell command of README and documentation is run, or a table names the reason.

Those for a cluster run in ``tests/cluster/test_snippets.py``.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import reported
from ansible_collections.capability.openshift.tests.unit.builders.example_files import write_all
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files, write_release
from ansible_collections.capability.openshift.tests.unit.builders.request_counts import cluster_version, request_count
from ansible_collections.capability.openshift.tests.unit.builders.snippets import ROOT, SHELL, WHERE, Desk, snippets

pytestmark = pytest.mark.deep

ALL = snippets(*SHELL)
HERE = list({snippet.text: snippet for snippet in ALL if snippet.where is None}.values())
FAILING = {
    ("docs/how_to/check_an_operator.md", "operator_check"): "Backup",
    ("docs/how_to/plan_an_update.md", "forbidden_capabilities=Console,Insights"): "enables Insights because of",
    ("examples/sites/README.md", "# report"): "7 errors in 5 sites",
    ("examples/sites/README.md", "diff -r"): "marketplace",
}
"""Commands that fail on purpose, by their page and a part of them, and what they print."""

INVENTORY = {
    "sites": {
        "hosts": {"berlin": None},
        "vars": {
            "ansible_connection": "local",
            "openshift_version": "4.20",
            "capabilities": {"baselineCapabilitySet": "v4.18"},
            "path": "install-config.yaml",
            "content": {
                "apiVersion": "v1",
                "baseDomain": "example.com",
                "platform": {"none": {}},
                "pullSecret": {"auths": {"registry.example": {"auth": "dTpw"}}},
            },
        },
    }
}


def write_desk(folder: Path) -> None:
    """Write what the pages take for granted."""
    write_all(folder)
    for version in ("4.13.0", "4.14.0"):
        write_release(
            folder / "srv" / "releases" / version, {"0000_50_console_01.yaml": manifest("a", "Console")}, version
        )
    shutil.copytree(ROOT / "examples" / "releases" / "4.22.0", folder / "srv" / "releases" / "4.22.0")
    objects = {"map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n"}
    for name in ("site/source-crs", "source-crs", "extra-manifests"):
        write_files(folder / name, objects)
    shutil.copytree(folder / "bundle" / "manifests", folder / "bundle" / "more")
    items = [request_count("builds.v1.config.openshift.io"), cluster_version("Storage")]
    files = {
        "clusterversion.yaml": json.dumps(reported("4.13.0")),
        "cv.yaml": json.dumps(reported("4.13.0")),
        "counts.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": items}),
        "lint-baseline.json": json.dumps({"version": 1, "findings": []}),
        "known.json": json.dumps({"version": 1, "findings": []}),
        "pull-secret.json": json.dumps({"auths": {"registry.example": {"auth": "dTpw"}}}),
    }
    write_files(folder, files)
    (folder / "srv" / "pull-secret.json").write_text(files["pull-secret.json"], "utf-8")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all desks have."""
    folder = tmp_path_factory.mktemp("desk")
    write_desk(folder)
    return folder


@pytest.mark.parametrize("page", sorted({snippet.page for snippet in HERE}))
def test_the_commands_of_a_page_run(page: str, files: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(files, tmp_path / "desk"))
    desk = Desk(folder, page)
    if page.endswith("select_capabilities.md"):
        shutil.rmtree(folder / "sites")
        write_files(folder / "sites", {"hosts.yml": json.dumps(INVENTORY)})
    for snippet in HERE:
        if snippet.page == page:
            desk.run(snippet, FAILING)


def test_the_steps_of_a_workflow_run(files: Path, tmp_path: Path) -> None:
    """Those without an action. ``test_check_in_ci.py`` has the others."""
    found = [snippet for snippet in snippets("yaml") if re.search("(?m)^- run:", snippet.text)]
    assert [snippet.page for snippet in found] == ["docs/how_to/lint_a_release.md"]
    for snippet in found:
        desk = Desk(Path(shutil.copytree(files, tmp_path / "desk")), snippet.page)
        check, show = yaml.safe_load(snippet.text)
        assert desk.end(f"set -e; {check['run']}").returncode == 2
        assert desk.end(show["run"]).stdout.startswith("::error ")
        assert (desk.folder / "lint.sarif").is_file()


def test_each_entry_is_that_of_a_block_and_names_tests_that_exist() -> None:
    assert {snippet.key for snippet in ALL} - {None} == WHERE.keys()
    for reason in WHERE.values():
        for path in re.findall(r"tests/[\w/.]+", reason):
            assert (ROOT / path).exists(), path
