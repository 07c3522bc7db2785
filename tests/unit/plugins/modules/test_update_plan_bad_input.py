# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Invalid paths and options: one error that names all of them, through the module."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import data_of
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor
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

OVERRIDE = {"kind": "ConfigMap", "name": "a", "unmanaged": True}


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
    ("path", "code"),
    [
        (None, "missing-option"),
        ([], "path-too-short"),
        (["r4_13"], "path-too-short"),
    ],
)
def test_a_path_needs_two_releases(path, code, run, releases):
    expect(run(releases=path and [getattr(releases, name) for name in path]), ("releases", code))


@pytest.mark.parametrize(
    ("path", "wheres", "older"),
    [
        (["r4_14", "r4_13"], ["releases[1]"], "4.13.5 is older than 4.14.2"),
        (["r4_15", "r4_14", "r4_13"], ["releases[1]", "releases[2]"], "4.13.5 is older than 4.14.2"),
    ],
)
def test_a_downgrade_is_an_error_unless_it_is_allowed(path, wheres, older, run, releases):
    folders = [getattr(releases, name) for name in path]
    outcome = run(releases=folders)

    expect(outcome, *((where, "unexpected-downgrade") for where in wheres))
    assert older in outcome.message
    assert not run(releases=folders, allow_downgrade=True, fail_on="never").failed


@pytest.mark.parametrize(
    ("path", "where"),
    [
        (["r4_10", "r4_13"], "releases[0]"),
        (["r4_10", "r4_10"], "releases[0]"),
        (["r4_13", "r4_10", "r4_14"], "releases[1]"),
    ],
)
def test_a_path_can_only_end_in_a_release_without_capabilities(path, where, run, releases):
    outcome = run(releases=[getattr(releases, name) for name in path], allow_downgrade=True)

    expect(outcome, (where, "unsupported-version"))


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


def test_releases_that_do_not_exist_are_all_named(run, releases, tmp_path):
    missing = [str(tmp_path / name) for name in ("one", "two")]
    (tmp_path / "file").touch()
    outcome = run(releases=[releases.r4_13, *missing, str(tmp_path / "file"), 7])

    expect(
        outcome,
        ("releases[4]", "invalid-path"),
        *((path, "missing-directory") for path in missing),
        (str(tmp_path / "file"), "not-a-directory"),
    )


def test_an_error_in_a_release_is_reported_with_its_path(run, releases, tmp_path):
    files = {"a.yaml": "kind: [\n", "b.yaml": manifest("b") + "---\n" + manifest("b")}
    broken = str(write_release(tmp_path, files, "4.14.0"))
    found = run(releases=[releases.r4_13, broken]).errors

    assert [item["where"].partition(", document")[0] for item in found] == [
        f"{broken}: release-manifests/{name}" for name in ("a.yaml", "b.yaml")
    ]


@pytest.mark.parametrize("position", [0, 1])
def test_a_flat_directory_without_its_version(position, run, releases, flat):
    path = list(releases.hop)
    path[position] = flat

    expect(
        run(releases=path),
        (flat, "missing-version"),
    )
    assert "openshift_version: X.Y.Z" in run(releases=path).message


def test_a_flat_directory_of_several_clusters_is_reported_once_with_their_names(run, releases, flat):
    clusters = [{"name": name, "releases": [flat, releases.r4_14]} for name in ("berlin", "paris")]

    expect(
        run(clusters=clusters),
        (f"clusters[0] (berlin), clusters[1] (paris): {flat}", "missing-version"),
    )


@pytest.mark.parametrize(("version", "agrees"), [("4.13", True), ("4.13.7", True), ("4.13.0-rc.1", True)])
def test_a_flat_directory_with_its_version(version, agrees, run, releases, flat):
    outcome = run(releases=[{"release": flat, "openshift_version": version}, releases.r4_14], capabilities=NOTHING)

    assert outcome["releases"] == [version, "4.14.2"]
    assert outcome["enabled_capabilities"] == ["DeploymentConfig", "MachineAPI"]


def test_a_version_that_disagrees_with_the_release(run, releases):
    outcome = run(releases=[{"release": releases.r4_13, "openshift_version": "4.12"}, releases.r4_14])

    assert "4.12" in outcome.message
    assert releases.r4_13 in outcome.errors[0]["where"]


@pytest.mark.parametrize(
    ("options", "where", "code"),
    [
        ({"capabilities": {}, "enabled_capabilities": []}, "capabilities", "conflicting-options"),
        (
            {"capabilities": {"baselineCapabilitySet": "vcurrent"}},
            "capabilities.baselineCapabilitySet",
            "unknown-capability-set",
        ),
        ({"capabilities": {"baselineSet": "None"}}, "capabilities.baselineSet", "unknown-field"),
        # Known to the second release and not to the first
        (
            {"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["MachineAPI"]}},
            "capabilities.additionalEnabledCapabilities[0]",
            "unknown-capability",
        ),
        (
            {"capabilities": {"baselineCapabilitySet": "v4.14"}},
            "capabilities.baselineCapabilitySet",
            "unknown-capability-set",
        ),
        ({"feature_gates": ["A", "A=false"]}, "feature_gates[1]", "conflicting-feature-gate"),
        ({"platform": ""}, "platform", "unknown-platform"),
        ({"always_enabled_capabilities": ["console"]}, "always_enabled_capabilities", "unknown-capability"),
        ({"overrides": [{**OVERRIDE, "unmanaged": "yes"}]}, "overrides[0].unmanaged", "not-a-boolean"),
        ({"overrides": [{**OVERRIDE, "nam": "x"}]}, "overrides[0].nam", "unknown-field"),
        ({"overrides": [OVERRIDE, {**OVERRIDE, "kind": 7}]}, "overrides[1].kind", "not-a-string"),
    ],
)
def test_invalid_options(options, where, code, run):
    expect(run(**options), (where, code))


@pytest.mark.parametrize(
    "options",
    [
        {"capabilities": "None"},
        {"overrides": ["x"]},
        {"live_resources": [7]},
        {"details": "perhaps"},
        {"colour": "red"},
    ],
)
def test_options_of_another_type_are_rejected_by_name(options, run):
    assert next(iter(options)) in run(**options).message


def test_a_feature_set_that_a_later_release_does_not_have(call, tmp_path):
    path = [str(write_release(tmp_path / v, {"a.yaml": manifest("a")}, v)) for v in ("4.15.1", "4.16.1")]

    expect(
        call(update_plan, releases=path, feature_set="LatencySensitive"), ("4.16.1: feature_set", "unknown-feature-set")
    )


def test_a_feature_set_that_no_release_of_the_path_has_is_reported_for_each(run):
    expect(
        run(feature_set="DevPreviewNoUpgrade"),
        *((f"{version}: feature_set", "unknown-feature-set") for version in ("4.13.5", "4.14.2")),
    )


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


def test_all_errors_are_reported_together(run, releases):
    outcome = run(releases=releases.hop[::-1], capabilities={"baselineCapabilitySet": "none"}, platform="asw")

    assert {item["where"] for item in outcome.errors} == {
        "capabilities.baselineCapabilitySet",
        "platform",
        "releases[1]",
    }


def test_two_files_with_one_resource_both_count(call, tmp_path):
    path = [
        write_release(tmp_path / "a", {"a.yaml": manifest("one")}, "4.14.1"),
        write_release(
            tmp_path / "b", {"a.yaml": manifest("one", "Build"), "b.yaml": manifest("one", "Console")}, "4.14.2"
        ),
    ]
    outcome = call(update_plan, releases=list(map(str, path)), capabilities=NOTHING)

    (hop,) = outcome["hops"]
    files = {item["name"]: [one["to_file"] for one in item["resources"]] for item in hop["implicitly_enabled"]}
    assert files == {"Build": ["release-manifests/a.yaml"], "Console": ["release-manifests/b.yaml"]}


def test_a_profile_that_no_manifest_names_is_an_error_for_each_release(run):
    outcome = run(cluster_profile="hypershift")

    expect(outcome, *((f"{version}: cluster_profile", "unknown-profile") for version in ("4.13.5", "4.14.2")))


def test_names_of_an_unknown_minor_come_from_its_release(call, tmp_path):
    names = ["Brand", "Console", "Ingress"]
    old, new = {"a.yaml": manifest("one")}, {"a.yaml": manifest("one", "Brand"), "b.yaml": cluster_version_crd(names)}
    path = [str(write_release(tmp_path / v, files, v)) for v, files in {"5.2.0": old, "9.9.0": new}.items()]
    outcome = call(update_plan, releases=path, capabilities=NOTHING)

    assert outcome["known_capabilities"] == names
    assert outcome["implicitly_enabled_capabilities"] == ["Brand", "Ingress"]
    assert outcome.problem("unknown-version")["severity"] == "warning"


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


def test_a_relative_path_is_that_of_the_working_directory(run, releases, monkeypatch):
    monkeypatch.chdir(Path(releases.r4_13).parent)

    assert run(releases=["4.13.5", "./4.14.2"])["releases"] == ["4.13.5", "4.14.2"]
