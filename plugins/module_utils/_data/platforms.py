# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Platforms of the installer, and the credentials that each of them needs."""

from __future__ import annotations

from collections.abc import Mapping

CREDENTIALS_OF_PLATFORMS: Mapping[str, str] = {
    "alibabacloud": "AlibabaCloudProviderSpec",
    "aws": "AWSProviderSpec",
    "azure": "AzureProviderSpec",
    "gcp": "GCPProviderSpec",
    "ibmcloud": "IBMCloudProviderSpec",
    "nutanix": "NutanixProviderSpec",
    "openstack": "OpenStackProviderSpec",
    "ovirt": "OvirtProviderSpec",
    "powervs": "IBMCloudPowerVSProviderSpec",
    "vsphere": "VSphereProviderSpec",
}
"""Kind of ``spec.providerSpec`` of the CredentialsRequests that a platform needs.

Source: openshift/oc:pkg/cli/admin/release/extract_tools.go credRequestCloudProviderSpecKindMapping.
"""


PLATFORMS_WITHOUT_CREDENTIALS: tuple[str, ...] = (
    "agent",
    "baremetal",
    "equinixmetal",
    "external",
    "kubevirt",
    "libvirt",
    "none",
)
"""Platforms that no CredentialsRequest is for.

Source: openshift/api:config/v1/types_infrastructure.go PlatformType. ``agent`` is a platform of HostedClusters only:
openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go PlatformType.
"""


PLATFORMS: tuple[str, ...] = (
    "aws",
    "azure",
    "baremetal",
    "external",
    "gcp",
    "ibmcloud",
    "none",
    "nutanix",
    "openstack",
    "ovirt",
    "powervc",
    "powervs",
    "vsphere",
)
"""Keys of ``platform``."""
