# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The end of a module that reports findings, run as Ansible runs a module."""

from __future__ import annotations

import json
import os
import stat
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._module.findings import findings_spec, finish_check
from ansible_collections.capability.openshift.plugins.module_utils._module.main import ModuleDefinition
from ansible_collections.capability.openshift.tests.unit.builders.findings import RULES, finding
from ansible_collections.capability.openshift.tests.unit.run_module import caller

SCOPE = (2, "manifest")
NOTE = finding(rule="no-news", severity="info", line=3)


@pytest.fixture
def check(capsys, tmp_path):
    """Run a module that finds ``findings`` in tmp_path/checkout/manifests."""
    directory = tmp_path / "checkout" / "manifests"
    directory.mkdir(parents=True)
    call = caller(capsys)

    def check(*findings, **options):
        def run(module, _result, problems):
            finish_check(module, "release_lint", str(directory), RULES, findings, problems, scope=SCOPE, seen=1)

        return call(SimpleNamespace(MODULE=ModuleDefinition(findings_spec(), run)), **options)

    return check


def test_findings_are_returned_in_order(check):
    outcome = check(finding(), NOTE, fail_on="never")
    assert [item["line"] for item in outcome["findings"]] == [3, 7]
    assert outcome["counts"] == {"error": 1, "warning": 0, "info": 1}
    assert outcome["text"].splitlines()[-1] == "1 error, 1 note in 2 manifests"
    assert (outcome["changed"], outcome["baselined"], outcome["seen"]) == (False, 0, 1)


@pytest.mark.parametrize("check_mode", [False, True])
def test_further_files_are_written_first_and_outputs_not_in_check_mode(capsys, tmp_path, check_mode):
    path, output = tmp_path / "further.txt", tmp_path / "o.txt"

    def run(module, _result, problems):
        further: dict[str, Any] = {"changed": True, "diff": [{"before": "", "after": "x"}]}
        finish_check(
            module, "x", str(tmp_path), RULES, (), problems, scope=SCOPE, write=lambda: path.write_text("x"), **further
        )

    options = {"outputs": [f"text:{output}"], "diff": True, "check": check_mode}
    outcome = caller(capsys)(SimpleNamespace(MODULE=ModuleDefinition(findings_spec(), run)), **options)
    assert outcome["changed"]
    assert [entry["after"] for entry in outcome["diff"]] == ["x", "No findings in 2 manifests\n"]
    assert path.exists()  # it knows whether the module runs in check mode
    assert output.exists() is not check_mode


@pytest.mark.parametrize(
    ("fail_on", "failed"), [("never", False), ("error", False), ("warning", False), ("info", True)]
)
def test_severity_decides_about_failure(check, fail_on, failed):
    assert check(NOTE, fail_on=fail_on).failed is failed


def test_a_failure_names_the_findings_and_returns_everything(check):
    outcome = check(*(finding(line=line) for line in range(1, 31)))
    _head, first, *_rest, last = outcome.message.splitlines()
    assert first == "- a/one.yaml:1: error [no-namespace] ConfigMap x/one: its namespace is out"
    assert last == "- and 10 more"
    assert len(outcome["findings"]) == 30


def test_all_outputs_are_written_before_the_module_fails(check, tmp_path):
    outputs = [f"{name}:{tmp_path}/new/{name}" for name in ("sarif", "text", "json")]
    outcome = check(finding(), outputs=outputs)
    assert outcome.failed
    assert outcome["changed"]
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["json", "sarif", "text"]
    assert not check(finding(), outputs=outputs)["changed"]


def test_check_mode_predicts_and_writes_nothing(check, tmp_path):
    outputs = [f"text:{tmp_path}/new/text"]
    outcome = check(outputs=outputs, check=True, diff=True)
    assert outcome["changed"]
    assert outcome["diff"][0]["after"] == "No findings in 2 manifests\n"
    assert not (tmp_path / "new").exists()


def test_known_findings_are_neither_reported_nor_failures(check, tmp_path):
    baseline = tmp_path / "known.json"
    first = check(finding(), baseline=baseline, update_baseline=True)
    assert (first.failed, first["changed"], first["baselined"]) == (False, True, 1)
    assert json.loads(baseline.read_text())["findings"][0]["rule"] == "no-namespace"
    again = check(finding(line=99), NOTE, baseline=baseline)
    assert (again.failed, again["changed"], again["baselined"]) == (False, False, 1)
    assert [item["rule"] for item in again["findings"]] == ["no-news"]


def test_entries_that_are_not_found_are_a_note(check, tmp_path):
    baseline = tmp_path / "known.json"
    check(finding(), baseline=baseline, update_baseline=True)
    note = check(baseline=baseline).problem("outdated-baseline")
    assert (note["severity"], note["message"]) == ("info", "contains 1 finding that this check did not find")
    assert note["hint"].endswith(", unless it is also for other files or options")


def test_paths_can_start_at_the_checkout(check, tmp_path):
    outcome = check(finding(), relative_to=tmp_path / "checkout", fail_on="never")
    assert outcome["findings"][0]["path"] == "manifests/a/one.yaml"
    (tmp_path / "link").symlink_to(tmp_path / "checkout")
    assert check(finding(), relative_to=tmp_path / "link", fail_on="never")["findings"] == outcome["findings"]


def test_a_directory_that_a_link_names_has_its_path_without_links(check, tmp_path):
    folder = tmp_path / "checkout" / "manifests"
    folder.rename(tmp_path / "checkout" / "real")
    folder.symlink_to("real")
    found = check(finding(), relative_to=tmp_path / "checkout", fail_on="never")["findings"]
    assert [item["path"] for item in found] == ["real/a/one.yaml"]


def test_a_link_may_leave_the_checkout(check, tmp_path):
    folder = tmp_path / "checkout" / "manifests"
    folder.rename(tmp_path / "real")
    folder.symlink_to("../real")
    found = check(finding(), relative_to=tmp_path / "checkout", fail_on="never")["findings"]
    assert [item["path"] for item in found] == ["manifests/a/one.yaml"]


def test_a_directory_elsewhere_is_an_error(check, tmp_path):
    fault = check(relative_to=tmp_path / "other").problem("invalid-path")
    assert (fault["where"], fault["hint"]) == (
        "relative_to",
        "Set it to a directory that contains what is checked, or do not set it",
    )


def test_a_missing_baseline_is_an_error(check, tmp_path):
    assert check(baseline=tmp_path / "none").faults == [("missing-file", str(tmp_path / "none"))]
    assert check(update_baseline=True).faults == [("missing-option", "baseline")]


def test_a_baseline_that_is_no_text_is_an_error(check, tmp_path):
    (tmp_path / "known").write_bytes(b"\xff\xfe")
    assert check(baseline=tmp_path / "known").faults == [("invalid-encoding", str(tmp_path / "known"))]


def test_all_outputs_that_cannot_be_written_are_reported_at_once(check, tmp_path):
    (tmp_path / "file").write_text("")
    paths = [tmp_path, tmp_path / "file" / "x", tmp_path / "twice", tmp_path / "twice"]
    outcome = check(outputs=[f"text:{path}" for path in paths])
    assert [code for code, _where in outcome.faults] == ["not-a-file", "not-a-directory", "duplicate-path"]
    assert not (tmp_path / "twice").exists()
    known = str(tmp_path / "known")
    check(baseline=known, update_baseline=True)
    assert check(baseline=known, outputs=[f"json:{known}"]).faults == [("duplicate-path", known)]


def test_links_and_other_files_that_are_not_regular_are_no_outputs(check, tmp_path):
    # A socket stands for pipes, whose readers can wait forever, and for devices, which root would replace.
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "broken").symlink_to("missing")
    os.mknod(tmp_path / "socket", stat.S_IFSOCK | 0o600)
    paths = [tmp_path / "link", tmp_path / "broken", tmp_path / "socket"]
    outcome = check(finding(), outputs=[f"text:{path}" for path in paths])
    assert outcome.faults == [("not-a-file", str(path)) for path in paths]
    assert check(baseline=tmp_path / "link", update_baseline=True).faults == [("not-a-file", str(tmp_path / "link"))]
    assert (tmp_path / "link").is_symlink()


def test_a_name_that_is_no_text_can_be_written(check, tmp_path):
    outputs = [f"{name}:{tmp_path}/{name}" for name in ("text", "json", "sarif", "github", "codequality")]
    odd = finding(path="a/\udcff.yaml", resource="ConfigMap \ud800")
    assert check(odd, outputs=outputs, fail_on="never")["changed"]
