# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._extract.destination import INVENTORY
from ansible_collections.capability.openshift.plugins.modules import release_manifests
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    IMAGES,
    INCLUDE,
    documents,
    manifest,
    tree,
    write_files,
    write_release,
)
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

ALWAYS = "0000_10_base_01.yaml"
CONSOLE = "0000_50_console_01.yaml"
MIXED = "0000_50_mixed_01.yaml"
ABSENT = "0000_50_absent_01.yaml"
CVO = "0000_00_cvo_01.yaml"

ONE = "# about one\n" + manifest("one", more='data: {x: "{{ kept }}", y: "{{.ReleaseImage}}"}  # and why\n')
BOTH = documents(
    "# head\n" + manifest("mixed-console", "Console"),
    "# about build\n" + manifest("mixed-build", "Build"),
    manifest("mixed-always") + "# end\n",
)
TEMPLATE = manifest(
    "cvo", more="data: {image: '{{.ReleaseImage}}', profile: '{{.ClusterProfile}}', c: {{.Images.cli}}}\n"
)
FILES = {
    ALWAYS: ONE,
    CONSOLE: manifest("console", "Console"),
    MIXED: BOTH,
    ABSENT: manifest("absent", profile="hypershift"),
}
NOTHING = {"baselineCapabilitySet": "None"}


def only(*names: str) -> dict[str, Any]:
    return {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": list(names)}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", FILES, cvo={CVO: TEMPLATE})


@pytest.fixture
def dest(tmp_path: Path) -> Path:
    return tmp_path / "dest"


@pytest.fixture
def run(call, release, dest):
    def run(capabilities: Any = None, **options: Any) -> Outcome:
        common = {"release": release, "dest": dest, "release_image": "registry.example/r", **options}
        return call(release_manifests, capabilities=capabilities, **common)

    return run


def content(dest: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in dest.iterdir() if path.name != INVENTORY}


RENDERED = manifest(
    "cvo",
    more=f"data: {{image: 'registry.example/r', profile: 'self-managed-high-availability', c: {IMAGES['cli']}}}\n",
)


def test_everything_is_written_byte_for_byte_and_templates_only_of_manifests_are_rendered(run, dest):
    outcome = run()

    assert outcome["changed"] is True
    assert content(dest) == {CVO: RENDERED, ALWAYS: ONE, CONSOLE: FILES[CONSOLE], MIXED: BOTH}


def test_a_file_is_cut_down_to_the_manifests_that_are_in(run, dest):
    run(NOTHING)
    assert content(dest)[MIXED] == "---\n" + manifest("mixed-always") + "# end\n"
    run(only("Console"))
    assert content(dest)[MIXED] == (
        "# head\n" + manifest("mixed-console", "Console") + "---\n" + manifest("mixed-always") + "# end\n"
    )


def test_decisions_name_the_manifest_and_every_reason(run):
    decisions = run(NOTHING, decisions=True, overrides=[{"kind": "ConfigMap", "name": "console", "unmanaged": True}])[
        "decisions"
    ]

    assert [item["name"] for item in decisions] == [
        *("cvo", "one", "absent", "console", "mixed-console", "mixed-build", "mixed-always")
    ]
    assert decisions[3] == {
        "file": f"release-manifests/{CONSOLE}",
        "group": "",
        "kind": "ConfigMap",
        "namespace": "",
        "name": "console",
        "capabilities": ["Console"],
        "included": False,
        "deletes": False,
        "reasons": [
            {"rule": "disabled_capability", "message": "disabled capabilities: Console"},
            {"rule": "override", "message": "overridden"},
        ],
    }
    assert decisions[2]["reasons"] == [{"rule": "cluster_profile", "message": f"{INCLUDE} unset"}]
    assert decisions[0]["reasons"] == []


DELETIONS = {
    ALWAYS: ONE,
    MIXED: documents(manifest("kept"), manifest("gone", annotations={DELETE: "true"})),
    CONSOLE: manifest("console", "Console", annotations={DELETE: "true"}),
    ABSENT: manifest("absent", profile="hypershift", annotations={DELETE: "true"}),
    "0000_90_odd_01.yaml": manifest("odd", annotations={DELETE: "false"}),
}


def test_manifests_that_delete_are_not_written(call, tmp_path, dest):
    path = write_release(tmp_path / "r", DELETIONS)
    outcome = call(release_manifests, release=path, dest=dest, decisions=True)

    assert content(dest) == {
        ALWAYS: ONE,
        MIXED: manifest("kept"),
        "0000_90_odd_01.yaml": DELETIONS["0000_90_odd_01.yaml"],
    }
    assert (outcome["included"], outcome["deletions"], outcome["excluded"]) == (5, 2, 1)
    assert [item["name"] for item in outcome["decisions"] if item["deletes"]] == ["absent", "console", "gone"]


def test_a_capability_status_stands_in_the_place_of_a_selection(run):
    outcome = run(enabled_capabilities=["Build"], known_capabilities=["Build", "Console"])

    assert (outcome["enabled_capabilities"], outcome["known_capabilities"]) == (["Build"], ["Build", "Console"])
    assert (outcome["included"], outcome["excluded"]) == (4, 3)


@pytest.mark.parametrize(
    ("options", "included"), [({}, 2), ({"exclude_identifier": "here"}, 1), ({"exclude_identifier": "there"}, 2)]
)
def test_the_exclude_identifier(options, included, call, tmp_path):
    files = {
        "a.yaml": manifest("a"),
        "b.yaml": manifest("b", annotations={"exclude.release.openshift.io/here": "true"}),
    }

    assert call(release_manifests, release=write_release(tmp_path, files), **options)["included"] == included


SELECTIONS = st.lists(
    st.lists(st.sampled_from(["Console", "Build", "Storage"]), max_size=3, unique=True), min_size=1, max_size=4
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(SELECTIONS, st.data())
def test_check_mode_predicts_exactly_over_any_sequence_of_selections(
    release, capsys, tmp_path_factory, selections, data
):
    from ansible_collections.capability.openshift.tests.unit.run_module import caller

    call, dest = caller(capsys), tmp_path_factory.mktemp("sequence") / "dest"
    foreign = {"foreign.txt": b"mine"}
    for names in selections:
        if dest.exists() and data.draw(st.booleans()):
            write_files(dest, foreign)
            if data.draw(st.booleans()) and (dest / ALWAYS).exists():
                (dest / ALWAYS).write_text("changed\n")
        options: Mapping[str, Any] = {
            "release": release,
            "dest": dest,
            "capabilities": only(*names),
            "release_image": "registry.example/r",
            "diff": True,
        }
        before = tree(dest) if dest.exists() else {}
        predicted = call(release_manifests, check=True, **options)
        assert (tree(dest) if dest.exists() else {}) == before
        done = call(release_manifests, **options)
        after = tree(dest)

        assert predicted.result.get("diff") == done.result.get("diff")
        # Warnings pile up in one process before ansible-core 2.19; the problems say the same.
        apart = {"invocation": None, "warnings": None}
        assert {**predicted.result, **apart} == {**done.result, **apart}
        assert done["changed"] == (before != after)
        assert_diff_is_true(done["diff"], before, after, dest)
        assert call(release_manifests, **options)["changed"] is False


def assert_diff_is_true(
    diff: list[dict[str, str]], before: Mapping[str, Any], after: Mapping[str, Any], dest: Path
) -> None:
    ours = [{name for name in side if name not in (INVENTORY, "foreign.txt")} for side in (before, after)]
    for part in diff:
        if part["before_header"] == f"{dest} (files)":
            assert [set(part[side].split()) for side in ("before", "after")] == ours
        else:
            name = Path(part["before_header"]).name
            assert (part["before"], part["after"]) == (before[name].decode(), after[name].decode())
    shown = {Path(part["before_header"]).name for part in diff}
    assert {name for name in ours[0] & ours[1] if before[name] != after[name]} <= shown
    assert (ours[0] != ours[1]) == (f"{dest.name} (files)" in shown)


OLM, RBAC, CVO_DEPLOYMENT = (
    "release-manifests/0000_50_olm_99-operatorstatus.yaml",
    "release-manifests/0000_50_olm_00-catalogsource.yaml",
    "manifests/0000_00_cluster-version-operator_03_deployment.yaml",
)


@pytest.fixture
def hosted(call, tmp_path):
    """Decide on a release with files that HyperShift deletes; return the rules of each file and the outcome."""
    profile = "ibm-cloud-managed"
    files = {Path(file).name: manifest("any", profile=profile) for file in (OLM, RBAC)}
    own = {Path(CVO_DEPLOYMENT).name: manifest("own", profile=profile)}
    release = write_release(tmp_path, files, cvo=own)

    def run(**options: Any) -> tuple[dict[str, list[str]], Outcome]:
        outcome = call(release_manifests, release=release, cluster_profile=profile, decisions=True, **options)
        rules = {item["file"]: [reason["rule"] for reason in item["reasons"]] for item in outcome["decisions"]}
        return rules, outcome

    return run


@pytest.mark.parametrize("options", [{}, {"hosted_control_plane": True}])
def test_files_that_hypershift_deletes_are_excluded_from_a_hosted_cluster(options, hosted):
    rules, outcome = hosted(**options)

    assert rules == {OLM: ["hosted_control_plane"], RBAC: [], CVO_DEPLOYMENT: ["hosted_control_plane"]}
    assert (outcome["included"], outcome["excluded"]) == (1, 2)
    assert "baremetal" not in outcome["enabled_capabilities"]
    assert "baremetal" in outcome["known_capabilities"]


def test_the_platform_of_a_hosted_cluster_decides_which_files_remain(call, tmp_path):
    profile = "ibm-cloud-managed"
    file = "0000_50_cluster-storage-operator_10_deployment-ibm-cloud-managed.yaml"
    release = write_release(tmp_path, {file: manifest("any", profile=profile)})
    options = {"release": release, "cluster_profile": profile}
    names = ("agent", "aws", "ibmcloud", "kubevirt", "none")
    outcomes = {name: call(release_manifests, platform=name, **options) for name in names}
    assert {name for name, outcome in outcomes.items() if outcome["included"]} == {"ibmcloud"}
    assert all(outcome["problems"] == [] for outcome in outcomes.values())


def test_the_cvo_alone_reads_every_file(hosted):
    rules, outcome = hosted(hosted_control_plane=False)

    assert rules == {OLM: [], RBAC: [], CVO_DEPLOYMENT: []}
    assert "baremetal" in outcome["enabled_capabilities"]
