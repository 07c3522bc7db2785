# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Checks platform and topology of an install-config against rules that depend on version and install method.

The rules and their sources are in ``_data.install_rules``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._capability.rules import InstallContext, RuleViolation, violation
from .._data.install_rules import (
    AGENT_PLATFORM,
    AGENT_SINGLE_NODE_COMPUTE,
    AGENT_SINGLE_NODE_PLATFORM,
    ASSISTED_PLATFORM,
    Rule,
)
from .._data.platforms import ASSISTED_PLATFORMS, agent_platforms
from .._problems import Location
from .._unstructured import mappings_in, nested

_SINGLE_NODE_PLATFORMS = ("none", "external")


def method_violations(
    document: Mapping[str, Any], install: InstallContext, source: str, *, complete: bool
) -> Iterator[RuleViolation]:
    """Yield the violations in ``document``, in the order of its fields.

    ``source`` is the file or option that contains it. ``complete``: the installer will read it, so a missing field has
    its default.
    """

    def check(rule: Rule, field: str, hint: str, *, broken: bool) -> Iterator[RuleViolation]:
        if broken and rule.in_force(install.minor, install.method):
            yield violation(rule, Location(source, field=field), hint)

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
        wrong = workers == 0 and platform is not None and platform not in _SINGLE_NODE_PLATFORMS
        hint = "Write platform: {none: {}}, or set controlPlane.replicas to 3"
        yield from check(AGENT_SINGLE_NODE_PLATFORM, "platform", hint, broken=wrong)


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
