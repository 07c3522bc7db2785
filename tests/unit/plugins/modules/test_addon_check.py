# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What addon_check returns. Its rules are tested in ``module_utils/_addons``."""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.plugins.modules import addon_check
from ansible_collections.capability.openshift.tests.unit.builders.addons import (
    LINK,
    NAMESPACE,
    ONLY_OLM,
    RELEASE_FILES,
    bundle,
    csv,
    documents,
    thing,
    write_addon,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import write_release


@pytest.fixture
def release(tmp_path):
    return str(write_release(tmp_path / "release", RELEASE_FILES))


def test_a_finding_fails_the_module_and_has_everything(call, tmp_path, release):
    path = bundle(tmp_path / "bundle", csv(), LINK)
    outcome = call(addon_check, addons=[path, path], release=release)
    assert outcome.failed
    (finding,) = outcome["findings"]
    assert (finding["path"], finding["line"]) == ("manifests/1.yaml", 2)
    assert (outcome["version"], outcome["every_selection"]) == ("4.20.3", True)
    assert outcome["enabled_capabilities"] == ["Ingress"]
    assert outcome["counts"] == {"error": 1, "warning": 0, "info": 0}
    assert outcome["text"].endswith("1 error in 2 objects\n")
    (repair,) = outcome["repairs"]
    assert (repair["capabilities"], repair["manifests"]) == (["Console"], 4)
    assert [row["verdict"] for row in outcome["objects"]] == ["fine", "error"]


def test_a_selection_a_baseline_and_outputs(call, tmp_path, release):
    objects = documents(NAMESPACE, thing("ConfigMap"), LINK)
    path = write_addon(tmp_path / "addon", {"a.yaml": objects, "b.yaml": "a: ["})
    sarif, baseline = tmp_path / "out" / "addons.sarif", tmp_path / "known.json"
    files = {"outputs": [f"sarif:{sarif}"], "baseline": str(baseline)}
    options = {"addons": [path], "release": release, "capabilities": ONLY_OLM, "relative_to": str(tmp_path)}
    first = call(addon_check, **options, **files, update_baseline=True, check=True)
    assert not first.failed
    assert first["changed"]
    assert not sarif.exists()
    assert not call(addon_check, **options, **files, update_baseline=True).failed
    again = call(addon_check, **options, **files)
    assert (again.failed, again["baselined"], again["changed"]) == (False, 2, False)
    assert again["text"].endswith("; 1 file was not checked completely\n")
    result, _broken = json.loads(sarif.read_text())["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "addon/a.yaml"
    assert not again["every_selection"]


def test_all_mistakes_of_a_call_at_once(call, tmp_path, release):
    names = [str(tmp_path / name) for name in ("one", "two")]
    assert call(addon_check, addons=names, release=release).faults == [
        ("missing-path", "addons[0]"),
        ("missing-path", "addons[1]"),
    ]
    path = write_addon(tmp_path / "addon", {"a.yaml": documents(LINK)})
    wrong = {"baselineCapabilitySet": "v9.9", "additionalEnabledCapabilities": ["console"]}
    faults = call(addon_check, addons=[path], release=release, capabilities=wrong).faults
    assert [code for code, _where in faults] == ["unknown-capability-set", "unknown-capability"]


def test_the_status_of_a_cluster_stands_for_a_selection(call, tmp_path, release):
    path = write_addon(tmp_path / "addon", {"a.yaml": documents(LINK)})
    status = {"enabled_capabilities": ["Console"], "known_capabilities": ["Console", "Build"]}
    assert not call(addon_check, addons=[path], release=release, **status).failed
