# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The rules that a selection has to keep at installation, as data: who holds them, when they apply, and the source.

What the cluster-version operator does by itself (always-enabled, gated and forced capabilities) is in ``registry``.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from .registry import NONE, Minor

INSTALL_METHODS: tuple[str, ...] = ("ipi", "upi", "agent", "assisted", "hosted")
"""Ways to install: the installer provisions, the user does, the agent-based installer, the assisted service, and
hosted control planes (HyperShift)."""

STANDALONE: tuple[str, ...] = ("ipi", "upi", "agent", "assisted")
HOSTED = "hosted"

Layer = Literal["installer", "ClusterVersion", "HostedCluster", "documentation"]
"""Who holds a rule. What stands in documentation alone is a warning, everything else an error."""


class Rule(NamedTuple):
    """One rule, from ``since`` to ``until`` (``None``: still), where one of ``methods`` installs.

    ``condition`` says for readers when it applies, ``message`` what the layer answers (in its words where it has
    some), ``source`` where the rule stands.
    """

    name: str
    layer: Layer
    since: Minor
    until: Minor | None
    condition: str
    message: str
    source: str
    methods: tuple[str, ...] = STANDALONE

    def in_force(self, minor: Minor, method: str) -> bool:
        """Tell whether the rule holds in ``minor`` for a cluster that ``method`` installs."""
        return self.since <= minor and (self.until is None or minor <= self.until) and method in self.methods


class Requirement(NamedTuple):
    """A rule of the form "this needs that capability".

    ``needed_by`` is the capability that needs ``capability``; empty where platform or method do. ``baseline``: applies
    with this set alone. ``platforms`` (``None``: all) but for ``except_platforms``. ``by_list``: only the list of
    additional capabilities counts, not what the baseline has. ``gates``: all of them have to be on.
    """

    rule: Rule
    capability: str
    needed_by: str = ""
    baseline: str | None = None
    platforms: tuple[str, ...] | None = None
    except_platforms: tuple[str, ...] = ()
    external_cloud_controller_manager: bool = False
    by_list: bool = False
    gates: tuple[str, ...] = ()


_VALIDATION = "openshift/installer:pkg/types/validation/installconfig.go"
_CLUSTER_VERSION = "openshift/api:config/v1/types_cluster_version.go"
_HOSTED_CLUSTER = "openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go"

KNOWN_NAMES = Rule(
    "inst-known-names",
    "installer",
    Minor(4, 11),
    None,
    "always: names are case sensitive, and each has to be one that the version knows",
    "Unsupported value",
    f"{_VALIDATION} validateCapabilities",
)
API_NAMES = Rule(
    "api-enum",
    "ClusterVersion",
    Minor(4, 11),
    None,
    "always: the CRD lists sets and names; from 4.23 on, names behind feature gates are in that of their feature set "
    "alone (what is not known is told as inst-known-names)",
    "Unsupported value",
    f"{_CLUSTER_VERSION} FeatureGateAwareEnum on ClusterVersionCapability, enum on ClusterVersionCapabilitySet",
)
BASELINE_REQUIRED = Rule(
    "inst-baseline-required",
    "installer",
    Minor(4, 11),
    None,
    "the capabilities block is there and has no baselineCapabilitySet, although the documentation calls that vCurrent",
    'capabilities.baselineCapabilitySet: Unsupported value: ""',
    f"{_VALIDATION} validateCapabilities (its test 'invalid empty string baseline capability set')",
)
BAREMETAL_HOSTS = Rule(
    "inst-baremetal-hosts",
    "installer",
    Minor(4, 17),
    None,
    "platform baremetal, MachineAPI is on, and platform.baremetal.hosts is empty",
    "platform.baremetal.hosts: Invalid value: bare metal hosts are missing",
    "openshift/installer:pkg/types/baremetal/validation/platform.go ValidatePlatform (openshift/installer#8521)",
    ("ipi", "upi"),
)
SET_NAME_MISSING = Rule(
    "inst-set-name-missing",
    "documentation",
    Minor(4, 17),
    Minor(4, 17),
    "baseline v4.17: installers whose copy of the API is older do not know the name",
    "the 4.17 installer may not know the set v4.17, which has the same content as v4.16",
    "openshift/installer#9002 (OCPBUGS-31111)",
)
BLOCK_IGNORED = Rule(
    "agent-block-ignored",
    "documentation",
    Minor(4, 11),
    Minor(4, 12),
    "a capabilities block is given to the agent-based installer",
    "agent-based installers before openshift/installer#6923 drop the capabilities block and install everything",
    "openshift/installer#6923 (OCPBUGS-5129)",
    ("agent",),
)
HOSTED_NAMES = Rule(
    "hcp-selectable",
    "HostedCluster",
    Minor(4, 18),
    None,
    "a capability is to be off that a HostedCluster cannot name: only ImageRegistry in 4.18 and 4.19, seven from 4.20",
    "a hosted cluster cannot be without it",
    f"{_HOSTED_CLUSTER} OptionalCapability; openshift/hypershift:docs/content/how-to/cluster-capabilities.md",
    (HOSTED,),
)
HOSTED_SINCE = Rule(
    "hcp-capabilities",
    "HostedCluster",
    Minor(4, 11),
    Minor(4, 17),
    "a selection is given for a hosted cluster",
    "HostedCluster has no spec.capabilities before 4.18",
    f"{_HOSTED_CLUSTER} (branches 4.17 and 4.18 compared)",
    (HOSTED,),
)

HOSTED_BOTH = Rule(
    "hcp-both",
    "HostedCluster",
    Minor(4, 20),
    None,
    "a name is in enabled and in disabled (what is made here never has one in both)",
    "Capabilities can not be both enabled and disabled at once.",
    _HOSTED_CLUSTER,
    (HOSTED,),
)

_MARKETPLACE = "the marketplace capability requires the OperatorLifecycleManager capability"
_BAREMETAL = "the baremetal capability requires the MachineAPI capability"
_GATES_OF_CLUSTER_API = ("CRDCompatibilityRequirementOperator", "ClusterAPIMachineManagement")

REQUIREMENTS: tuple[Requirement, ...] = (
    Requirement(
        Rule(
            "inst-ingress",
            "installer",
            Minor(4, 16),
            None,
            "any platform, any baseline",
            "the Ingress capability is required",
            f"{_VALIDATION} ValidateInstallConfig (openshift/installer#8502, #8525, #8528)",
        ),
        "Ingress",
    ),
    Requirement(
        Rule(
            "inst-cloudcredential",
            "installer",
            Minor(4, 15),
            None,
            "platform is neither none nor baremetal, any baseline",
            "disabling CloudCredential capability available only for baremetal platforms",
            f"{_VALIDATION} ValidateInstallConfig (openshift/installer#7875, #7884, OCPBUGS-24956)",
        ),
        "CloudCredential",
        except_platforms=("none", "baremetal"),
    ),
    Requirement(
        Rule(
            "inst-ccm",
            "installer",
            Minor(4, 16),
            None,
            "platform is none of none, baremetal and external, any baseline",
            "disabling CloudControllerManager is only supported on the Baremetal, None, or External platform with "
            "cloudControllerManager value none",
            f"{_VALIDATION} ValidateInstallConfig (openshift/installer#7546)",
        ),
        "CloudControllerManager",
        except_platforms=("none", "baremetal", "external"),
    ),
    Requirement(
        Rule(
            "inst-ccm-external",
            "installer",
            Minor(4, 16),
            None,
            "platform external with cloudControllerManager: External, any baseline",
            "disabling CloudControllerManager on External platform supported only with cloudControllerManager value "
            "none",
            f"{_VALIDATION} ValidateInstallConfig (openshift/installer#7546)",
        ),
        "CloudControllerManager",
        platforms=("external",),
        external_cloud_controller_manager=True,
    ),
    Requirement(
        Rule(
            "inst-marketplace-olm",
            "installer",
            Minor(4, 15),
            Minor(4, 16),
            "baseline None, marketplace is listed",
            _MARKETPLACE,
            f"{_VALIDATION} ValidateInstallConfig (openshift/installer#7495)",
        ),
        "OperatorLifecycleManager",
        "marketplace",
        baseline=NONE,
    ),
    Requirement(
        Rule(
            "inst-marketplace-olm",
            "installer",
            Minor(4, 17),
            None,
            "marketplace is on, any baseline",
            _MARKETPLACE,
            f"{_VALIDATION} ValidateInstallConfig (openshift/installer#8609, OCPBUGS-30025)",
        ),
        "OperatorLifecycleManager",
        "marketplace",
    ),
    Requirement(
        Rule(
            "inst-platform-baremetal",
            "installer",
            Minor(4, 16),
            None,
            "platform baremetal, baseline None",
            "platform baremetal requires the baremetal capability",
            f"{_VALIDATION} ValidateInstallConfig (openshift/installer#7901, OCPBUGS-25835)",
        ),
        "baremetal",
        baseline=NONE,
        platforms=("baremetal",),
    ),
    Requirement(
        Rule(
            "inst-baremetal-machineapi",
            "installer",
            Minor(4, 14),
            Minor(4, 16),
            "baseline None, baremetal is listed",
            _BAREMETAL,
            f"{_VALIDATION} ValidateInstallConfig (openshift/installer#7394, removed by #8521)",
        ),
        "MachineAPI",
        "baremetal",
        baseline=NONE,
    ),
    Requirement(
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
    Requirement(
        Rule(
            "api-marketplace-olm",
            "ClusterVersion",
            Minor(4, 15),
            None,
            "baseline None, marketplace is listed",
            "the `marketplace` capability requires the `OperatorLifecycleManager` capability, which is neither "
            "explicitly or implicitly enabled in this cluster",
            f"{_CLUSTER_VERSION} XValidation on ClusterVersion",
        ),
        "OperatorLifecycleManager",
        "marketplace",
        baseline=NONE,
    ),
    Requirement(
        Rule(
            "api-baremetal-machineapi",
            "ClusterVersion",
            Minor(4, 14),
            Minor(4, 16),
            "baseline None, baremetal is listed",
            "the `baremetal` capability requires the `MachineAPI` capability, which is neither explicitly or "
            "implicitly enabled in this cluster",
            f"{_CLUSTER_VERSION} XValidation on ClusterVersion (openshift/api#1537, removed by #1916)",
        ),
        "MachineAPI",
        "baremetal",
        baseline=NONE,
    ),
    Requirement(
        Rule(
            "api-clusterapi-compat",
            "ClusterVersion",
            Minor(4, 23),
            None,
            f"ClusterAPI is listed, any baseline, feature gates {' and '.join(_GATES_OF_CLUSTER_API)} are on",
            "the `ClusterAPI` capability requires the `CompatibilityRequirements` capability, which is neither "
            "explicitly or implicitly enabled in this cluster",
            f"{_CLUSTER_VERSION} FeatureGateAwareXValidation (commit 3d2c42337)",
        ),
        "CompatibilityRequirements",
        "ClusterAPI",
        by_list=True,
        gates=_GATES_OF_CLUSTER_API,
    ),
    Requirement(
        Rule(
            "hcp-ingress-console",
            "HostedCluster",
            Minor(4, 20),
            None,
            "Console is on",
            "Ingress capability can only be disabled if Console capability is also disabled",
            f"{_HOSTED_CLUSTER} (OCPBUGS-58422; openshift/console-operator#1182)",
            (HOSTED,),
        ),
        "Ingress",
        "Console",
    ),
    Requirement(
        Rule(
            "doc-build-imageregistry",
            "documentation",
            Minor(4, 14),
            None,
            "Build is on",
            "builds push their images to the image registry of the cluster unless each names another one",
            "openshift/release step ipi-conf-capability-additonalcaps",
            INSTALL_METHODS,
        ),
        "ImageRegistry",
        "Build",
    ),
    Requirement(
        Rule(
            "doc-storage-platform",
            "documentation",
            Minor(4, 12),
            None,
            "platform openstack or ovirt",
            "the API warns against turning Storage off on this platform",
            f"{_CLUSTER_VERSION} ClusterVersionCapabilityStorage",
        ),
        "Storage",
        platforms=("openstack", "ovirt"),
    ),
    Requirement(
        Rule(
            "doc-assisted-baremetal",
            "documentation",
            Minor(4, 11),
            Minor(4, 15),
            "platform baremetal",
            "the bootstrap of a cluster on platform baremetal fails without the baremetal capability",
            "openshift/assisted-service:docs/user-guide/install-customization.md (openshift/assisted-service#6060)",
            ("agent", "assisted"),
        ),
        "baremetal",
        platforms=("baremetal",),
    ),
)


def all_rules() -> tuple[Rule, ...]:
    """Return every rule, grouped by layer, for those who want to read them."""
    single = (KNOWN_NAMES, API_NAMES, BASELINE_REQUIRED, BAREMETAL_HOSTS, SET_NAME_MISSING, BLOCK_IGNORED)
    hosted = (HOSTED_SINCE, HOSTED_NAMES, HOSTED_BOTH)
    found = (*single, *(requirement.rule for requirement in REQUIREMENTS), *hosted)
    order = ("installer", "ClusterVersion", "HostedCluster", "documentation")
    return tuple(sorted(found, key=lambda rule: order.index(rule.layer)))
