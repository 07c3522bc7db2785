# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields of an install-config that assisted-service knows. It rejects overrides with others."""

from __future__ import annotations

from collections.abc import Mapping

_POOL = {"hyperthreading": str, "name": str, "replicas": int}
_MIRRORS = {"mirrors": list, "source": str}

ASSISTED_FIELDS: Mapping[str, object] = {
    "additionalTrustBundle": str,
    "additionalTrustBundlePolicy": str,
    "apiVersion": str,
    "arbiter": _POOL,
    "baseDomain": str,
    "bootstrapInPlace": {"installationDisk": str},
    "capabilities": object,
    "compute": [_POOL],
    "controlPlane": {**_POOL, "fencing": dict},
    "cpuPartitioningMode": str,
    "featureGates": object,
    "featureSet": object,
    "fips": bool,
    "imageContentSources": [_MIRRORS],
    "imageDigestSources": [_MIRRORS],
    "metadata": {"name": str},
    "networking": {
        "clusterNetwork": [{"cidr": str, "hostPrefix": int}],
        "machineNetwork": [{"cidr": str}],
        "networkType": str,
        "serviceNetwork": list,
    },
    "osImageStream": str,
    "platform": object,
    "proxy": {"httpProxy": str, "httpsProxy": str, "noProxy": str},
    "pullSecret": str,
    "sshKey": str,
}
"""The type of each field. ``object``: checked elsewhere. A map or a list: the fields of an object, or of each item.

Source: openshift/assisted-service:internal/installcfg/installcfg.go InstallerConfigBaremetal, and
internal/installcfg/builder/builder.go applyConfigOverrides, whose decoder disallows unknown fields.
"""
