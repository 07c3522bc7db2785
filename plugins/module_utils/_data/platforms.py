# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Platforms: their names, the credentials and fields that each needs, and the install methods that support it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .._version import Minor


class Platform(NamedTuple):
    """A platform.

    ``credentials``: kind of ``spec.providerSpec`` of the CredentialsRequests that it needs. ``in_install_config``: it
    is a key of ``platform``. ``needs_one_of``: the installer requires one of these fields in its block.
    ``agent_since``: the first minor whose agent-based installer supports it. ``assisted``: the assisted service
    supports it.
    """

    name: str
    credentials: str | None = None
    in_install_config: bool = True
    needs_one_of: tuple[str, ...] = ()
    agent_since: Minor | None = None
    assisted: bool = False


_FIRST = Minor(4, 11)

_PLATFORMS = (
    Platform("agent", in_install_config=False),
    Platform("alibabacloud", "AlibabaCloudProviderSpec", in_install_config=False),
    Platform("aws", "AWSProviderSpec", needs_one_of=("region",)),
    Platform("azure", "AzureProviderSpec", needs_one_of=("region",)),
    Platform("baremetal", agent_since=_FIRST, assisted=True),
    Platform("equinixmetal", in_install_config=False),
    Platform("external", agent_since=Minor(4, 14), assisted=True),
    Platform("gcp", "GCPProviderSpec", needs_one_of=("region",)),
    Platform("ibmcloud", "IBMCloudProviderSpec", needs_one_of=("region",)),
    Platform("kubevirt", in_install_config=False),
    Platform("libvirt", in_install_config=False),
    Platform("none", agent_since=_FIRST, assisted=True),
    Platform("nutanix", "NutanixProviderSpec", needs_one_of=("prismCentral",), agent_since=Minor(4, 19), assisted=True),
    Platform("openstack", "OpenStackProviderSpec"),
    Platform("ovirt", "OvirtProviderSpec", needs_one_of=("ovirt_cluster_id",), assisted=True),
    Platform("powervc", "OpenStackProviderSpec"),
    Platform("powervs", "IBMCloudPowerVSProviderSpec", needs_one_of=("region", "zone")),
    Platform("vsphere", "VSphereProviderSpec", needs_one_of=("vcenters", "vCenter"), agent_since=_FIRST, assisted=True),
)
"""Every platform, sorted by name. Sources of the fields:

- names: openshift/installer:pkg/types/installconfig.go PlatformNames, and for those that are not in an install-config
  openshift/api:config/v1/types_infrastructure.go PlatformType. ``agent`` is a platform of HostedClusters only:
  openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go PlatformType
- ``credentials``: openshift/oc:pkg/cli/admin/release/extract_tools.go credRequestCloudProviderSpecKindMapping; powervc
  is converted to openstack (openshift/installer:pkg/types/conversion/installconfig.go)
- ``needs_one_of``: openshift/installer:pkg/types/PLATFORM/validation/platform.go ValidatePlatform
- ``agent_since``: openshift/installer:pkg/asset/agent/common.go SupportedInstallerPlatforms; external since
  openshift/installer#7442, nutanix since openshift/openshift-docs#92419
- ``assisted``: openshift/assisted-service:internal/provider/registry/registry.go
"""

PLATFORM_DATA: Mapping[str, Platform] = {platform.name: platform for platform in _PLATFORMS}

PLATFORMS: tuple[str, ...] = tuple(platform.name for platform in _PLATFORMS if platform.in_install_config)
"""Keys of ``platform`` of an install-config."""


def agent_platforms(minor: Minor) -> tuple[str, ...]:
    """The platforms that the agent-based installer of ``minor`` supports."""
    return tuple(item.name for item in _PLATFORMS if item.agent_since is not None and item.agent_since <= minor)


ASSISTED_PLATFORMS: tuple[str, ...] = tuple(platform.name for platform in _PLATFORMS if platform.assisted)
"""The platforms that the assisted service supports."""
