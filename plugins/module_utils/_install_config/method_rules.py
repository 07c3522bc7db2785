# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Checks fields of an install-config against rules that depend on version, platform and install method.

The rules and their sources are in ``_data.install_rules``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._capability.rules import InstallContext, RuleViolation, violation
from .._data.install_rules import (
    AGENT_PLATFORM,
    AGENT_SINGLE_NODE_COMPUTE,
    AGENT_SINGLE_NODE_NETWORK,
    AGENT_SINGLE_NODE_PLATFORM,
    AGENT_VIPS,
    ASSISTED_PLATFORM,
    BAREMETAL_VIPS,
    FIPS_SSH_KEY,
    PLATFORM_FIELDS,
    VIPS_DIFFER,
    VIPS_IN_PAIRS,
    Rule,
)
from .._data.platforms import ASSISTED_PLATFORMS, PLATFORM_DATA, agent_platforms
from .._unstructured import mappings_in, nested

_SINGLE_NODE_PLATFORMS = ("none", "external")
_OPTIONAL_VIPS = ("nutanix", "vsphere")
_VIPS = {"apiVIPs": "apiVIP", "ingressVIPs": "ingressVIP"}
"""Fields of the platform, and the deprecated field that the installer converts to each."""

_WITHOUT_VCENTERS = ("agent", "assisted")
_KEY_TYPE = re.compile(r"(?:^|\s)((?:ssh|ecdsa|sk)-[-a-z0-9@.]+)\s+\S")
_FIPS_KEY_TYPES = re.compile(r"ecdsa-sha2-nistp[0-9]{3}|ssh-rsa")


def method_violations(
    document: Mapping[str, Any], install: InstallContext, source: str, *, complete: bool
) -> Iterator[RuleViolation]:
    """Yield the violations in ``document``, in the order of its fields.

    ``source`` is the file or option that contains it. ``complete``: the installer will read it, so a missing field has
    its default.
    """

    def check(rule: Rule, field: str, hint: str, *, broken: bool) -> Iterator[RuleViolation]:
        if broken and rule.in_force(install.minor, install.method):
            yield violation(rule, f"{source}: {field}", hint)

    platform = install.platform
    if platform is not None:
        supported = agent_platforms(install.minor)
        hint = f"Use one of: {', '.join(supported)}"
        yield from check(AGENT_PLATFORM, "platform", hint, broken=platform not in supported)
        hint = f"Use one of: {', '.join(ASSISTED_PLATFORMS)}"
        yield from check(ASSISTED_PLATFORM, "platform", hint, broken=platform not in ASSISTED_PLATFORMS)
    if nested(document, "controlPlane", "replicas") == 1:
        workers = _compute_replicas(document, complete=complete)
        hint = "Write compute: [{name: worker, replicas: 0}]"
        yield from check(AGENT_SINGLE_NODE_COMPUTE, "compute", hint, broken=bool(workers))
        alone = workers == 0 and platform is not None
        wrong = alone and platform not in _SINGLE_NODE_PLATFORMS
        hint = "Write platform: {none: {}}, or set controlPlane.replicas to 3"
        yield from check(AGENT_SINGLE_NODE_PLATFORM, "platform", hint, broken=wrong)
        other = nested(document, "networking", "networkType") not in (None, "", "OVNKubernetes")
        broken = alone and not wrong and other
        yield from check(AGENT_SINGLE_NODE_NETWORK, "networking.networkType", "Write OVNKubernetes", broken=broken)
    yield from _platform_violations(document, install, source, complete=complete)
    key_type = _key_type(document.get("sshKey")) if document.get("fips") is True else None
    unusable = key_type is not None and not _FIPS_KEY_TYPES.fullmatch(key_type)
    hint = "Write an RSA or ECDSA key, as from ssh-keygen -t ecdsa, or remove fips"
    yield from check(FIPS_SSH_KEY, "sshKey", hint, broken=unusable)


def _compute_replicas(document: Mapping[str, Any], *, complete: bool) -> int | None:
    """The replicas of all compute pools, ``None`` if they are not known. The default of a pool is 3.

    Source: openshift/installer:pkg/types/defaults/machinepools.go.
    """
    pools = document.get("compute")
    if not pools:
        return 3 if complete else None
    total = 0
    for pool in mappings_in(pools):
        replicas = pool.get("replicas")
        default = 0 if pool.get("name") == "edge" else 3
        total += default if replicas is None else replicas if isinstance(replicas, int) else 0
    return total


def _platform_violations(
    document: Mapping[str, Any], install: InstallContext, source: str, *, complete: bool
) -> Iterator[RuleViolation]:
    """Yield the violations in the block of the platform."""
    block = nested(document, "platform", install.platform) if install.platform is not None else None
    if not isinstance(block, Mapping) or install.platform is None:
        return
    where = f"{source}: platform.{install.platform}"
    if complete and PLATFORM_FIELDS.in_force(install.minor, install.method):
        fields = PLATFORM_DATA[install.platform].needs_one_of
        optional = install.platform == "vsphere" and install.method in _WITHOUT_VCENTERS
        if fields and not optional and not any(block.get(field) for field in fields):
            yield violation(PLATFORM_FIELDS, f"{where}.{fields[0]}", f"Write {' or '.join(fields)}")
    vips = {field: _addresses(block, field, old) for field, old in _VIPS.items()}
    missing = [field for field, addresses in vips.items() if not addresses]
    for rule in _rules_about_missing_vips(install.platform, missing, complete=complete):
        for field in missing if rule.in_force(install.minor, install.method) else ():
            yield violation(rule, f"{where}.{field}", "Write a free address of the machine network")
    managed = nested(block, "loadBalancer", "type") != "UserManaged"
    shared = managed and set(vips["apiVIPs"]).intersection(vips["ingressVIPs"])
    if shared and VIPS_DIFFER.in_force(install.minor, install.method):
        yield violation(VIPS_DIFFER, f"{where}.apiVIPs", "Write another address")


def _rules_about_missing_vips(platform: str, missing: list[str], *, complete: bool) -> tuple[Rule, ...]:
    if platform == "baremetal":
        return (BAREMETAL_VIPS,) if complete else ()
    if platform not in _OPTIONAL_VIPS or not (complete or len(missing) == 1):
        return ()
    return (AGENT_VIPS, VIPS_IN_PAIRS) if len(missing) == 1 else (AGENT_VIPS,)


def _addresses(block: Mapping[str, Any], field: str, deprecated: str) -> list[str]:
    """The addresses in a field of VIPs. The keys of Go's JSON match in any case."""
    found = {str(key).lower(): value for key, value in block.items()}
    value = found.get(field.lower()) or found.get(deprecated.lower()) or []
    return [str(item) for item in (value if isinstance(value, list) else [value])]


def _key_type(key: object) -> str | None:
    """The type of the first key in ``sshKey``, ``None`` if there is none."""
    for line in key.splitlines() if isinstance(key, str) else ():
        found = None if line.lstrip().startswith("#") else _KEY_TYPE.search(line)
        if found:
            return found[1]
    return None
