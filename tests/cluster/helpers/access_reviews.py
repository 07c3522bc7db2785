# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the authorizer of an API server answers, asked without the product's own eyes."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.tests.control_plane.api import Api

RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
_AUTHORIZATION = "rbac.authorization.k8s.io"
_WORKERS = 8
_STILL = 1.0
"""Seconds without a change after which the controller that aggregates ClusterRoles has done its work."""

QUESTIONS: Mapping[str, list[tuple[str, str, str]]] = {
    "do_everything": [("*", "*", "*")],
    "read_secrets": [("get", "", "secrets"), ("list", "", "secrets"), ("watch", "", "secrets")],
    "exec_into_pods": [("create", "", "pods/exec"), ("get", "", "pods/exec")],
    "grant_permissions": [
        ("bind", _AUTHORIZATION, "clusterroles"),
        ("bind", _AUTHORIZATION, "roles"),
        ("escalate", _AUTHORIZATION, "clusterroles"),
        ("escalate", _AUTHORIZATION, "roles"),
    ],
    "impersonate": [
        ("impersonate", "", "users"),
        ("impersonate", "", "groups"),
        ("impersonate", "", "serviceaccounts"),
    ],
    "create_pods": [
        ("create", "", "pods"),
        ("create", "", "replicationcontrollers"),
        ("create", "apps", "daemonsets"),
        ("create", "apps", "deployments"),
        ("create", "apps", "replicasets"),
        ("create", "apps", "statefulsets"),
        ("create", "batch", "cronjobs"),
        ("create", "batch", "jobs"),
    ],
    "reach_nodes": [("create", "", "nodes/proxy"), ("get", "", "nodes/proxy")],
}
"""Verb, group and resource of the requests. An account has the permission if one of them is allowed."""


class Subject(NamedTuple):
    """A subject of a binding, or a ServiceAccount."""

    kind: str
    namespace: str
    name: str

    @property
    def shown(self) -> str:
        """Its name in the results of the product."""
        return f"{self.namespace}/{self.name}" if self.kind == "ServiceAccount" else f"{self.kind} {self.name}"

    @property
    def review(self) -> dict[str, Any]:
        """Its user and groups in a SubjectAccessReview, as the API server authenticates it."""
        if self.kind == "ServiceAccount":
            groups = ["system:serviceaccounts", f"system:serviceaccounts:{self.namespace}", "system:authenticated"]
            return {"user": f"system:serviceaccount:{self.namespace}:{self.name}", "groups": groups}
        if self.name in ("system:anonymous", "system:unauthenticated"):
            return {"user": "system:anonymous", "groups": ["system:unauthenticated"]}
        if self.kind == "User":
            return {"user": self.name, "groups": ["system:authenticated"]}
        of_namespace = ["system:serviceaccounts"] if self.name.startswith("system:serviceaccounts:") else []
        return {"groups": [self.name, *of_namespace, "system:authenticated"]}


def subjects_of(bodies: Iterable[Mapping[str, Any]]) -> set[Subject]:
    """Return the subjects of all bindings among ``bodies``, and the ServiceAccounts."""
    return {subject for body in bodies for subject in _subjects(body)}


def _subjects(body: Mapping[str, Any]) -> Iterator[Subject]:
    if body["kind"] == "ServiceAccount":
        yield Subject(body["kind"], body["metadata"]["namespace"], body["metadata"]["name"])
    for item in body.get("subjects") or ():
        kind, name, namespace = item["kind"], item["name"], item.get("namespace", "")
        if kind == "ServiceAccount":
            yield Subject(kind, namespace or body["metadata"]["namespace"], name)
        elif kind == "User" and name.startswith("system:serviceaccount:"):
            yield Subject("ServiceAccount", *name.split(":")[2:])
        else:
            yield Subject(kind, "", name)


def answers(api: Api, subjects: Iterable[Subject]) -> dict[str, set[str]]:
    """Return which subjects have each permission in all namespaces, one review for each request."""
    subjects = sorted(subjects)
    asked = [
        (question, subject, request)
        for question, requests in QUESTIONS.items()
        for subject in subjects
        for request in requests
    ]
    with ThreadPoolExecutor(_WORKERS) as pool:
        allowed = list(pool.map(lambda item: _is_allowed(api, *item[1:]), asked))
    found: dict[str, set[str]] = {question: set() for question in QUESTIONS}
    for (question, subject, _request), yes in zip(asked, allowed, strict=True):
        if yes:
            found[question].add(subject.shown)
    return found


def _is_allowed(api: Api, subject: Subject, request: tuple[str, str, str]) -> bool:
    verb, group, resource = request
    name, _slash, subresource = resource.partition("/")
    attributes = {"verb": verb, "group": group, "resource": name, "subresource": subresource}
    spec = {**subject.review, "resourceAttributes": attributes}
    answer = api.post(REVIEWS, {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec})
    assert not answer["status"].get("evaluationError"), answer["status"]
    return bool(answer["status"]["allowed"])


def wait_for_aggregation(api: Api) -> None:
    """Wait until no ClusterRole changes any more."""
    found, since = _rules(api), time.monotonic()
    while time.monotonic() - since < _STILL:
        time.sleep(_STILL / 10)
        now = _rules(api)
        if now != found:
            found, since = now, time.monotonic()


def _rules(api: Api) -> dict[str, Any]:
    return {item["metadata"]["name"]: item.get("rules") for item in api.list(f"{RBAC}/clusterroles")}
