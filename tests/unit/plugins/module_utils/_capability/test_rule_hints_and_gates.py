# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules that are not about a missing name, rules of feature gates, and hints."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.rules import (
    rule_violations,
    suggested_selection,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    BOTH_GATES,
    GATED,
    METHODS,
    MINORS,
    PLATFORMS,
    after,
    broken,
    install,
    known,
    listed,
    missing,
    warned,
)


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", METHODS)
def test_hosts_have_to_be_listed_while_machine_api_is_on(minor, method):
    refused = [("inst-baremetal-hosts", "")] if method in ("ipi", "upi") else []

    assert broken(Selection("vCurrent"), install(minor, method, "baremetal", has_hosts=False)) == refused
    assert broken(Selection("vCurrent"), install(minor, method, "baremetal", has_hosts=True)) == []
    assert broken(Selection("vCurrent"), install(minor, method, "baremetal", has_hosts=None)) == []


@pytest.mark.parametrize("minor", [minor for minor in MINORS if minor not in after("4.17")])
def test_before_417_hosts_had_to_be_listed_without_machine_api_too(minor):
    found = broken(listed("baremetal"), install(minor, "upi", "baremetal", has_hosts=False))

    assert ("inst-baremetal-hosts", "") in found


@pytest.mark.parametrize("minor", MINORS)
def test_hosts_have_to_be_listed_where_nothing_is_selected(minor):
    found = rule_violations(None, install(minor, "ipi", "baremetal", has_hosts=False))

    assert [item.rule.name for item in found] == ["inst-baremetal-hosts"]
    assert rule_violations(None, install(minor, "ipi", "baremetal", has_hosts=True)) == ()


@pytest.mark.parametrize("minor", after("4.17"))
def test_hosts_need_not_be_listed_without_machine_api_or_on_another_platform(minor):
    selection = listed("Ingress", "baremetal")

    assert broken(selection, install(minor, "upi", "baremetal", has_hosts=False)) == []
    assert broken(Selection("vCurrent"), install(minor, "upi", "none", has_hosts=False)) == []


@pytest.mark.parametrize("minor", after("4.17"))
@pytest.mark.parametrize("baseline", ["v4.16", "v4.17", "vCurrent"])
def test_installers_of_4_17_may_not_know_its_own_set(minor, baseline):
    expected = ["inst-set-name-missing"] if (minor, baseline) == ("4.17", "v4.17") else []

    assert warned(Selection(baseline), install(minor)) == expected
    assert broken(Selection(baseline), install(minor)) == []


@pytest.mark.parametrize("minor", after("4.12"))
@pytest.mark.parametrize("method", METHODS)
def test_the_assisted_service_waits_for_the_console_unless_the_baseline_is_none(minor, method):
    expected = ["doc-assisted-console"] if method == "assisted" else []

    def found(selection):
        return [rule for rule in warned(selection, install(minor, method)) if rule == "doc-assisted-console"]

    assert found(Selection("v4.11", ("Ingress",))) == expected
    assert found(Selection("v4.11", ("Console", "Ingress"))) == found(listed("Ingress")) == []


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", METHODS)
def test_the_first_agent_based_installers_ignore_the_block(minor, method):
    expected = ["agent-block-ignored"] if method == "agent" and minor in ("4.11", "4.12") else []

    assert warned(Selection("vCurrent"), install(minor, method)) == expected


@pytest.mark.parametrize("minor", after("4.14"))
@pytest.mark.parametrize("method", METHODS)
def test_builds_without_an_image_registry_are_worth_a_warning(minor, method):
    context = install(minor, method)
    without = known(minor) - {"ImageRegistry"}

    assert warned(listed(*without), context) == ["doc-build-imageregistry"]
    assert broken(listed(*without), context) == []
    assert warned(listed(*without - {"Build"}), context) == []
    assert suggested_selection(listed(*without), context) == (listed(*without), ())
    assert warned(listed("Build", baseline="v4.13"), context) == ["doc-build-imageregistry"]


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", METHODS)
def test_some_platforms_rely_on_storage(minor, method):
    relying = [
        platform
        for platform in PLATFORMS
        if "doc-storage-platform" in warned(listed(*known(minor) - {"Storage"}), install(minor, method, platform))
    ]

    assert relying == (["openstack", "ovirt", "powervc"] if minor in after("4.12") else [])
    assert warned(Selection("v4.11"), install(minor, "upi", "ovirt")) == ["doc-storage-platform"] * bool(relying)
    assert broken(listed(*known(minor) - {"Storage"}), install(minor, "upi", "openstack")) == []


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize("method", METHODS)
def test_platform_baremetal_without_baremetal_fails_before_it_is_refused(minor, method):
    without = listed(*known(minor) - {"baremetal"})
    context = install(minor, method, "baremetal")
    early = minor in after("4.11", "4.15")
    ignored = ["agent-block-ignored"] if method == "agent" and minor in ("4.11", "4.12") else []

    assert warned(without, context) == ignored + (["doc-platform-baremetal"] if early else [])
    assert warned(without, install(minor, method, "none")) == ignored
    assert missing(without, context) == (["baremetal"] if minor in after("4.16") else [])


@pytest.mark.parametrize("minor", after("4.23"))
@pytest.mark.parametrize("baseline", ["None", "v4.18", "vCurrent"])
@pytest.mark.parametrize("method", ["upi", "agent", "assisted"])
def test_cluster_api_that_is_listed_needs_compatibility_requirements_beside_it(minor, baseline, method):
    """The rule looks at the list alone, so vCurrent, which has both, does not satisfy it."""
    rest = ["Ingress"] if baseline == "None" else []
    context = install(minor, method, gates=BOTH_GATES, gated=frozenset())

    one = listed(*rest, "ClusterAPI", baseline=baseline)
    both = listed(*rest, "ClusterAPI", "CompatibilityRequirements", baseline=baseline)

    assert broken(one, context) == [("api-clusterapi-compat", "CompatibilityRequirements")]
    assert broken(both, context) == []
    assert sorted(suggested_selection(one, context)[0].additional) == sorted(both.additional)
    assert broken(listed(*rest, "CompatibilityRequirements", baseline=baseline), context) == []
    assert broken(listed("Ingress", baseline=baseline), context) == []


@pytest.mark.parametrize("minor", after("4.23"))
def test_the_rule_about_cluster_api_needs_its_gate(minor):
    context = install(minor, gates=frozenset({"CRDCompatibilityRequirementOperator"}), gated=frozenset())

    assert broken(listed("Ingress", "ClusterAPI"), context) == []


@pytest.mark.parametrize("minor", after("4.23"))
def test_gated_names_are_nothing_where_their_gates_are_off(minor):
    context = install(minor)

    assert context.names == known(minor)
    assert context.enabled(Selection("vCurrent")) == known(minor)
    assert not context.enabled(listed(*GATED))


def problem_of(rule, selection, context, given=None):
    (found,) = [item for item in rule_violations(selection, context, given) if item.rule.name == rule]
    return found.problem


ADD_OLM = "Add OperatorLifecycleManager to additional_enabled_capabilities"
NO_MARKETPLACE = "or remove marketplace from additional_enabled_capabilities"


@pytest.mark.parametrize(
    ("names", "given", "rule", "hint"),
    [
        ((), None, "inst-ingress", "Add Ingress to additional_enabled_capabilities"),
        (("Ingress", "marketplace"), None, "inst-marketplace-olm", f"{ADD_OLM}, {NO_MARKETPLACE}"),
        # The set enables it as well.
        (("Ingress", "marketplace"), Selection("v4.12", ("marketplace",)), "inst-marketplace-olm", ADD_OLM),
        (
            ("Ingress", "OperatorLifecycleManagerV1", "marketplace"),
            None,
            "inst-marketplace-olm",
            f"{ADD_OLM}, {NO_MARKETPLACE}; OperatorLifecycleManagerV1 is another capability",
        ),
        ((), Selection("vCurrent", (), ("Ingress",)), "inst-ingress", "Remove Ingress from excluded_capabilities"),
        (
            ("Ingress", "marketplace"),
            Selection("vCurrent", (), ("OperatorLifecycleManager",)),
            "inst-marketplace-olm",
            "Remove OperatorLifecycleManager from excluded_capabilities, or add marketplace to excluded_capabilities",
        ),
    ],
)
def test_a_hint_names_what_to_add_or_remove(names, given, rule, hint):
    problem = problem_of(rule, listed(*names), install("4.20"), given)
    field = "excluded_capabilities" if given and given.excluded else "additional_enabled_capabilities"

    assert (str(problem.where), problem.hint) == (f"capabilities.{field}", hint)


@pytest.mark.parametrize(("method", "platform"), [("upi", "baremetal"), ("ipi", "aws")])
def test_a_hint_removes_no_name_if_another_rule_fails_then(method, platform):
    context = install("4.16", method, platform)
    selection = listed("CloudControllerManager", "CloudCredential", "Ingress", "baremetal")
    hint = problem_of("inst-baremetal-machineapi", selection, context).hint
    assert hint == "Add MachineAPI to additional_enabled_capabilities"


def test_a_violation_that_no_name_resolves_remains():
    context = install("4.20", "upi", "baremetal", has_hosts=False)
    selection, reasons = suggested_selection(listed("MachineAPI"), context)

    assert selection == listed("Ingress", "MachineAPI", "baremetal")
    assert sorted(reason.capability for reason in reasons) == ["Ingress", "baremetal"]
    assert broken(selection, context) == [("inst-baremetal-hosts", "")]


def test_a_suggested_name_comes_with_the_names_that_it_requires():
    """In 4.16 platform baremetal needs baremetal, and that needs MachineAPI."""
    selection, reasons = suggested_selection(listed(), install("4.16", "agent", "baremetal"))

    assert selection == listed("Ingress", "MachineAPI", "baremetal")
    assert {reason.rule.name for reason in reasons} == {
        "inst-ingress",
        "inst-platform-baremetal",
        "inst-baremetal-machineapi",
        "api-baremetal-machineapi",
    }


def test_the_namespace_of_olm_can_come_from_an_extra_manifest():
    selection = listed("Ingress", "OperatorLifecycleManager")
    assert warned(selection, install("4.22", "agent")) == []
    (violation,) = rule_violations(selection, install("4.23", "agent"))
    assert (violation.rule.name, violation.problem.severity) == ("doc-olm-marketplace", "warning")
    assert violation.problem.hint.startswith("Create Namespace openshift-marketplace with an extra manifest, or add ")
    assert warned(selection, install("4.23", "agent", namespaces=frozenset({"openshift-marketplace"}))) == []
    assert warned(listed("Ingress"), install("4.23", "agent")) == []


def test_no_hint_proposes_to_disable_what_a_hosted_cluster_cannot_disable():
    without = Selection(None, (), ("ImageRegistry",))
    hints = {
        method: item.problem.hint
        for method in ("upi", "hosted")
        for item in rule_violations(without, install("4.20", method, None))
        if item.capability == "ImageRegistry"
    }

    assert ["Build" in hints[method] for method in ("upi", "hosted")] == [True, False]
