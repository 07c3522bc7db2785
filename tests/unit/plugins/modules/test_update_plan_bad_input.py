# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Invalid paths and options: one error that names all of them, through the module."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.modules import release_manifests, update_plan
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    cluster_version_crd,
    feature_gate,
    manifest,
    write_files,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import (
    FILES_4_13,
    NOTHING,
)
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome


@pytest.fixture(scope="module")
def flat(tmp_path_factory) -> str:
    """A directory of manifests without a version."""
    return str(write_files(tmp_path_factory.mktemp("flat"), FILES_4_13))


def expect(outcome: Outcome, *expected: tuple[str, str]) -> None:
    """Check that ``outcome`` has exactly these errors: location and code of each, and a hint or an expectation."""
    assert [(item["where"], item["code"]) for item in outcome.errors] == list(expected)
    assert all(item["hint"] or "expected" in item["message"] for item in outcome.errors)
    assert len(expected) == 1 or outcome.message.startswith(f"{len(expected)} problems were found:\n- ")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (7, [("", "invalid-path")]),
        (4.14, [("", "invalid-path")]),
        (None, [("", "invalid-path")]),
        (True, [("", "invalid-path")]),
        ("", [("", "invalid-path")]),
        (["r4_14"], [("", "invalid-path")]),
        ({}, [("", "invalid-path")]),
        ({"release": None}, [("", "invalid-path")]),
        ({"release": 7}, [("", "invalid-path")]),
        # A misspelled field is not also reported as missing
        ({"releas": "x"}, [(".releas", "unknown-field")]),
        ({"releas": "x", "version": "4.14"}, [(".releas", "unknown-field"), (".version", "unknown-field")]),
        ({"release": 7, "openshift_version": "x", "v": 1}, [(".v", "unknown-field")]),
        ({"release": "r4_14", "version": "4.14"}, [(".version", "unknown-field")]),
        ({"release": "r4_14", "openshift_version": 4.2}, [(".openshift_version", "invalid-version")]),
        ({"release": "r4_14", "openshift_version": "x"}, [(".openshift_version", "invalid-version")]),
        ({"release": "r4_14", "openshift_version": []}, [(".openshift_version", "invalid-version")]),
    ],
)
def test_an_invalid_release(given, expected, run, releases):
    if isinstance(given, dict) and given.get("release") == "r4_14":
        given = {**given, "release": releases.r4_14}
    outcome = run(releases=[releases.r4_13, given])

    expect(outcome, *((f"releases[1]{where}", code) for where, code in expected))


def test_an_error_in_a_release_is_reported_with_its_path(run, releases, tmp_path):
    files = {"a.yaml": "kind: [\n", "b.yaml": manifest("b") + "---\n" + manifest("b")}
    broken = str(write_release(tmp_path, files, "4.14.0"))
    found = run(releases=[releases.r4_13, broken]).errors

    assert [item["where"].partition(", document")[0] for item in found] == [
        f"{broken}: release-manifests/{name}" for name in ("a.yaml", "b.yaml")
    ]


def test_a_flat_directory_of_several_clusters_is_reported_once_with_their_names(run, releases, flat):
    clusters = [{"name": name, "releases": [flat, releases.r4_14]} for name in ("berlin", "paris")]

    expect(run(clusters=clusters), (f"clusters[0] (berlin), clusters[1] (paris): {flat}, version", "missing-version"))


@pytest.mark.parametrize(("version", "agrees"), [("4.13", True), ("4.13.7", True), ("4.13.0-rc.1", True)])
def test_a_flat_directory_with_its_version(version, agrees, run, releases, flat):
    outcome = run(releases=[{"release": flat, "openshift_version": version}, releases.r4_14], capabilities=NOTHING)

    assert outcome["releases"] == [version, "4.14.2"]
    assert outcome["enabled_capabilities"] == ["DeploymentConfig", "MachineAPI"]


def test_all_invalid_options_are_reported_together(run):
    outcome = run(
        capabilities={"baselineCapabilitySet": 7},
        feature_set="x",
        feature_gates=["="],
        platform="y",
        overrides=[{"kind": "A", "unmanaged": True}],
        live_resources=[{"name": "a"}],
        known_capabilities=[],
    )

    assert sorted(item["where"] for item in outcome.errors) == [
        "capabilities.baselineCapabilitySet",
        "feature_gates[0]",
        "feature_set",
        "known_capabilities",
        "live_resources[0].kind",
        "overrides[0].name",
        "platform",
    ]


def test_a_name_that_only_the_release_has_is_no_reason_for_refused_writes(call, tmp_path):
    """A nightly has more names than the collection knows for its minor."""
    data = data_of(Minor(5, 1))
    assert data is not None
    known = sorted({*data.capabilities, "Monitoring"} - {"ClusterAPI", "CompatibilityRequirements"})
    monitoring = {f"0000_50_monitoring_{number:02}.yaml": manifest(f"m{number}", "Monitoring") for number in range(11)}
    before = {name: manifest(f"m{number}") for number, name in enumerate(monitoring)}
    gates = {"a.yaml": feature_gate([])}
    nightly = {**gates, **monitoring, "b.yaml": cluster_version_crd(known)}
    path = [
        str(write_release(tmp_path / version, files, version))
        for version, files in {"5.0.3": {**gates, **before}, "5.1.0-0.nightly-2026-07-01-000000": nightly}.items()
    ]
    outcome = call(update_plan, releases=path, capabilities=NOTHING)
    decided = call(release_manifests, release=path[1], decisions=True)

    (hop,) = outcome["hops"]
    assert hop["removed"] == []
    assert outcome["implicitly_enabled_capabilities"] == ["Ingress", "Monitoring"]
    assert [item["code"] for item in outcome["problems"]] == ["different-capabilities"]
    assert sum(item["included"] for item in decided["decisions"] if item["capabilities"] == ["Monitoring"]) == 11
    assert decided.problem("different-capabilities")["severity"] == "warning"


def test_an_unknown_minor_needs_its_crd(call, tmp_path):
    path = [str(write_release(tmp_path / v, {"a.yaml": manifest("one")}, v)) for v in ("5.2.0", "9.9.0")]
    expect(call(update_plan, releases=path), (path[1], "unknown-version"))


def errors(outcome: Outcome) -> dict[str, str]:
    """Return location and code of each error, after checking that each has a hint or an expectation."""
    found = outcome.errors
    assert all(item["hint"] or "expected" in item["message"] for item in found)
    assert len({item["where"] for item in found}) == len(found)
    return {item["where"]: item["code"] for item in found}


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        ({}, "name"),
        ({"name": "a", "capabilties": {}}, "capabilties"),
        ({"name": "a", "Platform": "aws"}, "Platform"),
        ({"name": "a", "capabilities": "x"}, "capabilities"),
        ({"name": "a", "hosted_control_plane": "perhaps"}, "hosted_control_plane"),
        ({"name": "a", "overrides": ["x"]}, "overrides"),
        ({"name": "a", "live_resources": [7]}, "live_resources"),
        ({"name": "a", "rule": "manifests"}, "rule"),
    ],
)
def test_ansible_checks_the_options_of_a_cluster(entry, part, run):
    assert part in run(clusters=[{"name": "fine"}, entry]).message


def test_errors_of_several_clusters_are_reported_together_with_their_names(run, releases, tmp_path):
    missing = tmp_path / "missing"
    wrong: dict[str, tuple[dict[str, Any], str]] = {
        "berlin": ({"capabilities": {"baselineCapabilitySet": "none"}}, "capabilities.baselineCapabilitySet"),
        "paris": ({"platform": "asw"}, "platform"),
        "rome": ({"releases": releases.hop[::-1]}, "releases[1]"),
        "oslo": ({"feature_set": "Tech"}, "feature_set"),
        "bern": ({"cluster_version": str(missing)}, f"cluster_version ({missing})"),
        "bonn": ({"live_resources": [{"kind": "A"}]}, "live_resources[0].name"),
        "wien": ({"overrides": [{"kind": "A", "unmanaged": True}]}, "overrides[0].name"),
        "prag": ({"feature_gates": ["A=x"]}, "feature_gates[0]"),
    }
    outcome = run(clusters=[{"name": "fine"}, *({"name": name, **fields} for name, (fields, _where) in wrong.items())])

    expected = [
        f"clusters[{index}] ({name}): {where}" for index, (name, (_fields, where)) in enumerate(wrong.items(), 1)
    ]
    assert list(errors(outcome)) == expected
    assert outcome.message.startswith("8 problems were found:\n- ")
