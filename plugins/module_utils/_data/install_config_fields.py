# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The fields of an install-config, and the installers that reject any other field."""

from __future__ import annotations

from .._version import Minor

INSTALL_CONFIG_FIELDS = (
    "additionalTrustBundle",
    "additionalTrustBundlePolicy",
    "apiVersion",
    "arbiter",
    "baseDomain",
    "bootstrapInPlace",
    "capabilities",
    "compute",
    "controlPlane",
    "cpuPartitioningMode",
    "credentialsMode",
    "featureGates",
    "featureSet",
    "fips",
    "imageContentSources",
    "imageDigestSources",
    "kind",
    "metadata",
    "networking",
    "operatorPublishingStrategy",
    "osImageStream",
    "pki",
    "platform",
    "proxy",
    "publish",
    "pullSecret",
    "sshKey",
)
"""The top-level fields. Source: openshift/installer:pkg/types/installconfig.go InstallConfig."""

UNKNOWN_FIELDS_REJECTED_SINCE = Minor(4, 22)
"""The first minor whose installer rejects an unknown field; the one before warns.

Source: openshift/installer commit bcf281163 of 2026-02-05 (CORS-3954), when main was 4.22. If services set the variable
OPENSHIFT_INSTALL_INVOKER, it warns.
"""
