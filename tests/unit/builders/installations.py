# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Installations for tests, and the names of each version, transcribed by hand from the branches of openshift/api."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.rules import InstallContext, violations
from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import MinorData
from ansible_collections.capability.openshift.plugins.module_utils._install_config.check import (
    InstallCheck,
    check_installation,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    InstallOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem
from ansible_collections.capability.openshift.plugins.module_utils._release.release import release_of_version
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor

MINORS = (
    *("4.11", "4.12", "4.13", "4.14", "4.15", "4.16", "4.17", "4.18", "4.19", "4.20", "4.21", "4.22", "4.23"),
    *("5.0", "5.1", "5.2"),
)
CLOUDS = ("aws", "azure", "gcp", "ibmcloud", "nutanix", "openstack", "ovirt", "powervc", "powervs", "vsphere")
"""Platforms that are not none, baremetal or external."""
PLATFORMS = ("none", "baremetal", "external", *CLOUDS)
METHODS = ("ipi", "upi", "agent", "assisted")
GATED = frozenset({"ClusterAPI", "CompatibilityRequirements"})
BOTH_GATES = frozenset({"CRDCompatibilityRequirementOperator", "ClusterAPIMachineManagement"})

_OF_411 = frozenset({"baremetal", "marketplace", "openshift-samples"})
_OF_412 = _OF_411 | {"CSISnapshot", "Console", "Insights", "Storage"}
_OF_413 = _OF_412 | {"NodeTuning"}
_OF_414 = _OF_413 | {"Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"}
_OF_415 = _OF_414 | {"CloudCredential", "OperatorLifecycleManager"}
_OF_416 = _OF_415 | {"CloudControllerManager", "Ingress"}
_OF_418 = _OF_416 | {"OperatorLifecycleManagerV1"}

_FIRST_CONTENT = {
    "None": frozenset[str](),
    "v4.11": _OF_411,
    "v4.12": _OF_412,
    "v4.13": _OF_413,
    "v4.14": _OF_414,
    "v4.15": _OF_415,
    "v4.16": _OF_416,
    "v4.17": _OF_416,
    "v4.18": _OF_418,
}


def after(first: str, last: str = "5.2") -> tuple[str, ...]:
    """Return the minors from ``first`` to ``last``, both included."""
    return MINORS[MINORS.index(first) : MINORS.index(last) + 1]


def known(minor: str) -> frozenset[str]:
    """Return the names that exist on the Default feature set."""
    newest = _FIRST_CONTENT.get(f"v{minor}")
    return _OF_418 if newest is None else newest


def sets_of(minor: str) -> dict[str, frozenset[str]]:
    """Return the sets of a minor, gates aside: v4.11 to v4.13 gained MachineAPI in 4.14, nothing else ever changed."""
    contents = {
        name: content | ({"MachineAPI"} if name in ("v4.11", "v4.12", "v4.13") and minor in after("4.14") else set())
        for name, content in _FIRST_CONTENT.items()
        if name == "None" or name.removeprefix("v") in MINORS[: MINORS.index(minor) + 1]
    }
    return {**contents, "vCurrent": known(minor) | (GATED if minor in after("4.23") else set())}


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
    violated = violations(selection, context)
    return sorted((item.rule.name, item.capability) for item in violated if item.problem.severity == "error")


def missing(selection: Selection, context: InstallContext) -> list[str]:
    """Return the missing names of all errors, sorted, each once."""
    return sorted({name for _rule, name in broken(selection, context)})


def warned(selection: Selection, context: InstallContext) -> list[str]:
    """Return the rules behind all warnings, sorted."""
    violated = violations(selection, context)
    return sorted(item.rule.name for item in violated if item.problem.severity == "warning")


def listed(*names: str, baseline: str = "None") -> Selection:
    """Return a selection of a baseline and names."""
    return Selection(baseline, names)


def check(minor: str | None, document: Mapping[str, Any] | None = None, **options: Any) -> InstallCheck:
    """Check an installation of ``minor``. ``document`` is a part of an install-config that no installer reads."""
    given = InstallOptions(**{"document": document or {}, "source": "content", "complete": False, **options})
    release = release_of_version(None if minor is None else minor_data_of(minor).minor)
    return check_installation(given, release)


def errors(problems: Iterable[Problem]) -> list[Problem]:
    """Return the errors among ``problems``."""
    return [problem for problem in problems if problem.severity == "error"]


def warnings(problems: Iterable[Problem]) -> list[Problem]:
    """Return the warnings among ``problems``."""
    return [problem for problem in problems if problem.severity == "warning"]
