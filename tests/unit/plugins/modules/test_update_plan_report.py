# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of a plan as files, and downgrades: through the module as Ansible runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import KNOWN_4_13, NOTHING
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

pytest.importorskip("jinja2")
BOTH = ["update_plan.html", "update_plan.md"]


@pytest.fixture
def run(call, releases):
    def run(**options: Any) -> Outcome:
        return call(update_plan, **{"releases": releases.hop, "capabilities": NOTHING, **options})

    return run


@pytest.mark.parametrize(
    ("path", "files"),
    [
        ("reviews", [f"reviews/{name}" for name in BOTH]),
        ("deep/er/reviews", [f"deep/er/reviews/{name}" for name in BOTH]),
        ("plan.md", ["plan.md"]),
        ("plan.html", ["plan.html"]),
    ],
)
def test_a_report_is_written_once(path, files, run, tmp_path):
    first, second = run(report=tmp_path / path), run(report=tmp_path / path)

    assert first["report"] == second["report"] == [str(tmp_path / name) for name in files]
    assert sorted(name for name, content in tree(tmp_path).items() if content is not None) == files
    assert (first["changed"], second["changed"]) == (True, False)
    assert all("MachineAPI" in (tmp_path / name).read_text() for name in files)


def test_a_second_run_touches_nothing_and_another_plan_changes_the_report(run, tmp_path):
    run(report=tmp_path)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in tmp_path.iterdir()}
    run(report=tmp_path)
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in tmp_path.iterdir()} == before

    texts = tree(tmp_path)
    assert run(report=tmp_path, capabilities=None)["changed"] is True
    assert all(tree(tmp_path)[name] != text for name, text in texts.items())


@pytest.mark.parametrize("before", ["nothing", "another report", "the same report"])
def test_check_mode_writes_nothing_and_predicts(before, run, tmp_path):
    dest = tmp_path / "reviews"
    if before != "nothing":
        run(report=dest, capabilities=None if before == "another report" else NOTHING)
    found = tree(tmp_path)
    predicted = run(report=dest, check=True, diff=True)
    assert tree(tmp_path) == found

    done = run(report=dest, diff=True)
    assert predicted["changed"] is done["changed"] is (before != "the same report")
    assert predicted["diff"] == done["diff"]
    assert predicted["report"] == done["report"]
    assert (done["diff"] == []) is (before == "the same report")


def test_the_diff_shows_markdown_as_it_is_and_a_page_by_its_digest(run, tmp_path):
    run(report=tmp_path, capabilities=None)
    old = (tmp_path / "update_plan.md").read_text()
    page, text = run(report=tmp_path, diff=True)["diff"]

    assert text["before_header"] == text["after_header"] == str(tmp_path / "update_plan.md")
    assert (text["before"], text["after"]) == (old, (tmp_path / "update_plan.md").read_text())
    assert page["before_header"] == str(tmp_path / "update_plan.html")
    assert [page[side].startswith("(HTML page, sha256 ") for side in ("before", "after")] == [True, True]
    assert page["before"] != page["after"]


def test_without_a_report_there_is_no_diff(run):
    outcome = run(diff=True)

    assert outcome["changed"] is False
    assert {"diff", "report"}.isdisjoint(outcome.result)


def test_a_report_always_has_all_details(run, tmp_path):
    run(report=tmp_path / "short", details=False)
    run(report=tmp_path / "full", details=True)

    assert tree(tmp_path / "short") == tree(tmp_path / "full")


def test_a_report_is_written_even_if_the_plan_has_violations(run, tmp_path):
    outcome = run(report=tmp_path / "plan.md", forbidden_capabilities=["all"])

    assert outcome.failed
    assert outcome["changed"] is True
    assert "MachineAPI" in Path(outcome["report"][0]).read_text()


def test_a_report_of_a_fleet_names_its_clusters(run, tmp_path):
    clusters = [{"name": "berlin"}, {"name": "paris", "capabilities": {"baselineCapabilitySet": "vCurrent"}}]
    outcome = run(report=tmp_path, clusters=clusters)

    assert len(outcome["plans"]) == 2
    for path in outcome["report"]:
        text = Path(path).read_text()
        assert "berlin" in text
        assert "paris" in text


@pytest.mark.parametrize(
    ("report", "code", "where"),
    [
        ("", "empty-option", "report"),
        ("plan.txt", "invalid-path", "plan.txt"),
        ("deep/plan.JSON", "invalid-path", "deep/plan.JSON"),
        ("taken", "not-a-directory", "taken"),
        ("taken/plan.md", "not-a-directory", "taken"),
        ("taken/deeper/plan.md", "not-a-directory", "taken/deeper"),
        ("folder.md", "not-a-file", "folder.md"),
        ("notes.md", "foreign-file", "notes.md"),
    ],
)
def test_a_report_that_cannot_be_written_is_an_error(report, code, where, run, tmp_path):
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "notes.md").write_text("# Notes on the update plan\n")
    (tmp_path / "folder.md").mkdir()
    before = tree(tmp_path)
    outcome = run(report=report and f"{tmp_path}/{report}")

    assert outcome.faults == [(code, f"{tmp_path}/{where}" if report else where)]
    assert tree(tmp_path) == before


def test_nothing_is_written_if_an_option_is_invalid(run, tmp_path):
    assert run(report=tmp_path / "plan.md", platform="asw").failed
    assert tree(tmp_path) == {}


def test_a_downgrade_lists_orphaned_resources(run, releases):
    outcome = run(releases=[releases.r4_14, releases.r4_13], allow_downgrade=True)
    (hop,) = outcome["hops"]

    assert hop["downgrade"] is True
    assert [item["name"] for item in hop["removed"]] == ["new", "vsphere"]
    warned = outcome.problem("orphaned-resources")
    assert (warned["severity"], warned["where"]) == ("warning", "4.14.2 to 4.13.5")
    assert outcome.problem("releases[1]")["code"] == "downgrade"


def test_a_downgrade_keeps_enabled_what_the_older_release_does_not_know(run, releases):
    on = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Build", "Console"]}
    outcome = run(releases=[releases.r4_14, releases.r4_13], allow_downgrade=True, capabilities=on)

    assert outcome["enabled_capabilities"] == ["Build", "Console"]
    warned = outcome.problem("unknown-capability")
    assert (warned["severity"], warned["where"]) == ("warning", "4.14.2 to 4.13.5")


def test_a_downgrade_creates_what_the_older_release_does_not_know(run, releases):
    outcome = run(releases=[releases.r4_14, releases.r4_13], allow_downgrade=True)
    (hop,) = outcome["hops"]

    names = ["Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"]
    assert hop["no_longer_optional"] == names
    assert sum("machine-api" in item["file"] for item in hop["added"]) == 2
    warned = outcome.problem("no-longer-optional")
    assert (warned["severity"], warned["hint"]) == ("warning", "See added")


def test_the_cluster_refuses_a_downgrade(run, releases):
    outcome = run(releases=[releases.r4_14, releases.r4_13], allow_downgrade=True)
    (blocker,) = outcome["hops"][0]["reasons"]

    assert (blocker["reason"], blocker["verdict"]) == ("LowDesiredVersion", "blocked")
    assert outcome.problem("update-blocked")["hint"] == blocker["hint"] != ""


@pytest.mark.parametrize(
    ("forbidden", "expected"),
    [
        (["MachineAPI"], ["MachineAPI"]),
        (["all"], ["Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"]),
        (["Console"], []),
    ],
)
def test_what_the_older_release_does_not_know_is_forbidden_by_name(forbidden, expected, run, releases):
    outcome = run(
        releases=[releases.r4_14, releases.r4_13],
        allow_downgrade=True,
        fail_on="never",
        forbidden_capabilities=forbidden,
    )

    assert [item["name"] for item in outcome["violations"]] == expected
    prefixes = [f"4.14.2 to 4.13.5 enables {name}: 4.13.5 " for name in expected]
    messages = [item["message"] for item in outcome["violations"]]
    assert all(message.startswith(prefix) for message, prefix in zip(messages, prefixes, strict=True))


def test_a_release_without_capabilities_creates_every_disabled_component(run, releases):
    outcome = run(releases=[releases.r4_14, releases.r4_13, releases.r4_10], allow_downgrade=True)
    _first, hop = outcome["hops"]

    assert hop["no_longer_optional"] == hop["known_before"] == KNOWN_4_13
    assert sorted(item["name"] for item in hop["added"]) == ["baremetal", "console"]
    assert outcome["condition"] is None
    assert outcome["known_capabilities"] == []
    assert (
        "openshift-samples as capabilities, so it creates"
        in outcome.problem("4.10.9 does not know CSISnapshot")["message"]
    )


def test_the_same_release_twice_changes_nothing(run, releases):
    outcome = run(releases=[releases.r4_14, releases.r4_14], allow_downgrade=True)
    (hop,) = outcome["hops"]

    assert hop["downgrade"] is True
    assert hop["enabled_before"] == hop["enabled_after"]
    assert hop["implicitly_enabled"] == []
    assert (hop["added"], hop["removed"], hop["deleted"]) == ([], [], [])
    assert outcome["problems"] == []
