# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The commands that copy to a mirror what it lacks."""

from __future__ import annotations

from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.check import add_openpgp, copy_image
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import PullSpec

HEX = "0123456789abcdef" * 4
RELEASE = PullSpec("quay.io", "openshift-release-dev/ocp-release", digest=f"sha256:{HEX}")
MIRROR = PullSpec("mirror.example:8443", "ocp/release")


def test_an_image_is_copied_with_all_architectures_and_gets_a_tag():
    assert copy_image(RELEASE, MIRROR, in_part=False, insecure=False) == (
        f"oc image mirror --keep-manifest-list=true quay.io/openshift-release-dev/ocp-release@sha256:{HEX} "
        f"mirror.example:8443/ocp/release:sha256-{HEX}"
    )


def test_an_openpgp_signature_is_read_from_the_store_and_added_to_the_cluster():
    assert list(add_openpgp(f"sha256:{HEX}", "https://store.example/signatures/")) == [
        f"curl --fail --location --output signature-1 https://store.example/signatures/sha256={HEX}/signature-1",
        "oc create configmap signature-sha256-0123456789abcdef --namespace openshift-config-managed "
        f"--from-file=sha256-{HEX}-1=signature-1 && "
        "oc label configmap signature-sha256-0123456789abcdef --namespace openshift-config-managed "
        "release.openshift.io/verification-signatures=",
    ]
