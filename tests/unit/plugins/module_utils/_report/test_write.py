# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import takewhile
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._report.write import render_html, render_markdown
from ansible_collections.capability.openshift.tests.unit.builders import fleet_plans as plans

RENDER = pytest.mark.parametrize("render", [render_markdown, render_html])
REPORTS = pytest.mark.parametrize(
    "report", [plans.one_cluster, plans.fleet, plans.long_path, plans.downgrade], ids=lambda report: report.__name__
)
HOSTILE = "<script>alert(1)</script> | `x` [a](javascript:b) **c** & \"d\" 'e'\nf"
VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    """A parsed page; fails on a tag that is not closed in the right place."""

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
    # The next table with this head is the matrix of another plan.
    matrix = takewhile(lambda row: row[0] != "Capability", rows[start + 1 :])
    return {row[0]: [re.sub(r"[()]", "", cell) for cell in row[1:]] for row in matrix}


@RENDER
def test_the_matrix_shows_every_state_of_every_capability_along_the_path(render):
    found = states(render, plans.one_cluster())

    assert found["Console"] == ["enabled", "enabled", "enabled"]
    assert found["Insights"] == ["disabled", "disabled", "disabled"]
    assert found["Build"] == ["·", "disabled", "disabled"]
    assert found["MachineAPI"] == ["·", "newly enabled 42 resources", "enabled"]
    assert found["DeploymentConfig"] == ["·", "newly enabled forced", "enabled"]
    assert found["ImageRegistry"] == ["·", "newly requested 1 resource", "enabled"]
    assert found["CloudCredential"][:2] == ["·", "·"]
    assert found["CloudCredential"][2] in ("newly requested", "newly requested why")


@RENDER
def test_the_rows_are_sorted_and_every_name_has_one(render):
    names = [name for name in states(render, plans.one_cluster()) if name in plans.OLD + plans.NEW + plans.NEWEST]

    assert names == sorted(plans.OLD + plans.NEW + plans.NEWEST, key=str.lower)


@RENDER
def test_every_cause_of_one_name_is_shown(render):
    both = [plans.by_manifest("New", plans.machine_api(2)), plans.forced("New", "flag of the operator")]
    step = plans.hop("4.13.0", "4.14.0", enabled_after=["New"], known_after=["New"], implicitly_enabled=both)
    report = plans.report(plans.plan(step))

    assert states(render, report)["New"] == ["·", "newly enabled 2 resources, forced"]
    assert "flag of the operator" in render(report)


@RENDER
@pytest.mark.parametrize(
    "part",
    [
        "Update plan 4.13.0 → 4.14.0 → 4.18.0",
        "feature set TechPreviewNoUpgrade blocks updates to another minor",
        "no capability → MachineAPI",
        "baremetal → baremetal+MachineAPI",
        "openshift-machine-api/machine-api-operator-40",
        "release-manifests/0000_30_machine-api-operator-02_11_serviceaccount.yaml",
        "openshift/cluster-version-operator#981",
        "Cluster profile",
        "Disabled in a fresh install of 4.14.0",
        "1 warning and 1 note",
        "no feature gates are known",
    ],
)
def test_the_report_contains(part, render):
    text = render(plans.one_cluster())

    assert part in (Page(text).text if render is render_html else text)


@RENDER
def test_a_downgrade_shows_what_stays_and_what_is_created(render):
    text = render(plans.downgrade())
    shown = " ".join((Page(text).text if render is render_html else text).split())

    for part in ("downgrade", "Orphaned", "does not apply them", "openshift-config/left", "refuses a downgrade"):
        assert part in shown
    assert "No longer optional" in shown
    assert "baremetal, Insights, marketplace, openshift-samples, Storage" in shown
    assert "4.10.0 does not know these disabled capabilities, so it creates their components." in shown
    assert "No longer optional" not in render(plans.one_cluster())
    # Orphaned resources are not listed a second time.
    assert "No longer applied" not in shown


@RENDER
def test_a_single_report_has_what_the_plan_was_made_for(render):
    text = render(plans.report(plans.plan(plans.first_hop(), platform=None, feature_set="TechPreviewNoUpgrade")))
    lines = [re.sub("<.*?>", " ", line).split() for line in text.replace("</dt><dd>", ": ").splitlines()]
    facts = [line[-3:] for line in lines if line[-2:] == ["not", "known"] or line[-1:] == ["TechPreviewNoUpgrade"]]

    assert any("Platform:" in fact for fact in facts)
    assert any("set:" in fact for fact in facts)


def test_an_address_in_a_reason_is_a_link():
    reason = {**plans.ACKNOWLEDGE, "message": "see https://access.redhat.com/articles/6958395 for details"}
    html = render_html(plans.report(plans.plan(plans.hop("4.13.0", "4.14.0", reasons=[reason]))))

    assert "https://access.redhat.com/articles/6958395" in Page(html).all("href")


@RENDER
def test_a_resource_that_an_upgrade_drops_is_no_longer_applied(render):
    step = plans.hop("4.13.0", "4.14.0", removed=[plans.resource("old")])
    text = render(plans.report(plans.plan(step)))

    assert "No longer applied" in text
    assert "No resource is added or deleted." in text
    assert "Orphaned" not in text


@RENDER
def test_an_implicitly_enabled_name_is_shown_as_requested_if_the_selection_requests_it(render):
    enabled = [plans.by_manifest("New", plans.machine_api(1), requested=True)]
    step = plans.hop(
        "4.13.0",
        "4.14.0",
        enabled_after=["New", "Other"],
        known_after=["New", "Other"],
        newly_requested=["New"],
        implicitly_enabled=enabled,
    )
    report = plans.report(plans.plan(step))
    found = states(render, report)

    assert "requests these in 4.14.0, and they were not enabled before" in render(report)
    assert "1 resource of the cluster needs it from now on, so it would be enabled even if not" in render(report)
    assert found["New"] == ["·", "newly requested 1 resource"]
    assert found["Other"] == ["·", "newly enabled"]


@RENDER
def test_a_resource_that_is_deleted_or_moves_to_another_file_is_marked(render):
    gone = {**plans.moved("gone", deleted=True), "from_file": "a.yaml", "to_file": "b.yaml"}
    step = plans.hop("4.13.0", "4.14.0", moved=[{"name": "Console", "resources": [gone]}])
    text = render(plans.report(plans.plan(step)))

    assert "The selection requests Console, and these resources" in text
    assert "deleted by" in text
    assert "a.yaml → b.yaml" in text


@RENDER
def test_a_list_that_many_plans_have_is_written_once_and_linked(render):
    text = render(plans.fleet(plans=5))

    assert text.count("0000_30_machine-api-operator-07_11_role.yaml") == 1
    assert text.count("#list-2") == 4
    assert "The same 42 resources as above" in text


@RENDER
def test_every_plan_of_a_fleet_adds_little(render):
    few, many = (len(render(plans.fleet(number))) for number in (5, 25))

    assert (many - few) / 20 < 10_000


@RENDER
def test_a_fleet_begins_with_an_overview_that_links_to_its_plans(render):
    text = render(plans.fleet(plans=2, clusters=300))

    assert "2 plans for 600 clusters" in text
    assert "1 plan for 1 cluster\n" in render(plans.fleet(plans=1, clusters=1)).replace("</p>", "")
    assert text.index("#plan-2") < text.index("Plan 2:" if render is render_html else "## Plan 2")


@RENDER
def test_the_overview_shows_the_selection_of_each_plan(render):
    everything: dict[str, Any] = {"baseline_capability_set": None, "additional_enabled_capabilities": []}
    report = plans.report(
        plans.plan(plans.first_hop(), clusters=["berlin"]),
        plans.plan(plans.first_hop(), clusters=["paris"], capabilities=everything),
    )
    if render is render_html:
        head, *rows = Page(render(report)).rows[:3]
    else:
        lines = [line for line in render(report).splitlines() if line.startswith("| ")]
        head, _rule, *rows = [line.strip("| ").split(" | ") for line in lines[:4]]

    place = head.index("Selection")
    assert [row[place].strip() for row in rows] == [
        "capability set None, with Console",
        "the cluster default, which is capability set vCurrent",
    ]


@RENDER
def test_the_overview_says_that_a_plan_enables_nothing(render):
    hop = plans.first_hop()
    texts = [render(plans.report(plans.plan(hop, newly_enabled=names), plans.plan(hop))) for names in ([], ["Build"])]
    assert [bool(re.search(r"\bnothing\b", re.split("#plan-2|Plan 2", text)[0])) for text in texts] == [True, False]


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
def test_the_page_names_its_generator(report):
    assert '<meta name="generator" content="capability.openshift.update_plan">' in render_html(report())


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


def test_a_code_span_can_contain_backticks():
    resource = plans.moved("a``b")
    step = plans.hop("4.13.0", "4.14.0", moved=[{"name": "Console", "resources": [resource]}])

    assert "``` openshift-machine-api/a``b ```" in render_markdown(plans.report(plans.plan(step)))


def test_a_path_without_hops_shows_the_current_state():
    still = plans.plan(plans.second_hop(), hops=[], releases=["4.18.0"])

    assert states(render_markdown, plans.report(still))["Console"] == ["enabled"]


def test_a_missing_value_is_an_error_and_not_a_gap():
    report = plans.downgrade()
    del report["plans"][0]["hops"][0]["added"][0]["file"]

    with pytest.raises(Exception, match="file"):
        render_html(report)
