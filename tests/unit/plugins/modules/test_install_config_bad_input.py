# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Invalid input: one error with all problems, each with its code and location, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import (
    COMMENTED,
    runner,
    selection,
    site,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree


@pytest.fixture
def run(call):
    return runner(call)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sites" / "install-config.yaml"


def names(*listed: Any, **fields: Any) -> dict[str, Any]:
    block = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress", *listed], **fields}
    return site(capabilities={field: value for field, value in block.items() if value is not None})


TEXTS = {
    "not YAML": ("apiVersion: v1\nmetadata: [\n", "invalid-yaml", ", line 3, column 1"),
    "two documents": (COMMENTED + "---\na: b\n", "several-documents", ", line {last}"),
}


@pytest.mark.parametrize("source", ["content", "file"])
@pytest.mark.parametrize("case", TEXTS)
def test_a_text_that_is_not_an_install_config(case, source, run, path):
    text, code, line = TEXTS[case]
    where = "content"
    options: dict[str, Any] = {"content": text}
    if source == "file":
        path.parent.mkdir()
        path.write_text(text)
        where, options = str(path), {"capabilities": selection("Ingress")}
    before = tree(path.parents[1])

    assert run(path=path, **options).faults == [(code, where + line.format(last=len(text.splitlines()) - 1))]
    assert tree(path.parents[1]) == before


@pytest.mark.parametrize("value", [7, True, ["a"], 1.5])
def test_content_is_a_dict_or_a_text(value, run, path):
    assert run(path=path, content=value).faults == [("not-a-map", "content")]


def test_a_file_that_is_not_utf_8(run, path):
    path.parent.mkdir()
    path.write_bytes(COMMENTED.encode().replace(b"berlin", b"k\xf6ln"))

    assert run(path=path).faults == [("invalid-encoding", f"{path}, line 4")]


NAMES = "capabilities.additionalEnabledCapabilities"
BASELINE = "capabilities.baselineCapabilitySet"
FIELDS: dict[str, tuple[dict[str, Any], str, str]] = {
    "two platforms": (site() | {"platform": {"none": {}, "aws": {}}}, "several-platforms", "platform"),
    "a block that is a list": (site(capabilities=["Console"]), "not-a-map", "capabilities"),
    "names in a string": (
        site(capabilities=selection() | {"additionalEnabledCapabilities": "Console"}),
        "not-a-list",
        NAMES,
    ),
    "a name that is a number": (names(7), "not-a-string", f"{NAMES}[1]"),
    "no set": (names(baselineCapabilitySet=None), "missing-baseline", BASELINE),
    "an empty block": (site(capabilities={}), "inst-baseline-required", BASELINE),
}


@pytest.mark.parametrize("source", ["content", "file"])
@pytest.mark.parametrize("case", FIELDS)
def test_an_install_config_that_the_installer_rejects(case, source, run, path):
    values, code, field = FIELDS[case]
    where, options = "content", {"content": values}
    if source == "file":
        path.parent.mkdir()
        path.write_text(json.dumps(values))
        where, options = str(path), {}
    before = tree(path.parents[1])

    assert run(path=path, **options).faults == [(code, f"{where}, {field}")]
    assert tree(path.parents[1]) == before


@pytest.mark.parametrize("block", [["Console"], "None", 7])
def test_messages_about_a_block_do_not_name_fields_of_the_option(block, run):
    (problem,) = run(content=site(capabilities=block)).errors

    assert "excluded_capabilities" not in problem["message"]


OPTIONS: dict[str, tuple[dict[str, Any], str, str]] = {
    "a float": ({"openshift_version": 4.20}, "unsupported-version", "openshift_version"),
    "no version": ({"openshift_version": None}, "missing-version", "openshift_version"),
    "a word": ({"openshift_version": "latest"}, "invalid-version", "openshift_version"),
    "hosted with path": (
        {"install_method": "hosted", "path": "{path}", "content": site()},
        "conflicting-options",
        "path",
    ),
    "capabilities and solution": (
        {"capabilities": {}, "solution": "ran_du", "content": site()},
        "conflicting-options",
        "solution",
    ),
    "a name of a later version": (
        {
            "capabilities": selection("Ingress", "OperatorLifecycleManagerV1"),
            "content": site(),
            "openshift_version": "4.17",
        },
        "unknown-capability",
        "capabilities.additionalEnabledCapabilities[1]",
    ),
    "an unknown solution": ({"solution": "ran_dux"}, "unknown-solution", "solution"),
    "solutions without solution": (
        {"solutions": {"a": {"starts_from": "nothing"}}},
        "missing-solution",
        "solutions",
    ),
    "an invalid solution of the user": (
        {"solution": "a", "solutions": {"a": {"starts_from": "nothing", "want": ["Console"]}}},
        "unknown-field",
        "solutions.a.want",
    ),
    "a missing release": ({"release": "/nowhere"}, "missing-directory", "/nowhere"),
    "an empty path": ({"path": ""}, "empty-option", "path"),
}


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("case", OPTIONS)
def test_options_that_are_not_possible(case, check_mode, run, path):
    options, code, where = OPTIONS[case]
    options = {name: str(path) if value == "{path}" else value for name, value in options.items()}

    assert run(check=check_mode, **options).faults == [(code, where)]
    assert not path.parent.exists()


def test_olm_v1_does_not_replace_olm(run):
    outcome = run(content=site(), capabilities=selection("Ingress", "marketplace", "OperatorLifecycleManagerV1"))

    assert all(f"- {rule} (" in outcome.message for rule in ("inst-marketplace-olm", "api-marketplace-olm"))
    assert [problem["code"] for problem in outcome.errors] == ["inst-marketplace-olm"]
    assert "OperatorLifecycleManager" in outcome["suggested_capabilities"]["additionalEnabledCapabilities"]


def test_ansible_rejects_an_unknown_install_method(run):
    outcome = run(install_method="uip", content=site())

    assert "ipi, upi, agent, assisted, hosted" in outcome.message


SEVERAL = site(
    "nutanics", apiVersion="v2", credentialsMode="mint", capabilities=selection("Ingress", "console", "Consol")
)


def test_all_problems_are_reported_in_one_run(run, path):
    errors = run(path=path, content=SEVERAL, release="/nowhere").errors
    assert [item["where"] for item in errors] == [
        "/nowhere",
        "content, apiVersion",
        "content, platform.nutanics",
        "content, credentialsMode",
    ]
    outcome = run(path=path, content=SEVERAL)
    assert [item["where"].removeprefix("content, ") for item in outcome.errors] == [
        "apiVersion",
        "platform.nutanics",
        "credentialsMode",
        "capabilities.additionalEnabledCapabilities[1]",
        "capabilities.additionalEnabledCapabilities[2]",
    ]
    assert outcome.message.startswith("5 problems were found:\n- ")
    assert not path.parent.exists()


def test_file_and_content_are_both_checked(run, path):
    path.parent.mkdir()
    path.write_text("a: [\n")
    errors = run(path=path, content="- a\n", openshift_version="9").errors

    assert {problem["where"] for problem in errors} == {
        f"{path}, line 2, column 1",
        "content, line 1",
        "openshift_version",
    }


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"solutions": {"a": {"starts_from": "nothing"}}}, "solutions"),
        ({"capabilities": ["Console"]}, "capabilities"),
        ({"capabilities": {}, "solution": "ran_du"}, "solution"),
    ],
)
def test_problems_that_need_no_version_are_reported_without_one(options, where, run):
    errors = run(openshift_version=None, **options).errors

    assert {item["where"] for item in errors} == {"openshift_version", where}


def test_a_file_name_that_is_too_long_is_one_error(run, tmp_path):
    path = f"{tmp_path}/{'a' * 300}"
    for check_mode in (False, True):
        errors = run(path=path, content=site(), check=check_mode).errors
        assert [item["where"] for item in errors] == [path]
