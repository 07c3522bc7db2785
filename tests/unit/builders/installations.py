# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Installations for tests, and the names of each version by a second reading of the branches of openshift/api."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.rules import (
    InstallContext,
    rule_violations,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import MinorData
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._install_config.check import (
    InstallCheck,
    check_selection,
    read_installation,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    InstallOptions,
    SelectionOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version

_API = json.loads((Path(__file__).parents[1] / "data" / "capabilities.json").read_text("utf-8"))["minors"]
"""A second reading of the branches of openshift/api, independent of the data of the collection."""

MINORS = tuple(_API)
NEWEST = MINORS[-1]
CLOUDS = ("aws", "azure", "gcp", "ibmcloud", "nutanix", "openstack", "ovirt", "powervc", "powervs", "vsphere")
"""Platforms that are not none, baremetal or external."""
PLATFORMS = ("none", "baremetal", "external", *CLOUDS)
METHODS = ("ipi", "upi", "agent", "assisted")
GATED = frozenset({"ClusterAPI", "CompatibilityRequirements"})
BOTH_GATES = frozenset({"CRDCompatibilityRequirementOperator", "ClusterAPIMachineManagement"})


def after(first: str, last: str = NEWEST) -> tuple[str, ...]:
    """Return the minors from ``first`` to ``last``, both included."""
    return MINORS[MINORS.index(first) : MINORS.index(last) + 1]


def known(minor: str) -> frozenset[str]:
    """Return the names that exist on the Default feature set."""
    return frozenset(_API[minor]["known"]) - set(_API[minor]["gated"])


def sets_of(minor: str) -> dict[str, frozenset[str]]:
    """Return the sets of a minor, whatever the feature gates are."""
    return {name: frozenset(content) for name, content in _API[minor]["sets"].items()}


def requested_names(selection: Selection, minor: str) -> frozenset[str]:
    """Return the names that ``selection``, which has no exclusions, requests."""
    return sets_of(minor)[selection.baseline or "vCurrent"] | set(selection.additional)


def minor_data_of(minor: str) -> MinorData:
    """Return the data of the collection about ``minor``."""
    major, _dot, number = minor.partition(".")
    data = capability_data.data_of(Minor(int(major), int(number)))
    assert data is not None
    return data


def install(minor: str, method: str = "upi", platform: str | None = "none", **more: Any) -> InstallContext:
    """Return an installation on the Default feature set; ``more`` are fields of it."""
    return InstallContext(minor_data_of(minor), method, platform, **{"gated": GATED, **more})


def broken(selection: Selection, context: InstallContext) -> list[tuple[str, str]]:
    """Return rule and missing name of each error, sorted."""
    violated = rule_violations(selection, context)
    return sorted((item.rule.name, item.capability) for item in violated if item.problem.severity == "error")


def missing(selection: Selection, context: InstallContext) -> list[str]:
    """Return the missing names of all errors, sorted, each once."""
    return sorted({name for _rule, name in broken(selection, context)})


def warned(selection: Selection, context: InstallContext) -> list[str]:
    """Return the rules behind all warnings, sorted."""
    violated = rule_violations(selection, context)
    return sorted(item.rule.name for item in violated if item.problem.severity == "warning")


def listed(*names: str, baseline: str = "None") -> Selection:
    """Return a selection of a baseline and names."""
    return Selection(baseline, names)


def check(minor: str | None, document: Mapping[str, Any] | None = None, **options: Any) -> InstallCheck:
    """Check an installation of ``minor``. ``document`` is a part of an install-config that no installer reads."""
    selection = {name: options.pop(name) for name in SelectionOptions._fields if name in options}
    given = InstallOptions(**{"document": document or {}, "source": "content", "complete": False, **options})
    release = release_of_version(None if minor is None else minor_data_of(minor).minor)
    return check_selection(read_installation(given, release), SelectionOptions(**selection))


def errors(problems: Iterable[Problem]) -> list[Problem]:
    """Return the errors among ``problems``."""
    return [problem for problem in problems if problem.severity == "error"]


def warnings(problems: Iterable[Problem]) -> list[Problem]:
    """Return the warnings among ``problems``."""
    return [problem for problem in problems if problem.severity == "warning"]
