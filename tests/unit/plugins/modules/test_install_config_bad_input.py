# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What bad input gets: one error that names all of it, each with its place and its mend, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.build import (
    InstallRequest,
    build_install_config,
)
from ansible_collections.capability.openshift.tests.unit.builders.install_configs import (
    NOTED,
    PULL_SECRET,
    runner,
    selection,
    site,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree

PASTE = "Paste the pull secret as it was downloaded"
BEGINS = "Write an install-config there"


@pytest.fixture
def run(call):
    return runner(call)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sites" / "install-config.yaml"


def check(problem: dict[str, str], where: str, message: str, hint: str) -> None:
    assert problem["where"] == where
    assert message in problem["message"]
    assert hint in problem["hint"] if hint else problem["hint"] == ""


def names(*listed: Any, **fields: Any) -> dict[str, Any]:
    block = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress", *listed], **fields}
    return site(capabilities={field: value for field, value in block.items() if value is not None})


TEXTS = {
    "no YAML": ("apiVersion: v1\nmetadata: [\n", ", line 3, column 1", "is not YAML: ", "Mend the syntax"),
    "a tab": ("apiVersion: v1\nmetadata:\n\tname: a\n", ", line 3, column 1", "is not YAML: ", "Mend the syntax"),
    "a control character": ("apiVersion: v1\na: \x07\n", ", line 2, column 4", "U+0007 is not allowed", "Mend"),
    "a list": ("- apiVersion: v1\n", ", line 1", "holds a list, expected a map", BEGINS),
    "a word": ("install-config.yaml\n", ", line 1", "holds one plain value, expected a map", BEGINS),
    "nothing": ("# to do\n", "", "is empty", BEGINS),
    "two documents": (NOTED + "---\na: b\n", ", line {end}", "another document begins here", "Leave one document"),
    "a key twice": (
        NOTED.replace("    replicas: 1\n", "    replicas: 1\n    name: master\n"),
        ", line 8",
        "the key controlPlane.name is there twice, first in line 6",
        "Leave one of them",
    ),
    "a block twice": (
        NOTED + "capabilities:\n  baselineCapabilitySet: vCurrent\n",
        ", line {last}",
        "the key capabilities is there twice, first in line 11",
        "Leave one of them",
    ),
    "Jinja": (
        NOTED.replace("name: berlin", "name: '{{ inventory_hostname }}'"),
        ", line 4",
        "metadata.name has Jinja in it",
        "Render the template first",
    ),
    "Jinja without quotes": (
        NOTED.replace("example.com   #", "{{ base_domain }}   #"),
        ", line 3",
        "baseDomain has Jinja in it",
        "Render the template first",
    ),
    "Jinja that is no YAML": (
        NOTED.replace("platform:\n", "{% if edge %}\nplatform:\n"),
        ", line 15",
        "Jinja in it, which nobody has rendered",
        "Render the template first",
    ),
    "another tag": (
        NOTED.replace("replicas: 1", "replicas: !env N"),
        ", line 7",
        "controlPlane.replicas has a tag that the installer does not know",
        "into quotes",
    ),
}


@pytest.mark.parametrize("source", ["content", "file"])
@pytest.mark.parametrize("case", TEXTS)
def test_a_text_that_is_no_install_config(case, source, run, path):
    text, line, message, hint = TEXTS[case]
    last = len(text.splitlines())
    line = line.format(end=last - 1, last=last - 1)
    place = "content"
    options: dict[str, Any] = {"content": text}
    if source == "file":
        path.parent.mkdir()
        path.write_text(text)
        place, options = str(path), {"capabilities": selection("Ingress")}
    before = tree(path.parents[1])
    (problem,) = run(path=path, **options).errors

    check(problem, place + line, message, hint)
    assert tree(path.parents[1]) == before


@pytest.mark.parametrize("kind", [7, True, ["a"], 1.5])
def test_content_that_is_neither_dict_nor_text(kind, run, path):
    (problem,) = run(path=path, content=kind).errors

    assert problem["where"] == "content"
    assert "expected an install-config, as a dict or as its text" in problem["message"]
    assert problem["hint"] != ""


def test_a_file_that_is_not_utf_8(run, path):
    path.parent.mkdir()
    path.write_bytes(NOTED.encode().replace(b"berlin", b"k\xf6ln"))
    (problem,) = run(path=path).errors

    check(problem, f"{path}, line 4", "is not UTF-8", "Save the file in UTF-8")


BELOW = "Write baselineCapabilitySet and additionalEnabledCapabilities below it"
NAMES = "capabilities.additionalEnabledCapabilities"
FIELDS = {
    "two platforms": (site() | {"platform": {"none": {}, "aws": {}}}, "platform",
                      "names 2 platforms: none, aws", "Keep one of them"),
    "unknown platform": (site("nutanics"), "platform.nutanics", "is not a platform", "Did you mean nutanix?"),
    "platform none: null": (site() | {"platform": {"none": None}}, "platform.none", "is null, which the installer",
                            "Write none: {}"),
    "a platform that is a word": (site() | {"platform": "none"}, "platform", "is 'none', expected a map", "none: {}"),
    "wrong apiVersion": (site(apiVersion="v2"), "apiVersion", "is 'v2', expected v1", "Write v1"),
    "pull secret is no JSON": (site(pullSecret="x" + PULL_SECRET), "pullSecret", "is not JSON", PASTE),
    "pull secret has no auths": (site(pullSecret='{"auth":{}}'), "pullSecret", "has no auths", PASTE),
    "pull secret is a number": (site(pullSecret=7), "pullSecret", "is a number, expected JSON in a string", PASTE),
    "pull secret is a list": (site(pullSecret=[PULL_SECRET]), "pullSecret", "is a list, expected JSON", PASTE),
    "pull secret without auth": (site(pullSecret='{"auths":{"r.example.com":{}}}'), "pullSecret",
                                 "has neither auth nor credsStore for r.example.com", "Log in to that registry"),
    "no pull secret": (site(pullSecret=None), "pullSecret", "is missing, the installer requires it", "Add it"),
    "a list": (site(capabilities=["Console"]), "capabilities", "is a list, expected a map", BELOW),
    "a string": (site(capabilities="None"), "capabilities", "is a string, expected a map", BELOW),
    "a number": (site(capabilities=7), "capabilities", "is a number, expected a map", BELOW),
    "names in a string": (site(capabilities=selection() | {"additionalEnabledCapabilities": "Console"}), NAMES,
                          "is 'Console', expected a list of names", "Write [NAME, NAME]"),
    "unknown name": (names("Consol"), f"{NAMES}[1]", "'Consol' is not a capability of 4.20", "Did you mean Console?"),
    "wrong case": (names("console"), f"{NAMES}[1]", "'console' is not a capability", "Write Console: names are case"),
    "a name that is a number": (names(7), f"{NAMES}[1]", "is 7, expected a name", "Quote it"),
    "wrong set": (names(baselineCapabilitySet="none"), "capabilities.baselineCapabilitySet",
                  "'none' is not a capability set of 4.20", "Write None: names are case sensitive"),
    "no set": (names(baselineCapabilitySet=None), "capabilities.baselineCapabilitySet", "is missing beside", "Add"),
    "an empty block": (site(capabilities={}), "capabilities.baselineCapabilitySet", "Unsupported value", "vCurrent"),
    "a field of ours": (site(capabilities=selection("Ingress") | {"excludedCapabilities": ["Console"]}),
                        "capabilities.excludedCapabilities", "is not a field that the installer knows",
                        "Give it in the option capabilities"),
}  # fmt: skip


@pytest.mark.parametrize("source", ["content", "file"])
@pytest.mark.parametrize("case", FIELDS)
def test_an_install_config_that_the_installer_refuses(case, source, run, path):
    values, field, message, hint = FIELDS[case]
    place, options = "content", {"content": values}
    if source == "file":
        path.parent.mkdir()
        path.write_text(json.dumps(values))
        place, options = str(path), {}
    before = tree(path.parents[1])
    found = run(path=path, **options).errors

    assert [problem["where"] for problem in found] == [f"{place}: {field}"]
    check(found[0], f"{place}: {field}", message, hint)
    assert tree(path.parents[1]) == before


@pytest.mark.parametrize("block", [["Console"], "None", 7])
def test_an_install_config_is_not_told_to_use_what_only_the_option_knows(block, run):
    (problem,) = run(content=site(capabilities=block)).errors

    assert "excluded_capabilities" not in problem["message"]
    assert problem["hint"] != ""


@pytest.mark.parametrize("given", [["Console"], "None", 7])
def test_capabilities_that_are_no_dict(given, run, path):
    (problem,) = run(path=path, content=site(), capabilities=given).errors

    assert problem["where"] == "capabilities"
    assert "expected a dict with baseline_capability_set" in problem["message"]
    assert problem["hint"] != ""


def test_olm_v1_does_not_stand_in_for_olm(run):
    outcome = run(content=site(), capabilities=selection("Ingress", "marketplace", "OperatorLifecycleManagerV1"))

    assert {item["rule"] for item in outcome["violations"]} == {"inst-marketplace-olm", "api-marketplace-olm"}
    for problem in outcome.errors:
        assert "OperatorLifecycleManager is missing" in problem["message"]
        assert "Add OperatorLifecycleManager to" in problem["hint"]
        assert "OperatorLifecycleManagerV1 is another capability" in problem["hint"]
    assert "OperatorLifecycleManager" in outcome["suggested_capabilities"]["additionalEnabledCapabilities"]


def test_olm_v1_before_it_existed(run):
    wanted = selection("Ingress", "OperatorLifecycleManagerV1")
    (problem,) = run(content=site(), capabilities=wanted, openshift_version="4.17").errors

    where = "capabilities.additional_enabled_capabilities[1]"
    check(problem, where, "'OperatorLifecycleManagerV1' is not a capability of 4.17", "It exists from 4.18 on")


OPTIONS: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "a float": ({"openshift_version": 4.20}, "openshift_version", "4.2 has no capabilities", 'quote it: "4.20"'),
    "no version": ({"openshift_version": None}, "openshift_version", "is needed", "Set it, or release"),
    "a word": ({"openshift_version": "latest"}, "openshift_version", "is not a version of OpenShift", "4.20"),
    "hosted with path": (
        {"install_method": "hosted", "path": "{path}", "content": site()},
        "path",
        "is given for a hosted cluster, which has no install-config",
        "take hosted_cluster_spec from the result",
    ),
    "capabilities beside solution": (
        {"capabilities": {}, "solution": "ran_du", "content": site()},
        "solution",
        "is given beside capabilities",
        "Keep the solution, or write out its selection",
    ),
    "unknown solution": ({"solution": "ran_dux"}, "solution", "'ran_dux' is not a solution", "Did you mean ran_du?"),
    "solutions without solution": (
        {"solutions": {"a": {"starts_from": "nothing"}}},
        "solutions",
        "is given without solution",
        "Name the one that is meant",
    ),
    "a solution of one's own": (
        {"solution": "a", "solutions": {"a": {"starts_from": "nothing", "want": ["Console"]}}},
        "solutions.a.want",
        "is not a field of a solution",
        "Did you mean wants?",
    ),
    "compare_with without release": ({"compare_with": {}}, "compare_with", "needs a release", "Give release"),
    "no such release": ({"release": "/nowhere"}, "/nowhere", "does not exist, expected a directory", "Name a dir"),
    "an empty path": ({"path": ""}, "", "is a directory, expected an install-config", "Name the file"),
}


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("case", OPTIONS)
def test_options_that_cannot_be(case, check_mode, run, path):
    options, where, message, hint = OPTIONS[case]
    options = {name: str(path) if value == "{path}" else value for name, value in options.items()}
    (problem,) = run(check=check_mode, **options).errors

    check(problem, where or str(Path.cwd()), message, hint)
    assert not path.parent.exists()


def test_an_unknown_install_method_is_refused_by_ansible(run):
    outcome = run(install_method="uip", content=site())

    assert "ipi, upi, agent, assisted, hosted" in outcome.message


SEVERAL = site("nutanics", apiVersion="v2", pullSecret="{}", capabilities=selection("Ingress", "console", "Consol"))


def test_several_problems_are_told_in_one_run(run, path):
    found = run(path=path, content=SEVERAL, release="/nowhere").errors
    assert [item["where"] for item in found] == [
        "/nowhere",
        "content: apiVersion",
        "content: platform.nutanics",
        "content: pullSecret",
    ]
    outcome = run(path=path, content=SEVERAL)
    assert [item["where"].removeprefix("content: ") for item in outcome.errors] == [
        "apiVersion",
        "platform.nutanics",
        "pullSecret",
        "capabilities.additionalEnabledCapabilities[1]",
        "capabilities.additionalEnabledCapabilities[2]",
    ]
    assert outcome.message.startswith("5 problems were found:\n- ")
    assert not path.parent.exists()


def test_file_and_content_are_both_checked(run, path):
    path.parent.mkdir()
    path.write_text("a: [\n")
    wheres = {problem["where"] for problem in run(path=path, content="- a\n", openshift_version="9").errors}

    assert wheres == {f"{path}, line 2, column 1", "content, line 1", "openshift_version"}


def test_what_compare_with_lacks_is_told_beside_other_problems(run):
    found = run(content=site(apiVersion="v2"), compare_with={}).errors
    assert {item["where"] for item in found} == {"content: apiVersion", "compare_with"}


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"solutions": {"a": {"starts_from": "nothing"}}}, "solutions"),
        ({"capabilities": ["Console"]}, "capabilities"),
        ({"capabilities": {}, "solution": "ran_du"}, "solution"),
    ],
)
def test_what_depends_on_no_version_is_told_where_there_is_none(options, where, run):
    found = run(openshift_version=None, **options).errors
    assert {item["where"] for item in found} == {"openshift_version", where}


def test_a_text_that_was_read_with_another_encoding_is_one_error():
    """What a lookup makes of a file in Latin-1. From ansible-core 2.19 on Ansible itself refuses to hand it over."""
    text = NOTED.encode().replace(b"berlin", b"k\xf6ln").decode(errors="surrogateescape")
    request = InstallRequest(None, text, None, None, None, None, "4.20", None, None)
    (problem,) = build_install_config(request, lambda _data: None).problems

    check(problem.as_dict(), "content, line 4", "is not UTF-8", "Save the file in UTF-8")


@pytest.mark.parametrize("secret", ["[" * 5000, '{"auths":' + "[" * 5000, '{"auths":' * 5000])
def test_a_pull_secret_that_is_nested_without_an_end_is_one_error(secret, run):
    (problem,) = run(content=site(pullSecret=secret)).errors

    check(problem, "content: pullSecret", "is not JSON", PASTE)


def test_a_path_that_no_file_can_have_is_one_error(run, tmp_path):
    name = "a" * 300
    for check_mode in (False, True):
        found = run(path=f"{tmp_path}/{name}", content=site(), check=check_mode).errors
        assert [item["where"] for item in found] == [f"{tmp_path}/{name}"]


@pytest.mark.parametrize("value", [["TechPreviewNoUpgrade"], {"a": "b"}, 7, True])
def test_a_feature_set_that_is_no_word_is_an_error(value, run):
    (problem,) = run(content=site(featureSet=value)).errors

    assert problem["where"] == "content: featureSet"


@pytest.mark.parametrize("value", ["GatewayAPI=true", {"GatewayAPI": True}, [7], [{"GatewayAPI": True}]])
def test_feature_gates_that_are_no_list_of_words_are_an_error(value, run):
    found = run(content=site(featureSet="CustomNoUpgrade", featureGates=value)).errors

    assert {item["where"].partition("[")[0] for item in found} == {"content: featureGates"}
