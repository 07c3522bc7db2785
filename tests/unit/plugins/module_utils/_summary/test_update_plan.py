# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan as lines of text, in the words of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._report import words
from ansible_collections.capability.openshift.plugins.module_utils._report.write import render_html, render_markdown
from ansible_collections.capability.openshift.plugins.module_utils._summary.update_plan import summary_lines
from ansible_collections.capability.openshift.tests.unit.builders import fleet_plans as plans

DETAILS = ("moved", "added", "removed", "deleted", "credentials_requests")


ENABLED = "CloudCredential, DeploymentConfig, ImageRegistry, Ingress and MachineAPI"
REMARKS = f"enables {ENABLED} permanently; the cluster was not read"


def result(plan_report: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return what the module returns for the plan of one cluster."""
    tables = {key: plan_report[key] for key in ("required_acceptances", "problems")}
    return {**plan_report["plans"][0], **tables, "violations": [], **more}


def fleet_result(report: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return what the module returns for a fleet whose plans have no problems."""
    clusters = {name: position for position, plan in enumerate(report["plans"]) for name in plan["clusters"]}
    every = [{**plan, "problems": []} for plan in report["plans"]]
    tables = {key: report[key] for key in ("reasons", "required_acceptances", "problems")}
    return {"plans": every, "clusters": clusters, **tables, "violations": [], **more}


def full(report: Mapping[str, Any]) -> list[str]:
    return summary_lines(result(report), {"full": True})


def test_the_table_has_a_line_for_each_capability_and_a_column_for_each_release():
    lines = full(plans.one_cluster())
    table = lines[2 : lines.index("", 2) - 1]

    path = "4.13.0 -> 4.14.0 -> 4.18.0, selection: capability set None, with Console"
    assert lines[:2] == [f"blocked; {REMARKS}: {path}", ""]
    assert table == [
        "CAPABILITY                4.13.0    4.14.0    4.18.0",
        "baremetal                 enabled   enabled   enabled",
        "Build                     .         disabled  disabled",
        "CloudCredential           .         .         ENABLED+",
        "Console                   enabled   enabled   enabled",
        "DeploymentConfig          .         ENABLED*  enabled",
        "ImageRegistry             .         ENABLED+  enabled",
        "Ingress                   .         .         ENABLED*",
        "Insights                  disabled  disabled  disabled",
        "MachineAPI                .         ENABLED*  enabled",
        "marketplace               disabled  disabled  disabled",
        "openshift-samples         disabled  disabled  disabled",
        "OperatorLifecycleManager  .         .         disabled",
        "Storage                   disabled  disabled  disabled",
    ]


def test_an_update_is_shown_with_its_causes_and_effects():
    lines = full(plans.one_cluster())
    start = lines.index(
        "blocked: 4.13.0 -> 4.14.0 enables MachineAPI (42 resources), DeploymentConfig (forced); "
        "the selection requests ImageRegistry"
    )
    source = plans.BLOCKED["source"]
    refusal = f"{plans.BLOCKED['message']} (FeatureSet; {source}). {plans.BLOCKED['hint']}"

    assert lines[start + 1 : lines.index("", start)] == [
        f"  blocked: {refusal}",
        f"  not checked: {plans.NOT_CHECKED['message']}",
        "  MachineAPI: 42 resources",
        "    Deployment openshift-machine-api/machine-api-operator-00: no capability -> MachineAPI",
        "    ClusterRole machine-api-operator-01: no capability -> MachineAPI",
        "    ServiceAccount openshift-machine-api/machine-api-operator-02: no capability -> MachineAPI",
        "    Role openshift-machine-api/machine-api-operator-03: no capability -> MachineAPI",
        "    Deployment openshift-machine-api/machine-api-operator-04: no capability -> MachineAPI",
        "    and 37 more",
        "  DeploymentConfig: forced, openshift/cluster-version-operator#981",
        "  ImageRegistry, also requested by the selection: 1 resource",
        "    Deployment openshift-machine-api/image-registry: no capability -> ImageRegistry",
        "  becomes known and stays disabled: Build",
        "  disabled in a fresh install of 4.14.0: DeploymentConfig, MachineAPI",
        "  the selection requests baremetal, and 1 resource of it now needs other capabilities",
        "  12 resources added, 1 no longer applied, 0 deleted; 3 CredentialsRequests, 1 new",
        "    CredentialsRequest openshift-cloud-credential-operator/aws-machine (no capability)",
    ]


def test_the_short_form_has_one_line_for_each_update():
    lines = summary_lines(result(plans.one_cluster(), report=["/srv/plan.md"]), {"full": False})

    assert [line.partition(" ")[0] for line in lines] == [
        *("blocked;", "", "blocked:", "", "", "acknowledge:", "", "Required", "At", "Report:")
    ]
    assert lines[8] == (
        "At the end ImplicitlyEnabledCapabilities is True (CapabilitiesImplicitlyEnabled): "
        "The following capabilities could not be disabled: DeploymentConfig, Ingress, MachineAPI"
    )
    assert lines[9:] == ["Report: /srv/plan.md"]


def test_a_result_without_details_has_no_lists_of_resources():
    report = plans.one_cluster()
    for hop in report["plans"][0]["hops"]:
        for key in DETAILS:
            del hop[key]
        for entry in hop["implicitly_enabled"]:
            entry["resources"] = entry["resources"][:1]
    lines = full(report)

    assert "    and 41 more" in lines
    assert not any("resources added" in line for line in lines)


def test_a_downgrade_names_the_capabilities_whose_components_it_creates():
    lines = full(plans.downgrade())

    assert (
        "blocked: 4.11.0 -> 4.10.0 (downgrade) enables nothing that is not requested; creates the components of "
        "baremetal, Insights, marketplace, openshift-samples, Storage, which 4.10.0 does not know as capabilities"
    ) in lines
    assert lines[-2:] == ["The last release has no capabilities, so the cluster shows no condition.", words.COMPARE]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"from_file": None}, "no capability -> New, exists on the cluster but not in 4.13.0"),
        ({"from_capabilities": ["New"]}, "New -> New, exists on the cluster although the capability was disabled"),
        ({"deleted": True}, "no capability -> New, deleted by the release"),
    ],
)
def test_a_resource_has_its_remarks(changes, line):
    cause = {**plans.moved("one", after=["New"]), **changes}
    step = plans.hop(
        "4.13.0",
        "4.14.0",
        enabled_after=["New"],
        known_after=["New"],
        implicitly_enabled=[plans.by_manifest("New", [cause])],
    )

    assert f"    Deployment openshift-machine-api/one: {line}" in full(plans.report(plans.plan(step)))


def test_a_fleet_has_one_line_for_each_plan():
    report = plans.fleet(plans=2, clusters=7)
    lines = summary_lines(fleet_result(report, problems=[]), {"full": True})

    names = ", ".join(f"site-0000-{number:03}" for number in range(5))
    enabled = "DeploymentConfig, Ingress, MachineAPI"
    refusal, gate = plans.BLOCKED, plans.ACKNOWLEDGE
    assert lines[:12] == [
        "14 clusters, 2 distinct plans: 14 blocked; "
        "capabilities are enabled permanently on 14, and not all was checked on 14",
        "",
        "REASON                                   VERDICT      CLUSTERS  ACCEPTED",
        "FeatureSet                               blocked            14     never",
        "ack-4.14-kube-1.28-api-removals-in-4.15  acknowledge        14         0",
        "",
        "REQUIRED ACCEPTANCE                      CLUSTERS",
        "ack-4.14-kube-1.28-api-removals-in-4.15        14",
        "",
        f"blocked; {REMARKS}: 7 clusters ({names} and 2 more), selection: capability set None, with Console: "
        f"4.13.0 -> 4.14.0 -> 4.18.0 enables {enabled}",
        f"  blocked in 4.14.0: {refusal['message']} (FeatureSet). {refusal['hint']}",
        f"  acknowledge in 4.18.0: {gate['message']} (AdminAckRequired). {gate['hint']}",
    ]
    assert lines[15:] == ["To see each cluster with all its reasons, set report to a directory"]
    written = summary_lines({**fleet_result(report, problems=[]), "report": ["plan.md"]}, {"full": True})
    assert written[15:] == ["Report: plan.md"]
    planned = {**fleet_result(report, problems=[]), "report": ["plan.md"], "changed": True}
    assert summary_lines(planned, {"check_mode": True})[15:] == ["Report, not written: plan.md"]


def test_a_fleet_counts_its_clusters_by_verdict_and_shows_the_first_reasons():
    going = plans.plan(plans.first_hop(reasons=[], not_checked=[]), clusters=["berlin", "paris"])
    risk = {**plans.BLOCKED, "verdict": "risk"}
    risks = [{**risk, "name": f"Risk{place}", "reason": f"Risk{place}"} for place in range(7)]
    risky = plans.plan(plans.first_hop(reasons=risks), clusters=["rome"])
    lines = summary_lines(fleet_result(plans.report(going, risky), problems=[]), {"full": False})

    first = "DeploymentConfig, ImageRegistry and MachineAPI"
    assert lines[0].startswith("3 clusters, 2 distinct plans: 1 risk, 2 go; ")
    assert lines[2:17] == [
        "REASON  VERDICT  CLUSTERS  ACCEPTED",
        *(f"Risk{place}   risk            1         0" for place in range(5)),
        "and 2 more, see reasons in the result",
        "",
        "REQUIRED ACCEPTANCE  CLUSTERS",
        *(f"Risk{place}                       1" for place in range(5)),
        "and 2 more, see required_acceptances in the result",
    ]
    assert [line.partition(":")[0] for line in lines[18:]] == [
        f"go, but enables {first} permanently",
        f"risk; enables {first} permanently; the cluster was not read",
        *["  risk in 4.14.0"] * 5,
        "  and 2 more reasons",
    ]


def test_a_fleet_lists_twenty_problems_and_counts_the_others():
    outcome = fleet_result(plans.fleet(plans=1, clusters=1))
    outcome["problems"] = [plans.problem("warning", "clusters", "1 of 1 plans has problems", code="separate-problems")]
    outcome["plans"][0]["problems"] = [
        plans.problem("info", "a", "not shown"),
        *(plans.problem("warning", "release", f"number {number}") for number in range(22)),
        plans.problem("warning", "release", "number 0"),
    ]
    lines = summary_lines(outcome, {"full": True})

    assert lines[13:] == [
        *(f"warning: release: number {number}" for number in range(20)),
        "and 2 more, see the problems of each plan in the result",
    ]


def test_all_forms_of_a_plan_show_what_is_accepted_why_and_until_when():
    permanent = plans.ACCEPTED | {"name": "no-channel", "accepted": plans.acceptance("no-channel", expires=None)}
    accepted = [item["accepted"] for item in (plans.ACCEPTED, permanent)]
    accepted.append(plans.acceptance("Ingress", "its routes are closed"))
    step = plans.second_hop(reasons=[plans.ACCEPTED, permanent], accepted=accepted)
    report = plans.report(plans.plan(step))
    html, markdown, text = render_html(report), render_markdown(report), "\n".join(full(report))

    gate = plans.ACCEPTED["message"]
    headline = "but enables CloudCredential and Ingress permanently, and 2 reasons are accepted"
    origin = f"({plans.ACCEPTED['reason']}; {plans.ACCEPTED['source']})"
    assert f"go, {headline}: " in text
    assert f"  accepted until 2027-03-01: {gate} {origin}. Accepted because: no client since June\n" in text
    assert f"  accepted: {gate} {origin}. Accepted because: no one waits for it\n" in text
    assert "  accepted until 2027-03-01: enables Ingress. Accepted because: its routes are closed\n" in text
    assert f'<div class="verdict caution"><b>Go, {headline}</b>: {words.ALL_ACCEPTED}' in html
    assert "<b>Acknowledge, accepted until 2027-03-01: AdminAckRequired</b>" in html
    assert "<b>Acknowledge, accepted: AdminAckRequired</b>" in html
    assert "<p>Accepted because: no client since June</p>" in html
    assert "<dt>Accepted until 2027-03-01</dt><dd>Ingress" in html
    assert f"> **Go, {headline}:** {words.ALL_ACCEPTED}.\n" in markdown
    assert "> **Acknowledge, accepted until 2027-03-01:** AdminAckRequired. " in markdown
    assert "> Accepted because: no client since June\n> Source: " in markdown
    assert "- **Accepted until 2027-03-01:** Ingress. Accepted because: its routes are closed" in markdown
    assert all(plans.ACKNOWLEDGE["hint"] not in shown for shown in (html, markdown, text))
    assert all(words.REQUIRED not in shown for shown in (html, markdown, text))


def test_all_forms_of_a_plan_show_what_is_to_be_accepted():
    report = plans.report(plans.plan(plans.second_hop(reasons=[plans.ACCEPTED]), plans.second_hop()))
    name = plans.ACKNOWLEDGE["name"]

    assert f"<dt>{words.REQUIRED}</dt><dd>{name}</dd>" in render_html(report)
    assert f"- {words.REQUIRED}: {name}\n" in render_markdown(report)
    assert f"{words.REQUIRED}: {name}" in full(report)


def test_all_forms_of_a_fleet_show_its_reasons_and_what_is_to_be_accepted():
    waiting = plans.plan(plans.second_hop(reasons=[plans.ACKNOWLEDGE, plans.BLOCKED]), clusters=["berlin", "rome"])
    entries = [plans.ACCEPTED["accepted"], plans.acceptance("Ingress", "its routes are closed")]
    accepted = plans.plan(plans.second_hop(reasons=[plans.ACCEPTED], accepted=entries), clusters=["paris"])
    report = plans.report(waiting, accepted)
    html, markdown = render_html(report), render_markdown(report)
    text = summary_lines(fleet_result(report, problems=[]), {"full": True})

    name, message = plans.ACKNOWLEDGE["name"], plans.ACKNOWLEDGE["message"]
    assert text[0].endswith("; capabilities are enabled permanently on 3, and reasons are accepted on 1")
    assert text[3:4] == [f"{name}  acknowledge         3         1"]
    assert text[4:5] == [f"FeatureSet{' ' * 31}blocked             2     never"]
    assert text[7:8] == [f"{name}         3"]
    assert text[-1] == "  accepted until 2027-03-01: enables Ingress. Accepted because: its routes are closed"
    assert f"| **Acknowledge** | {name} | {message} | 3: berlin, rome, paris | 1: paris |" in markdown
    assert f"| FeatureSet | {plans.BLOCKED['message']} | 2: berlin, rome | never |" in markdown
    assert f"| {name} | {message} | 3: berlin, rome, paris |" in markdown
    assert "| **Go**; 1 reason is accepted | [Plan 2](#plan-2) | 1: paris |" in markdown
    assert "Go</span> 1 reason is accepted</td>" in html
    assert 'data-label="Accepted on">never</td>' in html
    for title in (words.REASONS, words.REQUIRED):
        assert f"## {title}\n" in markdown
        assert f">{title}</h2>" in html
    assert f'data-label="Name"><b>{name}</b></td>' in html
    assert 'data-label="Clusters">3: berlin, rome, paris</td>' in html
    assert 'data-label="Accepted on">1: paris</td>' in html


def test_all_forms_of_a_plan_explain_its_states_in_the_same_words():
    report = plans.one_cluster()
    html, markdown, text = render_html(report), render_markdown(report), "\n".join(full(report))

    for shown in words.STATES.values():
        assert f">{shown.report}</b> {shown.meaning}<" in html
        assert f"`{shown.report}`: {shown.meaning}\n" in markdown
        assert f"{shown.text} = {shown.meaning}" in text


def test_all_forms_of_a_plan_lead_with_its_verdict():
    report = plans.one_cluster()
    html, markdown, text = render_html(report), render_markdown(report), "\n".join(full(report))
    meaning = words.VERDICTS["blocked"].meaning

    assert text.startswith(f"blocked; {REMARKS}: ")
    assert f"Required acceptances: {plans.ACKNOWLEDGE['name']}" in full({**report, "verdict": "go"})
    assert f'<div class="verdict blocked"><b>Blocked; {REMARKS}</b>: {meaning}' in html
    assert f"> **Blocked; {REMARKS}:** {meaning}.\n" in markdown
    for reason in (plans.BLOCKED, plans.ACKNOWLEDGE):
        assert all(reason[key] in text and reason[key] in html for key in ("message", "hint", "source", "reason"))
    for shown in (html, text, markdown):
        assert plans.NOT_CHECKED["message"] in shown
