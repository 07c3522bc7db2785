# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every problem of an install-config, with its code, location, message and hint."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.validation import (
    check_install_config,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems

VALID: dict[str, Any] = {
    "apiVersion": "v1",
    "metadata": {"name": "edge-1"},
    "baseDomain": "example.com",
    "platform": {"none": {}},
    "pullSecret": '{"auths": {"registry.example": {"auth": "c2VjcmV0"}}}',
}

PROBLEMS = [
    ({"apiVersion": "v1beta4"}, "warning", "deprecated-value", "apiVersion",
     "is v1beta4, which the installer converts to v1", "Write v1"),
    ({"apiVersion": "v2"}, "error", "invalid-choice", "apiVersion", "is 'v2', expected v1", "Write v1"),
    ({"baseDomain": None}, "error", "missing-field", "baseDomain", "is missing, but the installer requires it",
     "Add it"),
    ({"metadata": {"name": "Edge"}}, "error", "invalid-cluster-name", "metadata.name",
     "is 'Edge', expected the name of the cluster", "Use lower case letters, digits and - only"),
    ({"metadata": {"name": "a.b"}, "platform": {"azure": {}}}, "error", "invalid-cluster-name", "metadata.name",
     "is 'a.b', expected a name without dots on platform azure", "Use lower case letters, digits and - only"),
    ({"baseDomain": "Example.com"}, "error", "invalid-domain", "baseDomain",
     "is 'Example.com', expected a DNS domain", "Write it in lower case, such as example.com"),
    ({"platform": "none"}, "error", "not-a-map", "platform", "is 'none', expected a map with one key",
     "Write none: {} below it"),
    ({"platform": []}, "error", "not-a-map", "platform", "is a list, expected a map with one key",
     "Write none: {} below it"),
    ({"platform": {}}, "error", "missing-platform", "platform", "names no platform",
     "Name one of aws, azure, baremetal, external, gcp, ibmcloud, none, nutanix, openstack, ovirt, powervc, powervs, "
     "vsphere"),
    ({"platform": {"none": {}, "aws": {}}}, "error", "several-platforms", "platform", "names 2 platforms: none, aws",
     "Keep one of them"),
    ({"platform": {"AWS": {}}}, "error", "unknown-platform", "platform.AWS", "is not a platform",
     "Write aws: names are case sensitive"),
    ({"platform": {"none": None}}, "error", "not-a-map", "platform.none",
     "is null, expected a map; the installer ignores the platform", "Write none: {} or the settings below it"),
    ({"platform": {"external": {"platform": "oci"}}}, "warning", "unknown-field", "platform.external.platform",
     "is not a field of platform external", "Did you mean platformName?"),
    ({"platform": {"external": {"cloudControllerManager": "external"}}}, "error", "invalid-choice",
     "platform.external.cloudControllerManager", "is 'external', expected External, or nothing",
     "Write External: names are case sensitive"),
    ({"pullSecret": {"auths": {}}}, "error", "not-a-string", "pullSecret", "is a map, expected JSON in a string",
     "Paste the pull secret as it was downloaded, in single quotes"),
    ({"pullSecret": "{"}, "error", "invalid-pull-secret", "pullSecret", "is not JSON",
     "Paste the pull secret as it was downloaded, in single quotes"),
    ({"pullSecret": "{}"}, "error", "invalid-pull-secret", "pullSecret",
     "has no auths, expected the credentials of at least one registry",
     "Paste the pull secret as it was downloaded, in single quotes"),
    ({"pullSecret": '{"auths": {"quay.example": {}}}'}, "error", "invalid-pull-secret", "pullSecret",
     "has neither auth nor credsStore for quay.example",
     "Log in to that registry, and copy the entry from the file that the login writes"),
    ({"sshKey": "-----BEGIN OPENSSH PRIVATE KEY-----"}, "error", "invalid-ssh-key", "sshKey", "is a private key",
     "Write the public key, the content of the file that ends in .pub"),
    ({"sshKey": "ssh-rsa"}, "error", "invalid-ssh-key", "sshKey", "is not a public key in OpenSSH format",
     "Write the content of the file that ends in .pub"),
    ({"controlPlane": {"name": "worker"}}, "error", "invalid-choice", "controlPlane.name",
     "is 'worker', expected master", "Write master"),
    ({"controlPlane": {"replicas": 0}}, "error", "invalid-replicas", "controlPlane.replicas",
     "is 0, expected 1 or more", "Write 1, 3, 4 or 5"),
    ({"compute": {"name": "worker"}}, "error", "not-a-list", "compute", "is a map, expected a list of pools",
     "Write - name: worker"),
    ({"compute": [{"name": "infra"}]}, "error", "invalid-choice", "compute[0].name",
     "is 'infra', expected worker or edge", "Write worker"),
    ({"compute": [{"name": "worker"}, {"name": "worker"}]}, "error", "duplicate-name", "compute[1].name",
     "worker is the name of an earlier pool, expected one pool of each name", "Keep one of the two pools"),
    ({"controlPlane": {"replicas": 1}, "bootstrapInPlace": {"x": 1}}, "error", "missing-field",
     "bootstrapInPlace.installationDisk", "is missing", "Name the disk, such as /dev/disk/by-id/..."),
    ({"bootstrapInPlace": {"installationDisk": "/dev/sda"}}, "error", "conflicting-fields", "bootstrapInPlace",
     "requires controlPlane.replicas: 1", "Write it, or remove bootstrapInPlace"),
    ({"controlPlane": {"replicas": 1}, "bootstrapInPlace": {"installationDisk": "a"}, "platform": {"baremetal": {}}},
     "error", "unsupported-platform", "bootstrapInPlace", "is not supported on platform baremetal",
     "Write platform none: {}"),
    ({"proxy": {}}, "error", "missing-field", "proxy", "has neither httpProxy nor httpsProxy",
     "Set one of them, or remove proxy"),
    ({"proxy": {"httpProxy": "proxy.example:3128"}}, "error", "invalid-url", "proxy.httpProxy",
     "is not the URL of a proxy",
     "Write http://HOST:PORT, and percent-encode special characters of a password (%40 for @)"),
    ({"additionalTrustBundle": "MIIB"}, "error", "invalid-certificate", "additionalTrustBundle",
     "contains no certificate in PEM format", "Paste the certificates, BEGIN lines included"),
    ({"featureSet": 7}, "error", "not-a-string", "featureSet", "is 7, expected a string", "Quote it"),
    ({"featureGates": ["A=true"]}, "error", "conflicting-fields", "featureGates",
     "requires featureSet: CustomNoUpgrade", "Set featureSet, or remove featureGates"),
    ({"featureSet": "CustomNoUpgrade", "featureGates": "A=true"}, "error", "not-a-list", "featureGates",
     "is a string, expected a list", "Write - NAME=true, one per line"),
    ({"featureSet": "CustomNoUpgrade", "featureGates": ["A"]}, "error", "invalid-feature-gate", "featureGates[0]",
     "is 'A', expected NAME=bool", "Write NAME=true or NAME=false"),
    ({"imageContentSources": [{}]}, "warning", "deprecated-field", "imageContentSources", "is deprecated",
     "Write imageDigestSources"),
    ({"imageContentSources": [{}], "imageDigestSources": [{"source": "a"}]}, "error", "conflicting-fields",
     "imageContentSources", "cannot be combined with imageDigestSources", "Move its entries to imageDigestSources"),
    ({"imageDigestSources": {"source": "a"}}, "error", "not-a-list", "imageDigestSources",
     "is a map, expected a list", "Write - source: ... and mirrors"),
    ({"imageDigestSources": ["a"]}, "error", "missing-field", "imageDigestSources[0].source", "is missing",
     "Name the repository that is mirrored"),
    ({"publish": "internal"}, "error", "invalid-choice", "publish",
     "is 'internal', expected External, Internal, Mixed", "Write Internal: names are case sensitive"),
    ({"publish": "Internal"}, "error", "unsupported-platform", "publish",
     "Internal is not supported on platform none, expected one of aws, azure, gcp, ibmcloud, powervs", "Remove it"),
    ({"publish": "Mixed"}, "error", "unsupported-platform", "publish", "Mixed is supported on platform azure only",
     "Write External or Internal"),
    ({"publish": "Mixed", "platform": {"azure": {}}}, "error", "missing-field", "operatorPublishingStrategy",
     "is missing, but publish: Mixed requires it", "Write apiserver and ingress below it"),
    ({"operatorPublishingStrategy": {"ingress": "External"}}, "error", "conflicting-fields",
     "operatorPublishingStrategy", "requires publish: Mixed", "Remove it"),
    ({"credentialsMode": "Manual"}, "error", "unsupported-platform", "credentialsMode",
     "cannot be set on platform none", "Remove it"),
    ({"sshKey": None, "platform": {"powervs": {}}}, "error", "missing-field", "sshKey",
     "is missing, but platform powervs requires it", "Add it"),
    ({"sshkey": "x"}, "warning", "unknown-field", "sshkey", "is not a field of an install-config",
     "Write sshKey: names are case sensitive"),
    ({"zzz": "x"}, "warning", "unknown-field", "zzz", "is not a field of an install-config", "Remove it"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "severity", "code", "field", "message", "hint"), PROBLEMS)
def test_message_and_hint(values, severity, code, field, message, hint):
    problems = Problems()
    check_install_config({**VALID, **values}, "f", problems, complete=True)

    assert [tuple(problem) for problem in problems] == [(severity, code, f"f: {field}", message, hint)]
