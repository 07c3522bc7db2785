# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Platforms: their names, the credentials and fields that each needs, and the install methods that support it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .version import Minor

_FIRST = Minor(4, 1)


class Platform(NamedTuple):
    """A platform.

    ``credentials``: kind of ``spec.providerSpec`` of the CredentialsRequests that it needs. ``since`` and ``until``:
    the minors whose installer knows it as a key of ``platform``; without ``since`` none does. ``agent_since``: the
    first minor whose agent-based installer supports it. ``assisted``: the assisted service supports it.
    """

    name: str
    credentials: str | None = None
    since: Minor | None = _FIRST
    until: Minor | None = None
    agent_since: Minor | None = None
    assisted: bool = False


_PLATFORMS = (
    Platform("agent", since=None),
    Platform("alibabacloud", "AlibabaCloudProviderSpec", until=Minor(4, 15)),
    Platform("aws", "AWSProviderSpec"),
    Platform("azure", "AzureProviderSpec"),
    Platform("baremetal", agent_since=_FIRST, assisted=True),
    Platform("equinixmetal", since=None),
    Platform("external", since=Minor(4, 14), agent_since=Minor(4, 14), assisted=True),
    Platform("gcp", "GCPProviderSpec"),
    Platform("ibmcloud", "IBMCloudProviderSpec"),
    Platform("kubevirt", since=None),
    Platform("libvirt", since=None),
    Platform("none", agent_since=_FIRST, assisted=True),
    Platform("nutanix", "NutanixProviderSpec", agent_since=Minor(4, 19), assisted=True),
    Platform("openstack", "OpenStackProviderSpec"),
    Platform("ovirt", "OvirtProviderSpec", until=Minor(4, 14)),
    Platform("powervc", "OpenStackProviderSpec", since=Minor(4, 21)),
    Platform("powervs", "IBMCloudPowerVSProviderSpec"),
    Platform("vsphere", "VSphereProviderSpec", agent_since=_FIRST, assisted=True),
)
"""Every platform, sorted by name. Sources of the fields:

- names: openshift/installer:pkg/types/installconfig.go PlatformNames, and for those that are not in an install-config
  openshift/api:config/v1/types_infrastructure.go PlatformType. ``agent`` is a platform of HostedClusters only:
  openshift/hypershift:api/hypershift/v1beta1/hostedcluster_types.go PlatformType
- ``since`` and ``until``: openshift/installer#7217 (external), #9806 (powervc), #7832 (alibabacloud); openshift/release
  #44438 (ovirt, which the documentation of 4.14 no longer supports)
- ``credentials``: openshift/oc:pkg/cli/admin/release/extract_tools.go credRequestCloudProviderSpecKindMapping; powervc
  is converted to openstack (openshift/installer:pkg/types/conversion/installconfig.go)
- ``agent_since``: openshift/installer:pkg/asset/agent/common.go SupportedInstallerPlatforms; external since
  openshift/installer#7442, nutanix since openshift/openshift-docs#92419
- ``assisted``: openshift/assisted-service:internal/provider/registry/registry.go, without ovirt since d45e26702 of
  2022-09-21
"""

PLATFORM_DATA: Mapping[str, Platform] = {platform.name: platform for platform in _PLATFORMS}

PLATFORMS: tuple[str, ...] = tuple(platform.name for platform in _PLATFORMS if platform.since is not None)
"""Keys of ``platform`` of an install-config, of all minors."""


def installer_platforms(minor: Minor) -> tuple[str, ...]:
    """The keys of ``platform`` that the installer of ``minor`` knows."""
    return tuple(item.name for item in _PLATFORMS if item.since is not None and minor.is_in(item.since, item.until))


def agent_platforms(minor: Minor) -> tuple[str, ...]:
    """The platforms that the agent-based installer of ``minor`` supports."""
    return tuple(item.name for item in _PLATFORMS if item.agent_since is not None and item.agent_since <= minor)


PROVISIONED_BY_USER = ("external", "none")
"""Platforms whose machines no installer provisions."""


WITHOUT_SINGLE_NODES = ("baremetal", "nutanix", "openstack", "powervc", "vsphere")
"""Platforms on which openshift-install itself installs no single node.

Source: openshift/installer:pkg/asset/machines/master.go supportedSingleNodePlatform
"""


def default_method(platform: str | None) -> str:
    """The install method if none is given: ``ipi`` if the installer can provision the platform, else ``upi``."""
    return "upi" if platform is None or platform in PROVISIONED_BY_USER else "ipi"


def assisted_platforms(minor: Minor) -> tuple[str, ...]:
    """The platforms of ``minor`` that the assisted service supports."""
    return tuple(name for name in installer_platforms(minor) if PLATFORM_DATA[name].assisted)
