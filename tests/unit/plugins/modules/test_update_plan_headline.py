# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person reads first about a plan: text, Markdown, HTML and summaries, for the example releases."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._report import words
from ansible_collections.capability.openshift.plugins.module_utils._summary.update_plan import summary_lines
from ansible_collections.capability.openshift.plugins.modules import update_plan
from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import reported
from ansible_collections.capability.openshift.tests.unit.run_module import Call, Outcome

pytest.importorskip("jinja2")
EXAMPLES = Path(__file__).parents[4] / "examples" / "releases"
PATH = [str(EXAMPLES / "4.21.0"), str(EXAMPLES / "4.22.0")]
CLUSTER_ID = "11111111-2222-3333-4444-555555555555"
DIGEST = "sha256:" + "4" * 64


def cluster(*names: str) -> dict[str, Any]:
    """Return the ClusterVersion of a healthy cluster, for which the update is recommended."""
    capabilities = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": list(names)}
    status = {
        "desired": {"version": "4.21.0", "image": f"quay.example/release@{DIGEST}"},
        "capabilities": {"enabledCapabilities": ["Ingress", *names], "knownCapabilities": ["Ingress", "Insights"]},
    }
    return reported("4.21.0", available=["4.22.0"], status=status, capabilities=capabilities, clusterID=CLUSTER_ID)


@pytest.fixture
def first(call: Call, tmp_path: Path):
    """Run the module. Return its outcome, and what is first in text, Markdown and HTML."""

    def run(**options: Any) -> tuple[Outcome, str, str, str]:
        outcome = call(update_plan, releases=PATH, report=tmp_path / "plan", **options)
        markdown = (tmp_path / "plan" / "update_plan.md").read_text()
        html = (tmp_path / "plan" / "update_plan.html").read_text()
        quoted = next((line for line in markdown.splitlines() if line.startswith(">")), "")
        banner = re.search(r'<div class="verdict ([a-z]+)"><b>(.*?)</b>', html)
        return (
            outcome,
            summary_lines(outcome.result, {"full": True})[0],
            quoted,
            f"{banner[1]}: {banner[2]}" if banner else "",
        )

    return run


def test_a_go_that_enables_a_capability_on_an_unread_cluster_says_both_first(first):
    outcome, text, markdown, html = first(capabilities={"baselineCapabilitySet": "None"})

    assert (outcome["verdict"], outcome["newly_enabled"], outcome["cluster_checked"]) == ("go", ["Insights"], False)
    for line in (text, markdown, html):
        assert re.search(f"(?i)go, but enables Insights permanently, and {words.NOT_READ}", line)
    assert not html.startswith("go:")


@pytest.mark.parametrize(
    ("names", "enabled", "start", "tone"),
    [(["Insights"], [], "go: ", "go: "), ([], ["Insights"], "go, but enables Insights permanently: ", "caution: ")],
)
def test_the_banner_is_green_only_if_nothing_is_enabled_and_the_cluster_was_checked(names, enabled, start, tone, first):
    outcome, text, _markdown, html = first(cluster_version=cluster(*names))

    assert (outcome["newly_enabled"], outcome["cluster_checked"]) == (enabled, True)
    assert text.startswith(start)
    assert html.startswith(tone)


def test_a_cluster_whose_status_does_not_count_was_read_nevertheless(first):
    obj = cluster("Insights")
    obj["status"]["desired"]["version"] = "4.20.7"
    for line in first(cluster_version=obj)[1:]:
        assert re.search("(?i)risk; the cluster runs 4[.]20[.]7, not 4[.]21[.]0", line)
        assert words.NOT_READ not in line


def test_the_first_line_of_a_fleet_counts_both(first, call, tmp_path):
    clusters = [
        {"name": "berlin", "capabilities": {"baselineCapabilitySet": "None"}},
        {"name": "paris", "cluster_version": cluster("Insights")},
        {"name": "rome", "cluster_version": cluster("Insights"), "releases": [PATH[0], PATH[0]]},
    ]
    outcome = call(update_plan, releases=PATH, clusters=clusters, report=tmp_path, allow_downgrade=True)
    lines = summary_lines(outcome.result, {"full": False})

    assert lines[0].startswith("3 clusters, 3 distinct plans: 3 go; ")
    assert re.findall(r"on \d+", lines[0]) == ["on 1", "on 1"]
    assert outcome["summaries"]["berlin"]["newly_enabled"] == ["Insights"]
    assert [item["cluster_checked"] for item in outcome["summaries"].values()] == [False, True, True]
    html = (tmp_path / "update_plan.html").read_text()
    assert f"paris (ID {CLUSTER_ID})" in html
    tones = re.findall(r'<span class="mark (\w+)">([^<]*)</span></td>', html)
    assert tones == [("caution", "Go"), ("go", "Go"), ("go", "Go")]
    assert html.count(f">{words.NOT_READ}</td>") == 1


def test_a_release_is_named_once_although_profiles_render_it_differently(call, tmp_path):
    profiles = ("self-managed-high-availability", "ibm-cloud-managed")
    clusters = [{"name": name, "cluster_profile": name} for name in profiles]
    call(update_plan, releases=PATH, clusters=clusters, report=tmp_path / "plan.md")
    assert (tmp_path / "plan.md").read_text().count("- Release 4.21.0: ") == 1


def test_a_report_of_the_same_plan_keeps_its_date(first, tmp_path):
    first(cluster_version=cluster("Insights"))
    files = [tmp_path / "plan" / name for name in ("update_plan.md", "update_plan.html")]
    for file in files:
        file.write_text(re.sub(r"20\d\d-\d\d-\d\d", "2001-01-01", file.read_text(), count=1))
    earlier = [file.read_text() for file in files]
    same, *_others = first(cluster_version=cluster("Insights"))
    assert (same["changed"], [file.read_text() for file in files]) == (False, earlier)

    other, *_others = first(cluster_version=cluster())
    assert other["changed"]
    assert not any("2001-01-01" in file.read_text() for file in files)
