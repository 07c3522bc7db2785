# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""TLS security profiles of the APIServer, and the cipher suites that the CVO injects for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .version import Minor


class TlsInjection(NamedTuple):
    """How the CVO injects TLS settings (``config.openshift.io/inject-tls``) from the minor ``since`` on.

    ``is_sorted``: it sorts the names of the cipher suites. Otherwise they are in the order of the profile.
    """

    since: Minor
    is_sorted: bool
    source: str


TLS_INJECTIONS: tuple[TlsInjection, ...] = (
    TlsInjection(
        Minor(4, 22),
        is_sorted=True,
        source="openshift/cluster-version-operator release-4.22:lib/resourcebuilder/core.go observeTLSConfiguration",
    ),
    TlsInjection(
        Minor(4, 23),
        is_sorted=False,
        source="openshift/cluster-version-operator release-4.23:lib/resourcebuilder/core.go observeTLSConfiguration "
        "(7d163c54c)",
    ),
)
"""The injections of each minor, oldest first. The CVOs before the first one have no ``core.go``."""


def tls_injection(minor: Minor | None) -> TlsInjection | None:
    """How the CVO of ``minor`` injects TLS settings, ``None`` if it does not, or if the minor is not known."""
    return next((item for item in reversed(TLS_INJECTIONS) if minor is not None and item.since <= minor), None)


class TlsProfile(NamedTuple):
    """A profile with the names of ciphers as in OpenSSL."""

    min_tls_version: str
    ciphers: tuple[str, ...]


_TLS_1_3 = ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256")
_TLS_1_2 = (
    *_TLS_1_3,
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
)
_OLD = (
    *_TLS_1_2,
    "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE-RSA-AES128-SHA256",
    "ECDHE-ECDSA-AES128-SHA",
    "ECDHE-RSA-AES128-SHA",
    "ECDHE-ECDSA-AES256-SHA",
    "ECDHE-RSA-AES256-SHA",
    "AES128-GCM-SHA256",
    "AES256-GCM-SHA384",
    "AES128-SHA256",
    "AES128-SHA",
    "AES256-SHA",
    "DES-CBC3-SHA",
)

DEFAULT_TLS_PROFILE = "Intermediate"
TLS_PROFILES: Mapping[str, TlsProfile] = {
    "Old": TlsProfile("VersionTLS10", _OLD),
    DEFAULT_TLS_PROFILE: TlsProfile("VersionTLS12", _TLS_1_2),
    "Modern": TlsProfile("VersionTLS13", _TLS_1_3),
}
"""The profiles, without ciphers that have no name in ``IANA_NAMES``.

Source: openshift/api:config/v1/types_tlssecurityprofile.go TLSProfiles.
"""

IANA_NAMES: Mapping[str, str] = {
    **{name: name for name in _TLS_1_3},
    "ECDHE-ECDSA-AES128-GCM-SHA256": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305": "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "ECDHE-RSA-CHACHA20-POLY1305": "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-SHA256": "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    "ECDHE-RSA-AES128-SHA256": "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
    "AES128-GCM-SHA256": "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "AES256-GCM-SHA384": "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "AES128-SHA256": "TLS_RSA_WITH_AES_128_CBC_SHA256",
    "ECDHE-ECDSA-AES128-SHA": "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    "ECDHE-RSA-AES128-SHA": "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "ECDHE-ECDSA-AES256-SHA": "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    "ECDHE-RSA-AES256-SHA": "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    "AES128-SHA": "TLS_RSA_WITH_AES_128_CBC_SHA",
    "AES256-SHA": "TLS_RSA_WITH_AES_256_CBC_SHA",
    "DES-CBC3-SHA": "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
    "ECDHE-RSA-DES-CBC3-SHA": "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
}
"""Names of ciphers in OpenSSL to those in Go. The CVO drops all others.

Source: openshift/library-go:pkg/crypto/crypto.go OpenSSLToIANACipherSuites.
"""
