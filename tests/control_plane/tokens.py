# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tokens of service accounts, signed with the control plane's own key, so that they can be of any age."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64encode
from typing import Any
from uuid import uuid4

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

_LEEWAY = 60
"""Seconds for which an API server takes a token that has expired."""

_NUMBER = 32
"""Bytes of each half of an ES256 signature."""


def sign_token(key: ec.EllipticCurvePrivateKey, issuer: str, account: dict[str, Any], seconds: float) -> str:
    """Return a token of a ServiceAccount that an API server takes for ``seconds``, and never if they are negative."""
    metadata = account["metadata"]
    namespace, name = metadata["namespace"], metadata["name"]
    expires = int(time.time() + seconds - _LEEWAY)
    begins = min(int(time.time()), expires) - 60
    claims = {
        "aud": [issuer],
        "exp": expires,
        "iat": begins,
        "nbf": begins,
        "iss": issuer,
        "jti": str(uuid4()),
        "sub": f"system:serviceaccount:{namespace}:{name}",
        "kubernetes.io": {"namespace": namespace, "serviceaccount": {"name": name, "uid": metadata["uid"]}},
    }
    text = f"{_text(_json({'alg': 'ES256', 'typ': 'JWT'}))}.{_text(_json(claims))}"
    halves = decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{text}.{_text(b''.join(half.to_bytes(_NUMBER, 'big') for half in halves))}"


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
