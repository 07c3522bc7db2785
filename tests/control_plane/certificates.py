# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A separate certificate authority for each control plane."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import trustme

_NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "127.0.0.1")


class Certificate(NamedTuple):
    """A certificate and its key, as PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """A certificate authority whose key is nowhere but in memory."""

    def __init__(self, name: str = "control-plane-tests") -> None:
        self._authority = trustme.CA(organization_name=name)
        self.certificate = self._authority.cert_pem.bytes()

    def serving(self) -> Certificate:
        """Return a certificate for servers on loopback."""
        return _pem(self._authority.issue_cert(*_NAMES, common_name="localhost"))

    def client(self, user: str, group: str = "") -> Certificate:
        """Return a certificate with which the API server knows a client as ``user`` in ``group``."""
        # Go rejects a certificate without any name.
        return _pem(self._authority.issue_cert("client", common_name=user, organization_name=group or None))


def _pem(leaf: trustme.LeafCert) -> Certificate:
    return Certificate(leaf.cert_chain_pems[0].bytes(), leaf.private_key_pem.bytes())


def write_secret(path: Path, data: bytes) -> Path:
    """Write a file that only its owner can read."""
    path.touch(mode=0o600)
    path.write_bytes(data)
    return path
