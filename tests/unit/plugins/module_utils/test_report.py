# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._domain.errors import DestinationError
from ansible_collections.capability.openshift.plugins.module_utils._report import (
    render_html,
    render_markdown,
    report_files,
    write_report,
)
from ansible_collections.capability.openshift.tests.unit import plans
from ansible_collections.capability.openshift.tests.unit.releases import tree

RENDER = pytest.mark.parametrize("render", [render_markdown, render_html])
REPORTS = pytest.mark.parametrize(
    "report", [plans.one_cluster, plans.fleet, plans.long_path, plans.downgrade], ids=lambda report: report.__name__
)
HOSTILE = "<script>alert(1)</script> | `x` [a](javascript:b) **c** & \"d\" 'e'\nf"
VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    """A page taken apart; fails on a tag that is not closed where it should be."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.values: list[tuple[str, str]] = []
        self.text = ""
        self.rows: list[list[str]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.values += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if {"th", "td"} & set(self.open) and "div" not in self.open[self.open.index("table") :]:
            self.rows[-1][-1] += data

    def all(self, attribute: str) -> list[str]:
        return [value for name, value in self.values if name == attribute]


def states(render, report) -> dict[str, list[str]]:
    """Return the matrix of the first plan: capability -> the words of its cells."""
    if render is render_html:
        rows = Page(render(report)).rows
        rows = [[" ".join(cell.split()) for cell in row] for row in rows]
    else:
        rows = [line.strip("| ").split(" | ") for line in render(report).splitlines() if line.startswith("| ")]
        rows = [[cell.replace("*", "") for cell in row] for row in rows]
    start = next(number for number, row in enumerate(rows) if row[0] == "Capability")
    return {row[0]: [re.sub(r"[()]", "", cell) for cell in row[1:]] for row in rows[start + 1 :]}


@RENDER
def test_the_matrix_tells_every_state_of_every_capability_along_the_path(render):
    found = states(render, plans.one_cluster())

    assert found["Console"] == ["on", "on", "on"]
    assert found["Insights"] == ["off", "off", "off"]
    assert found["Build"] == ["·", "off", "off"]
    assert found["MachineAPI"] == ["·", "turns on 42 resources", "on"]
    assert found["DeploymentConfig"] == ["·", "turns on forced", "on"]
    assert found["ImageRegistry"] == ["·", "requested 1 resource", "on"]
    assert found["CloudCredential"][:2] == ["·", "·"]
    assert found["CloudCredential"][2] in ("requested", "requested why")


@RENDER
def test_the_rows_are_sorted_and_every_name_has_one(render):
    names = [name for name in states(render, plans.one_cluster()) if name in plans.OLD + plans.NEW + plans.NEWEST]

    assert names == sorted(plans.OLD + plans.NEW + plans.NEWEST, key=str.lower)


@RENDER
def test_a_name_that_turned_on_for_no_known_reason_still_says_so(render):
    step = plans.hop("4.13.0", "4.14.0", enabled_after=["New"], known_after=["New"])

    assert states(render, plans.report(plans.plan(step)))["New"] == ["·", "turns on"]


@RENDER
def test_every_reason_of_one_name_is_told(render):
    both = [plans.by_manifest("New", plans.machine_api(2)), plans.forced("New", "flag of the operator")]
    step = plans.hop("4.13.0", "4.14.0", enabled_after=["New"], known_after=["New"], implicitly_enabled=both)
    report = plans.report(plans.plan(step))

    assert states(render, report)["New"] == ["·", "turns on 2 resources, forced"]
    assert "flag of the operator" in render(report)


@RENDER
@pytest.mark.parametrize(
    "part",
    [
        "Update plan 4.13.0 → 4.14.0 → 4.18.0",
        "FeatureSetBlocksUpdates",
        "no capability → MachineAPI",
        "baremetal → baremetal+MachineAPI",
        "openshift-machine-api/machine-api-operator-40",
        "release-manifests/0000_30_machine-api-operator-02_11_serviceaccount.yaml",
        "openshift/cluster-version-operator#981",
        "AWSProviderSpec",
        "no provider named",
        'reason: "CapabilitiesImplicitlyEnabled"',
        "could not be disabled: DeploymentConfig, Ingress, MachineAPI",
        "Not in a fresh install",
        "1 warning and 1 note",
        "no feature gates are known",
    ],
)
def test_the_report_says(part, render):
    text = render(plans.one_cluster())

    assert part in (Page(text).text if render is render_html else text)


@RENDER
def test_a_downgrade_says_what_stays_and_what_is_created(render):
    text = render(plans.downgrade())

    for part in ("downgrade", "Left behind", "openshift-config/left", "console-operator, 12 resources", "no condition"):
        assert part in text


@RENDER
def test_a_resource_that_is_deleted_or_changes_its_file_says_so(render):
    gone = {**plans.moved("gone", deleted=True), "from_file": "a.yaml", "to_file": "b.yaml"}
    step = plans.hop("4.13.0", "4.14.0", moved=[{"name": "Console", "resources": [gone]}])
    text = render(plans.report(plans.plan(step)))

    assert "deleted by the release" in text
    assert "a.yaml → b.yaml" in text


@RENDER
def test_a_list_that_many_plans_have_is_written_once_and_linked(render):
    text = render(plans.fleet(plans=5))

    assert text.count("0000_30_machine-api-operator-07_11_role.yaml") == 1
    assert text.count("#list-2") == 4
    assert "The same 42 resources as in plan 1" in text


@RENDER
def test_every_plan_of_a_fleet_adds_little(render):
    few, many = (len(render(plans.fleet(number))) for number in (5, 25))

    assert (many - few) / 20 < 10_000


@RENDER
def test_a_fleet_begins_with_an_overview_that_links_to_its_plans(render):
    text = render(plans.fleet(plans=2, clusters=300))

    assert "2 plans for 600 clusters" in text
    assert text.index("#plan-2") < text.index("Plan 2:" if render is render_html else "## Plan 2")


@RENDER
def test_plans_with_other_paths_share_no_title(render):
    report = plans.report(plans.plan(plans.first_hop()), plans.plan(plans.second_hop()))

    assert re.search(r"(# |<h1>)Update plans(</h1>)?\n", render(report))


@REPORTS
def test_every_link_has_its_target(report):
    page = Page(render_html(report()))
    ids = Counter(page.all("id"))

    assert set(ids.values()) <= {1}
    assert {link.removeprefix("#") for link in page.all("href") if link != "data:,"} <= set(ids)


@REPORTS
def test_every_link_in_markdown_has_its_target(report):
    text = render_markdown(report())
    targets = set(re.findall(r'<a id="([^"]+)"', text))
    targets |= {heading.lower().replace(" ", "-") for heading in re.findall(r"(?m)^## (.+)$", text)}

    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= targets


@REPORTS
def test_the_page_needs_no_network_and_no_script(report):
    html = render_html(report())
    page = Page(html)

    assert not page.tags.keys() & {"script", "img", "iframe", "object", "form"}
    assert not re.search(r"url\(|@import|https?://", html)
    assert page.tags["link"] == 1


@REPORTS
@RENDER
def test_the_same_report_is_the_same_bytes(render, report):
    assert render(report()) == render(report())


@REPORTS
def test_special_characters_are_text_in_html(report):
    plain, hostile = Page(render_html(report())), Page(render_html(plans.with_text(report(), HOSTILE)))

    assert hostile.tags == plain.tags
    assert HOSTILE in hostile.text


@REPORTS
def test_special_characters_are_text_in_markdown(report):
    def bars(text):
        return [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("| ")]

    plain, hostile = render_markdown(report()), render_markdown(plans.with_text(report(), HOSTILE))
    outside_code = re.sub(r"(?s)```yaml\n.*?\n```", "", hostile)
    outside_code = re.sub(r"`` .*? ``", "", outside_code)

    assert bars(hostile) == bars(plain)
    assert hostile.count("\n") == plain.count("\n")
    assert r"\<script\>" in outside_code
    assert not re.search(r"(?<!\\)<script", outside_code)
    assert not re.search(r"(?<!\\)\*\*c|(?<!\\)`x|(?<!\\)\[a\]", outside_code)


def test_a_code_span_holds_backticks():
    resource = plans.moved("a``b")
    step = plans.hop("4.13.0", "4.14.0", moved=[{"name": "Console", "resources": [resource]}])

    assert "``` openshift-machine-api/a``b ```" in render_markdown(plans.report(plans.plan(step)))


def test_a_path_without_hops_shows_where_it_stands():
    still = plans.plan(plans.second_hop(), hops=[], releases=["4.18.0"])

    assert states(render_markdown, plans.report(still))["Console"] == ["on"]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("plan.md", ["plan.md"]),
        ("PLAN.Markdown", ["PLAN.Markdown"]),
        ("plan.html", ["plan.html"]),
        ("plan.HTM", ["plan.HTM"]),
        ("plans", ["plans/update_plan.html", "plans/update_plan.md"]),
        ("plans.d/", ["plans.d/update_plan.html", "plans.d/update_plan.md"]),
    ],
)
def test_the_suffix_says_which_files_there_are(path, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = report_files(path, plans.downgrade())

    assert sorted(files) == [str(tmp_path / name) for name in names]
    for name, text in files.items():
        assert text.startswith("# " if "m" in Path(name).suffix.lower()[1] else "<!DOCTYPE html>")


def test_a_text_that_is_not_unicode_can_be_written():
    report = plans.with_text(plans.downgrade(), "\udcff")

    assert "4.10.0?" in report_files("plan.md", report)[os.path.abspath("plan.md")]


def test_writing_makes_the_directory_and_a_second_run_changes_nothing(tmp_path):
    path = tmp_path / "a" / "b"
    first = write_report(str(path), plans.downgrade(), check_mode=False)
    written = tree(tmp_path)
    second = write_report(str(path), plans.downgrade(), check_mode=False)

    assert first.changed
    assert {before for before, _after in first.files.values()} == {None}
    assert [name for name, data in written.items() if data] == ["a/b/update_plan.html", "a/b/update_plan.md"]
    assert not second.changed
    assert {name: after for name, (_before, after) in second.files.items()} == report_files(
        str(path), plans.downgrade()
    )


def test_only_the_file_that_differs_is_written(tmp_path):
    write_report(str(tmp_path), plans.downgrade(), check_mode=False)
    (tmp_path / "update_plan.md").write_text("mine\n")
    page = (tmp_path / "update_plan.html").stat()
    plan = write_report(str(tmp_path), plans.downgrade(), check_mode=False)

    assert plan.changed
    assert plan.files[str(tmp_path / "update_plan.md")][0] == "mine\n"
    assert (tmp_path / "update_plan.html").stat().st_ino == page.st_ino
    assert (tmp_path / "update_plan.md").read_text().startswith("# Update plan")


def test_check_mode_predicts_and_writes_nothing(tmp_path):
    predicted = write_report(str(tmp_path / "new"), plans.downgrade(), check_mode=True)

    assert tree(tmp_path) == {}
    assert predicted == write_report(str(tmp_path / "new"), plans.downgrade(), check_mode=False)


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "is empty"),
        ("a\0b", "NUL"),
        ("directory.md", "is a directory, expected a file"),
        ("file", "is a file, expected a directory"),
        ("file/plan.md", "is a file, expected a directory"),
        ("file/deeper/plan.md", "is a file"),
        ("pipe.md", "is neither a file"),
    ],
)
def test_a_path_that_cannot_be_written_is_an_error_that_says_what_to_do(path, message, check_mode, tmp_path):
    (tmp_path / "directory.md").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(DestinationError) as raised:
        write_report(path and str(tmp_path / path), plans.downgrade(), check_mode=check_mode)

    assert message in str(raised.value)
    assert all(problem.mend for problem in raised.value.problems)


@pytest.mark.parametrize("check_mode", [True, False])
def test_no_permission_is_an_error(check_mode, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(DestinationError, match="no permission"):
        write_report(str(tmp_path), plans.downgrade(), check_mode=check_mode)


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    (tmp_path / "plan.md").write_text("before")

    def replace(old, new):
        raise OSError(28, "No space left on device", new)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(DestinationError, match=r"plan\.md: cannot write: No space left on device"):
        write_report(str(tmp_path / "plan.md"), plans.downgrade(), check_mode=False)

    assert tree(tmp_path) == {"plan.md": b"before"}


def test_a_value_that_is_missing_is_an_error_and_no_gap(tmp_path):
    report = plans.downgrade()
    del report["plans"][0]["hops"][0]["created_components"][0]["count"]

    with pytest.raises(Exception, match="count"):
        render_html(report)
