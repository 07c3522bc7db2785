# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules of the form "this needs that capability"."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from .install_rules import CLUSTER_VERSION, HOSTED, HOSTED_CLUSTER, INSTALL_METHODS, VALIDATION, Rule
from .version import Minor


class Dependency(NamedTuple):
    """A rule of the form "this needs that capability".

    ``needed_by`` is the capability that needs ``capability``, empty if the platform or the install method does.
    ``with_none_alone``: applies only with the set None. ``platforms``: ``None`` means all, except
    ``except_platforms``. ``by_list``: names in the baseline do not count, only those in the list. ``gates``: all of
    them must be enabled. ``feature_sets``: applies only with one of them, empty for all. ``namespace``: the Namespace
    for which ``capability`` is needed; an extra manifest can create it instead.
    """

    rule: Rule
    capability: str
    needed_by: str = ""
    with_none_alone: bool = False
    platforms: tuple[str, ...] | None = None
    except_platforms: tuple[str, ...] = ()
    external_cloud_controller_manager: bool = False
    by_list: bool = False
    gates: tuple[str, ...] = ()
    feature_sets: tuple[str, ...] = ()
    namespace: str = ""


_MARKETPLACE = "the marketplace capability requires the OperatorLifecycleManager capability"
_BAREMETAL = "the baremetal capability requires the MachineAPI capability"
_GATE_OF_CLUSTER_API = "ClusterAPIMachineManagement"
"""Each feature set that can enable it has a definition of ClusterVersions with the rule, whatever else it enables."""

_TECH_PREVIEW, _CUSTOM = "TechPreviewNoUpgrade", "CustomNoUpgrade"


def _of_cluster_api(
    since: Minor, until: Minor, feature_sets: tuple[str, ...] = (), gates: tuple[str, ...] = ()
) -> Dependency:
    """CredentialsRequests of the Cluster API operator that do not name CloudCredential, although they need it."""
    applies = f"feature set {' or '.join(feature_sets)}" if feature_sets else f"feature gate {gates[0]} is enabled"
    rule = Rule(
        "doc-clusterapi-credentials",
        "documentation",
        since,
        until,
        f"{applies}, any baseline",
        "CredentialsRequests of Cluster API need its Namespace and definition, so the installation does not finish",
        "openshift/cluster-capi-operator:manifests/0000_30_cluster-api_01_credentials-request.yaml",
        solved_by_solutions=True,
    )
    return Dependency(rule, "CloudCredential", gates=gates, feature_sets=feature_sets)


DEPENDENCIES: tuple[Dependency, ...] = (
    Dependency(
        Rule(
            "inst-ingress",
            "installer",
            Minor(4, 16),
            None,
            "any platform, any baseline",
            "the Ingress capability is required",
            f"{VALIDATION} ValidateInstallConfig (openshift/installer#8502, #8525, #8528)",
        ),
        "Ingress",
    ),
    Dependency(
        Rule(
            "inst-cloudcredential",
            "installer",
            Minor(4, 15),
            None,
            "any platform except none and baremetal, any baseline",
            "disabling CloudCredential capability available only for baremetal platforms",
            f"{VALIDATION} ValidateInstallConfig (openshift/installer#7875, #7884, OCPBUGS-24956)",
        ),
        "CloudCredential",
        except_platforms=("none", "baremetal"),
    ),
    Dependency(
        Rule(
            "inst-ccm",
            "installer",
            Minor(4, 16),
            None,
            "any platform except none, baremetal and external, any baseline",
            "disabling CloudControllerManager is only supported on the Baremetal, None, or External platform with "
            "cloudControllerManager value none",
            f"{VALIDATION} ValidateInstallConfig (openshift/installer#7546)",
        ),
        "CloudControllerManager",
        except_platforms=("none", "baremetal", "external"),
    ),
    Dependency(
        Rule(
            "inst-ccm-external",
            "installer",
            Minor(4, 16),
            None,
            "platform external with cloudControllerManager: External, any baseline",
            "disabling CloudControllerManager on External platform supported only with cloudControllerManager value "
            "none",
            f"{VALIDATION} ValidateInstallConfig (openshift/installer#7546)",
        ),
        "CloudControllerManager",
        platforms=("external",),
        external_cloud_controller_manager=True,
    ),
    Dependency(
        Rule(
            "inst-marketplace-olm",
            "installer",
            Minor(4, 15),
            Minor(4, 16),
            "baseline None, marketplace is listed",
            _MARKETPLACE,
            f"{VALIDATION} ValidateInstallConfig (openshift/installer#7495)",
        ),
        "OperatorLifecycleManager",
        "marketplace",
        with_none_alone=True,
    ),
    Dependency(
        Rule(
            "inst-marketplace-olm",
            "installer",
            Minor(4, 17),
            None,
            "marketplace is enabled, any baseline",
            _MARKETPLACE,
            f"{VALIDATION} ValidateInstallConfig (openshift/installer#8609, OCPBUGS-30025)",
        ),
        "OperatorLifecycleManager",
        "marketplace",
    ),
    Dependency(
        Rule(
            "inst-platform-baremetal",
            "installer",
            Minor(4, 16),
            None,
            "platform baremetal, baseline None",
            "platform baremetal requires the baremetal capability",
            f"{VALIDATION} ValidateInstallConfig (openshift/installer#7901, OCPBUGS-25835)",
        ),
        "baremetal",
        with_none_alone=True,
        platforms=("baremetal",),
    ),
    Dependency(
        Rule(
            "inst-baremetal-machineapi",
            "installer",
            Minor(4, 14),
            Minor(4, 16),
            "baseline None, baremetal is listed",
            _BAREMETAL,
            f"{VALIDATION} ValidateInstallConfig (openshift/installer#7394, removed by #8521)",
        ),
        "MachineAPI",
        "baremetal",
        with_none_alone=True,
    ),
    Dependency(
        Rule(
            "inst-ipi-machineapi",
            "installer",
            Minor(4, 14),
            None,
            "create cluster, any platform, any baseline",
            "IPI requires MachineAPI capability",
            "openshift/installer:pkg/asset/installconfig/platformprovisioncheck.go Generate (openshift/installer#7414, "
            "OCPBUGS-15659)",
            ("ipi",),
        ),
        "MachineAPI",
    ),
    Dependency(
        Rule(
            "api-marketplace-olm",
            "ClusterVersion",
            Minor(4, 15),
            None,
            "baseline None, marketplace is listed",
            "the `marketplace` capability requires the `OperatorLifecycleManager` capability, which is neither "
            "explicitly or implicitly enabled in this cluster",
            f"{CLUSTER_VERSION} XValidation on ClusterVersion",
        ),
        "OperatorLifecycleManager",
        "marketplace",
        with_none_alone=True,
    ),
    Dependency(
        Rule(
            "api-baremetal-machineapi",
            "ClusterVersion",
            Minor(4, 14),
            Minor(4, 16),
            "baseline None, baremetal is listed",
            "the `baremetal` capability requires the `MachineAPI` capability, which is neither explicitly or "
            "implicitly enabled in this cluster",
            f"{CLUSTER_VERSION} XValidation on ClusterVersion (openshift/api#1537, removed by #1916)",
        ),
        "MachineAPI",
        "baremetal",
        with_none_alone=True,
    ),
    Dependency(
        Rule(
            "api-clusterapi-compat",
            "ClusterVersion",
            Minor(4, 23),
            None,
            f"ClusterAPI is listed, any baseline, feature gate {_GATE_OF_CLUSTER_API} is enabled",
            "the `ClusterAPI` capability requires the `CompatibilityRequirements` capability, which is neither "
            "explicitly or implicitly enabled in this cluster",
            f"{CLUSTER_VERSION} FeatureGateAwareXValidation (commit 3d2c42337)",
        ),
        "CompatibilityRequirements",
        "ClusterAPI",
        by_list=True,
        gates=(_GATE_OF_CLUSTER_API,),
    ),
    Dependency(
        Rule(
            "hcp-ingress-console",
            "HostedCluster",
            Minor(4, 20),
            None,
            "Console is enabled",
            "Ingress capability can only be disabled if Console capability is also disabled",
            f"{HOSTED_CLUSTER} (OCPBUGS-58422; openshift/console-operator#1182)",
            (HOSTED,),
        ),
        "Ingress",
        "Console",
    ),
    Dependency(
        Rule(
            "doc-build-imageregistry",
            "documentation",
            Minor(4, 14),
            None,
            "Build is enabled",
            "builds push their images to the image registry of the cluster unless each names another one",
            "openshift/release step ipi-conf-capability-additonalcaps",
            INSTALL_METHODS,
        ),
        "ImageRegistry",
        "Build",
    ),
    _of_cluster_api(Minor(4, 16), Minor(4, 18), (_TECH_PREVIEW,)),
    _of_cluster_api(Minor(4, 19), Minor(4, 21), (_TECH_PREVIEW, _CUSTOM)),
    _of_cluster_api(Minor(4, 22), Minor(4, 22), gates=(_GATE_OF_CLUSTER_API,)),
    Dependency(
        Rule(
            "doc-olm-marketplace",
            "documentation",
            Minor(4, 23),
            None,
            "OperatorLifecycleManager is enabled, and no extra manifest creates Namespace openshift-marketplace",
            "two NetworkPolicies of OLM are in Namespace openshift-marketplace, so the installation does not finish",
            "openshift/operator-framework-olm:manifests/0000_50_olm_01-networkpolicies.yaml",
            solved_by_solutions=True,
        ),
        "marketplace",
        "OperatorLifecycleManager",
        namespace="openshift-marketplace",
    ),
    Dependency(
        Rule(
            "doc-storage-platform",
            "documentation",
            Minor(4, 12),
            None,
            "platform openstack, ovirt or powervc, which is openstack for the installer",
            "the API warns against disabling Storage on this platform",
            f"{CLUSTER_VERSION} ClusterVersionCapabilityStorage; "
            "openshift/installer:pkg/types/conversion/installconfig.go ConvertInstallConfig",
            solved_by_solutions=True,
        ),
        "Storage",
        platforms=("openstack", "ovirt", "powervc"),
    ),
    Dependency(
        Rule(
            "doc-platform-baremetal",
            "documentation",
            Minor(4, 11),
            Minor(4, 15),
            "platform baremetal",
            "the bootstrap of a cluster on platform baremetal fails without the baremetal capability",
            "openshift/assisted-service:docs/user-guide/install-customization.md (openshift/assisted-service#6060); "
            "openshift/installer#7901 (OCPBUGS-25835), which enforces it from 4.16 on",
            solved_by_solutions=True,
        ),
        "baremetal",
        platforms=("baremetal",),
    ),
)


NAMESPACE_RULES = frozenset(item.rule.name for item in DEPENDENCIES if item.namespace)
"""Names of the rules that an extra manifest with a Namespace satisfies."""


def required_namespaces(enabled: Collection[str], minor: Minor | None) -> frozenset[str]:
    """The Namespaces that a cluster that enables these names needs, whatever else it enables."""
    rules = (item for item in DEPENDENCIES if item.namespace and item.needed_by in enabled)
    return frozenset(item.namespace for item in rules if minor is not None and item.rule.in_force(minor, "upi"))


def with_required(names: frozenset[str], minor: Minor | None, gates: frozenset[str]) -> frozenset[str]:
    """``names``, and what the API or the installer requires together with them, whatever the platform is.

    ``gates``: the enabled feature gates.
    """
    for item in DEPENDENCIES:
        is_enforced = item.rule.layer != "documentation" and minor is not None and item.rule.in_force(minor, "upi")
        is_new = item.needed_by in names and item.capability not in names
        if is_enforced and is_new and item.platforms is None and gates.issuperset(item.gates):
            return with_required(names | {item.capability}, minor, gates)
    return names
