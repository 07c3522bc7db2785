# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What update_plan accepts by name, through the module as Ansible runs it."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.cluster_versions import conditional, reported, risk
from ansible_collections.capability.openshift.tests.unit.builders.update_paths import NOTHING

SLOW = reported("4.13.5", conditional_updates=[conditional("4.14.2", False, "Slow", risk("Slow"))])
ENABLED = ["DeploymentConfig", "MachineAPI"]
"""What the update enables."""


DAYS = ["2999-12-31", date(2999, 12, 31)]
"""YAML makes a date of a day that is not quoted."""


def entry(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "reason": f"{name} is known", **fields}


def shown(name: str, expires: str | None = None) -> dict[str, Any]:
    return {"name": name, "reason": f"{name} is known", "expires": expires}


@pytest.mark.parametrize(("given", "expires"), [(None, None), *((day, "2999-12-31") for day in DAYS)])
def test_an_accepted_reason_does_not_count_and_is_shown(given, expires, run):
    fields = {"expires": given} if given else {}
    outcome = run(cluster_version=SLOW, fail_on="acknowledge", acceptances=[entry("Slow", **fields)])

    (hop,), accepted = outcome["hops"], shown("Slow", expires)
    assert not outcome.failed
    assert (outcome["verdict"], hop["verdict"], outcome["violations"]) == ("go", "go", [])
    assert [(item["name"], item["verdict"], item["accepted"]) for item in hop["reasons"]] == [
        ("Slow", "risk", accepted)
    ]
    assert outcome["accepted"] == hop["accepted"] == [accepted]
    assert [item["name"] for item in outcome["required_acceptances"]] == ENABLED


def test_an_expired_entry_accepts_nothing(run):
    outcome = run(cluster_version=SLOW, fail_on="risk", acceptances=[entry("Slow", expires="2026-01-31")])

    assert outcome.failed
    assert outcome["verdict"] == "risk"
    assert outcome["accepted"] == []
    assert [item["name"] for item in outcome["violations"]] == ["risk"]
    assert outcome.problem("expired-acceptance")["where"] == "acceptances[0]"
    assert "Slow" in [item["name"] for item in outcome["required_acceptances"]]


def test_an_accepted_capability_is_no_violation(run):
    options = {"capabilities": NOTHING, "forbidden_capabilities": ["all"]}
    refused = run(**options, acceptances=[entry("MachineAPI")])
    assert [item["name"] for item in refused["violations"]] == ["DeploymentConfig"]

    outcome = run(**options, acceptances=[entry(name) for name in ENABLED])
    assert not outcome.failed
    assert outcome["accepted"] == outcome["hops"][0]["accepted"] == [shown(name) for name in ENABLED]
    assert outcome["newly_enabled"] == ENABLED
    assert outcome["required_acceptances"] == []


def test_entries_that_accept_nothing_are_warnings_with_their_place(run):
    names = ("Console", "Slow", "Slwo", "failing", "paused-pool/worker", "no-running-cvo", "paused-pool")
    outcome = run(cluster_version=SLOW, acceptances=[*map(entry, names)])

    assert [
        (item["severity"], item["code"], item["where"]) for item in outcome["problems"] if "accept" in item["code"]
    ] == [
        ("warning", "unused-acceptance", "acceptances[0]"),
        ("warning", "unknown-acceptance", "acceptances[2].name"),
        ("warning", "unused-acceptance", "acceptances[3]"),
        ("warning", "unknown-acceptance", "acceptances[6].name"),
    ]


@pytest.mark.parametrize(
    ("name", "code"),
    [("ack-4.12-apis", "unused"), ("ack-4.14-apis", "unused"), ("ack-4.13-apis", "unknown"), ("Ingress", "unused")],
)
def test_a_gate_or_capability_of_another_minor_is_not_misspelled(name, code, run):
    outcome = run(cluster_version=SLOW, acceptances=[entry(name), entry("Slow")])

    assert outcome.problem("accepta")["code"] == f"{code}-acceptance"


def test_an_invalid_entry_is_an_error(run):
    assert run(cluster_version=SLOW, acceptances=[entry("*")]).faults == [("wildcard-name", "acceptances[0].name")]


@pytest.mark.parametrize(
    ("cluster_name", "verdict", "problems"),
    [("edge-7", "go", []), ("rome", "risk", []), (None, "risk", ["unknown-cluster-name"])],
)
def test_an_entry_counts_for_a_cluster_by_its_name(cluster_name, verdict, problems, run):
    options = {} if cluster_name is None else {"cluster_name": cluster_name}
    acceptances = [entry("Slow", clusters=["paris", "edge-*"])]
    outcome = run(cluster_version=SLOW, acceptances=acceptances, **options)

    assert outcome["verdict"] == verdict
    assert sorted(item["code"] for item in outcome["problems"] if item["where"].startswith("acc")) == sorted(problems)


def test_a_fleet_accepts_for_each_cluster_and_shows_each_reason_once(run):
    clusters = [{"name": name, "cluster_version": SLOW} for name in ("paris", "rome", "edge-1")]
    outcome = run(clusters=clusters, fail_on="risk", acceptances=[entry("Slow", clusters=["paris", "edge-*"])])

    assert [item["clusters"] for item in outcome["violations"]] == [["rome"]]
    found = {name: (item["verdict"], item["accepted"]) for name, item in outcome["summaries"].items()}
    assert found == {
        "paris": ("go", [shown("Slow")]),
        "rome": ("risk", []),
        "edge-1": ("go", [shown("Slow")]),
    }
    assert outcome["clusters"] == {"paris": 0, "rome": 1, "edge-1": 0}
    assert outcome["reasons"] == [
        {
            "name": "Slow",
            "verdict": "risk",
            "code": "conditional-risk",
            "reason": "Slow",
            "message": "Slow breaks clusters",
            "clusters": ["paris", "edge-1", "rome"],
            "accepted": ["paris", "edge-1"],
        }
    ]
    needed = {item["name"]: item["clusters"] for item in outcome["required_acceptances"]}
    assert needed == {**{name: ["paris", "edge-1", "rome"] for name in ENABLED}, "Slow": ["rome"]}


def test_an_entry_is_used_if_it_accepts_something_on_one_cluster(run):
    clusters = [{"name": "paris", "cluster_version": SLOW}, {"name": "rome", "capabilities": NOTHING}]
    acceptances = [entry("Slow"), entry("Slow", clusters=["rome"]), entry("Slow", clusters=["pris"])]
    outcome = run(clusters=clusters, acceptances=acceptances)

    unused = {item["where"]: item["message"] for item in outcome["problems"] if item["code"] == "unused-acceptance"}
    assert list(unused) == ["acceptances[1]", "acceptances[2].clusters"]
    assert unused["acceptances[2].clusters"] == "matches no cluster, so this entry does not accept Slow"


def test_cluster_name_is_no_name_of_the_clusters_of_a_fleet(run):
    clusters = [{"name": "rome", "cluster_version": SLOW}]
    outcome = run(clusters=clusters, cluster_name="paris", acceptances=[entry("Slow", clusters=["paris"])])

    assert outcome["summaries"]["rome"]["verdict"] == "risk"


def test_an_accepted_risk_that_the_spec_accepts_already_is_used(run):
    accepting = {"version": "4.14.2", "acceptRisks": [{"name": "Slow"}]}
    update = reported("4.13.5", conditional_updates=[conditional("4.14.2", False, "Slow", risk("Slow"))])
    update["spec"]["desiredUpdate"] = accepting
    outcome = run(cluster_version=update, acceptances=[entry("Slow")])

    assert [item["code"] for item in outcome["problems"] if "acceptance" in item["code"]] == []
