# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the configuration of a cluster that the CVO injects into manifests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from .._data.tls_profiles import tls_injection
from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.rest_mapper import RestMapper
from .._problems import ClusterError, Problem, Problems, raise_errors
from .._release.manifest import Manifest
from .._resources import API_SERVERS, INFRASTRUCTURES, PROXIES, ApiResource, Object, Target, nested
from .._version import Minor
from .injected_config import InjectedConfig, config_kinds, tls_settings

_NONE_UNREAD: Mapping[ApiResource, tuple[Problem, ...]] = MappingProxyType({})


class ConfigReading(NamedTuple):
    """The configuration for the manifests of a release. ``unread``: kinds that could not be read, and why."""

    config: InjectedConfig = InjectedConfig()
    unread: Mapping[ApiResource, tuple[Problem, ...]] = _NONE_UNREAD
    minor: Minor | None = None

    def reasons(self, manifest: Manifest) -> tuple[Problem, ...]:
        """Why the configuration that ``manifest`` requests could not be read; empty if it is known."""
        return tuple(item for kind in config_kinds(manifest, self.minor) for item in self.unread.get(kind, ()))

    def check(self, manifests: Iterable[Manifest]) -> None:
        """Raise ``ClusterError`` if one of ``manifests`` needs what could not be read."""
        raise_errors(Problems(item for one in manifests for item in self.reasons(one)).unique(), ClusterError)


def read_config(client: Client, kinds: RestMapper, manifests: Iterable[Manifest], minor: Minor | None) -> ConfigReading:
    """Read what ``manifests`` of a release of ``minor`` request. A missing object is empty, as for the CVO.

    Raises ``ClusterError`` if the server does not answer.
    """
    requested = {kind for manifest in manifests for kind in config_kinds(manifest, minor)}
    objects: dict[ApiResource, Object] = {}
    unread: dict[ApiResource, tuple[Problem, ...]] = {}
    for kind in sorted(requested):
        if kinds.find(kind.group, kind.kind) is None:
            continue
        try:
            objects[kind] = client.find_once(Target(kind, "cluster")) or {}
        except ApiError as error:
            unread[kind] = error.problems
    injection = tls_injection(minor) if API_SERVERS in requested else None
    config = InjectedConfig(
        nested(objects.get(PROXIES), "status") or {},
        str(nested(objects.get(INFRASTRUCTURES), "status", "apiServerInternalURI") or ""),
        injection and tls_settings(nested(objects.get(API_SERVERS), "spec", "tlsSecurityProfile"), injection),
    )
    return ConfigReading(config, unread, minor)
