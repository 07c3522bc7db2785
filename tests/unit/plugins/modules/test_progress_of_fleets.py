# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What modules pass to their action plugin while they work on many clusters, releases or files."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._module.progress import VARIABLE
from ansible_collections.capability.openshift.plugins.modules import install_config, site_check, update_plan
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release

NAMES = ("oslo", "rome", "paris")


@pytest.fixture
def shown(monkeypatch, tmp_path):
    """Return what was passed so far."""
    file = tmp_path / "progress"
    file.touch()
    monkeypatch.setenv(VARIABLE, str(file))
    return lambda: file.read_text("utf-8").splitlines()


def test_install_configs_of_a_fleet(call, shown, tmp_path):
    clusters = [{"name": name, "capabilities": {"baselineCapabilitySet": "None"}} for name in NAMES]
    call(install_config, clusters=clusters, openshift_version="4.20")
    assert shown() == ["0 of 3 clusters", "1 of 3 clusters", "2 of 3 clusters", ""]


def test_plans_of_a_fleet_and_their_releases(call, shown, tmp_path):
    for version in ("4.20.1", "4.21.0"):
        write_release(tmp_path / version, {"a.yaml": manifest("one")}, version)
    clusters = [{"name": name, "capabilities": {"baselineCapabilitySet": "None"}} for name in NAMES]
    call(update_plan, clusters=clusters, releases=[str(tmp_path / "4.20.1"), str(tmp_path / "4.21.0")])
    releases = ["0 of 2 releases", "1 of 2 releases", ""]
    assert shown() == [*releases, "0 of 3 clusters", "1 of 3 clusters", "2 of 3 clusters", ""]


def test_sites_of_a_checkout(call, shown, tmp_path):
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / "checkout").mkdir(exist_ok=True)
        (tmp_path / "checkout" / name).write_text("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n")
    call(site_check, checkout=str(tmp_path / "checkout"))
    assert shown() == [
        "1 files of the checkout are read",
        "2 files of the checkout are read",
        "0 of 2 files are checked",
        "1 of 2 files are checked",
        "",
    ]
