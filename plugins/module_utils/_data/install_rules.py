# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules of installations: the layer that enforces each, when it applies, and its source.

The rules of the cluster-version operator (always-enabled, gated and forced capabilities) are in ``capabilities``.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from .version import Minor

INSTALL_METHODS: tuple[str, ...] = ("ipi", "upi", "agent", "assisted", "hosted")
"""Installer-provisioned, user-provisioned, agent-based, assisted, and hosted control planes (HyperShift)."""

STANDALONE: tuple[str, ...] = ("ipi", "upi", "agent", "assisted")
ASSISTED, HOSTED = "assisted", "hosted"

AGENT_CONFIG = "agent-config.yaml"
"""A file next to an install-config that only the agent-based installer reads.

Source: openshift/installer:pkg/asset/agent/agentconfig/agent_config.go.
"""

Layer = Literal["installer", "ClusterVersion", "HostedCluster", "documentation"]
"""What enforces a rule. A rule of the documentation is a warning, all others are errors."""


class Rule(NamedTuple):
    """A rule for installations by one of ``methods``, from ``since`` to ``until`` (``None``: no end).

    ``condition``: when it applies, for readers. ``message``: the layer's own message if it has one,
    without the field that it begins with. ``solved_by_solutions``: solutions satisfy the rule although only the
    documentation states it, because the cluster does not work otherwise.
    """

    name: str
    layer: Layer
    since: Minor
    until: Minor | None
    condition: str
    message: str
    source: str
    methods: tuple[str, ...] = STANDALONE
    solved_by_solutions: bool = False

    def in_force(self, minor: Minor, method: str) -> bool:
        """Whether the rule applies to ``minor`` and an install method."""
        return minor.is_in(self.since, self.until) and method in self.methods


VALIDATION = "openshift/installer:pkg/types/validation/installconfig.go"
CLUSTER_VERSION = "openshift/api:config/v1/types_cluster_version.go"
HOSTED_CLUSTER = "openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go"

KNOWN_NAMES = Rule(
    "inst-known-names",
    "installer",
    Minor(4, 11),
    None,
    "always: names are case sensitive, and the version must know them",
    "Unsupported value",
    f"{VALIDATION} validateCapabilities",
)
API_NAMES = Rule(
    "api-enum",
    "ClusterVersion",
    Minor(4, 11),
    None,
    "always: the CRD lists sets and names; from 4.23 on, names behind feature gates are only in the CRD of their "
    "feature set (unknown names are reported as inst-known-names)",
    "Unsupported value",
    f"{CLUSTER_VERSION} FeatureGateAwareEnum on ClusterVersionCapability, enum on ClusterVersionCapabilitySet",
)
BASELINE_REQUIRED = Rule(
    "inst-baseline-required",
    "installer",
    Minor(4, 11),
    None,
    "the capabilities block has no baselineCapabilitySet, although the documentation says that it means vCurrent",
    'Unsupported value: ""',
    f"{VALIDATION} validateCapabilities (its test 'invalid empty string baseline capability set')",
)
BAREMETAL_HOSTS = Rule(
    "inst-baremetal-hosts",
    "installer",
    Minor(4, 17),
    None,
    "platform baremetal, MachineAPI is enabled, and platform.baremetal.hosts is empty",
    "Invalid value: bare metal hosts are missing",
    "openshift/installer:pkg/types/baremetal/validation/platform.go ValidatePlatform (openshift/installer#8521)",
    ("ipi", "upi"),
)
BAREMETAL_HOSTS_ALWAYS = Rule(
    "inst-baremetal-hosts",
    "installer",
    Minor(4, 11),
    Minor(4, 16),
    "platform baremetal, and platform.baremetal.hosts is empty",
    "Invalid value: bare metal hosts are missing",
    "openshift/installer:pkg/types/baremetal/validation/platform.go ValidatePlatform, before openshift/installer#8521",
    ("ipi", "upi"),
)
AGENT_PLATFORM = Rule(
    "agent-platform",
    "installer",
    Minor(4, 11),
    None,
    "the platform is not baremetal, none, vsphere, external (from 4.14 on) or nutanix (from 4.19 on)",
    "Unsupported value: the agent-based installer does not support this platform",
    "openshift/installer:pkg/asset/agent/common.go SupportedInstallerPlatforms (openshift/installer#7442; "
    "openshift/openshift-docs#92419)",
    ("agent",),
)
_SINGLE_NODE = "openshift/installer:pkg/asset/agent/installconfig.go validateSNOConfiguration"
_AGENT = ("agent", "assisted")
"""Methods in which assisted-service installs the hosts."""

AGENT_SINGLE_NODE_PLATFORM = Rule(
    "agent-single-node-platform",
    "installer",
    Minor(4, 11),
    None,
    "controlPlane.replicas is 1, the platform is neither none nor external, and the method is assisted or compute "
    "pools have no replicas",
    "Only platform none and external supports 1 ControlPlane and 0 Compute nodes",
    f"{_SINGLE_NODE}; openshift/assisted-service:internal/provider/platform.go, internal/featuresupport",
    _AGENT,
)
AGENT_ARCHITECTURE = Rule(
    "agent-architecture",
    "installer",
    Minor(4, 14),
    None,
    "controlPlane.architecture is ppc64le or s390x, and the platform is not none, nor external with assisted or, from "
    "5.1 on, with s390x",
    "CPU architecture only supports platform none",
    "openshift/installer:pkg/asset/agent/installconfig.go ValidateSupportedPlatforms (openshift/installer#10588); "
    "openshift/assisted-service:internal/provider/platform.go GetActualCreateClusterPlatformParams",
    _AGENT,
)
EXTERNAL_S390X_SINCE = Minor(5, 1)
"""The first minor whose agent-based installer accepts platform external on s390x.

Source: openshift/installer#10588, merged in July 2026. Whether 5.0 has it was not read.
"""

AGENT_FEATURE_SET = Rule(
    "agent-feature-set",
    "installer",
    Minor(4, 16),
    Minor(4, 19),
    "featureSet is set, and there is no arbiter",
    "Unsupported value: the agent-based installer supports only the default feature set",
    "openshift/installer:pkg/asset/agent/installconfig.go validateInstallConfig (openshift/installer#7825; "
    "openshift/installer#9780 states it for June 2025)",
    ("agent",),
)
AGENT_FEATURE_SET_DROPPED = Rule(
    "doc-agent-feature-set",
    "documentation",
    Minor(4, 11),
    Minor(4, 15),
    "the agent-based installer gets a featureSet",
    "agent-based installers before 4.16 drop the feature set, so the cluster has the default one",
    "openshift/installer#7825 (OCPBUGS-19054), which rejects it from 4.16 on",
    ("agent",),
)
AGENT_ORACLE_CLOUD = Rule(
    "agent-oracle-cloud",
    "installer",
    Minor(4, 14),
    None,
    "platform.external.platformName is oci, and cloudControllerManager is not External",
    "When using external oci platform, platform.external.cloudControllerManager must be set to External",
    "openshift/installer:pkg/asset/agent/installconfig.go validatePlatformsByName; "
    "openshift/assisted-service:internal/provider/platform_validations.go validateOciExternalIntegration",
    _AGENT,
)
AGENT_EXTERNAL_NAME = Rule(
    "agent-external-name",
    "installer",
    Minor(4, 14),
    Minor(4, 14),
    "the platform is external, and platformName is not oci",
    "Unsupported value: the agent-based installer supports only the platformName oci",
    "openshift/installer:pkg/asset/agent/installconfig.go validatePlatformsByName (openshift/installer#7442; removed "
    "by #7585)",
    ("agent",),
)
AGENT_SINGLE_NODE_COMPUTE = Rule(
    "agent-single-node-compute",
    "installer",
    Minor(4, 11),
    None,
    "controlPlane.replicas is 1, and a compute pool has replicas (by default 3)",
    "Total number of compute replicas must be 0 when controlPlane.replicas is 1",
    _SINGLE_NODE,
    ("agent",),
)
AGENT_NONE_SINGLE_NODE = Rule(
    "agent-none-single-node",
    "installer",
    Minor(4, 11),
    Minor(4, 13),
    "the platform is none, and controlPlane.replicas is not 1",
    "control plane replicas must be 1 for none platform",
    "openshift/installer:pkg/asset/agent/installconfig.go validateSNOConfiguration (openshift/installer#6444; removed "
    "by #7236)",
    ("agent",),
)
SINGLE_NODE_PLATFORM = Rule(
    "inst-single-node-platform",
    "installer",
    Minor(4, 20),
    None,
    "controlPlane.replicas is 1, and the platform is baremetal, nutanix, openstack, powervc or vsphere, or it is "
    "external and bootstrapInPlace names no installationDisk",
    "this install method does not support Single Node installation on this platform",
    "openshift/installer:pkg/asset/machines/master.go supportedSingleNodePlatform (openshift/installer#9048, #9763)",
    ("ipi", "upi"),
)
SINGLE_NODE_ARBITER = Rule(
    "inst-single-node-arbiter",
    "installer",
    Minor(4, 20),
    None,
    "controlPlane.replicas is 1, and there is an arbiter",
    "number of controlPlane replicas must be at least 2 for arbiter deployments",
    f"{VALIDATION} validateArbiter",
    ("ipi", "upi", "agent"),
)
ASSISTED_PLATFORM = Rule(
    "doc-assisted-platform",
    "documentation",
    Minor(4, 11),
    None,
    "the platform is not baremetal, external, none, nutanix or vsphere",
    "the assisted service does not support this platform",
    "openshift/assisted-service:internal/provider/registry/registry.go",
    ("assisted",),
)
ASSISTED_CONSOLE = Rule(
    "doc-assisted-console",
    "documentation",
    Minor(4, 12),
    None,
    "the selection disables Console with a baseline other than None",
    "the assisted service waits for the console operator unless the baseline is None, and the installation never ends",
    "openshift/assisted-service:internal/bminventory/inventory.go updateMonitoredOperators",
    ("assisted",),
)
SET_NAME_MISSING = Rule(
    "inst-set-name-missing",
    "documentation",
    Minor(4, 17),
    Minor(4, 17),
    "baseline v4.17: installers with an older copy of the API do not know the name",
    "the 4.17 installer may not know the set v4.17, which has the same content as v4.16",
    "openshift/installer#9002 (OCPBUGS-31111)",
)
BLOCK_IGNORED = Rule(
    "agent-block-ignored",
    "documentation",
    Minor(4, 11),
    Minor(4, 12),
    "the agent-based installer gets a capabilities block",
    "agent-based installers before openshift/installer#6923 drop the capabilities block and install everything",
    "openshift/installer#6923 (OCPBUGS-5129)",
    ("agent",),
)
HOSTED_NAMES = Rule(
    "hcp-selectable",
    "HostedCluster",
    Minor(4, 18),
    None,
    "the selection disables a name that a HostedCluster cannot disable (it can disable ImageRegistry, from 4.20 seven)",
    "a hosted cluster cannot disable it",
    f"{HOSTED_CLUSTER} OptionalCapability; openshift/hypershift:docs/content/how-to/cluster-capabilities.md",
    (HOSTED,),
)
HOSTED_SINCE = Rule(
    "hcp-capabilities",
    "HostedCluster",
    Minor(4, 11),
    Minor(4, 17),
    "a selection is given for a hosted cluster",
    "HostedCluster has no spec.capabilities before 4.18",
    f"{HOSTED_CLUSTER} (branches 4.17 and 4.18 compared)",
    (HOSTED,),
)

HOSTED_BOTH = Rule(
    "hcp-both",
    "HostedCluster",
    Minor(4, 20),
    None,
    "a name is in both enabled and disabled (never in the output of this collection)",
    "Capabilities can not be both enabled and disabled at once.",
    HOSTED_CLUSTER,
    (HOSTED,),
)

SINGLE_RULES: tuple[Rule, ...] = (
    KNOWN_NAMES,
    API_NAMES,
    BASELINE_REQUIRED,
    BAREMETAL_HOSTS_ALWAYS,
    BAREMETAL_HOSTS,
    AGENT_PLATFORM,
    AGENT_FEATURE_SET,
    AGENT_FEATURE_SET_DROPPED,
    AGENT_ARCHITECTURE,
    AGENT_SINGLE_NODE_PLATFORM,
    AGENT_SINGLE_NODE_COMPUTE,
    AGENT_NONE_SINGLE_NODE,
    SINGLE_NODE_PLATFORM,
    SINGLE_NODE_ARBITER,
    AGENT_EXTERNAL_NAME,
    AGENT_ORACLE_CLOUD,
    ASSISTED_PLATFORM,
    ASSISTED_CONSOLE,
    SET_NAME_MISSING,
    BLOCK_IGNORED,
    HOSTED_SINCE,
    HOSTED_NAMES,
    HOSTED_BOTH,
)
"""Rules that are not of the form "this needs that capability", which are in ``dependencies``."""

UNKNOWN_FIELDS_IGNORED = Minor(4, 14), Minor(4, 21)
"""The first and the last minor whose installer only warns of an unknown field. Earlier and later ones reject it.

Source: openshift/installer:pkg/asset/installconfig/installconfigbase.go LoadFromFile; installconfig.go Load in 4.11
and 4.12.

- 4.11 (455d51802), 4.12 (798aeaaf6) and 4.13 (1b2041c96) try again with yaml.UnmarshalStrict, which rejects unknown
  fields as well (kubernetes-sigs/yaml v1.3.0:yaml.go). 0fac27304 of 2023-03-07 corrects that, for 4.14.
- 4.14 (143dda38f), 4.15 to 4.18, 4.19 (9cdc31344), 4.20 and 4.21 ignore them after a warning.
- bcf281163 (CORS-3954) rejects them, unless services set the variable OPENSHIFT_INSTALL_INVOKER. It came to main with
  435db5ebe of 2026-02-27, when main was 4.22: openshift/installer#10205 calls it so, and fc62ca57f updates the images
  for 4.22 five days later. The branch 4.22 itself was not read.
"""

FEATURE_GATES_SINCE = Minor(4, 14)
"""The first minor whose installer can have ``featureGates``.

Source: openshift/installer#7246. The installer of 4.12 (798aeaaf6) rejects it. The branch 4.13 was not read: its
release came before.
"""


def rejects_unknown_fields(minor: Minor) -> bool:
    """Whether the installer of a minor rejects an install-config with an unknown field."""
    first, last = UNKNOWN_FIELDS_IGNORED
    return not first <= minor <= last
