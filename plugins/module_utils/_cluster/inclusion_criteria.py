# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The inclusion criteria of a cluster: in the form of the options that take them, and applied to a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._capability.cluster_options import ClusterOptions, check_options, inclusion_context
from .._capability.inclusion import InclusionContext
from .._kubernetes.client import Client
from .._problems import Problems
from .._release.release import Release
from .._unstructured import nested
from .._version import find_minor
from .cluster_properties import ClusterProperty, gates_of_version
from .live_properties import read_properties

_READ = ("cluster_profile", "feature_set", "feature_gates")


def read_inclusion_criteria(
    client: Client, cluster_version: Mapping[str, Any], version: str, problems: Problems
) -> dict[str, Any]:
    """Read what decides, besides capabilities, which manifests the CVO of a cluster includes. Raises ``ClusterError``.

    ``cluster_version`` is the ClusterVersion, and ``version`` the version in its status. A value is ``None`` if the
    cluster does not report it, so its default applies. An object that the user may not read is a warning.
    """
    return _options(read_properties(client, _READ, problems, settable=False), cluster_version, version)


def read_inclusion_context(
    client: Client, cluster_version: Mapping[str, Any], version: str, release: Release, problems: Problems
) -> InclusionContext:
    """Read how the CVO of a cluster decides about the manifests of ``release``, whatever the capabilities are.

    ``problems`` gets what could not be read, but not what is unknown of the release: the caller decides about some of
    its manifests only. The other arguments are those of ``read_inclusion_criteria``. Raises ``ClusterError``.
    """
    found = read_properties(client, (*_READ, "platform"), problems, settable=False)
    release_problems = Problems()
    options = ClusterOptions.from_params(_options(found, cluster_version, version))
    criteria = check_options(options, release.minor, release_problems)._replace(platform=_value(found, "platform"))
    return inclusion_context(criteria, release, release_problems)


def _options(found: Mapping[str, ClusterProperty], cluster_version: Mapping[str, Any], version: str) -> dict[str, Any]:
    return {
        "cluster_profile": _value(found, "cluster_profile"),
        "feature_set": _value(found, "feature_set"),
        "feature_gates": gates_of_version(_value(found, "feature_gates"), find_minor(version), version),
        "overrides": nested(cluster_version, "spec", "overrides") or [],
    }


def _value(found: Mapping[str, ClusterProperty], name: str) -> Any:
    return found[name].value if name in found else None
