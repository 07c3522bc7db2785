# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Installing, verifying and removing the guard, against a model of an API server, which evaluates only its probe."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard import (
    enforced_fingerprint,
    install,
    remove,
    wait_until_enforced,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.guard_policy import GUARD_NAME, PROBE, Guard
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._progress import silent
from ansible_collections.capability.openshift.plugins.module_utils._resources import (
    ADMISSION_BINDINGS,
    ADMISSION_POLICIES,
    CLUSTER_VERSIONS,
)
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, Object, fault

BOTH = (ADMISSION_POLICIES, ADMISSION_BINDINGS)
PATHS = [kind.path(GUARD_NAME) for kind in BOTH]


@pytest.fixture
def server() -> ApiServer:
    return ApiServer(*BOTH)


def test_the_guard_is_installed_once_and_removed(server):
    assert [change.changed for change in install(server.client(), Guard())] == [True, True]
    assert list(server.objects) == PATHS
    assert enforced_fingerprint({kind.kind: server.objects[path] for kind, path in zip(BOTH, PATHS, strict=True)})
    server.requests.clear()
    assert [change.changed for change in install(server.client(), Guard())] == [False, False]
    assert server.requests == [f"GET {path}" for path in PATHS]
    # The binding first, so no write meets a binding without its policy.
    assert [change.changed for change in remove(server.client())] == [True, True]
    assert server.objects == {}
    assert [request for request in server.requests if "DELETE" in request] == [f"DELETE {path}" for path in PATHS[::-1]]
    assert [change.changed for change in remove(server.client())] == [False, False]


def test_nothing_is_written_if_one_of_them_is_denied(server):
    server.faults["PATCH", PATHS[1]] = [fault(403)]
    with pytest.raises(ClusterError):
        install(server.client(), Guard())

    assert server.objects == {}


def test_only_the_object_that_differs_is_written(server):
    install(server.client(), Guard())
    server.requests.clear()

    changes = install(server.client(), Guard(enforce=False))

    assert [change.changed for change in changes] == [False, True]
    assert (
        enforced_fingerprint({change.target.kind.kind: server.objects[change.target.path] for change in changes}) == ""
    )


def test_a_dry_run_stores_nothing(server):
    assert all(change.changed for change in install(server.client(), Guard(), dry_run=True))
    assert server.objects == {}
    install(server.client(), Guard())
    assert all(change.changed for change in remove(server.client(), dry_run=True))
    assert list(server.objects) == PATHS


def test_changes_of_others_are_not_overwritten(server):
    install(server.client(), Guard())
    wanted = server.objects[PATHS[0]]["spec"]
    server.put(ADMISSION_POLICIES, GUARD_NAME, spec={**wanted, "paramKind": {"kind": "Other"}})
    with pytest.raises(ClusterError) as error:
        install(server.client(), Guard())
    assert [item.code for item in error.value.problems] == ["conflicting-managers"]


def test_a_cluster_without_policies_is_too_old():
    client = ApiServer().client()
    with pytest.raises(ClusterError) as error:
        install(client, Guard())

    assert [item.code for item in error.value.problems] == ["unserved-kind"]
    assert [change.changed for change in remove(client)] == [False, False]


class Guarded(ApiServer):
    """Rejects the probe of its guard."""

    def _store(self, kind: Any, path: str, new: Object, manager: str, *, is_dry: bool) -> Object:
        if self.fingerprint() and new["metadata"].get("annotations", {}).get(PROBE) == self.fingerprint():
            raise PermissionError
        return super()._store(kind, path, new, manager, is_dry=is_dry)

    def _answer(self, *arguments: Any, **options: Any) -> tuple[int, Any]:
        try:
            return super()._answer(*arguments, **options)
        except PermissionError:
            return 422, {"kind": "Status", "message": f"ValidatingAdmissionPolicy '{GUARD_NAME}' denied request"}

    def fingerprint(self) -> str:
        found = {kind.kind: self.objects.get(path) for kind, path in zip(BOTH, PATHS, strict=True)}
        return enforced_fingerprint(found)


@pytest.mark.parametrize(
    ("guard", "enforced", "expected"),
    [
        (Guard(), True, True),
        (Guard(enforce=False), True, ("unenforced-guard", "the API server does not enforce it after 0 s")),
        (None, True, ("unenforced-guard", "the API server does not enforce it after 0 s")),
        (None, False, True),
        (Guard(), False, ("enforced-guard", "the API server still enforces it after 0 s")),
    ],
)
def test_the_enforcement_is_verified_by_a_write_that_stores_nothing(guard, enforced, expected):
    server, problems = Guarded(*BOTH, CLUSTER_VERSIONS), Problems()
    stored = server.put(CLUSTER_VERSIONS, "version")
    if guard is not None:
        install(server.client(), guard)
    found: bool | tuple[str, str]
    try:
        found = wait_until_enforced(
            server.client(), server.fingerprint() or "none", 0, silent, problems, enforced=enforced
        )
    except ClusterError as error:
        found = error.problems[0].code, error.problems[0].message

    assert (found, problems) == (expected, [])
    assert server.objects[CLUSTER_VERSIONS.path("version")] is stored


def test_an_enforcement_that_cannot_be_verified_is_a_warning():
    problems = Problems()

    assert not wait_until_enforced(ApiServer(*BOTH).client(), "f", 0, silent, problems, enforced=True)
    assert [(item.severity, item.code) for item in problems] == [("warning", "unverified-guard")]
