# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Users with the rights that a test gives them, and users that the API server does not know."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import jwt

from ansible_collections.capability.openshift.tests.control_plane.api import Api, write_kubeconfig
from ansible_collections.capability.openshift.tests.control_plane.certificates import Authority
from ansible_collections.capability.openshift.tests.control_plane.control_plane import (
    ADMINISTRATORS,
    ISSUER,
    ControlPlane,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

Rule = Mapping[str, Sequence[str]]

EVERYTHING: tuple[Rule, ...] = (
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
)
ACCOUNTS = "kube-system"
"""Namespace of the service accounts of token users: one that every cluster has."""

_LEEWAY = 60
"""Seconds for which an API server takes a token that has expired."""


class User(NamedTuple):
    """A user of the API: the kubeconfig, and the name that RBAC and the audit log know."""

    kubeconfig: Path
    name: str


def certificate_user(plane: ControlPlane, name: str, rules: Sequence[Rule] = (), *, namespace: str = "") -> User:
    """Make a user with a client certificate who may do what ``rules`` of RBAC log, in one namespace if one is given."""
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}
    _grant(plane.api, name, subject, name, rules, namespace)
    return User(plane.write_kubeconfig(name, plane.authority.client(name)), name)


def token_user(
    plane: ControlPlane, name: str, rules: Sequence[Rule] = (), *, namespace: str = "", seconds: float = 3600
) -> User:
    """Make a service account with a token which may do what ``rules`` of RBAC say.

    The API server takes the token for ``seconds``, and never where they are negative; one that it took before it goes
    on taking for up to ten seconds more.
    """
    account = _account(plane.api, name)
    subject = {"kind": "ServiceAccount", "name": name, "namespace": ACCOUNTS}
    user = f"system:serviceaccount:{ACCOUNTS}:{name}"
    _grant(plane.api, name, subject, user, rules, namespace)
    token = sign_token(plane.service_account_key, ISSUER, account, seconds)
    return User(plane.write_kubeconfig(name, token), user)


def token_of(plane: ControlPlane, name: str, seconds: float = 3600) -> str:
    """Return another token of a user that ``token_user`` made."""
    return sign_token(plane.service_account_key, ISSUER, _account(plane.api, name), seconds)


def sign_token(key: ec.EllipticCurvePrivateKey, issuer: str, account: dict[str, Any], seconds: float) -> str:
    """Return a token of a ServiceAccount that an API server takes for ``seconds``, and never if they are negative."""
    metadata = account["metadata"]
    namespace, name = metadata["namespace"], metadata["name"]
    now = int(time.time())
    expires = int(now + seconds - _LEEWAY)
    begins = min(now, expires) - 60
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
    return jwt.encode(claims, key, algorithm="ES256")


def unknown_token(plane: ControlPlane) -> Path:
    """Return a kubeconfig with a token that the API server never issued."""
    return plane.write_kubeconfig("unknown-token", "this-is-no-token")


def unknown_authority(plane: ControlPlane) -> Path:
    """Return an administrator's kubeconfig whose certificate authority is not that of the API server."""
    credentials = plane.authority.client("administrator", ADMINISTRATORS)
    path = plane.folder / "unknown-authority.kubeconfig"
    return write_kubeconfig(path, plane.url, Authority("another-authority").certificate, credentials)


def _account(api: Api, name: str) -> dict[str, Any]:
    body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": ACCOUNTS}}
    return api.apply(f"/api/v1/namespaces/{ACCOUNTS}/serviceaccounts/{name}", body)


def _grant(api: Api, name: str, subject: Mapping[str, str], user: str, rules: Sequence[Rule], namespace: str) -> None:
    """Bind a role with ``rules`` to a user, and wait until the API server, which watches roles, knows it."""
    if not rules:
        return
    scope, kind = (f"/namespaces/{namespace}", "Role") if namespace else ("", "ClusterRole")
    group = "rbac.authorization.k8s.io"
    version = {"apiVersion": f"{group}/v1", "metadata": {"name": f"test-{name}"}}
    # A resource that exists nowhere: only who has this role, with these rules, may read it.
    mark = {"group": "test", "resource": str(uuid4()), "verb": "get"}
    marked = [*rules, {"apiGroups": [mark["group"]], "resources": [mark["resource"]], "verbs": [mark["verb"]]}]
    reference = {"apiGroup": group, "kind": kind, "name": f"test-{name}"}
    binding = {**version, "kind": f"{kind}Binding", "roleRef": reference, "subjects": [subject]}
    folder = f"/apis/{group}/v1{scope}/{kind.lower()}"
    api.apply(f"{folder}s/test-{name}", {**version, "kind": kind, "rules": marked})
    api.apply(f"{folder}bindings/test-{name}", binding)
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": user, "groups": [], "resourceAttributes": {**mark, "namespace": namespace}},
    }
    reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    wait_for(lambda: api.post(reviews, review)["status"]["allowed"], f"RBAC to know the rights of {user}")
