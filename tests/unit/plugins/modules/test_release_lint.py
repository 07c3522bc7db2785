# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What release_lint returns. Its rules are tested in ``module_utils/_lint``."""

from __future__ import annotations

from ansible_collections.capability.openshift.plugins.modules import release_lint
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files


def test_a_finding_fails_the_module_and_has_everything(call, tmp_path):
    directory = write_files(tmp_path / "manifests", {"a.yaml": manifest("one", "Consle")})
    outcome = call(release_lint, release=directory, openshift_version="4.20")
    assert outcome.failed
    (finding,) = outcome["findings"]
    assert finding["resource"] == "ConfigMap one"
    assert finding["hint"] == "Did you mean Console?"
    assert (outcome["version"], outcome["manifests"]) == ("4.20", 1)


def test_a_checkout_returns_its_manifests(call, tmp_path):
    checkout = tmp_path / "checkout"
    write_files(checkout / "manifests", {"a.yaml": manifest("one", "Console")})
    outcome = call(release_lint, checkout=checkout, openshift_version="4.20")
    assert not outcome.failed
    (row,) = outcome["resources"]
    assert (row["file"], row["capabilities"], row["changes"]) == ("manifests/a.yaml", ["Console"], [])
    assert (outcome["removed"], outcome["manifests"]) == ([], 1)
    assert outcome["text"] == "No findings in 1 manifest; no update was checked\n"


def test_either_a_release_or_a_checkout(call, tmp_path):
    write_files(tmp_path, {"a.yaml": manifest("one")})
    for options in ({}, {"release": tmp_path, "checkout": tmp_path}, {"release": tmp_path, "base": "main"}):
        assert call(release_lint, openshift_version="4.20", **options).failed
