# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which resources are missing, and which kinds a cluster does not have to serve."""

from __future__ import annotations

from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.lookup import ExistingResources
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ApiResource, ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._verify.verify import (
    ExpectedResources,
    find_missing,
)

CONFIG_MAP = ApiResource("", "v1", "configmaps", "ConfigMap", True)


class Kinds:
    """A cluster that serves ConfigMaps only."""

    def find(self, group: str, kind: str, version: str = "") -> ApiResource | None:
        return CONFIG_MAP if (group, kind) == CONFIG_MAP.group_kind else None


def manifest(kind: str, group: str = "", name: str = "a", namespace: str = "n") -> Manifest:
    return Manifest(ResourceId(group, kind, namespace, name), "v1", {}, f"{name}.yaml")


def found(
    *expected: Manifest, cvo: bool = False, existing: tuple[str, ...] = (), unclear: tuple[str, ...] = ()
) -> tuple[ExpectedResources, Problems]:
    resources = {item.resource_id.name: item.resource_id for item in expected}
    lookup = ExistingResources(
        {resources[name]: {} for name in existing}, frozenset(resources[name] for name in unclear), (), 0
    )
    problems = Problems()
    kinds: Any = Kinds()
    return find_missing(kinds, expected, lookup, lambda: cvo, problems), problems


STREAMS = (manifest("ImageStream", "image.openshift.io"), manifest("ImageStream", "image.openshift.io", "b"))


def test_existing_and_missing_resources_are_separated() -> None:
    result, problems = found(manifest("ConfigMap"), manifest("ConfigMap", name="b"), existing=("b",))
    assert [(item.manifest.resource_id.name, item.reason) for item in result.missing] == [("a", "does not exist")]
    assert [target.key for _manifest, target in result.existing] == ["n/b"]
    assert problems == []


def test_a_resource_that_could_not_be_read_is_neither() -> None:
    assert found(manifest("ConfigMap"), unclear=("a",))[0] == ((), (), ())


def test_a_namespaced_resource_needs_a_namespace() -> None:
    (item,) = found(manifest("ConfigMap", namespace=""))[0].missing
    assert item.reason == "the manifest has no namespace, but ConfigMap needs one"


def test_without_a_cvo_kinds_of_aggregated_servers_are_warnings() -> None:
    result, problems = found(*STREAMS, manifest("OAuthClient", "oauth.openshift.io", "c"))
    assert result.missing == ()
    assert [item.resource_id.name for item in result.unserved] == ["a", "b", "c"]
    assert [(item.severity, item.code, str(item.where)) for item in problems] == [
        ("warning", "unserved-kind", "ImageStream (image.openshift.io/v1)"),
        ("warning", "unserved-kind", "OAuthClient (oauth.openshift.io/v1)"),
    ]
    assert problems[0].message.endswith("; resources not compared: 2")


def test_with_a_cvo_they_are_missing() -> None:
    result, problems = found(*STREAMS, cvo=True)
    assert [item.reason for item in result.missing] == [
        "the cluster does not serve ImageStream of image.openshift.io/v1"
    ] * 2
    assert (result.unserved, problems) == ((), [])


def test_kinds_with_a_definition_are_missing_if_they_are_not_served() -> None:
    quota = manifest("ClusterResourceQuota", "quota.openshift.io")
    result, problems = found(quota, manifest("ServiceMonitor", "monitoring.coreos.com", "b"))
    assert [item.manifest.resource_id.name for item in result.missing] == ["a", "b"]
    assert problems == []
