# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Checks ``networking`` of an install-config as the installer does: addresses, overlaps and address families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any, Union

from .._problems import Problems, type_name

_DEFAULTS = {"machineNetwork": "10.0.0.0/16", "clusterNetwork": "10.128.0.0/14", "serviceNetwork": "172.30.0.0/16"}
"""Defaults of the installer. Source: openshift/installer:pkg/types/defaults/installconfig.go."""

_WITH_IPV6 = ("baremetal", "external", "none", "nutanix", "openstack", "ovirt", "vsphere")
_WITH_IPV6_FIRST = ("baremetal", "openstack", "vsphere")
_HOST_PREFIX_OF_IPV6 = 64
_OLD_NAMES = {
    "machineCIDR": "machineNetwork",
    "serviceCIDR": "serviceNetwork",
    "clusterNetworks": "clusterNetwork",
    "type": "networkType",
}
"""Source: openshift/installer:pkg/types/conversion/installconfig.go."""

_OLD_LENGTH = "hostSubnetLength"

_Network = Union[IPv4Network, IPv6Network]  # noqa: UP007 (pylint takes | for arithmetic here)


def check_networking(networking: object, platform: str | None, where: str, problems: Problems) -> None:
    """Check the networks, their overlaps, and their address families on ``platform``.

    Source: openshift/installer:pkg/types/validation/installconfig.go validateNetworking, validateNetworkingIPVersion.
    """
    if not isinstance(networking, Mapping):
        message = f"is {type_name(networking)}, expected a map"
        problems.error("not-a-map", where, message, "Write fields such as machineNetwork below it")
        return
    for old, new in _OLD_NAMES.items():
        if old in networking:
            hint = f"Write {new}"
            problems.warning("deprecated-field", f"{where}.{old}", "is the deprecated name of a field", hint)
    if networking.get("networkType") == "OpenShiftSDN":
        message = "is OpenShiftSDN, which recent installers reject"
        problems.warning("deprecated-value", f"{where}.networkType", message, "Write OVNKubernetes")
    networks: dict[str, list[tuple[str, _Network]]] = {}
    of_networks = Problems()
    for field, default in _DEFAULTS.items():
        if networking.get(field):
            networks[field] = list(_networks(networking[field], f"{where}.{field}", of_networks))
        else:
            networks[field] = [(f"{where}.{field}, by default", ip_network(default))]
    _check_host_prefixes(networking.get("clusterNetwork"), f"{where}.clusterNetwork", of_networks)
    problems += of_networks
    if not of_networks.has_errors:
        _check_overlaps([item for entries in networks.values() for item in entries], problems)
        _check_families(networks, platform, where, problems)


def _networks(entries: object, where: str, problems: Problems) -> Iterator[tuple[str, _Network]]:
    if not isinstance(entries, list):
        message = f"is {type_name(entries)}, expected a list"
        problems.error("not-a-list", where, message, "Write one entry per line")
        return
    for index, entry in enumerate(entries):
        location = f"{where}[{index}]"
        cidr: Any = entry
        if isinstance(entry, Mapping):
            location, cidr = f"{location}.cidr", entry.get("cidr")
        network = _network(entry)
        if network is None:
            hint = "Write a network without host bits, such as 10.0.0.0/16 or fd01::/48"
            problems.error("invalid-network", location, f"{cidr!r} is not a network in CIDR notation", hint)
            continue
        yield location, network


def _network(entry: object) -> _Network | None:
    cidr = entry.get("cidr") if isinstance(entry, Mapping) else entry
    try:
        return ip_network(cidr) if isinstance(cidr, str) and "/" in cidr else None
    except ValueError:
        return None


def _check_host_prefixes(entries: object, where: str, problems: Problems) -> None:
    """Check the prefix length of the part of each cluster network that a node gets."""
    first: int | None = None
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        location = f"{where}[{index}]"
        if isinstance(entry, Mapping) and _OLD_LENGTH in entry:
            message = "is the deprecated name of a field"
            problems.warning("deprecated-field", f"{location}.{_OLD_LENGTH}", message, "Write hostPrefix")
            continue
        network, prefix = _network(entry), entry.get("hostPrefix") if isinstance(entry, Mapping) else None
        if network is None:
            continue
        if not isinstance(prefix, int):
            message = "has no hostPrefix, the prefix length of the part that each node gets"
            problems.error("missing-field", location, message, "Write hostPrefix: 23 for IPv4 and 64 for IPv6")
            continue
        if not network.prefixlen <= prefix <= network.max_prefixlen:
            message = f"hostPrefix {prefix} does not fit into {network}"
            hint = "Write 23 for IPv4 and 64 for IPv6, or a larger network"
        elif network.version == 6 and prefix != _HOST_PREFIX_OF_IPV6:
            message = f"hostPrefix is {prefix}, expected {_HOST_PREFIX_OF_IPV6} for IPv6"
            hint = f"Write {_HOST_PREFIX_OF_IPV6}"
        elif network.version == 4 and prefix != (first := prefix if first is None else first):
            message = f"hostPrefix is {prefix}, expected {first} as for the first IPv4 network"
            hint = "Write the same value for all IPv4 networks"
        else:
            continue
        problems.error("invalid-host-prefix", location, message, hint)


def _check_overlaps(networks: list[tuple[str, _Network]], problems: Problems) -> None:
    for index, (where, network) in enumerate(networks):
        for other_where, other in networks[:index]:
            if network.version == other.version and network.overlaps(other):
                message = f"{network} overlaps {other} of {other_where}"
                hint = "Choose networks that have no address in common"
                problems.error("overlapping-networks", where, message, hint)


def _check_families(
    networks: Mapping[str, list[tuple[str, _Network]]], platform: str | None, where: str, problems: Problems
) -> None:
    """Check the address families. The service networks determine those of the cluster."""
    service = [network.version for _location, network in networks["serviceNetwork"]]
    location = f"{where}.serviceNetwork"
    if platform is not None and 6 in service and platform not in _WITH_IPV6:
        message = f"IPv6 is not supported on platform {platform}, expected one of {', '.join(_WITH_IPV6)}"
        problems.error("unsupported-platform", location, message, "Write an IPv4 network")
    if len(service) > len(set(service)):
        message = "has more than one network of a family"
        problems.error("duplicate-network", location, message, "Write one network, or one of IPv4 and one of IPv6")
    if len(set(service)) < 2:
        return
    for field, entries in networks.items():
        versions = [network.version for _location, network in entries]
        missing = {4, 6}.difference(versions)
        if missing:
            message = f"has no IPv{missing.pop()} network, but the service networks have both families"
            problems.error("missing-network", f"{where}.{field}", message, "Add a network of that family")
        elif versions[0] == 6 and platform is not None and platform not in _WITH_IPV6_FIRST:
            message = f"has an IPv6 network first, expected IPv4 first on platform {platform}"
            problems.error("unsupported-platform", f"{where}.{field}", message, "Put the IPv4 network first")
