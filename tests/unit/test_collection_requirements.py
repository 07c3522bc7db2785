# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a program can decide of the requirements for collections in the package ansible, and no other step decides.

docs/reference/collection_requirements.md lists all of them.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GALAXY = yaml.safe_load((ROOT / "galaxy.yml").read_text("utf-8"))
PLUGIN_TYPES = {"action", "doc_fragments", "filter", "lookup", "module_utils", "modules", "plugin_utils", "test"}
QUERIES = {"get", "query", "list", "info", "gathered"}
LARGEST = 1_000_000
PUBLIC = sorted(path for kind in ("modules", "filter", "test") for path in (ROOT / "plugins" / kind).glob("[!_]*.py"))


def documentation(path: Path) -> dict:
    return yaml.safe_load(path.read_text("utf-8").partition('DOCUMENTATION = r"""')[2].partition('"""')[0])


def test_galaxy_yml_has_tags_and_lower_bounds_of_dependencies():
    assert 1 <= len(GALAXY["tags"]) <= 20
    assert all(re.match(r">=[1-9]\d*\.\d+\.\d+,<", bounds) for bounds in GALAXY["dependencies"].values())


def test_plugins_have_only_types_that_the_package_allows():
    folders = {path.name for path in (ROOT / "plugins").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == PLUGIN_TYPES


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.stem)
def test_each_plugin_documents_the_oldest_python(path):
    about = documentation(path)
    if path.parent.name == "modules":
        assert "capability.openshift._attributes" in about["extends_documentation_fragment"]
    else:
        assert "python >= 3.11" in about["requirements"]


@pytest.mark.parametrize("path", [path for path in PUBLIC if path.parent.name == "modules"], ids=lambda path: path.stem)
def test_no_state_of_a_module_only_queries(path):
    state = documentation(path)["options"].get("state") or {}
    assert QUERIES.isdisjoint(state.get("choices", ()))


def test_the_repository_has_no_large_file():
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / name for name in listing.split("\0") if name]
    assert files
    assert [path for path in files if path.is_file() and path.stat().st_size > LARGEST] == []
