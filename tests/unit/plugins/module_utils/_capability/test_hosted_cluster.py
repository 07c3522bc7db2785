# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.hosted_cluster import (
    deleted_files,
    hosted_capabilities,
    hosted_data,
    hosted_selection,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.rules import suggested_selection
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._data.version import minor_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.tests.unit.builders.installations import (
    BOTH_GATES,
    GATED,
    MINORS,
    NEWEST,
    after,
    broken,
    check,
    errors,
    install,
    known,
    listed,
    minor_data_of,
    sets_of,
    warned,
    warnings,
)

FILES = json.loads((Path(__file__).parents[4] / "parity" / "facts" / "hosted.json").read_bytes())["deleted"]
SEVEN = {"ImageRegistry", "openshift-samples", "Insights", "baremetal", "Console", "NodeTuning", "Ingress"}
NAMES_OF_MINORS = [(name, minor) for minor in after("4.18") for name in sorted(known(minor) - {"baremetal"})]


def not_selectable(minor):
    """Return the names that no HostedCluster can disable."""
    return known(minor) - SEVEN


def default_of(minor, gated):
    return hosted_data(minor_data_of(minor)).sets["vCurrent"] - gated


def off_by_default(minor):
    return {"baremetal"} if minor in after("4.20") else set()


def not_written(minor):
    """Return the names that a HostedCluster cannot disable, and that it lacks without ImageRegistry."""
    return {"OperatorLifecycleManagerV1"} if minor == "4.18" else set()


def hosted(minor, enabled, gated=GATED):
    return hosted_capabilities(frozenset(enabled), minor_data_of(minor), gated)


def test_the_newest_version_knows_all_selectable_names():
    assert known(NEWEST) > SEVEN


@pytest.mark.parametrize(("name", "minor"), NAMES_OF_MINORS)
def test_a_name_can_be_disabled_if_it_is_selectable(name, minor):
    found = hosted(minor, known(minor) - off_by_default(minor) - {name})

    if name in (SEVEN if minor in after("4.20") else {"ImageRegistry"}):
        assert found.stanza() == {"disabled": [name]}
        assert found.stays_enabled == set()
    else:
        assert found.stanza() == {}
        assert found.stays_enabled == {name}
    assert found.stays_disabled == set()


@pytest.mark.parametrize("minor", after("4.20"))
def test_baremetal_is_disabled_unless_it_is_requested(minor):
    assert default_of(minor, GATED) == known(minor) - {"baremetal"}
    assert hosted(minor, known(minor) - {"baremetal"}).stanza() == {}

    found = hosted(minor, known(minor))

    assert found.stanza() == {"enabled": ["baremetal"]}
    assert found.stays_disabled == set()


@pytest.mark.parametrize("minor", ["4.18", "4.19"])
def test_baremetal_cannot_be_disabled_before_4_20(minor):
    """HyperShift writes vCurrent, or all of its names but ImageRegistry."""
    assert default_of(minor, GATED) == known(minor)
    assert hosted(minor, known(minor)).stanza() == {}
    assert hosted(minor, known(minor) - {"baremetal"}).stays_enabled == {"baremetal"}


@pytest.mark.parametrize("minor", after("4.20"))
def test_lists_are_in_the_order_of_their_bytes(minor):
    assert hosted(minor, not_selectable(minor) | {"baremetal"}).stanza() == {
        "enabled": ["baremetal"],
        "disabled": ["Console", "ImageRegistry", "Ingress", "Insights", "NodeTuning", "openshift-samples"],
    }


@pytest.mark.parametrize("minor", after("4.11", "4.17"))
def test_before_4_18_nothing_can_be_selected(minor):
    assert hosted(minor, set()).stanza() == {}
    assert hosted(minor, set()).stays_enabled == known(minor)
    assert hosted(minor, known(minor)).stays_disabled == set()


@pytest.mark.parametrize("minor", after("4.23"))
def test_gated_names_are_disabled_on_a_hosted_cluster_even_if_their_gates_are_enabled(minor):
    everything = known(minor) | GATED

    assert default_of(minor, frozenset()) == known(minor) - {"baremetal"}
    assert hosted(minor, everything, frozenset()).stays_disabled == GATED
    assert hosted(minor, everything, frozenset()).stanza() == {"enabled": ["baremetal"]}


@given(st.sampled_from(after("4.18")), st.frozensets(st.sampled_from(sorted(known(NEWEST)))))
def test_the_lists_of_a_hosted_cluster_come_as_close_as_possible(minor, enabled):
    found = hosted(minor, enabled & known(minor))
    default = known(minor) - off_by_default(minor)

    assert not set(found.enabled) & set(found.disabled)
    lost = not_written(minor) if "ImageRegistry" in found.disabled else set()
    came_out = (default - set(found.disabled)) | set(found.enabled)
    assert came_out - lost == ((enabled & known(minor)) | found.stays_enabled) - found.stays_disabled - lost
    assert not found.stays_enabled & enabled
    assert found.stays_disabled <= enabled


@pytest.mark.parametrize("minor", after("4.18"))
def test_the_list_of_4_18_lacks_a_name_of_the_release(minor):
    lost, names, data = not_written(minor), default_of(minor, GATED), hosted_data(minor_data_of(minor))

    assert Selection("vCurrent").requested(data) - GATED == names
    assert names - Selection("vCurrent", (), ("ImageRegistry",)).requested(data) == {"ImageRegistry", *lost}
    written = hosted_selection(listed(*names - {"ImageRegistry"} - lost), data, GATED)
    assert (written.additional, written.excluded) == ((), ("ImageRegistry",))
    found = hosted(minor, names - {"ImageRegistry"} - lost)
    assert (found.stanza(), found.stays_enabled) == ({"disabled": ["ImageRegistry"]}, set())
    assert hosted(minor, names - lost).stays_enabled == lost


@pytest.mark.parametrize("minor", MINORS)
def test_a_selection_for_a_hosted_cluster_is_rejected_before_4_18(minor):
    expected = [] if minor in after("4.18") else [("hcp-capabilities", "")]

    assert broken(Selection("vCurrent"), install(minor, "hosted")) == expected


@pytest.mark.parametrize(("name", "minor"), [item for item in NAMES_OF_MINORS if item[0] not in SEVEN])
def test_a_name_that_cannot_be_disabled_is_an_error(name, minor):
    selection = listed(*known(minor) - {name, "ImageRegistry", "Build"})

    found = broken(selection, install(minor, "hosted"))

    assert found == [("hcp-selectable", item) for item in sorted({name, "Build"} & known(minor) - not_written(minor))]


@pytest.mark.parametrize("minor", ["4.18", "4.19"])
@pytest.mark.parametrize("name", sorted(SEVEN))
def test_at_first_only_the_image_registry_can_be_disabled(minor, name):
    found = broken(listed(*known(minor) - {name}), install(minor, "hosted"))

    assert found == ([] if name == "ImageRegistry" else [("hcp-selectable", name)])


@pytest.mark.parametrize("minor", after("4.20"))
def test_ingress_can_only_be_disabled_together_with_the_console(minor):
    context = install(minor, "hosted")

    assert broken(listed(*known(minor) - {"Ingress"}), context) == [("hcp-ingress-console", "Ingress")]
    assert broken(listed(*known(minor) - {"Ingress", "Console"}), context) == []
    assert broken(listed(*known(minor) - {"Console"}), context) == []
    assert suggested_selection(listed(*known(minor) - {"Ingress"}), context)[0] == listed(*sorted(known(minor)))
    of_set = listed(*sorted(not_selectable(minor) - sets_of(minor)["v4.15"]), baseline="v4.15")
    assert broken(of_set, context) == [("hcp-ingress-console", "Ingress")]


@pytest.mark.parametrize("minor", after("4.18"))
def test_rules_of_installers_do_not_apply_to_a_hosted_cluster(minor):
    """It has no rule about Ingress, and its platform does not matter."""
    names = not_selectable(minor) if minor in after("4.20") else known(minor)

    assert broken(listed(*names), install(minor, "hosted", "aws")) == []
    assert warned(listed(*known(minor) - {"ImageRegistry"}), install(minor, "hosted")) == ["doc-build-imageregistry"]


@pytest.mark.parametrize("minor", after("4.20"))
def test_none_disables_every_selectable_name(minor):
    selection, reasons = suggested_selection(listed(), install(minor, "hosted"))

    assert selection == listed(*sorted(not_selectable(minor)))
    assert {reason.rule.name for reason in reasons} == {"hcp-selectable"}


@pytest.mark.parametrize("minor", after("4.20"))
def test_a_hosted_cluster_enables_the_requested_names(minor):
    """HyperShift writes None and a list in the order of its bytes: the stanza is applied to its own default."""
    found = check(minor, method="hosted", capabilities={"excludedCapabilities": ["Console", "Ingress", "baremetal"]})

    assert errors(found.problems) == []
    assert found.hosted is not None
    assert found.hosted.stanza() == {"disabled": ["Console", "Ingress"]}
    assert found.status is not None
    assert found.status.enabled == known(minor) - {"Console", "Ingress", "baremetal"}
    assert found.status.implicitly_enabled == set()


@pytest.mark.parametrize("minor", after("4.18"))
def test_a_hosted_cluster_without_a_selection_has_its_own_default(minor):
    found = check(minor, method="hosted")

    assert found.problems == ()
    assert found.hosted is None
    assert found.status is not None
    assert found.status.enabled == known(minor) - off_by_default(minor)


@pytest.mark.parametrize("minor", after("4.23"))
def test_a_name_that_cannot_be_enabled_is_reported_and_stays_disabled(minor):
    """No HostedCluster can request the names of Cluster API."""
    names = ["ClusterAPI", *sorted(known(minor))]
    document = {"featureSet": "CustomNoUpgrade", "featureGates": ["ClusterAPIMachineManagement=true"]}
    selection = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": names}
    found = check(minor, document, method="hosted", capabilities=selection)

    assert errors(found.problems) == []
    (problem,) = warnings(found.problems)
    assert str(problem.where) == "hosted_cluster_spec"
    assert problem.message == f"a HostedCluster of {minor} cannot enable ClusterAPI"
    assert found.status is not None
    assert "ClusterAPI" not in found.status.enabled


def test_a_standalone_cluster_gets_the_differences_of_a_hosted_one():
    found = check("4.20", {"platform": {"none": {}}}, capabilities={"excludedCapabilities": ["Storage", "Console"]})

    assert errors(found.problems) == []
    assert found.hosted is not None
    assert (sorted(found.hosted.stays_enabled), sorted(found.hosted.stays_disabled)) == (["Storage"], [])
    assert found.hosted.stanza() == {"enabled": ["baremetal"], "disabled": ["Console"]}


def test_names_that_cannot_be_disabled_are_errors_of_the_installation():
    found = check("4.20", method="hosted", capabilities={"excludedCapabilities": ["Storage", "marketplace"]})

    assert [(item.rule.name, item.capability) for item in found.violations] == [
        ("hcp-selectable", "Storage"),
        ("hcp-selectable", "marketplace"),
    ]
    assert [(problem.message.partition(" but ")[0], problem.hint) for problem in errors(found.problems)] == [
        (f"excludes {name},", f"Remove {name} from excludedCapabilities") for name in ("Storage", "marketplace")
    ]


def test_a_hosted_cluster_of_4_17_has_no_selection():
    found = check("4.17", method="hosted", capabilities={"excludedCapabilities": ["ImageRegistry"]})

    (problem,) = errors(found.problems)
    assert "HostedCluster has no spec.capabilities before 4.18" in problem.message


def test_gates_of_a_hosted_cluster_do_not_enable_what_it_disables_by_default():
    context = install("4.23", "hosted", gates=BOTH_GATES, gated=frozenset())

    assert broken(Selection("vCurrent"), context) == []
    assert not context.enabled(Selection("vCurrent")) & GATED


@pytest.mark.parametrize("selection", [{"baselineCapabilitySet": "vCurrent"}, {"inclusionDefault": "Include"}])
@pytest.mark.parametrize("minor", ["4.18", "4.20", NEWEST])
def test_everything_is_what_a_hosted_cluster_has_by_default(minor, selection):
    found = check(minor, method="hosted", capabilities=selection)

    assert found.hosted is not None
    assert found.hosted.stanza() == {}
    assert found.problems == ()


def test_everything_except_one_name_enables_nothing():
    found = check("4.20", method="hosted", capabilities={"excludedCapabilities": ["Console"]})

    assert "pinned-selection" not in {item.code for item in found.problems}
    assert found.hosted is not None
    assert found.hosted.stanza() == {"disabled": ["Console"]}


def release_with(minor, *files):
    """Return a release with one manifest in each file."""
    manifests = tuple(Manifest(ResourceId("", "ConfigMap", "", "one"), "v1", {}, file, 1) for file in files)
    return release_of_version(minor_of(minor))._replace(manifests=manifests)


def reported_files(minor, *files):
    """Return the codes of the problems of a known platform."""
    problems = Problems()
    deleted_files(release_with(minor, *files), "aws", problems)
    assert {item.severity for item in problems} <= {"info"}
    return [item.code for item in problems]


@pytest.mark.parametrize("minor", ["4.11", "4.13", "4.14", "4.15", "4.16", "4.17", "4.22", "4.23"])
def test_the_files_that_hypershift_of_this_version_deletes_are_known(minor):
    in_release = [f"release-manifests/{name}" for name in FILES]

    deleted = deleted_files(release_with(minor, *in_release), None, Problems())

    assert deleted == {f"release-manifests/{name}" for name, span in FILES.items() if minor in after(*span)}


@pytest.mark.parametrize(
    ("file", "is_deleted"),
    [
        ("0000_50_olm_00-pprof-rbac.yaml", True),
        ("release-manifests/0000_50_olm_00-pprof-rbac.yaml", True),
        ("manifests/0000_50_olm_00-pprof-rbac.yaml", False),
        ("release-manifests/0000_50_olm_00-pprof-rbac.yml", False),
        ("manifests/0000_00_cluster-version-operator_03_deployment.yaml", True),
        ("manifests/0000_90_cluster-version-operator_02_servicemonitor.yaml", True),
        ("manifests/0000_50_cluster-update-console-plugin_90_consoleplugin.yaml", True),
        ("manifests/0000_00_cluster-version-operator_04_service.yaml", False),
        ("release-manifests/0000_10_any_03_deployment.yaml", False),
        ("0000_10_any_03_deployment.yaml", False),
    ],
)
def test_a_file_is_deleted_where_it_is_expected(file, is_deleted):
    assert (file in deleted_files(release_with("4.20", file), None, Problems())) == is_deleted


@pytest.mark.parametrize(
    ("minor", "file", "codes"),
    [
        ("4.20", "0000_50_olm_00-pprof-rbac.yaml", []),
        ("4.14", "0000_70_cluster-network-operator_02_rbac.yaml", []),
        (NEWEST, "0000_10_any.yaml", []),
        ("5.99", "0000_10_any.yaml", ["unknown-hosted-files"]),
        ("4.13", "0000_50_console-operator_01-oauth.yaml", []),
        ("4.14", "0000_50_console-operator_01-oauth.yaml", ["unknown-hosted-oauth"]),
    ],
)
def test_what_is_not_known_of_a_version_is_reported(minor, file, codes):
    assert reported_files(minor, file) == codes


@pytest.mark.parametrize(
    ("platform", "is_deleted", "codes"),
    [(None, True, ["unknown-hosted-platform"]), ("aws", True, []), ("ibmcloud", False, []), ("powervs", False, [])],
)
def test_two_platforms_keep_files_that_all_others_delete(platform, is_deleted, codes):
    storage = "0000_50_cluster-csi-snapshot-controller-operator_07_deployment-ibm-cloud-managed.yaml"
    everywhere = "0000_50_olm_00-pprof-rbac.yaml"
    problems = Problems()

    deleted = deleted_files(release_with("4.20", storage, everywhere), platform, problems)

    assert deleted == ({storage, everywhere} if is_deleted else {everywhere})
    assert [item.code for item in problems] == codes


def test_nothing_is_deleted_from_a_release_without_a_version():
    release = release_with("4.20", "0000_50_olm_00-pprof-rbac.yaml")._replace(minor=None)
    assert deleted_files(release, None, Problems()) == frozenset()


@pytest.mark.parametrize(("start", "end"), [("4.18", "4.19"), ("4.20", "4.23")])
def test_the_selection_of_a_hosted_cluster_stays_its_difference_from_the_default(start, end):
    before, after_update = hosted_data(minor_data_of(start)), hosted_data(minor_data_of(end))
    written = listed(*known(start) - off_by_default(start) - {"ImageRegistry"})

    selection = hosted_selection(written, before, GATED)

    assert (selection.additional, selection.excluded) == ((), ("ImageRegistry",))
    assert selection.requested(before) == written.requested(before)
    assert selection.requested(after_update) - GATED == known(end) - off_by_default(end) - {"ImageRegistry"}
