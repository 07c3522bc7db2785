# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kubeconfigs: one cluster, one user, everything within the file."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.capability.openshift.tests.control_plane.certificates import Certificate, write_secret

NAME = "control-plane"


def write_kubeconfig(path: Path, url: str, authority: bytes, credentials: Certificate | str) -> Path:
    """Write a kubeconfig for a client certificate or a token, and return its path."""
    user: dict[str, Any]
    if isinstance(credentials, str):
        user = {"token": credentials}
    else:
        user = {
            "client-certificate-data": _text(credentials.certificate),
            "client-key-data": _text(credentials.key),
        }
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": {"server": url, "certificate-authority-data": _text(authority)}}],
        "users": [{"name": NAME, "user": user}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME}}],
        "current-context": NAME,
    }
    return write_secret(path, yaml.safe_dump(document, sort_keys=False).encode())


def _text(data: bytes) -> str:
    return b64encode(data).decode()
