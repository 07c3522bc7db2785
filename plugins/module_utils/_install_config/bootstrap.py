# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reports what the bootstrap of an installation creates although the selection excludes its capability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._capability.inclusion import CapabilityStatus
from .._capability.rules import InstallContext
from .._data.bootstrap_resources import bootstrap_objects, bootstrap_renderer
from .._data.install_rules import HOSTED
from .._problems import Location, Problem, Problems
from .._release.release import Release

_CODE = "rendered-anyway"


def report_rendered(
    status: CapabilityStatus,
    install: InstallContext,
    document: Mapping[str, Any],
    source: str,
    release: Release,
    problems: Problems,
) -> None:
    """Report objects of disabled capabilities. A hosted cluster has no bootstrap."""
    if install.method == HOSTED:
        return
    disabled = status.known - status.enabled
    for item in bootstrap_objects(install.minor, install.method, install.platform):
        field, value = item.setting
        if item.capability in disabled and (not field or document.get(field) == value):
            where = Location(source, field=field or "capabilities")
            message = f"{item.capability} is disabled, but {item.objects}"
            problems.append(Problem("warning" if item.harmful else "info", _CODE, where, message, item.hint))
    for manifest in release.manifests:
        names = sorted(disabled.intersection(manifest.capabilities))
        resource = manifest.resource_id
        if names and bootstrap_renderer(resource.kind, resource.name, install.minor):
            message = f"{' and '.join(names)} is disabled, but the bootstrap creates {resource}, so the cluster has it"
            problems.info(_CODE, manifest.location, message)
