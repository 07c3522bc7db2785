# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the CVO asks for before it updates: a valid signature, and acknowledged gates."""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.admin_acks import AdminGate
from ansible_collections.capability.openshift.plugins.module_utils._data.signatures import SIGSTORE_GATE
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.row import RELEASE, ImageRow
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.run import check_update
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.tests.unit.builders.releases import DELETE, manifest, write_release

API_GATE = "ack-4.20-api-removals-in-4.21"
IMAGE = "quay.io/openshift-release-dev/ocp-release@sha256:aa"


def row(openpgp="verified") -> ImageRow:
    return ImageRow(RELEASE, IMAGE, "mirror.example/release", True, openpgp, "verified", (), ())


@pytest.fixture
def release(tmp_path):
    def release(version: str, annotations: dict[str, str] | None = None, **gates: str) -> Release:
        metadata = {"name": "admin-gates", "namespace": "openshift-config-managed", "annotations": annotations or {}}
        body = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": gates})
        return load_release(str(write_release(tmp_path / version, {"gates.json": body}, version)), Problems())

    return release


@pytest.mark.parametrize(
    ("openpgp", "accepted"), [("verified", True), ("missing", False), ("invalid", False), ("unknown", None)]
)
def test_the_cvo_accepts_only_a_release_whose_signature_is_verified(release, openpgp, accepted):
    check = check_update(release("4.20.9"), release("4.21.0"), row(openpgp), Problems(), mirrored=False)
    assert check["accepted"] is accepted


def test_the_gates_of_the_current_minor_have_to_be_acknowledged(release):
    gates = {API_GATE: "APIs are removed", "ack-4.19-old": "older"}
    check = check_update(release("4.20.9", **gates), release("4.21.0"), row(), Problems(), mirrored=False)
    assert check == {
        "from_version": "4.20.9",
        "to_version": "4.21.0",
        "accepted": True,
        "acknowledge": [
            {
                "gate": API_GATE,
                "text": "APIs are removed",
                "source": "release-manifests/gates.json",
                "command": AdminGate(API_GATE, "", "").command,
            }
        ],
    }


def test_a_config_map_that_the_release_deletes_has_no_gates(release):
    current = release("4.20.9", {DELETE: "true"}, **{API_GATE: "APIs are removed"})
    assert check_update(current, release("4.21.0"), row(), Problems(), mirrored=False)["acknowledge"] == []


@pytest.mark.parametrize(
    ("versions", "mirrored", "gates"),
    [
        (("4.20.9", "4.21.0"), True, [SIGSTORE_GATE]),
        (("4.20.9", "4.21.0"), False, []),
        (("4.19.9", "4.20.0"), True, []),
        (("4.20.8", "4.20.9"), True, []),
        (("4.21.0-rc.1", "4.21.0"), True, []),  # within a minor version
    ],
)
def test_mirrors_of_some_updates_need_a_gate_about_sigstore(release, versions, mirrored, gates):
    current = release(versions[0], **{"ack-4.21-more-in-4.22": "More is removed"})
    check = check_update(current, release(versions[1]), row(), Problems(), mirrored=mirrored)
    assert [gate["gate"] for gate in check["acknowledge"]] == gates


def test_the_gates_of_a_release_without_the_manifests_of_its_cvo_are_not_known(release, tmp_path):
    problems = Problems()
    current = load_release(str(write_release(tmp_path / "part", {"a.yaml": manifest()}, "4.20.9")), Problems())
    check = check_update(current, release("4.21.0"), row(), problems, mirrored=True)
    assert (check["acknowledge"], [item.code for item in problems]) == (None, ["admin-gates"])
    assert check_update(current, release("4.20.10"), row(), Problems(), mirrored=True)["acknowledge"] == []
