# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a CredentialsRequest asks of a cloud."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import (
    CAPABILITY_ANNOTATION,
    DELETE_ANNOTATION,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._release.credentials_requests import (
    PLATFORMS,
    credentials_request,
    credentials_requests,
    is_credentials_request,
    is_for_platform,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId

RESOURCE = ResourceId("cloudcredential.openshift.io", "CredentialsRequest", "a", "b")
MANIFEST = Manifest(RESOURCE, "v1", {}, "a.yaml")
AWS = {"effect": "Allow", "resource": "*", "action": ["ec2:A", "ec2:B"]}


@pytest.mark.parametrize(
    ("provider_spec", "permissions"),
    [
        (
            {"apiVersion": "v1", "kind": "AWSProviderSpec", "statementEntries": [AWS, "text"]},
            {"Allow ec2:A on *", "Allow ec2:B on *"},
        ),
        (
            {"statementEntries": [{**AWS, "action": ["ec2:A"], "policyCondition": {"b": 1, "a": {}}}]},
            {"Allow ec2:A on *" + ' if {"a": {}, "b": 1}'},
        ),
        ({"roleBindings": [{"role": "Contributor"}, {"scope": "x"}]}, {"role Contributor", "role None"}),
        ({"predefinedRoles": ["roles/a", "roles/b"]}, {"role roles/a", "role roles/b"}),
        ({"permissions": ["a/read"], "dataPermissions": ["b/read"]}, {"permission a/read", "data permission b/read"}),
        ({"permissions": [{"privileges": ["Host.A", "Host.B"]}]}, {"privilege Host.A", "privilege Host.B"}),
        (
            {
                "policies": [
                    {
                        "roles": ["viewer", "editor"],
                        "attributes": [{"name": "z", "value": "1"}, {"name": "a", "value": "2"}],
                    },
                    {"roles": ["administrator"]},
                ]
            },
            {"role viewer on a=2,z=1", "role editor on a=2,z=1", "role administrator on "},
        ),
        ({"new": {"b": [1], "a": None}}, {'new={"a": null, "b": [1]}'}),
        ({"permissions": None, "statementEntries": None, "policies": {}}, set()),
        (None, set()),
        ("text", set()),
    ],
)
def test_each_permission_of_a_cloud_is_named(provider_spec: Any, permissions: set[str]) -> None:
    assert credentials_request(MANIFEST, {"spec": {"providerSpec": provider_spec}}).permissions == permissions


def test_who_may_use_the_credentials() -> None:
    reference = {"namespace": "ns", "name": "secret"}
    spec = {"providerSpec": {"kind": "X"}, "secretRef": reference, "serviceAccountNames": ["one", "two"]}
    found = credentials_request(MANIFEST, {"spec": spec})
    assert found[:-1] == (MANIFEST, "X", "ns", "secret", ("one", "two"))
    assert credentials_request(MANIFEST, {"spec": 1})[:-1] == (MANIFEST, "", "", "", ())


def test_each_cloud_has_its_own_kind() -> None:
    kinds = ("AWSProviderSpec", "AzureProviderSpec", "GCPProviderSpec", "VSphereProviderSpec", "Other")
    bodies = {kind: {"spec": {"providerSpec": {"kind": kind}}} for kind in kinds}
    found = {kind: [name for name in PLATFORMS if is_for_platform(body, name)] for kind, body in bodies.items()}
    assert found == dict(zip(kinds, [["aws"], ["azure"], ["gcp"], ["vsphere"], []], strict=True))
    assert list(PLATFORMS) == sorted(PLATFORMS)
    assert "none" not in PLATFORMS
    named = {kind: credentials_request(MANIFEST, body).platform for kind, body in bodies.items()}
    assert named == {**{kind: names[0] for kind, names in found.items() if names}, "Other": "Other"}
    both = credentials_request(MANIFEST, {"spec": {"providerSpec": {"kind": "OpenStackProviderSpec"}}})
    assert both.platform == "openstack"


@pytest.mark.parametrize(("group", "expected"), [(RESOURCE.group, True), ("", False)])
def test_only_the_kind_of_cloud_credential_is_one(group: str, expected: bool) -> None:
    assert is_credentials_request(MANIFEST._replace(resource_id=RESOURCE._replace(group=group))) == expected


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

    return Release("", "4.20.3", Minor(4, 20), tuple(manifests), read_body=body_of)


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
