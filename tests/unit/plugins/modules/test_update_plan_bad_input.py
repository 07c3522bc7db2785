# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a bad path, bad facts and bad clusters get: one error that names all of it, through the module."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    cluster_version_crd,
    manifest,
    write_files,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import (
    FILES_4_13,
    NOTHING,
    cluster_version,
)
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

PATH_MEND = "Write PATH, or {release: PATH, openshift_version: X.Y.Z}"
ORDER_MEND = "or set allow_downgrade"
TWO_MEND = "Name the release that the cluster runs, then those it goes to"
OVERRIDE = {"kind": "ConfigMap", "name": "a", "unmanaged": True}


@pytest.fixture(scope="module")
def flat(tmp_path_factory) -> str:
    """A directory of manifests that does not tell its version."""
    return str(write_files(tmp_path_factory.mktemp("flat"), FILES_4_13))


def errors(outcome: Outcome) -> list[tuple[str, str]]:
    """Return place and text of each error, having checked that the message has them all."""
    found = outcome.errors
    assert all(item["hint"] or "expected" in item["message"] for item in found)
    assert len(found) == 1 or outcome.message.startswith(f"{len(found)} problems were found:\n- ")
    return [(item["where"], f"{item['message']}. {item['hint']}") for item in found]


def expect(outcome: Outcome, *expected: tuple[str, str]) -> None:
    """Check that ``outcome`` is these errors and no other: their places, and parts of what they say."""
    found = errors(outcome)
    assert [where for where, _text in found] == [where for where, _part in expected]
    for (_where, text), (_same, part) in zip(found, expected, strict=True):
        assert part in text


@pytest.mark.parametrize(
    ("path", "part"),
    [
        (None, "is missing. Give the path: directories of releases, current first"),
        ([], f"names no releases, expected two or more. {TWO_MEND}"),
        (["r4_13"], f"names 1 release, expected two or more. {TWO_MEND}"),
    ],
)
def test_a_path_needs_two_releases(path, part, run, releases):
    expect(run(releases=path and [getattr(releases, name) for name in path]), ("releases", part))


@pytest.mark.parametrize(
    ("path", "wheres", "part"),
    [
        (["r4_13", "r4_13"], ["releases[1]"], "4.13.5 is the same version as the one before"),
        (["r4_14", "r4_13"], ["releases[1]"], "4.13.5 is older than 4.14.2"),
        (["r4_15", "r4_14", "r4_13"], ["releases[1]", "releases[2]"], "4.13.5 is older than 4.14.2"),
        (["r4_13", "r4_15", "r4_14"], ["releases[2]"], "4.14.2 is older than 4.15.0"),
        (["r4_13", "r4_10"], ["releases[1]"], "4.10.9 is older than 4.13.5"),
    ],
)
def test_a_downgrade_is_an_error_unless_it_is_allowed(path, wheres, part, run, releases):
    folders = [getattr(releases, name) for name in path]
    outcome = run(releases=folders)

    assert [where for where, _text in errors(outcome)] == wheres
    assert part in outcome.message
    assert outcome.message.count(ORDER_MEND) == len(wheres)
    assert not run(releases=folders, allow_downgrade=True).failed


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

    expect(outcome, (where, "4.10.9 has no capabilities, they began with 4.11. A path can only end in such a release"))


def test_a_path_that_skips_minors_is_a_warning(run, releases):
    problem = run(releases=[releases.r4_13, releases.r4_15]).problem("a cluster passes every minor")

    assert (problem["severity"], problem["where"]) == ("warning", "releases[1]")
    assert problem["message"].startswith("goes from 4.13 to 4.15;")
    assert problem["hint"] == "Name a release of each minor on the way"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (7, [("", "is 7, expected the directory of an extracted release")]),
        (4.14, [("", "is 4.14, expected the directory of an extracted release")]),
        (None, [("", f"is None, expected the directory of an extracted release. {PATH_MEND}")]),
        (True, [("", "is True, expected the directory")]),
        ("", [("", "is '', expected the directory")]),
        (["r4_14"], [("", "is ['r4_14'], expected the directory")]),
        ({}, [("", "is None, expected the directory")]),
        ({"release": None}, [("", "is None, expected the directory")]),
        ({"release": 7}, [("", "is 7, expected the directory")]),
        # What a misspelled field would have said is not missed as well
        ({"releas": "x"}, [(".releas", "Did you mean release?")]),
        ({"releas": "x", "version": "4.14"}, [(".releas", "Did you mean release?"), (".version", "is not a field of")]),
        ({"release": 7, "openshift_version": "x", "v": 1}, [(".v", "is not a field of a release")]),
        ({"release": "r4_14", "version": "4.14"}, [(".version", "is not a field of a release")]),
        ({"release": "r4_14", "openshift_version": 4.2}, [(".openshift_version", 'so write "4.20"')]),
        ({"release": "r4_14", "openshift_version": "x"}, [(".openshift_version", "Write it as 4.20 or 4.20.3")]),
        ({"release": "r4_14", "openshift_version": []}, [(".openshift_version", "is not a version of OpenShift")]),
    ],
)
def test_a_release_that_is_named_wrongly(given, expected, run, releases):
    if isinstance(given, dict) and given.get("release") == "r4_14":
        given = {**given, "release": releases.r4_14}
    outcome = run(releases=[releases.r4_13, given])

    expect(outcome, *((f"releases[1]{where}", part) for where, part in expected))


def test_releases_that_do_not_exist_are_all_named(run, releases, tmp_path):
    missing = [str(tmp_path / name) for name in ("one", "two")]
    (tmp_path / "file").touch()
    outcome = run(releases=[releases.r4_13, *missing, str(tmp_path / "file"), 7])

    expect(
        outcome,
        ("releases[4]", "is 7"),
        *((path, "does not exist, expected a directory. Name a directory") for path in missing),
        (str(tmp_path / "file"), "is a file, expected a directory"),
    )


def test_what_is_wrong_in_a_release_is_named_with_its_path(run, releases, tmp_path):
    files = {"a.yaml": "kind: [\n", "b.yaml": manifest("b") + "---\n" + manifest("b")}
    broken = str(write_release(tmp_path, files, "4.14.0"))
    found = errors(run(releases=[releases.r4_13, broken]))

    assert [where.partition(", document")[0] for where, _text in found] == [
        f"{broken}: release-manifests/{name}" for name in ("a.yaml", "b.yaml")
    ]


@pytest.mark.parametrize("position", [0, 1])
def test_a_flat_directory_without_its_version(position, run, releases, flat):
    path = list(releases.hop)
    path[position] = flat

    expect(
        run(releases=path),
        (flat, "no version is given; capabilities, sets and rules depend on it. Extract the release"),
    )
    assert "openshift_version: X.Y.Z" in run(releases=path).message


def test_a_flat_directory_of_several_clusters_is_reported_once_with_their_names(run, releases, flat):
    clusters = [{"name": name, "releases": [flat, releases.r4_14]} for name in ("berlin", "paris")]
    part = "no version is given; capabilities, sets and rules depend on it"

    expect(
        run(clusters=clusters),
        (f"clusters[0] (berlin), clusters[1] (paris), {flat}", part),
    )


@pytest.mark.parametrize(("version", "agrees"), [("4.13", True), ("4.13.7", True), ("4.13.0-rc.1", True)])
def test_a_flat_directory_with_its_version(version, agrees, run, releases, flat):
    outcome = run(releases=[{"release": flat, "openshift_version": version}, releases.r4_14], capabilities=NOTHING)

    assert outcome["releases"] == [version, "4.14.2"]
    assert outcome["enabled_capabilities"] == ["DeploymentConfig", "MachineAPI"]


def test_a_version_that_disagrees_with_the_release(run, releases):
    outcome = run(releases=[{"release": releases.r4_13, "openshift_version": "4.12"}, releases.r4_14])

    assert "4.12" in outcome.message
    assert releases.r4_13 in errors(outcome)[0][0]


@pytest.mark.parametrize(
    ("options", "where", "part"),
    [
        (
            {"capabilities": NOTHING, "cluster_version": cluster_version()},
            "capabilities",
            "is given beside cluster_version. Keep one",
        ),
        (
            {"capabilities": {}, "enabled_capabilities": []},
            "capabilities",
            "cannot be combined with enabled_capabilities. Keep one",
        ),
        (
            {"cluster_version": cluster_version(), "enabled_capabilities": []},
            "cluster_version",
            "cannot be combined with enabled_capabilities. Keep one",
        ),
        (
            {"capabilities": NOTHING, "cluster_version": cluster_version(), "enabled_capabilities": []},
            "capabilities",
            "is given beside cluster_version and enabled_capabilities. Keep one",
        ),
        ({"known_capabilities": ["Console"]}, "known_capabilities", "is given without enabled_capabilities. Give"),
        (
            {"known_capabilities": [], "capabilities": NOTHING},
            "known_capabilities",
            "is given without enabled_capabilities. Give",
        ),
        ({"capabilities": {"baselineCapabilitySet": "vcurrent"}}, "capabilities.baseline_capability_set", "Write vCur"),
        ({"capabilities": {"baselineSet": "None"}}, "capabilities.baselineSet", "is not a field of a selection. "),
        # Known to the second release and not to the first
        (
            {"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["MachineAPI"]}},
            "capabilities.additional_enabled_capabilities[0]",
            "'MachineAPI' is not a capability of 4.13. It exists from 4.14 on",
        ),
        (
            {"capabilities": {"baselineCapabilitySet": "v4.14"}},
            "capabilities.baseline_capability_set",
            "'v4.14' is not a capability set of 4.13. Use a set from v4.11 to v4.13",
        ),
        ({"feature_set": "techpreviewnoupgrade"}, "feature_set", "Write TechPreviewNoUpgrade: names are case"),
        ({"feature_gates": ["A=x"]}, "feature_gates[0]", "expected NAME or NAME=bool. Write NAME=true"),
        ({"feature_gates": ["A", "A=false"]}, "feature_gates[1]", "A is both enabled and disabled. Keep one"),
        ({"platform": "asw"}, "platform", "'asw' is not a platform. Did you mean aws?"),
        ({"platform": ""}, "platform", "'' is not a platform. Known are: alibabacloud, aws,"),
        ({"always_enabled_capabilities": ["console"]}, "always_enabled_capabilities", "Write Console: names are case"),
        ({"overrides": [{**OVERRIDE, "unmanaged": "yes"}]}, "overrides[0].unmanaged", "is 'yes', expected true or"),
        ({"overrides": [{**OVERRIDE, "nam": "x"}]}, "overrides[0].nam", "is not a field of an override. Did you mean"),
        ({"overrides": [OVERRIDE, {**OVERRIDE, "kind": 7}]}, "overrides[1].kind", "is 7, expected a string"),
        (
            {"live_resources": [{"kind": "A"}]},
            "live_resources[0].name",
            "is None, expected a string. Name the resource",
        ),
        ({"live_resources": [{"kind": 7, "name": "a"}]}, "live_resources[0].kind", "is 7, expected a string. Name"),
        ({"live_resources": [{"kind": "A", "name": "a", "ns": "x"}]}, "live_resources[0].ns", "is not a field of a"),
        ({"cluster_version": 7}, "cluster_version", "is a number, expected a ClusterVersion object. Give the ob"),
    ],
)
def test_invalid_options(options, where, part, run):
    expect(run(**options), (where, part))


@pytest.mark.parametrize(
    "options",
    [
        {"capabilities": "None"},
        {"clusters": ["berlin"]},
        {"overrides": ["x"]},
        {"live_resources": [7]},
        {"details": "perhaps"},
        {"colour": "red"},
    ],
)
def test_options_of_another_type_are_refused_by_name(options, run):
    assert next(iter(options)) in run(**options).message


def test_a_feature_set_that_a_later_release_does_not_have(call, tmp_path):
    path = [str(write_release(tmp_path / v, {"a.yaml": manifest("a")}, v)) for v in ("4.15.1", "4.16.1")]

    expect(call(update_plan, releases=path, feature_set="LatencySensitive"), ("4.16.1, feature_set", "of 4.16. "))


def test_a_feature_set_that_no_release_of_the_path_has_is_reported_for_each(run):
    expect(
        run(feature_set="DevPreviewNoUpgrade"),
        *((f"{version}, feature_set", "is not a feature set of 4.1") for version in ("4.13.5", "4.14.2")),
    )


def test_facts_that_cannot_be_come_at_once(run):
    outcome = run(
        capabilities={"baselineCapabilitySet": 7},
        feature_set="x",
        feature_gates=["="],
        platform="y",
        overrides=[{"kind": "A", "unmanaged": True}],
        live_resources=[{"name": "a"}],
        known_capabilities=[],
    )

    assert sorted(where for where, _text in errors(outcome)) == [
        "capabilities.baseline_capability_set",
        "feature_gates[0]",
        "feature_set",
        "known_capabilities",
        "live_resources[0].kind",
        "overrides[0].name",
        "platform",
    ]


def test_all_errors_are_reported_together(run, releases):
    outcome = run(releases=releases.hop[::-1], capabilities={"baselineCapabilitySet": "none"}, platform="asw")

    assert {where for where, _text in errors(outcome)} == {
        "capabilities.baseline_capability_set",
        "platform",
        "releases[1]",
    }


def test_two_files_that_claim_one_resource_both_count(call, tmp_path):
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
    part = "no manifest of this release names profile 'hypershift', so none is included; its profiles are self-managed-high"
    outcome = run(cluster_profile="hypershift")

    expect(outcome, *((f"{version}, cluster_profile", part) for version in ("4.13.5", "4.14.2")))


def test_names_of_an_unknown_minor_come_from_its_release(call, tmp_path):
    names = ["Brand", "Console", "Ingress"]
    old, new = {"a.yaml": manifest("one")}, {"a.yaml": manifest("one", "Brand"), "b.yaml": cluster_version_crd(names)}
    path = [str(write_release(tmp_path / v, files, v)) for v, files in {"5.2.0": old, "9.9.0": new}.items()]
    outcome = call(update_plan, releases=path, capabilities=NOTHING)

    assert outcome["known_capabilities"] == names
    assert outcome["implicitly_enabled_capabilities"] == ["Brand", "Ingress"]
    assert outcome.problem("9.9 is not known to this collection")["severity"] == "warning"


def test_an_unknown_minor_needs_its_crd(call, tmp_path):
    path = [str(write_release(tmp_path / v, {"a.yaml": manifest("one")}, v)) for v in ("5.2.0", "9.9.0")]
    ((where, text),) = errors(call(update_plan, releases=path))

    assert where == path[1]
    assert "9.9 is not known to this collection" in text


def test_a_relative_path_is_that_of_the_working_directory(run, releases, monkeypatch):
    monkeypatch.chdir(Path(releases.r4_13).parent)

    assert run(releases=["4.13.5", "./4.14.2"])["releases"] == ["4.13.5", "4.14.2"]
