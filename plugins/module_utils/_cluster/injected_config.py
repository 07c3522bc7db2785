# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The configuration of a cluster that the CVO injects into manifests, and which manifests request it.

Source: openshift/cluster-version-operator:lib/resourcebuilder/apps.go, core.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .._data.tls_profiles import DEFAULT_TLS_PROFILE, IANA_NAMES, TLS_PROFILES, TlsInjection, tls_injection
from .._data.version import Minor
from .._release.manifest import Manifest
from .._resources import API_SERVERS, CONFIG_MAPS, CVO, INFRASTRUCTURES, PROXIES, ApiResource, ResourceId, nested

INJECT_PROXY = "config.openshift.io/inject-proxy"
INJECT_TLS = "config.openshift.io/inject-tls"

PROXY_VARIABLES = {"HTTP_PROXY": "httpProxy", "HTTPS_PROXY": "httpsProxy", "NO_PROXY": "noProxy"}
"""Environment variables, and the fields in the status of the Proxy."""

_CREDENTIALS = re.compile(r"//[^\s\"/@:]*:[^\s\"/]*@")
_WORKLOADS = (("apps", "Deployment"), ("apps", "DaemonSet"))
_CVO_DEPLOYMENT = ResourceId("apps", "Deployment", *CVO)


class TlsSettings(NamedTuple):
    """The TLS settings of servers: the version as in the API, and names of cipher suites as in Go."""

    min_tls_version: str
    cipher_suites: tuple[str, ...]


class InjectedConfig(NamedTuple):
    """What the CVO injects. ``proxy`` is the status of the Proxy, ``api_server_url`` that of the internal API server.

    Empty values are not injected. ``tls`` is ``None`` if the CVO of the release does not inject TLS settings.
    """

    proxy: Mapping[str, Any] = MappingProxyType({})
    api_server_url: str = ""
    tls: TlsSettings | None = None

    @property
    def proxy_variables(self) -> dict[str, str]:
        """All three environment variables, empty if the cluster has no proxy."""
        values = {name: str(self.proxy.get(field) or "") for name, field in PROXY_VARIABLES.items()}
        return values if any(values.values()) else {}

    def values_for(self, manifest: Manifest) -> str:
        """The values that are injected into ``manifest``, as text that changes with each of them."""
        values: list[object] = []
        if requests_proxy(manifest):
            values.append(self.proxy_variables)
        if is_cvo_deployment(manifest):
            values.append(self.api_server_url)
        if requests_tls(manifest):
            values.append(self.tls)
        return json.dumps(values) if any(values) else ""


def without_credentials(text: str) -> str:
    """Hide the user and the password of each URL in ``text``, because proxy variables can contain them."""
    return _CREDENTIALS.sub("//(hidden)@", text)


def config_kinds(manifest: Manifest, minor: Minor | None) -> tuple[ApiResource, ...]:
    """The kinds of configuration that the CVO of ``minor`` reads for ``manifest``. Their objects are named cluster."""
    requested = {
        PROXIES: requests_proxy(manifest),
        INFRASTRUCTURES: is_cvo_deployment(manifest),
        API_SERVERS: requests_tls(manifest) and tls_injection(minor) is not None,
    }
    return tuple(kind for kind, is_requested in requested.items() if is_requested)


def requests_proxy(manifest: Manifest) -> bool:
    """Whether containers of the manifest get the proxy variables of the cluster."""
    return bool(manifest.resource_id.group_kind in _WORKLOADS and (manifest.annotations or {}).get(INJECT_PROXY))


def requests_tls(manifest: Manifest) -> bool:
    """Whether the manifest gets the TLS settings of the cluster, if the CVO injects them."""
    is_config_map = manifest.resource_id.group_kind == CONFIG_MAPS.group_kind
    return is_config_map and (manifest.annotations or {}).get(INJECT_TLS) == "true"


def is_cvo_deployment(manifest: Manifest) -> bool:
    """Whether the manifest is the Deployment of the CVO, which gets the internal address of the API server."""
    return manifest.resource_id == _CVO_DEPLOYMENT


def tls_settings(profile: object, injection: TlsInjection) -> TlsSettings:
    """Resolve ``spec.tlsSecurityProfile`` of the APIServer as the CVO does. ``None`` is the default profile.

    Source: openshift/library-go:pkg/operator/configobserver/apiserver/observe_tlssecurityprofile.go.
    """
    name = nested(profile, "type")
    custom = nested(profile, "custom")
    if name == "Custom" and isinstance(custom, Mapping):
        version, ciphers = custom.get("minTLSVersion"), custom.get("ciphers")
        ciphers = ciphers if isinstance(ciphers, list) else ()
    else:
        version, ciphers = TLS_PROFILES.get(str(name), TLS_PROFILES[DEFAULT_TLS_PROFILE])
    suites = [IANA_NAMES[cipher] for cipher in ciphers if cipher in IANA_NAMES]
    return TlsSettings(str(version or ""), tuple(sorted(suites) if injection.is_sorted else suites))
