# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import Inclusion, Reason
from ansible_collections.capability.openshift.plugins.module_utils._extract.result import decision_dict
from ansible_collections.capability.openshift.plugins.module_utils._module.result import error_text
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, ReleaseError
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId

ONE, TWO = Problem("error", "invalid-a", "a", "is wrong", "Undo it"), Problem("error", "invalid-b", "b", "is worse")
WARNING = Problem("warning", "odd-c", "c", "is odd")


@pytest.mark.parametrize(
    ("problems", "text"),
    [
        ([ONE, WARNING], "a: is wrong. Undo it"),
        ([WARNING, ONE, TWO], "2 problems were found:\n- a: is wrong. Undo it\n- b: is worse"),
    ],
)
def test_the_message_has_every_error_and_no_warning(problems, text):
    assert error_text(ReleaseError(problems)) == text


def test_a_decision_has_the_documented_shape():
    annotations = {"capability.openshift.io/name": "A+B"}
    manifest = Manifest(ResourceId("apps", "Deployment", "ns", "one"), "v1", annotations, "f.yaml", 2)

    assert decision_dict(Inclusion(manifest, (Reason("override", "overridden"),))) == {
        "file": "f.yaml",
        "group": "apps",
        "kind": "Deployment",
        "namespace": "ns",
        "name": "one",
        "capabilities": ["A", "B"],
        "included": False,
        "deletes": False,
        "reasons": [{"rule": "override", "message": "overridden"}],
    }
