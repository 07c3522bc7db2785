# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Users with the rights that a test gives them, and users that the API server does not know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import jwt

from ansible_collections.capability.openshift.tests.control_plane.api import Api, write_kubeconfig
from ansible_collections.capability.openshift.tests.control_plane.certificates import Authority
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ADMINISTRATORS, ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

Rule = Mapping[str, Sequence[str]]

EVERYTHING: tuple[Rule, ...] = (
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
)
ACCOUNTS = "kube-system"
"""Namespace of the service accounts of token users: one that every cluster has."""

_RBAC = "rbac.authorization.k8s.io"
_DAY = 86400


class User(NamedTuple):
    """A user of the API: the kubeconfig, and the name that RBAC and the audit log know."""

    kubeconfig: Path
    name: str


def certificate_user(plane: ControlPlane, name: str, rules: Sequence[Rule] = ()) -> User:
    """Make a user with a client certificate who may do what ``rules`` of RBAC say."""
    _grant(plane.api, name, {"apiGroup": _RBAC, "kind": "User", "name": name}, name, rules)
    return User(plane.write_kubeconfig(name, plane.authority.client(name)), name)


def token_user(plane: ControlPlane, name: str, rules: Sequence[Rule] = ()) -> User:
    """Make a service account with a token which may do what ``rules`` of RBAC say."""
    token, user = token_of(plane, name), f"system:serviceaccount:{ACCOUNTS}:{name}"
    _grant(plane.api, name, {"kind": "ServiceAccount", "name": name, "namespace": ACCOUNTS}, user, rules)
    return User(plane.write_kubeconfig(name, token), user)


def token_of(plane: ControlPlane, name: str) -> str:
    """Return another token of the service account ``name``, which is made if there is none."""
    path = f"/api/v1/namespaces/{ACCOUNTS}/serviceaccounts/{name}"
    plane.api.apply(path, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}})
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token: str = plane.api.post(f"{path}/token", request)["status"]["token"]
    return token


def expired_token(plane: ControlPlane, name: str) -> Path:
    """Return a kubeconfig with a token of a service account that expired yesterday."""
    claims = jwt.decode(token_of(plane, name), options={"verify_signature": False})
    past = {claim: claims[claim] - _DAY for claim in ("exp", "iat", "nbf")}
    return plane.write_kubeconfig(
        "expired-token", jwt.encode({**claims, **past}, plane.service_account_key, algorithm="ES256")
    )


def unknown_token(plane: ControlPlane) -> Path:
    """Return a kubeconfig with a token that the API server never issued."""
    return plane.write_kubeconfig("unknown-token", "this-is-no-token")


def unknown_authority(plane: ControlPlane) -> Path:
    """Return an administrator's kubeconfig whose certificate authority is not that of the API server."""
    credentials = plane.authority.client("administrator", ADMINISTRATORS)
    path = plane.folder / "unknown-authority.kubeconfig"
    return write_kubeconfig(path, plane.url, Authority("another-authority").certificate, credentials)


def _grant(api: Api, name: str, subject: Mapping[str, str], user: str, rules: Sequence[Rule]) -> None:
    """Bind a role with ``rules`` to a user, and wait until the API server, which watches roles, knows it."""
    if not rules:
        return
    version = {"apiVersion": f"{_RBAC}/v1", "metadata": {"name": f"test-{name}"}}
    # A resource that exists nowhere: only who has this role, with these rules, may read it.
    mark = {"group": "test", "resource": str(uuid4()), "verb": "get"}
    marked = [*rules, {"apiGroups": [mark["group"]], "resources": [mark["resource"]], "verbs": [mark["verb"]]}]
    reference = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": f"test-{name}"}
    binding = {**version, "kind": "ClusterRoleBinding", "roleRef": reference, "subjects": [subject]}
    folder = f"/apis/{_RBAC}/v1/clusterrole"
    api.apply(f"{folder}s/test-{name}", {**version, "kind": "ClusterRole", "rules": marked})
    api.apply(f"{folder}bindings/test-{name}", binding)
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": user, "groups": [], "resourceAttributes": mark},
    }
    reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    wait_for(lambda: api.post(reviews, review)["status"]["allowed"], f"RBAC to know the rights of {user}")
