# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Everything that the installer rejects in an install-config except its selection."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._install_config.validation import (
    check_install_config,
    default_method,
    platform_of,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.unit.builders.installations import CLOUDS, PLATFORMS

SECRET = "c2VjcmV0LXRva2Vu"
PULL_SECRET = json.dumps({"auths": {"registry.example": {"auth": SECRET}}})
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample user@example"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
GOOD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "InstallConfig",
    "metadata": {"name": "edge-1"},
    "baseDomain": "example.com",
    "platform": {"none": {}},
    "pullSecret": PULL_SECRET,
}
FULL: dict[str, Any] = {
    **GOOD,
    "additionalTrustBundle": CERTIFICATE,
    "additionalTrustBundlePolicy": "Always",
    "arbiter": {"name": "arbiter", "replicas": 1},
    "compute": [{"name": "worker", "replicas": 0}],
    "controlPlane": {"name": "master", "replicas": 3},
    "cpuPartitioningMode": "AllNodes",
    "featureSet": "",
    "fips": True,
    "imageDigestSources": [{"source": "quay.example/a", "mirrors": ["mirror.example/a"]}],
    "networking": {
        "networkType": "OVNKubernetes",
        "machineNetwork": [{"cidr": "10.0.0.0/16"}],
        "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
        "serviceNetwork": ["172.30.0.0/16"],
    },
    "proxy": {"httpsProxy": "http://proxy.example:3128", "noProxy": ".example.com"},
    "publish": "External",
    "sshKey": KEY,
    "osImageStream": "rhel-9",
    "pki": {},
    "capabilities": {},
}


def check(document, *, complete=True):
    problems = Problems()
    check_install_config(document, "f", problems, complete=complete)
    return problems


def reported(document, *, complete=True):
    """Return severity and field of every problem."""
    problems = check(document, complete=complete)
    assert all(problem.message and problem.hint for problem in problems)
    assert SECRET not in "".join(map(str, problems))
    return [(problem.severity, problem.where.removeprefix("f: ")) for problem in problems]


def with_values(**values):
    return {**copy.deepcopy(GOOD), **values}


@pytest.mark.parametrize("document", [GOOD, FULL])
@pytest.mark.parametrize("complete", [True, False])
def test_a_valid_install_config_has_no_problems(document, complete):
    assert reported(document, complete=complete) == []


@pytest.mark.parametrize("field", ["apiVersion", "metadata", "baseDomain", "platform", "pullSecret"])
@pytest.mark.parametrize("empty", [None, "", "absent"])
def test_a_missing_required_field_is_reported_once(field, empty):
    document = with_values(**{field: empty})
    if empty == "absent":
        del document[field]

    assert reported(document) == [("error", field)]
    assert reported(document, complete=False) == []


def test_all_missing_fields_are_reported_at_once():
    assert [field for _severity, field in reported({})] == [
        "apiVersion",
        "metadata",
        "baseDomain",
        "platform",
        "pullSecret",
    ]
    assert reported({}, complete=False) == []


@pytest.mark.parametrize("field", ["kind", "compute", "sshKey", "networking", "proxy", "fips"])
def test_other_fields_are_optional(field):
    assert reported(with_values(**{field: None})) == []


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        ("basedomain", "Write baseDomain: names are case sensitive"),
        ("sshkey", "Write sshKey: names are case sensitive"),
        ("controlPlan", "Did you mean controlPlane?"),
        ("zzz", "Remove it"),
    ],
)
def test_an_unknown_field_is_reported_with_the_nearest_one(field, hint):
    (problem,) = check(with_values(**{field: "x"}))

    assert (problem.severity, problem.where, problem.hint) == ("warning", f"f: {field}", hint)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # apiVersion: v1 alone passes; two older ones are converted.
        ({"apiVersion": "v1beta3"}, [("warning", "apiVersion")]),
        ({"apiVersion": "v1beta4"}, [("warning", "apiVersion")]),
        ({"apiVersion": "v1beta2"}, [("error", "apiVersion")]),
        ({"apiVersion": "v2"}, [("error", "apiVersion")]),
        ({"apiVersion": 1}, [("error", "apiVersion")]),
        # metadata.name
        ({"metadata": {"name": "a"}}, []),
        ({"metadata": {"name": "edge-01.site"}}, []),
        ({"metadata": {}}, [("error", "metadata.name")]),
        ({"metadata": {"name": None}}, [("error", "metadata.name")]),
        ({"metadata": {"name": "Edge"}}, [("error", "metadata.name")]),
        ({"metadata": {"name": "edge_1"}}, [("error", "metadata.name")]),
        ({"metadata": {"name": "-edge"}}, [("error", "metadata.name")]),
        ({"metadata": {"name": "edge-"}}, [("error", "metadata.name")]),
        ({"metadata": {"name": "x" * 64}}, [("error", "metadata.name")]),
        ({"metadata": {"name": 7}}, [("error", "metadata.name")]),
        ({"metadata": "edge"}, [("error", "metadata.name")]),
        # baseDomain
        ({"baseDomain": "a-b.example.co.uk"}, []),
        ({"baseDomain": "Example.com"}, [("error", "baseDomain")]),
        ({"baseDomain": "https://example.com"}, [("error", "baseDomain")]),
        ({"baseDomain": "example..com"}, [("error", "baseDomain")]),
        ({"baseDomain": ".example.com"}, [("error", "baseDomain")]),
        ({"baseDomain": "exa mple.com"}, [("error", "baseDomain")]),
        ({"baseDomain": "example.com\n"}, [("error", "baseDomain")]),
        ({"baseDomain": 7}, [("error", "baseDomain")]),
        # platform: exactly one
        ({"platform": {}}, [("error", "platform")]),
        ({"platform": []}, [("error", "platform")]),
        ({"platform": "none"}, [("error", "platform")]),
        ({"platform": {"none": {}, "aws": {}}}, [("error", "platform")]),
        ({"platform": {"moon": {}}}, [("error", "platform.moon")]),
        ({"platform": {"AWS": {}}}, [("error", "platform.AWS")]),
        ({"platform": {"none": None}}, [("error", "platform.none")]),
        ({"platform": {"aws": "eu-1"}}, [("error", "platform.aws")]),
        ({"platform": {"none": {}, "moon": {}}}, [("error", "platform"), ("error", "platform.moon")]),
        # pullSecret
        ({"pullSecret": "{"}, [("error", "pullSecret")]),
        ({"pullSecret": SECRET}, [("error", "pullSecret")]),
        ({"pullSecret": f"'{PULL_SECRET}'"}, [("error", "pullSecret")]),
        ({"pullSecret": json.dumps([SECRET])}, [("error", "pullSecret")]),
        ({"pullSecret": json.dumps({"auth": SECRET})}, [("error", "pullSecret")]),
        ({"pullSecret": json.dumps({"auths": {}, "x": SECRET})}, [("error", "pullSecret")]),
        ({"pullSecret": json.dumps({"auths": [SECRET]})}, [("error", "pullSecret")]),
        ({"pullSecret": json.dumps({"auths": {"a": {"token": SECRET}}})}, [("error", "pullSecret")]),
        ({"pullSecret": json.dumps({"auths": {"a": SECRET}})}, [("error", "pullSecret")]),
        (
            {"pullSecret": json.dumps({"auths": {"a": {"user": ""}, "b": {"auth": SECRET}}})},
            [("error", "pullSecret")],
        ),
        ({"pullSecret": json.dumps({"auths": {"a": {"credsStore": "x"}}})}, []),
        ({"pullSecret": {"auths": {"a": {"auth": SECRET}}}}, [("error", "pullSecret")]),
        ({"pullSecret": [SECRET]}, [("error", "pullSecret")]),
        # sshKey: one public key per line
        ({"sshKey": f"{KEY}\nssh-rsa AAAAB3NzaC1yc2E\n\necdsa-sha2-nistp256 AAAAE2VjZHNh host\n"}, []),
        ({"sshKey": "sk-ssh-ed25519@openssh.com AAAAGnNr"}, []),
        ({"sshKey": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{SECRET}\n"}, [("error", "sshKey")]),
        ({"sshKey": f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n"}, [("error", "sshKey")]),
        ({"sshKey": SECRET}, [("error", "sshKey")]),
        ({"sshKey": f"{KEY}\n{SECRET}"}, [("error", "sshKey")]),
        ({"sshKey": "ssh-rsa"}, [("error", "sshKey")]),
        ({"sshKey": "~/.ssh/id_rsa.pub"}, [("error", "sshKey")]),
        ({"sshKey": [KEY]}, [("error", "sshKey")]),
        # pools
        ({"controlPlane": {"replicas": 1}}, []),
        ({"controlPlane": {"name": "master"}}, []),
        ({"controlPlane": {"replicas": 0}}, [("error", "controlPlane.replicas")]),
        ({"controlPlane": {"replicas": -1}}, [("error", "controlPlane.replicas")]),
        ({"controlPlane": {"replicas": "3"}}, [("error", "controlPlane.replicas")]),
        ({"controlPlane": {"replicas": True}}, [("error", "controlPlane.replicas")]),
        ({"compute": []}, []),
        ({"compute": [{"name": "worker"}, {"name": "edge"}]}, []),
        ({"compute": [{"name": "infra"}]}, [("error", "compute[0].name")]),
        ({"compute": [{"replicas": 0}]}, [("error", "compute[0].name")]),
        ({"compute": ["worker"]}, [("error", "compute[0].name")]),
        ({"compute": [{"name": "worker"}, {"name": "worker"}]}, [("error", "compute[1].name")]),
        ({"compute": {"name": "worker"}}, [("error", "compute")]),
        # proxy
        ({"proxy": {"httpProxy": "http://p:1"}}, []),
        ({"proxy": {"noProxy": "a"}}, [("error", "proxy")]),
        ({"proxy": {"httpProxy": "", "httpsProxy": None}}, [("error", "proxy")]),
        ({"proxy": {}}, [("error", "proxy")]),
        # trust bundle
        ({"additionalTrustBundle": "MIIB"}, [("error", "additionalTrustBundle")]),
        ({"additionalTrustBundle": "/etc/pki/ca.crt"}, [("error", "additionalTrustBundle")]),
        ({"additionalTrustBundle": [CERTIFICATE]}, [("error", "additionalTrustBundle")]),
        ({"additionalTrustBundlePolicy": "Proxyonly"}, []),
        ({"additionalTrustBundlePolicy": "always"}, [("error", "additionalTrustBundlePolicy")]),
        # gates
        ({"featureGates": ["A=true"], "featureSet": "CustomNoUpgrade"}, []),
        ({"featureGates": ["A=true"]}, [("error", "featureGates")]),
        ({"featureGates": ["A=true"], "featureSet": "TechPreviewNoUpgrade"}, [("error", "featureGates")]),
        # mirrors
        ({"imageDigestSources": [{"source": "a", "sourcePolicy": "NeverContactSource"}]}, []),
        ({"imageDigestSources": [{"source": "a"}, {"mirrors": ["b"]}]}, [("error", "imageDigestSources[1].source")]),
        ({"imageDigestSources": ["a"]}, [("error", "imageDigestSources[0].source")]),
        ({"imageDigestSources": {"source": "a"}}, [("error", "imageDigestSources")]),
        ({"imageContentSources": [{"source": "a"}]}, [("warning", "imageContentSources")]),
        (
            {"imageContentSources": [{"source": "a"}], "imageDigestSources": [{"source": "a"}]},
            [("error", "imageContentSources")],
        ),
        # choices
        ({"cpuPartitioningMode": "None"}, []),
        ({"cpuPartitioningMode": "Some"}, [("error", "cpuPartitioningMode")]),
        ({"publish": "internal"}, [("error", "publish")]),
        ({"credentialsMode": "manual", "platform": {"aws": {}}}, [("error", "credentialsMode")]),
        ({"publish": ["External"]}, [("error", "publish")]),
        ({"networking": []}, [("error", "networking")]),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else None,
)
def test_values(values, expected):
    assert reported(with_values(**values)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"controlPlane": {"replicas": 1}, "bootstrapInPlace": {"installationDisk": "/dev/sda"}}, []),
        (
            {"controlPlane": {"replicas": 3}, "bootstrapInPlace": {"installationDisk": "/dev/sda"}},
            [("error", "bootstrapInPlace")],
        ),
        ({"bootstrapInPlace": {"installationDisk": "/dev/sda"}}, [("error", "bootstrapInPlace")]),
        (
            {"controlPlane": {"replicas": 1}, "bootstrapInPlace": {"installationDisk": ""}},
            [("error", "bootstrapInPlace.installationDisk")],
        ),
        (
            {"controlPlane": {"replicas": 1}, "bootstrapInPlace": {}},
            [("error", "bootstrapInPlace.installationDisk")],
        ),
        (
            {
                "controlPlane": {"replicas": 1},
                "bootstrapInPlace": {"installationDisk": "/dev/sda"},
                "platform": {"baremetal": {"hosts": [{}]}},
            },
            [("error", "bootstrapInPlace")],
        ),
    ],
)
def test_bootstrap_in_place_requires_one_replica_and_a_disk(values, expected):
    assert reported(with_values(**values)) == expected


def rejected_fields(platform, **values):
    return [
        field for _severity, field in reported(with_values(**{"sshKey": KEY, "platform": {platform: {}}, **values}))
    ]


def test_only_some_platforms_can_be_internal():
    allowed = [platform for platform in PLATFORMS if rejected_fields(platform, publish="Internal") != ["publish"]]

    assert allowed == ["aws", "azure", "gcp", "ibmcloud", "powervs"]


def test_only_azure_can_be_mixed():
    strategy = {"apiserver": "Internal", "ingress": "External"}
    values = {"publish": "Mixed", "operatorPublishingStrategy": strategy}

    assert [platform for platform in PLATFORMS if rejected_fields(platform, **values) == []] == ["azure"]
    assert len(rejected_fields("azure", publish="Mixed")) == 1  # it requires the strategy


def test_every_platform_can_be_external():
    assert [platform for platform in PLATFORMS if rejected_fields(platform, publish="External")] == []


def test_some_platforms_have_no_credentials_mode():
    rejecting = [
        platform for platform in PLATFORMS if rejected_fields(platform, credentialsMode="Manual") == ["credentialsMode"]
    ]

    assert {"none", "baremetal", "vsphere"} <= set(rejecting)
    assert not {"aws", "azure", "gcp", "nutanix", "openstack", "powervs"} & set(rejecting)


def test_power_vs_requires_a_key():
    assert rejected_fields("powervs", sshKey=None) == ["sshKey"]
    assert rejected_fields("powervs", sshKey=KEY) == []


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_platform_is_the_one_that_is_named(platform):
    document = with_values(platform={platform: {}})

    assert platform_of(document) == platform
    assert default_method(document) == ("ipi" if platform in ("baremetal", *CLOUDS) else "upi")


@pytest.mark.parametrize("platform", [None, {}, [], "aws", {"aws": {}, "none": {}}, {"moon": {}}])
def test_there_is_no_platform_if_none_or_several_are_named(platform):
    assert platform_of({"platform": platform}) is None
    assert default_method({"platform": platform}) == "upi"


SHAPES = st.recursive(
    st.just(SECRET) | st.just(PULL_SECRET) | st.none() | st.integers() | st.just(f"-----BEGIN PRIVATE KEY {SECRET}"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["auths", "auth", "a"]), inner),
)


@given(SHAPES, SHAPES, SHAPES)
def test_no_message_contains_a_secret(secret, text, key):
    document = with_values(pullSecret=json.dumps(secret) if text is None else text, sshKey=key, proxy=secret)

    assert all(severity in ("error", "warning") for severity, _field in reported(document))
