# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports in every format, read back with other programs where there are any."""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._findings.formats import (
    FORMATS,
    Output,
    parse_outputs,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.tests.unit.builders.findings import RULES, finding, report
from ansible_collections.capability.openshift.tests.unit.builders.forges import codequality_paths, sarif_paths

WARNING = finding(rule="no-role", severity="warning", path="b.yaml", line=0, resource="")
NOTE = finding(rule="no-news", severity="info", path="", line=0, resource="", hint="")
ODD = finding(path="a, b:%20ü\n.yaml", resource="ConfigMap x/\x1b[31m<&>", message="50% of\n\x00 it,\r\n::error::")
EVERY = report(finding(), WARNING, NOTE, ODD, known=(finding(line=9),))


def test_an_output_is_a_format_and_a_path():
    assert parse_outputs(["sarif:a.sarif", "json: b/c:d.json "]) == [
        Output("sarif", "a.sarif"),
        Output("json", "b/c:d.json"),
    ]
    with pytest.raises(InvalidOptionError) as caught:
        parse_outputs(["json", "text:", "xml:a.xml", "text:a.txt"])
    found = [(item.code, str(item.where)) for item in caught.value.problems]
    assert found == [("invalid-output", f"outputs[{index}]") for index in range(3)]
    hints = [item.hint for item in caught.value.problems]
    assert hints == ["Write json:PATH", "Write text:PATH", f"Use one of: {', '.join(sorted(FORMATS))}"]
    assert "sarif" not in caught.value.problems[2].message


def test_text_has_a_line_per_finding_and_a_summary():
    text = FORMATS["text"](report(finding(), WARNING, NOTE, known=(finding(),)))
    assert text.splitlines() == [
        "a/one.yaml:7: error [no-namespace] ConfigMap x/one: its namespace is out",
        "    Create it.",
        "b.yaml: warning [no-role] its namespace is out",
        "    Create it.",
        "info [no-news] its namespace is out",
        "1 error, 1 warning, 1 note (1 more in the baseline)",
    ]


def test_text_without_findings_says_so_and_what_was_not_checked():
    assert FORMATS["text"](report()) == "No findings\n"
    checked = report(scope=(3, "site"), unchecked=("1 of 3 sites was not compared",), known=(finding(),))
    assert (
        FORMATS["text"](checked) == "No findings in 3 sites (1 more in the baseline); 1 of 3 sites was not compared\n"
    )


def test_text_escapes_what_a_terminal_would_execute():
    text = FORMATS["text"](report(ODD))
    assert text.replace("\n", "").isprintable()
    assert len(text.splitlines()) == 3


def test_markdown_has_the_text_and_the_appendix():
    text = FORMATS["markdown"](report(WARNING, appendix="| a |"))
    lines = ["## 1 warning", "", "```text", "b.yaml: warning [no-role] its namespace is out", "    Create it.", "```"]
    assert text.splitlines() == [*lines, "| a |"]
    assert FORMATS["markdown"](report()) == "## No findings\n"


def test_json_has_all_fields():
    value = json.loads(FORMATS["json"](EVERY))
    assert value["counts"] == {"error": 2, "warning": 1, "info": 1}
    assert value["failed"] is True
    assert value["findings"][0] == {
        "rule": "no-namespace",
        "severity": "error",
        "path": "a/one.yaml",
        "line": 7,
        "resource": "ConfigMap x/one",
        "message": "its namespace is out",
        "hint": "Create it",
    }
    assert [item["line"] for item in value["baselined"]] == [9]


@pytest.mark.parametrize("reported", [EVERY, report()], ids=["findings", "none"])
def test_no_forge_refuses_a_report(reported):
    assert len(sarif_paths(FORMATS["sarif"](reported))) == len((*reported.findings, *reported.known))
    assert len(codequality_paths(FORMATS["codequality"](reported))) == len(reported.findings)


def test_sarif_names_rule_line_resource_and_suppression():
    (run,) = json.loads(FORMATS["sarif"](EVERY))["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [rule.id for rule in RULES]
    first, second, third, odd, known = run["results"]
    physical = first["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "a/one.yaml"
    assert physical["region"] == {"startLine": 7}
    assert first["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "ConfigMap x/one"
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note", "error", "error"]
    assert "region" not in second["locations"][0]["physicalLocation"]
    assert third["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": ".", "uriBaseId": "%SRCROOT%"}}}]
    uri = odd["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "a%2C%20b%3A%2520%C3%BC%0A.yaml"
    assert [result.get("suppressions", []) != [] for result in run["results"]] == [False] * 4 + [True]
    prints = [result["partialFingerprints"]["capabilityOpenshift/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    assert known["ruleIndex"] == 0


def test_sarif_describes_also_a_code_that_is_no_rule():
    other = finding(rule="unknown-platform", severity="warning", path="c.yaml")
    reported = report(finding(), other, other._replace(message="x"))
    (run,) = json.loads(FORMATS["sarif"](reported))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [item.code for item in reported.findings]
    assert [rule["id"] for rule in rules] == [*(rule.id for rule in RULES), "unknown-platform"]
    assert rules[-1]["defaultConfiguration"]["level"] == "warning"


def test_github_has_one_command_per_finding():
    assert FORMATS["github"](report(finding(), WARNING, NOTE)).splitlines() == [
        "::error file=a/one.yaml,line=7,title=no-namespace::ConfigMap x/one: its namespace is out. Create it",
        "::warning file=b.yaml,title=no-role::its namespace is out. Create it",
        "::notice title=no-news::its namespace is out",
    ]


def test_github_escapes_what_would_end_a_command():
    (line,) = FORMATS["github"](report(ODD)).split("\n")[:-1]
    assert line.startswith("::error file=a%2C b%3A%2520ü%0A.yaml,line=7,title=no-namespace::")
    assert "50%25 of%0A" in line
    assert "%0D%0A::error" in line


def test_a_hint_that_is_a_question_has_no_full_stop():
    asked = report(finding(hint="Did you mean Console?"))
    assert "    Did you mean Console?\n" in FORMATS["text"](asked)
    (result,) = json.loads(FORMATS["sarif"](asked))["runs"][0]["results"]
    assert result["message"]["text"] == "its namespace is out. Did you mean Console?"


def test_codequality_has_what_gitlab_requires_and_no_known_finding():
    issues = json.loads(FORMATS["codequality"](EVERY))
    first, warning, note, odd = issues
    assert first["location"] == {"path": "a/one.yaml", "lines": {"begin": 7}}
    assert first["description"] == "ConfigMap x/one: its namespace is out. Create it."
    assert (first["check_name"], first["severity"]) == ("no-namespace", "major")
    assert warning["location"]["lines"] == {"begin": 1}
    assert note["location"]["path"] == "."
    assert odd["location"]["path"] == ODD.where.source
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert json.loads(FORMATS["codequality"](report())) == []
