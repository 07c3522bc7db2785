# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The source of the selection of an installation, and the problems of that selection."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._install_config.check import (
    check_selection,
    read_installation,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    InstallOptions,
    SelectionOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    MINORS,
    NEWEST,
    after,
    check,
    errors,
    known,
    listed,
    warnings,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release

NONE: dict[str, Any] = {"platform": {"none": {}}}
AWS = {"platform": {"aws": {"region": "eu-1"}}}


def found(problems):
    return [(problem.code, str(problem.where)) for problem in problems]


def resolved(result):
    """Return the selection without its locations."""
    assert errors(result.problems) == []
    selection = result.resolved.selection
    return selection and Selection(selection.baseline, selection.additional, selection.excluded)


def reasons(result):
    return result.resolved.reasons


def block(baseline, *names):
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


@pytest.mark.parametrize("document", [NONE, AWS, {**NONE, "capabilities": None}])
@pytest.mark.parametrize("minor", MINORS)
def test_no_selection_is_the_default_of_the_cluster(minor, document):
    result = check(minor, document)

    assert result.problems == ()
    assert result.resolved is not None
    assert result.resolved.selection is None
    assert "vCurrent" in result.resolved.reasons[0]
    assert result.status is not None
    assert result.status.enabled == result.status.known == known(minor)
    assert (result.suggested_selection, result.hosted, result.violations) == (None, None, ())


def test_the_block_of_the_document_is_the_selection():
    result = check("4.20", {**NONE, "capabilities": block("None", "Ingress", "Console")})

    assert resolved(result) == listed("Ingress", "Console")
    assert reasons(result) == ("it is the selection of the install-config",)
    assert result.status is not None
    assert result.status.enabled == {"Ingress", "Console"}


def test_the_option_overrides_the_block():
    document = {**NONE, "capabilities": block("nonsense", "Nonsense")}

    result = check("4.20", document, capabilities={"baseline_capability_set": "v4.18"})

    assert resolved(result) == Selection("v4.18")
    assert reasons(result) == ("it is the selection of the option capabilities",)


def test_the_solution_overrides_the_block():
    result = check("4.20", {**NONE, "capabilities": block("v4.11")}, solution="ran_du")

    assert resolved(result) == listed("Ingress", "NodeTuning", "OperatorLifecycleManager")
    assert reasons(result)[0].startswith("ran_du: ")
    assert reasons(result)[-1].startswith("added Ingress: ")
    assert reasons(result)[-1].endswith(" (inst-ingress)")


def test_an_impossible_solution_is_an_error():
    result = check("4.13", NONE, solution="no_image_registry")

    (problem,) = errors(result.problems)
    assert (problem.code, str(problem.where)) == ("impossible-exclusion", "solution no_image_registry")
    assert result.resolved is None


@pytest.mark.parametrize("minor", ["4.11", "4.14", "4.18", NEWEST])
@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({}, "capabilities.baseline_capability_set"),
        ({"baselineCapabilitySet": ""}, "capabilities.baselineCapabilitySet"),
        ({"baselineCapabilitySet": None}, "capabilities.baselineCapabilitySet"),
        ({"additionalEnabledCapabilities": ["baremetal"]}, "capabilities.baselineCapabilitySet"),
        ({"additionalEnabledCapabilities": []}, "capabilities.baselineCapabilitySet"),
    ],
)
def test_the_option_requires_a_baseline(minor, given, where):
    result = check(minor, {**NONE, "capabilities": {"overridden": 1}}, capabilities=given)

    assert [str(problem.where) for problem in errors(result.problems)] == [where]
    assert "vCurrent" in errors(result.problems)[0].hint


def test_a_baseline_in_a_field_that_does_not_exist_is_one_error():
    result = check("4.20", NONE, capabilities={"capabilities": {"baselineCapabilitySet": "vCurrent"}})
    assert found(errors(result.problems)) == [("unknown-field", "capabilities.capabilities")]


@pytest.mark.parametrize("minor", ["4.11", "4.14", "4.18", NEWEST])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"baselineCapabilitySet": ""},
        {"baselineCapabilitySet": None},
        {"additionalEnabledCapabilities": ["baremetal"]},
        {"additionalEnabledCapabilities": []},
    ],
)
def test_the_document_requires_a_baseline(minor, given):
    result = check(minor, {**NONE, "capabilities": given})

    assert len(errors(result.problems)) == 1
    assert str(errors(result.problems)[0].where) == "content, capabilities.baselineCapabilitySet"


@pytest.mark.parametrize("given", [[], ["Console"], "None", 7, True])
def test_a_selection_is_a_dict(given):
    (of_option,) = errors(check("4.20", NONE, capabilities=given).problems)
    (of_document,) = errors(check("4.20", {**NONE, "capabilities": given}).problems)

    assert found([of_option]) == [("not-a-map", "capabilities")]
    assert found([of_document]) == [("not-a-map", "content, capabilities")]
    assert of_option.message.startswith(f"is {given!r}, expected a dict")
    assert of_document.message.endswith(", expected a map")


def test_a_selection_of_a_document_that_cannot_be_read_is_none():
    result = check("4.20", {**NONE, "capabilities": {**block("None"), "additionalEnabledCapabilities": "Console"}})

    where = "content, capabilities.additionalEnabledCapabilities"
    assert (found(errors(result.problems)), result.resolved) == ([("not-a-list", where)], None)


def test_problems_of_a_document_have_the_spelling_of_its_fields():
    result = check("4.20", {**NONE, "capabilities": {**block("v4.99", "console"), "additionalEnabled": []}})

    assert found(errors(result.problems)) == [
        ("unknown-field", "content, capabilities.additionalEnabled"),
        ("unknown-capability-set", "content, capabilities.baselineCapabilitySet"),
        ("unknown-capability", "content, capabilities.additionalEnabledCapabilities[0]"),
    ]
    assert result.resolved is None


def test_violations_have_the_spelling_of_the_document():
    document = {**NONE, "capabilities": block("None", "marketplace")}
    result = check("4.20", document)

    assert [item.rule.name for item in result.violations] == [
        "inst-ingress",
        "inst-marketplace-olm",
        "api-marketplace-olm",
    ]
    for problem in errors(result.problems):
        assert str(problem.where) == "content, capabilities.additionalEnabledCapabilities"
        assert "additional_enabled" not in str(problem)


def test_a_set_that_an_installer_may_not_know_has_the_spelling_of_the_document():
    result = check("4.17", {**NONE, "capabilities": block("v4.17")})

    (problem,) = [problem for problem in warnings(result.problems) if problem.code == "inst-set-name-missing"]
    assert str(problem.where) == "content, capabilities.baselineCapabilitySet"


@pytest.mark.parametrize("field", ["excludedCapabilities", "excluded_capabilities", "inclusionDefault", "exclude"])
def test_fields_of_the_option_are_not_valid_in_the_document(field):
    result = check("4.20", {**NONE, "capabilities": {"baselineCapabilitySet": "vCurrent", field: ["Console"]}})

    (problem,) = errors(result.problems)
    assert (problem.code, problem.where) == ("unknown-field", Location("content", field=f"capabilities.{field}"))
    assert problem.hint == "Set it in the option capabilities, which converts it"


@pytest.mark.parametrize("field", ["baseline_capability_set", "additional_enabled_capabilities"])
def test_the_installer_knows_only_its_own_spelling(field):
    given = {**block("vCurrent"), field: "vCurrent" if "set" in field else []}

    (problem,) = errors(check("4.20", {**NONE, "capabilities": given}).problems)

    assert str(problem.where) == f"content, capabilities.{field}"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"baseline_capability_set": "v4.18"}, Selection("v4.18")),
        ({"baselineCapabilitySet": "v4.18"}, Selection("v4.18")),
        (
            {"baseline_capability_set": "None", "additionalEnabledCapabilities": ["Ingress", "Build", "Ingress"]},
            listed("Ingress", "Build"),
        ),
        ({"excluded_capabilities": ["Console"]}, listed(*sorted(known("4.20") - {"Console"}))),
        ({"excludedCapabilities": []}, Selection("v4.18")),
        (
            {"baselineCapabilitySet": "vCurrent", "excludedCapabilities": ["OperatorLifecycleManagerV1"]},
            Selection("v4.16"),
        ),
        ({"inclusionDefault": "Include"}, Selection("vCurrent")),
        ({"inclusion_default": "Include", "exclude": ["OperatorLifecycleManagerV1"]}, Selection("v4.16")),
        ({"inclusionDefault": "Exclude", "include": ["Ingress", "Console"]}, listed("Ingress", "Console")),
    ],
)
def test_every_spelling_of_the_option_resolves_to_the_api(given, expected):
    assert resolved(check("4.20", NONE, capabilities=given)) == expected


def test_exclusions_pin_with_a_note():
    result = check("4.20", NONE, capabilities={"excluded_capabilities": ["Console"]})

    assert result.resolved is not None
    assert result.resolved.requested.excluded == ("Console",)
    (reason,) = reasons(result)
    assert f" from 4.20 to {NEWEST}, " in reason
    assert reason.endswith(" (16)")
    assert ("capabilities.excluded_capabilities", "info") in [
        (str(item.where), item.severity) for item in result.problems
    ]


def test_hints_use_the_fields_of_the_first_draft():
    result = check("4.20", NONE, capabilities={"inclusionDefault": "Exclude", "include": ["Console"]})
    included = check("4.20", NONE, capabilities={"inclusionDefault": "Include", "exclude": ["Ingress"]})

    assert [str(item.where) + ": " + item.hint for item in errors(result.problems)] == [
        "capabilities.include: Add Ingress to include"
    ]
    assert [str(item.where) + ": " + item.hint for item in errors(included.problems)] == [
        "capabilities.exclude: Remove Ingress from exclude"
    ]


@pytest.mark.parametrize("draft", ["include", "exclude", "INCLUDE"])
def test_the_default_of_the_first_draft_is_case_sensitive(draft):
    (problem,) = errors(check("4.20", NONE, capabilities={"inclusionDefault": draft}).problems)

    assert str(problem.where) == "capabilities.inclusionDefault"
    assert problem.hint == f"Write {draft.capitalize()}: names are case sensitive"


@pytest.mark.parametrize(
    ("minor", "name", "hint"),
    [
        ("4.20", "console", "Write Console: names are case sensitive"),
        ("4.20", "OperatorLifecycleManagerv1", "Write OperatorLifecycleManagerV1: names are case sensitive"),
        ("4.17", "OperatorLifecycleManagerV1", "Use it with 4.18 or later"),
        ("4.15", "Ingress", "Use it with 4.16 or later"),
        ("4.22", "ClusterAPI", "Use it with 4.23 or later"),
        ("4.13", "MachineAPI", "Use it with 4.14 or later"),
    ],
)
def test_an_unknown_name_is_reported_with_the_nearest_one_or_its_version(minor, name, hint):
    names = ["Ingress", name] if minor in after("4.16") else [name]
    index = len(names) - 1

    result = check(minor, NONE, capabilities=block("None", *names))
    of_document = check(minor, {**NONE, "capabilities": block("None", *names)})

    for problems, where in (
        (result.problems, f"capabilities.additionalEnabledCapabilities[{index}]"),
        (of_document.problems, f"content, capabilities.additionalEnabledCapabilities[{index}]"),
    ):
        (problem,) = errors(problems)
        assert (problem.code, str(problem.where), problem.hint) == ("unknown-capability", where, hint)
        assert repr(name) in problem.message


@pytest.mark.parametrize(
    ("given", "where"),
    [
        (block("None", "Ingress", "Build", "Ingress"), "capabilities.additionalEnabledCapabilities"),
        ({"excludedCapabilities": ["Build", "Build"]}, "capabilities.excludedCapabilities"),
        (None, "content, capabilities.additionalEnabledCapabilities"),
    ],
)
def test_a_repeated_name_is_a_warning(given, where):
    document = NONE if given else {**NONE, "capabilities": block("None", "Ingress", "ImageRegistry", "Ingress")}
    result = check("4.20", document, capabilities=given)

    assert errors(result.problems) == []
    (problem,) = [item for item in warnings(result.problems) if item.code == "duplicate-name"]
    assert str(problem.where) == where


@pytest.mark.parametrize("baseline", ["v4.11", "v4.12", "v4.13"])
@pytest.mark.parametrize("minor", ["4.13", "4.14"])
def test_a_set_that_an_update_changes_is_a_warning(baseline, minor):
    result = check(minor, NONE, capabilities=block(baseline))

    warned = [(problem.code, str(problem.where)) for problem in warnings(result.problems)]
    assert warned == ([("unstable-set", "capabilities.baselineCapabilitySet")] if minor == "4.13" else [])


@pytest.mark.parametrize("is_block", [True, False])
@pytest.mark.parametrize(
    "given", [{"disabled": ["Console"]}, {"excludedCapabilities": ["Consol"]}, {"excludedCapabilities": [1]}]
)
def test_nothing_is_suggested_that_enables_what_is_misspelled(given, is_block):
    document = {**NONE, "capabilities": {"baselineCapabilitySet": "vCurrent", **given}}
    result = check("4.20", document) if is_block else check("4.20", NONE, capabilities=given)

    assert errors(result.problems) != []
    assert result.suggested_selection is None


def test_the_reasons_of_a_hosted_cluster_name_neither_a_set_nor_a_list():
    result = check("4.20", method="hosted", capabilities={"excluded_capabilities": ["Console"]})
    assert reasons(result) == ("it is the selection of the option capabilities",)
    assert reasons(check("4.20", method="hosted")) == ("nothing is selected, so the cluster uses its default",)
    assert "listed" not in " ".join(reasons(check("4.20", method="hosted", solution="headless")))


@pytest.mark.parametrize(("platform", "count"), [("aws", 0), (None, 1)])
def test_the_platform_of_a_hosted_cluster_decides_what_is_deleted(tmp_path, platform, count):
    name = "0000_50_cluster-csi-snapshot-controller-operator_07_deployment-ibm-cloud-managed.yaml"
    release = load_release(str(write_release(tmp_path, {name: manifest("a", "Storage")}, "4.20.1")), Problems())
    document: dict[str, Any] = {"platform": {platform: {}}} if platform else {}
    options = InstallOptions(document, "content", complete=False, method="hosted")
    codes = [problem.code for problem in check_selection(read_installation(options, release)).problems]
    assert codes.count("unknown-hosted-platform") == count


ALL_BUT_MACHINES = {"excluded_capabilities": ["MachineAPI", "baremetal"]}
ALL_BUT_TUNING = {"excluded_capabilities": ["NodeTuning"]}
API = "apiextensions.k8s.io/v1"


def rendered(problems):
    return [
        (item.severity, str(item.where), item.message.split()[0]) for item in problems if item.code == "rendered-anyway"
    ]


@pytest.mark.parametrize(
    ("minor", "method", "platform", "expected"),
    [
        ("4.20", "upi", "aws", [("warning", "content, capabilities", "MachineAPI")]),
        ("4.14", "upi", "vsphere", [("warning", "content, capabilities", "MachineAPI")]),
        ("4.20", "upi", "nutanix", [("warning", "content, capabilities", "MachineAPI")]),
        ("4.21", "upi", "powervc", [("warning", "content, capabilities", "MachineAPI")]),
        ("4.13", "upi", "aws", []),
        ("4.20", "upi", "none", []),
        ("4.20", "ipi", "aws", []),
        ("4.20", "agent", "vsphere", []),
    ],
)
def test_manifests_of_machines(minor, method, platform, expected):
    names = ALL_BUT_MACHINES if minor != "4.13" else {"excluded_capabilities": ["baremetal"]}
    document: dict[str, Any] = {"platform": {platform: {}}}
    assert rendered(check(minor, document, capabilities=names, method=method).problems) == expected


@pytest.mark.parametrize("mode", ["AllNodes", "None", None])
def test_machine_configs_of_partitioned_nodes(mode):
    document: dict[str, Any] = {"platform": {"none": {}}, **({"cpuPartitioningMode": mode} if mode else {})}
    expected = [("info", "content, cpuPartitioningMode", "NodeTuning")] if mode == "AllNodes" else []
    assert rendered(check("4.20", document, capabilities=ALL_BUT_TUNING).problems) == expected
    assert rendered(check("4.20", document).problems) == []


@pytest.mark.parametrize(("method", "count"), [("upi", 1), ("hosted", 0)])
def test_a_manifest_of_the_release_that_the_bootstrap_renders(tmp_path, method, count):
    files = {
        "a.yaml": manifest("consoles.config.openshift.io", "Console", kind="CustomResourceDefinition", api=API),
        "b.yaml": manifest("consoles.operator.openshift.io", "Console", kind="CustomResourceDefinition", api=API),
    }
    release = load_release(str(write_release(tmp_path, files, "4.20.1")), Problems())
    options = InstallOptions(
        {"platform": {"none": {}}} if method == "upi" else {}, "content", complete=False, method=method
    )
    selection = SelectionOptions({"excluded_capabilities": ["Console"]})
    found = rendered(check_selection(read_installation(options, release), selection).problems)
    assert found == [("info", "release-manifests/a.yaml, document 1", "Console")][:count]
