# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Gates that an administrator acknowledges, in the words of the CVO."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.admin_acks import (
    ADMIN_ACKS,
    ADMIN_GATES,
    AdminGate,
    acknowledged,
    admin_gates,
    gates_in,
    gates_of_minor,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.tests.unit.builders.releases import DELETE, manifest, write_release

GATE = "ack-4.20-some-api-removed-in-4.21"


@pytest.mark.parametrize(
    ("name", "minor"),
    [
        (GATE, Minor(4, 20)),
        ("ack-5.1-x", Minor(5, 1)),
        ("ack-4.20", None),
        ("ack-4.20--x", None),
        ("ack-6.1-x", None),
        ("4.20-x", None),
    ],
)
def test_the_name_of_a_gate_has_its_minor(name: str, minor: Minor | None) -> None:
    assert AdminGate(name, "", "").minor == minor


def test_a_gate_is_acknowledged_in_the_config_map_of_the_cvo() -> None:
    assert AdminGate(GATE, "", "").command == (
        "oc patch configmap admin-acks --namespace openshift-config --type merge "
        f'--patch \'{{"data":{{"{GATE}":"true"}}}}\''
    )
    assert ADMIN_ACKS == ("", "ConfigMap", "openshift-config", "admin-acks")
    assert ADMIN_GATES == ("", "ConfigMap", "openshift-config-managed", "admin-gates")


@pytest.mark.parametrize(
    ("data", "names"),
    [({"a": "true", "b": "True", "c": True, "d": "", "e": None}, {"a"}), (None, set()), (["a"], set())],
)
def test_only_the_string_true_acknowledges(data: Any, names: set[str]) -> None:
    assert acknowledged(data) == names


def test_gates_have_text_and_source_and_are_sorted() -> None:
    assert admin_gates({"b": " text\n", "a": None}, "here") == (("a", "", "here"), ("b", "text", "here"))
    assert admin_gates("text", "here") == ()


def test_a_cvo_considers_its_own_gates_and_those_with_invalid_names() -> None:
    names = (GATE, "ack-4.19-x", "other")
    gates = [AdminGate(name, "", "") for name in names]
    assert [gate.name for gate in gates_of_minor(gates, Minor(4, 20))] == [GATE, "other"]


def test_the_gates_of_a_release_are_in_one_config_map(tmp_path: Path) -> None:
    def config(name: str, namespace: str = "openshift-config-managed", **annotations: str) -> str:
        data = f"data: {json.dumps({GATE: 'text'})}\n"
        return manifest(name, namespace=namespace, more=data, annotations=annotations)

    files = {
        "a.yaml": config("admin-gates"),
        "b.yaml": config("admin-gates", "other"),
        "c.yaml": config("other"),
        "d.yaml": config("admin-gates", **{DELETE: "true"}),
    }
    release = load_release(str(write_release(tmp_path, files)), Problems())
    assert list(gates_in(release, release.manifests)) == [(GATE, "text", "release-manifests/a.yaml")]
