# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The rules that a selection has to keep at installation, as data: who holds them, when they apply, and the source.

What the cluster-version operator does by itself (always-enabled, gated and forced capabilities) is in ``registry``.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from .._version import Minor

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


VALIDATION = "openshift/installer:pkg/types/validation/installconfig.go"
CLUSTER_VERSION = "openshift/api:config/v1/types_cluster_version.go"
HOSTED_CLUSTER = "openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go"

KNOWN_NAMES = Rule(
    "inst-known-names",
    "installer",
    Minor(4, 11),
    None,
    "always: names are case sensitive, and each has to be one that the version knows",
    "Unsupported value",
    f"{VALIDATION} validateCapabilities",
)
API_NAMES = Rule(
    "api-enum",
    "ClusterVersion",
    Minor(4, 11),
    None,
    "always: the CRD lists sets and names; from 4.23 on, names behind feature gates are in that of their feature set "
    "alone (what is not known is told as inst-known-names)",
    "Unsupported value",
    f"{CLUSTER_VERSION} FeatureGateAwareEnum on ClusterVersionCapability, enum on ClusterVersionCapabilitySet",
)
BASELINE_REQUIRED = Rule(
    "inst-baseline-required",
    "installer",
    Minor(4, 11),
    None,
    "the capabilities block is there and has no baselineCapabilitySet, although the documentation calls that vCurrent",
    'capabilities.baselineCapabilitySet: Unsupported value: ""',
    f"{VALIDATION} validateCapabilities (its test 'invalid empty string baseline capability set')",
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
BAREMETAL_HOSTS_ALWAYS = Rule(
    "inst-baremetal-hosts",
    "installer",
    Minor(4, 11),
    Minor(4, 16),
    "platform baremetal, and platform.baremetal.hosts is empty",
    "platform.baremetal.hosts: Invalid value: bare metal hosts are missing",
    "openshift/installer:pkg/types/baremetal/validation/platform.go ValidatePlatform, before openshift/installer#8521",
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
    "a name is in enabled and in disabled (what is made here never has one in both)",
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
    SET_NAME_MISSING,
    BLOCK_IGNORED,
    HOSTED_SINCE,
    HOSTED_NAMES,
    HOSTED_BOTH,
)
"""Rules of a form of their own; those of the form "this needs that" are in ``requirements``."""
