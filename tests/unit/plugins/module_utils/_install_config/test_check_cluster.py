# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The cluster that an install-config describes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._install_config.check import (
    check_selection,
    read_installation,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    InstallOptions,
    SelectionOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Location, Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    GATED,
    after,
    check,
    errors,
    known,
    requested_names,
    warnings,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    feature_gate,
    manifest,
    write_release,
)

NONE: dict[str, Any] = {"platform": {"none": {}}}
TECH_PREVIEW = {**NONE, "featureSet": "TechPreviewNoUpgrade"}


def block(baseline, *names):
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


def rules(result):
    return sorted(item.rule.name for item in result.violations)


@pytest.mark.parametrize(
    ("document", "method", "platform"),
    [
        ({}, "upi", None),
        (NONE, "upi", "none"),
        ({"platform": {"external": {}}}, "upi", "external"),
        ({"platform": {"aws": {}}}, "ipi", "aws"),
        ({"platform": {"baremetal": {}}}, "ipi", "baremetal"),
        ({"platform": {"vsphere": {}}}, "ipi", "vsphere"),
        ({"platform": {"aws": {}, "none": {}}}, "upi", None),
        ({"platform": {"moon": {}}}, "upi", None),
        ({"platform": "aws"}, "upi", None),
        ({"platform": {"aws": {}}, "bootstrapInPlace": {}}, "upi", "aws"),
    ],
)
def test_method_and_platform_follow_from_the_document(document, method, platform):
    result = check("4.20", document)

    assert (result.installation.method, result.installation.platform) == (method, platform)
    assert check("4.20", document, method="agent").installation.method == "agent"


def test_a_cluster_that_the_installer_provisions_requires_machine_api():
    given = block("None", "CloudControllerManager", "CloudCredential", "Ingress")
    document: dict[str, Any] = {"platform": {"gcp": {}}}

    assert rules(check("4.20", document, capabilities=given)) == ["inst-ipi-machineapi"]
    assert rules(check("4.20", document, capabilities=given, method="upi")) == []


def test_the_manifests_of_a_release_show_whether_anything_needs_a_namespace(tmp_path):
    given = block("None", "Build", "Ingress", "OperatorLifecycleManager")
    release = load_release(str(write_release(tmp_path, {"a.yaml": manifest()}, "4.23.0")), Problems())
    options = InstallOptions(document=NONE, source="content", complete=False)
    found = check_selection(read_installation(options, release), SelectionOptions(capabilities=given)).problems

    by_rules = {problem.code for problem in check("4.23", NONE, capabilities=given).problems}
    assert by_rules - {problem.code for problem in found} == {"doc-olm-marketplace"}
    assert "doc-build-imageregistry" in by_rules


@pytest.mark.parametrize(
    ("manager", "expected"),
    [
        ("External", ["inst-ccm-external"]),
        ("external", ["inst-ccm-external"]),  # reported, and external once it is corrected
        ("None", []),
        ("", []),
        (None, []),
    ],
)
def test_an_external_platform_declares_its_cloud_controller_manager(manager, expected):
    document = {"platform": {"external": {"platformName": "oci", "cloudControllerManager": manager}}}

    result = check("4.20", document, capabilities=block("None", "CloudCredential", "Ingress"))

    assert rules(result) == expected


@pytest.mark.parametrize(("hosts", "expected"), [([], ["inst-baremetal-hosts"]), ([{"name": "one"}], [])])
def test_platform_baremetal_lists_its_hosts(hosts, expected):
    vips = {"apiVIPs": ["10.0.0.5"], "ingressVIPs": ["10.0.0.7"]}
    document = {"platform": {"baremetal": {"hosts": hosts, **vips}}}

    result = check("4.20", document, complete=True, capabilities=block("vCurrent"))
    by_agent = check("4.20", document, complete=True, capabilities=block("vCurrent"), method="agent")

    assert rules(result) == expected
    assert rules(by_agent) == []
    assert rules(check("4.20", document, capabilities=block("vCurrent"))) == []


@pytest.mark.parametrize("names", [(), ("ClusterAPI", "CompatibilityRequirements")])
def test_a_hosted_cluster_cannot_enable_gated_names(names):
    result = check("4.23", TECH_PREVIEW, method="hosted", capabilities=block("vCurrent", *names))

    found = [str(problem.where) for problem in result.problems if problem.code == "unsupported-capability"]
    assert found == ["hosted_cluster_spec"] * bool(names)


@pytest.mark.parametrize("minor", after("4.23"))
def test_gated_names_require_a_feature_set_that_enables_them(minor):
    names = ("ClusterAPI", "CompatibilityRequirements", "Ingress")

    rejected = check(minor, NONE, capabilities=block("None", *names))
    accepted = check(minor, TECH_PREVIEW, capabilities=block("None", *names))

    assert [(problem.code, str(problem.where)) for problem in errors(rejected.problems)] == [
        ("gated-capability", "capabilities.additionalEnabledCapabilities[0]"),
        ("gated-capability", "capabilities.additionalEnabledCapabilities[1]"),
    ]
    for problem, gates in zip(
        errors(rejected.problems),
        (("ClusterAPIMachineManagement",), ("CRDCompatibilityRequirementOperator", "ClusterAPIMachineManagement")),
        strict=True,
    ):
        assert "feature_set" not in problem.hint  # an install-config has no option with this name
        assert f" in {minor} " in problem.message
        assert f" {' or '.join(gates)} " in problem.message
    assert errors(accepted.problems) == []
    assert accepted.status is not None
    assert accepted.status.enabled == set(names)
    assert accepted.status.known == known(minor) | GATED


@pytest.mark.parametrize("minor", after("4.23"))
def test_cluster_api_requires_compatibility_requirements_if_it_exists(minor):
    for baseline in ("None", "vCurrent"):
        given = block(baseline, "ClusterAPI", "Ingress")
        assert rules(check(minor, TECH_PREVIEW, capabilities=given)) == ["api-clusterapi-compat"]
    assert "api-clusterapi-compat" not in rules(check(minor, NONE, capabilities=block("None", "ClusterAPI", "Ingress")))


@pytest.mark.parametrize(
    ("gates", "expected"),
    [
        (["ClusterAPIMachineManagement=true", "CRDCompatibilityRequirementOperator=true"], ["api-clusterapi-compat"]),
        (["ClusterAPIMachineManagement=true"], ["api-clusterapi-compat"]),
        (["ClusterAPIMachineManagement=false"], ["inst-known-names"]),
        (["CRDCompatibilityRequirementOperator=true"], ["inst-known-names"]),
        ([], ["inst-known-names"]),
    ],
)
def test_gates_of_the_document_decide_about_names(gates, expected):
    document = {**NONE, "featureSet": "CustomNoUpgrade", "featureGates": gates}

    result = check("5.0", document, capabilities=block("None", "ClusterAPI", "Ingress"))

    assert rules(result) == expected


@pytest.mark.parametrize(
    ("given", "gates"),
    [
        ({}, {"Usual", "Other"}),
        ({"featureGates": ["New=true"]}, {"Usual", "Other", "New"}),
        ({"featureGates": ["New=true", "Usual=false"]}, {"Other", "New"}),
    ],
)
def test_a_cluster_has_the_default_gates_besides_those_of_the_document(tmp_path, given, gates):
    files = {"gates.yaml": feature_gate(["Usual", "Other"]), "a.yaml": manifest()}
    release = load_release(str(write_release(tmp_path, files, "4.22.0")), Problems())
    document = {**NONE, "featureSet": "CustomNoUpgrade", **given}
    found = check_selection(read_installation(InstallOptions(document, "content", complete=False), release))
    assert found.context is not None
    assert found.context.feature_gates == gates
    assert "missing-feature-gates" not in {problem.code for problem in found.problems}


@pytest.mark.parametrize("entry", ["ClusterAPIMachineManagement", "Some=maybe", "=true", "Some=", ""])
def test_a_gate_of_a_document_is_a_name_and_a_value(entry):
    document = {**NONE, "featureSet": "CustomNoUpgrade", "featureGates": ["Other=true", entry]}

    (problem,) = errors(check("5.0", document).problems)

    assert str(problem.where) == "content, featureGates[1]"


@pytest.mark.parametrize("gates", ["Some=true", {"Some": True}, [7], [{"Some": True}]])
def test_gates_are_a_list_of_strings(gates):
    result = check("5.0", {**NONE, "featureSet": "CustomNoUpgrade", "featureGates": gates})

    assert [str(problem.where).startswith("content, featureGates") for problem in errors(result.problems)] == [True]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("TechPreview", "Did you mean TechPreviewNoUpgrade?"),
        ("techpreviewnoupgrade", "Write TechPreviewNoUpgrade: names are case sensitive"),
        ("DevPreviewNoUpgrade", "Use it with 4.16 or later"),
    ],
)
def test_an_unknown_feature_set_is_reported_with_the_nearest_one(name, hint):
    result = check("4.15", {**NONE, "featureSet": name})

    message = f"{name!r} is not a feature set of 4.15"
    assert errors(result.problems) == [
        Problem("error", "unknown-feature-set", Location("content", field="featureSet"), message, hint)
    ]


@pytest.mark.parametrize("value", [7, ["TechPreviewNoUpgrade"], {}, True])
def test_a_feature_set_is_a_string(value):
    result = check("4.20", {**NONE, "featureSet": value})

    assert [str(problem.where) for problem in errors(result.problems)] == ["content, featureSet"]


@pytest.mark.parametrize(("name", "codes"), [("", []), (None, []), ("Default", ["unknown-feature-set"])])
def test_the_default_feature_set_has_no_name(name, codes):
    assert [problem.code for problem in check("4.20", {**NONE, "featureSet": name}).problems] == codes


@pytest.mark.parametrize(
    ("platform", "minors"),
    [
        ("alibabacloud", after("4.11", "4.15")),
        ("external", after("4.14")),
        ("ovirt", after("4.11", "4.14")),
        ("powervc", after("4.21")),
        ("aws", after("4.11")),
    ],
)
def test_a_platform_exists_in_some_versions(platform, minors):
    for minor in after("4.11"):
        result = check(minor, {"platform": {platform: {}}})
        found = [(item.code, str(item.where), item.message) for item in errors(result.problems)]

        if minor in minors:
            assert (result.installation.platform, found) == (platform, [])
        else:
            where = f"content, platform.{platform}"
            assert (result.installation.platform, found) == (
                None,
                [("unknown-platform", where, "is not a platform of this version and install method")],
            )


def test_a_version_is_required():
    result = check(None, NONE, capabilities=block("None"))

    assert [(item.code, str(item.where), item.hint) for item in errors(result.problems)] == [
        ("missing-version", "openshift_version", "Set openshift_version or release")
    ]
    assert (result.resolved, result.status, result.violations) == (None, None, ())
    assert result.installation.platform == "none"


def test_a_directory_of_manifests_does_not_contain_the_version(tmp_path):
    (tmp_path / "a.yaml").write_text(manifest("a"))
    release = load_release(str(tmp_path), Problems())
    installation = read_installation(InstallOptions(NONE, "content", complete=False), release)
    assert [item.hint for item in errors(installation.cluster_problems)] == ["Set openshift_version"]


def test_no_hint_names_an_option_of_other_modules(tmp_path):
    (tmp_path / "a.yaml").write_text(manifest("a"))
    release = load_release(str(tmp_path), Problems(), openshift_version="4.22")
    found = read_installation(InstallOptions(NONE, "content", complete=False), release).cluster_problems
    assert [(item.code, str(item.where), item.hint) for item in found] == [
        ("missing-feature-gates", str(tmp_path), "Name a whole release")
    ]


@pytest.mark.parametrize("minor", [Minor(4, 10), Minor(4, 2)])
def test_a_version_without_capabilities_is_an_error(minor):
    options = InstallOptions(document=NONE, source="content", complete=False)

    result = check_selection(read_installation(options, release_of_version(minor)), SelectionOptions(block("None")))

    (problem,) = errors(result.problems)
    assert (problem.code, str(problem.where)) == ("unsupported-version", "openshift_version")
    assert result.resolved is None


def test_an_unknown_version_is_an_error_without_a_release():
    options = InstallOptions(document=NONE, source="content", complete=False)

    (problem,) = check_selection(read_installation(options, release_of_version(Minor(6, 0)))).problems

    assert (problem.severity, problem.code, str(problem.where)) == ("error", "unknown-version", "openshift_version")
    assert problem.hint == "Correct the version, or set release to one with its ClusterVersion CRD"


@pytest.mark.parametrize(
    ("minor", "method", "expected"),
    [("4.11", None, ["doc-platform-baremetal"]), ("5.2", "hosted", [])],
)
@pytest.mark.parametrize("options", [{"capabilities": block("vCurrent")}, {"solution": "minimal"}])
def test_rules_that_need_the_platform_are_named_if_it_is_not_known(minor, method, expected, options):
    result = check(minor, {}, method=method, **options)

    unchecked = [problem for problem in warnings(result.problems) if str(problem.where) == "content, platform"]
    if expected:
        (problem,) = unchecked
        assert problem.message.partition("not checked: ")[2].split(", ") == expected
    else:
        assert unchecked == []
    assert not any(str(problem.where) == "content, platform" for problem in check(minor, NONE, **options).problems)


def test_rules_that_need_the_platform_are_named_for_a_block_too():
    result = check("4.20", {"capabilities": block("None", "Ingress")})

    assert [str(problem.where) for problem in warnings(result.problems)] == ["content, platform"]


def test_always_enabled_names_are_enabled():
    result = check("4.20", NONE, capabilities=block("None"))

    assert result.status is not None
    assert result.status.enabled == {"Ingress"}
    assert result.status.implicitly_enabled == {"Ingress"}
    assert rules(result) == ["inst-ingress"]


def test_a_hosted_cluster_has_no_always_enabled_names():
    result = check("4.20", method="hosted", capabilities={"excludedCapabilities": ["Ingress", "Console"]})

    assert result.status is not None
    assert result.status.known - result.status.enabled == {"Ingress", "Console", "baremetal"}
    assert result.status.implicitly_enabled == set()


def test_all_errors_are_reported_at_once():
    document = {
        "apiVersion": "v2",
        "platform": {"aws": {}},
        "featureSet": "Techpreview",
        "capabilities": {**block("None", "console", "marketplace"), "extra": 1},
    }

    result = check("4.20", document, complete=True)

    assert [str(problem.where) for problem in errors(result.problems)] == [
        "content, apiVersion",
        "content, capabilities.extra",
        "content, featureSet",
        "content, capabilities.additionalEnabledCapabilities[0]",
        *["content, capabilities.additionalEnabledCapabilities"] * 5,
    ]
    assert rules(result) == [
        "api-marketplace-olm",
        "inst-ccm",
        "inst-cloudcredential",
        "inst-ingress",
        "inst-ipi-machineapi",
        "inst-known-names",
        "inst-marketplace-olm",
    ]


@pytest.mark.parametrize(
    ("minor", "names", "missing"),
    [
        ("4.15", ("marketplace", "Ingress"), ["OperatorLifecycleManager"]),
        ("4.20", ("marketplace", "Ingress"), ["OperatorLifecycleManager"]),
        ("4.15", ("baremetal",), ["MachineAPI"]),
        ("4.20", ("marketplace", "operatorLifecycleManager", "Ingress"), []),
        ("4.17", ("OperatorLifecycleManagerV1", "marketplace", "Ingress"), ["OperatorLifecycleManager"]),
        ("4.20", ("OperatorLifecycleManagerV1", "marketplace", "Ingress"), ["OperatorLifecycleManager"]),
    ],
)
def test_one_mistake_is_one_error(minor, names, missing):
    """The API and the installer have rules about the same names, and a misspelled name is not missing, too."""
    result = check(minor, {"platform": {"none": {}}}, capabilities=block("None", *names))
    found = [item for item in errors(result.problems) if " is missing: " in item.message]

    assert [item.message.partition(" ")[0] for item in found] == missing
    assert not any("/" in item.message for item in found)


def test_the_suggested_selection_is_the_nearest_valid_one():
    result = check("4.20", {"platform": {"aws": {}}}, capabilities=block("v4.11", "CSISnapshot", "Console", "Storage"))

    assert result.suggested_selection is not None
    assert result.suggested_selection.baseline == "v4.11"
    assert result.suggested_selection.additional == (
        "CSISnapshot",
        "CloudControllerManager",
        "CloudCredential",
        "Console",
        "Ingress",
        "OperatorLifecycleManager",
        "Storage",
    )


def test_the_suggested_selection_has_no_unknown_names():
    result = check("4.20", NONE, capabilities=block("None", "Nonsense", "Console", "Console"))

    assert result.suggested_selection is not None
    assert result.suggested_selection[:3] == Selection("None", ("Console", "Ingress"))[:3]


NAMES = st.lists(st.sampled_from(sorted(known("4.18"))), max_size=8, unique=True)


@given(st.sampled_from(after("4.18", "4.22")), st.sampled_from(["None", "v4.11", "v4.16", "vCurrent"]), NAMES)
def test_a_suggested_selection_is_valid_and_contains_the_requested_names(minor, baseline, names):
    document: dict[str, Any] = {"platform": {"aws": {}}}
    result = check(minor, document, capabilities=block(baseline, *names))

    assert result.suggested_selection is not None
    suggested = requested_names(result.suggested_selection, minor)
    again = check(
        minor, document, capabilities=block(result.suggested_selection.baseline, *result.suggested_selection.additional)
    )

    assert suggested >= requested_names(Selection(baseline, tuple(names)), minor)
    assert errors(again.problems) == []
    assert errors(result.problems) or again.status == result.status


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["None", "Console", "aws"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "platform",
                        "capabilities",
                        "baselineCapabilitySet",
                        "additionalEnabledCapabilities",
                        "networking",
                    ),
                    *("featureSet", "featureGates", "pullSecret", "compute", "controlPlane", "metadata", "none"),
                    *("external", "baremetal", "hosts", "publish", "proxy", "imageDigestSources", "bootstrapInPlace"),
                ]
            ),
            inner,
            max_size=6,
        )
    ),
)


@given(st.dictionaries(st.sampled_from(["platform", "capabilities", "featureSet", "featureGates"]), ANYTHING), ANYTHING)
def test_no_value_raises_an_exception(document, capabilities):
    result = check("4.20", document, complete=True, capabilities=capabilities)

    assert all(str(problem.where) and problem.message for problem in result.problems)
    assert result.resolved is not None or errors(result.problems)
