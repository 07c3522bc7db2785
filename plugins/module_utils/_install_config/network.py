# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""``networking`` of an install-config: what the installer refuses of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any, Union

from .._problems import Problem, Problems, has_errors, type_name

_DEFAULTS = {"machineNetwork": "10.0.0.0/16", "clusterNetwork": "10.128.0.0/14", "serviceNetwork": "172.30.0.0/16"}
"""What the installer adds where a field is missing. Source: openshift/installer:pkg/types/defaults/installconfig.go."""

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


def network_problems(networking: object, platform: str | None, where: str) -> Iterator[Problem]:
    """Yield what is wrong with ``networking``: addresses, overlaps, and families that are not everywhere.

    Source: openshift/installer:pkg/types/validation/installconfig.go validateNetworking, validateNetworkingIPVersion.
    """
    if not isinstance(networking, Mapping):
        yield Problem(
            "error", "todo", where, f"is {type_name(networking)}, expected a map", "Write machineNetwork and so on"
        )
        return
    for old, new in _OLD_NAMES.items():
        if old in networking:
            yield Problem("warning", "todo", f"{where}.{old}", "is the deprecated name of a field", f"Write {new}")
    if networking.get("networkType") == "OpenShiftSDN":
        message = "OpenShiftSDN is refused by recent installers"
        yield Problem("warning", "todo", f"{where}.networkType", message, "Write OVNKubernetes")
    networks: dict[str, list[tuple[str, _Network]]] = {}
    problems = Problems()
    for field, default in _DEFAULTS.items():
        if networking.get(field):
            networks[field] = list(_networks(networking[field], f"{where}.{field}", problems))
        else:
            networks[field] = [(f"{where}.{field}, by default", ip_network(default))]
    problems += _host_prefixes(networking.get("clusterNetwork"), f"{where}.clusterNetwork")
    yield from problems
    if not has_errors(problems):
        yield from _overlaps([item for found in networks.values() for item in found])
        yield from _families(networks, platform, where)


def _networks(given: object, where: str, problems: Problems) -> Iterator[tuple[str, _Network]]:
    if not isinstance(given, list):
        problems.append(
            Problem("error", "todo", where, f"is {type_name(given)}, expected a list", "Write one entry per line")
        )
        return
    for index, entry in enumerate(given):
        place = f"{where}[{index}]"
        cidr: Any = entry.get("cidr") if isinstance(entry, Mapping) else entry
        if isinstance(entry, Mapping):
            place = f"{place}.cidr"
        network = _network(entry)
        if network is None:
            hint = "Write a network, such as 10.0.0.0/16 or fd01::/48, without host bits"
            problems.append(Problem("error", "todo", place, f"{cidr!r} is not a network in CIDR form", hint))
            continue
        yield place, network


def _network(entry: object) -> _Network | None:
    cidr = entry.get("cidr") if isinstance(entry, Mapping) else entry
    try:
        return ip_network(cidr) if isinstance(cidr, str) and "/" in cidr else None
    except ValueError:
        return None


def _host_prefixes(given: object, where: str) -> Iterator[Problem]:
    """Yield what is wrong with the part of each cluster network that a node gets."""
    first: int | None = None
    for index, entry in enumerate(given if isinstance(given, list) else ()):
        place = f"{where}[{index}]"
        if isinstance(entry, Mapping) and _OLD_LENGTH in entry:
            yield Problem(
                "warning", "todo", f"{place}.{_OLD_LENGTH}", "is the deprecated name of a field", "Write hostPrefix"
            )
            continue
        network, prefix = _network(entry), entry.get("hostPrefix") if isinstance(entry, Mapping) else None
        if network is None:
            continue
        if not isinstance(prefix, int):
            message = "has no hostPrefix, so no node gets a part of it"
            yield Problem("error", "todo", place, message, "Write hostPrefix: 23 for IPv4 and 64 for IPv6")
        elif not network.prefixlen <= prefix <= network.max_prefixlen:
            message = f"hostPrefix {prefix} does not fit into {network}"
            yield Problem("error", "todo", place, message, "Write 23 for IPv4 and 64 for IPv6, or a larger network")
        elif network.version == 6 and prefix != _HOST_PREFIX_OF_IPV6:
            yield Problem(
                "error", "todo", place, f"hostPrefix is {prefix}, expected {_HOST_PREFIX_OF_IPV6}", "Write that"
            )
        elif network.version == 4 and prefix != (first := prefix if first is None else first):
            message = f"hostPrefix is {prefix}, and {first} for the first IPv4 network"
            yield Problem("error", "todo", place, message, "Write the same for all of them")


def _overlaps(found: list[tuple[str, _Network]]) -> Iterator[Problem]:
    for index, (where, network) in enumerate(found):
        for other_where, other in found[:index]:
            if network.version == other.version and network.overlaps(other):
                message = f"{network} overlaps {other} of {other_where}"
                yield Problem("error", "todo", where, message, "Choose networks that have no address in common")


def _families(
    networks: Mapping[str, list[tuple[str, _Network]]], platform: str | None, where: str
) -> Iterator[Problem]:
    """The service networks decide which families the cluster has."""
    service = [network.version for _place, network in networks["serviceNetwork"]]
    place = f"{where}.serviceNetwork"
    if platform is not None and 6 in service and platform not in _WITH_IPV6:
        yield Problem(
            "error", "todo", place, f"IPv6 is not for platform {platform}", f"It is for {', '.join(_WITH_IPV6)}"
        )
    if len(service) > len(set(service)):
        message = "has more than one network of a family"
        yield Problem("error", "todo", place, message, "Give one network, or one of IPv4 and one of IPv6")
    if len(set(service)) < 2:
        return
    for field, found in networks.items():
        versions = [network.version for _place, network in found]
        missing = {4, 6}.difference(versions)
        if missing:
            message = f"has no IPv{missing.pop()} network, and the service networks are of both families"
            yield Problem("error", "todo", f"{where}.{field}", message, "Give it a network of each family")
        elif versions[0] == 6 and platform is not None and platform not in _WITH_IPV6_FIRST:
            message = f"has IPv6 first, which platform {platform} cannot have"
            yield Problem("error", "todo", f"{where}.{field}", message, "Give the IPv4 network first")
