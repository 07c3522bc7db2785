# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.platforms import PLATFORM_DATA
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    CAPABILITY_ANNOTATION,
    DELETE_ANNOTATION,
    Manifest,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.credentials import (
    credentials_requests,
    resolve_platform,
)
from ansible_collections.capability.openshift.plugins.module_utils._version import Minor

GROUP = "cloudcredential.openshift.io"


def manifest(
    name: str, kind: str = "CredentialsRequest", group: str = GROUP, *, delete: str = "", needs: str = ""
) -> Manifest:
    annotations = {DELETE_ANNOTATION: delete} if delete else {}
    annotations |= {CAPABILITY_ANNOTATION: needs} if needs else {}
    return Manifest(ResourceId(group, kind, "", name), "v1", annotations, f"{name}.yaml")


def body(provider: Any) -> dict[str, Any]:
    return {"spec": {"providerSpec": {"kind": provider}}}


BODIES: dict[str, Any] = {
    "aws": body("AWSProviderSpec"),
    "gcp": body("GCPProviderSpec"),
    "aws2": body("AWSProviderSpec"),
    "number": body(7),
    "none": body(None),
    "spec": {"spec": "x"},
    "provider": {"spec": {"providerSpec": ["x"]}},
    "empty": None,
}


def release_of(manifests: list[Manifest], read: list[str]) -> Release:
    def body_of(manifest: Manifest) -> Any:
        read.append(manifest.resource_id.name)
        return BODIES[manifest.resource_id.name]

    return Release("", "4.20.3", Minor(4, 20), tuple(manifests), {}, body_of)


@pytest.mark.parametrize(
    ("platform", "names"), [("aws", ["aws", "aws2"]), ("gcp", ["gcp"]), ("azure", []), ("none", []), ("baremetal", [])]
)
def test_a_platform_has_the_requests_for_its_provider_in_their_order(platform, names):
    manifests = [manifest(name) for name in BODIES]
    found = tuple(credentials_requests(release_of(manifests, []), manifests, platform))

    assert [item.resource_id.name for item in found] == names


@pytest.mark.parametrize("platform", [None, "none"])
def test_no_body_is_read_unless_the_provider_is_needed(platform):
    read: list[str] = []
    manifests = [manifest(name) for name in BODIES]
    found = tuple(credentials_requests(release_of(manifests, read), manifests, platform))

    assert read == []
    assert list(found) == (manifests if platform is None else [])


def test_only_credentials_requests_that_are_applied_count():
    others = [
        manifest("aws", "ConfigMap"),
        manifest("aws", group="example.org"),
        manifest("gcp", delete="true"),
        manifest("aws2", delete="false"),
    ]
    found = tuple(credentials_requests(release_of(others, []), others, None))

    assert list(found) == others[3:]


@pytest.mark.parametrize("name", PLATFORM_DATA)
@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title])
def test_a_platform_is_accepted_in_any_case(name, spell):
    problems = Problems()

    assert resolve_platform(spell(name), problems) == name
    assert problems == []


# openshift/api:config/v1/types_infrastructure.go PlatformType
@pytest.mark.parametrize(
    "name",
    [
        *("AWS", "AlibabaCloud", "Azure", "BareMetal", "EquinixMetal", "External", "GCP", "IBMCloud"),
        *("KubeVirt", "Libvirt", "None", "Nutanix", "OpenStack", "PowerVS", "VSphere", "oVirt"),
    ],
)
def test_every_platform_of_the_api_is_known(name):
    problems = Problems()
    resolve_platform(name, problems)

    assert problems == []


@pytest.mark.parametrize(
    ("name", "hint"), [("asw", "Did you mean aws?"), ("", "Use one of: agent, alibabacloud, aws, ")]
)
def test_an_unknown_platform_is_reported(name, hint):
    problems = Problems()
    resolve_platform(name, problems)

    assert [(item.severity, str(item.where)) for item in problems] == [("error", "platform")]
    assert problems[0].hint.startswith(hint)


def test_no_platform_is_not_a_problem():
    problems = Problems()

    assert resolve_platform(None, problems) is None
    assert problems == []
