# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of a plan as files, and downgrades: through the module as Ansible runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import NOTHING
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


def test_a_downgrade_lists_orphaned_resources(run, releases):
    outcome = run(releases=[releases.r4_14, releases.r4_13], allow_downgrade=True)
    (hop,) = outcome["hops"]

    assert hop["downgrade"] is True
    assert [item["name"] for item in hop["removed"]] == ["new", "vsphere"]
    for code in ("orphaned-resources", "downgrade"):
        warned = outcome.problem(code)
        assert (warned["severity"], warned["where"]) == ("warning", "4.14.2 to 4.13.5")
