# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._extract.release_info import (
    ResourceQuery,
    find_resources,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId

MANIFESTS = tuple(
    Manifest(ResourceId("", kind, namespace, name), "v1", {}, f"{number}.yaml")
    for number, (kind, namespace, name) in enumerate(
        [("Deployment", "console", "console"), ("Deployment", "storage", "operator"), ("Namespace", "", "console")]
    )
)
KIND, NAMESPACE, NAME = (f"resource_{part}" for part in ("kind", "namespace", "name"))


@pytest.mark.parametrize(
    ("query", "files"),
    [
        (ResourceQuery(kind="Deployment"), "01"),
        (ResourceQuery(kind="deployment"), "01"),
        (ResourceQuery(name="console"), "02"),
        (ResourceQuery("DEPLOYMENT", "console", "console"), "0"),
        (ResourceQuery("*", "storage"), "1"),
        (ResourceQuery(name="*"), "012"),
        (ResourceQuery(namespace="Console", name="*"), ""),
    ],
)
def test_a_resource_has_all_that_is_requested(query: ResourceQuery, files: str) -> None:
    found = find_resources(query, MANIFESTS, Problems())
    assert [item.file for item in found] == [f"{number}.yaml" for number in files]


@pytest.mark.parametrize(
    ("query", "where", "hint"),
    [
        (ResourceQuery(kind="Deploymnt"), [KIND], "Did you mean Deployment?"),
        (ResourceQuery(kind="Route"), [KIND], "Use one of: Deployment, Namespace"),
        (ResourceQuery(name="consol"), [NAME], "Did you mean console?"),
        (ResourceQuery(name="Console"), [NAME], "Write console: names are case sensitive"),
        (ResourceQuery(name="con*"), [NAME], "Set a whole name, or * for all"),
        (ResourceQuery("Deploy?", "storag"), [KIND, NAMESPACE], "Did you mean storage?"),
        (ResourceQuery("Namespace", name="operator"), [KIND], "Set fewer of them"),
    ],
)
def test_what_no_manifest_has_is_a_warning(query: ResourceQuery, where: list[str], hint: str) -> None:
    problems = Problems()
    assert find_resources(query, MANIFESTS, problems) == ()
    assert [(item.severity, item.code) for item in problems] == [("warning", "unknown-resource")] * len(where)
    assert [str(item.where) for item in problems] == where
    assert problems[-1].hint == hint
    assert NAMESPACE in where or NAMESPACE not in problems[-1].message


def test_a_hint_does_not_list_hundreds_of_names() -> None:
    many = tuple(MANIFESTS[0]._replace(resource_id=ResourceId("", "Pod", "", f"pod-{at}")) for at in range(200))
    problems = Problems()
    assert find_resources(ResourceQuery(name="zzz"), many, problems) == find_resources(ResourceQuery("X"), (), problems)
    assert [item.hint for item in problems] == ["Set * to see all", "Remove it"]
