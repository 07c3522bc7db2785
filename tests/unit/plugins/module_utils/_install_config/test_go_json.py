# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keys of an install-config in another case, which the installer reads."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.document import (
    DocumentError,
    read_document,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.edit import edit_capabilities
from ansible_collections.capability.openshift.plugins.module_utils._install_config.go_json import as_go_decodes
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.unit.builders.installations import check

NONE = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}


def decoded(document):
    problems = Problems()
    return as_go_decodes(document, "f", problems), [
        (item.severity, item.code, str(item.where), item.message, item.hint) for item in problems
    ]


@pytest.mark.parametrize(
    ("given", "field", "name"),
    [
        ({"Capabilities": NONE}, "Capabilities", "capabilities"),
        (
            {"capabilities": {"BaselineCapabilitySet": "None"}},
            "capabilities.BaselineCapabilitySet",
            "baselineCapabilitySet",
        ),
        ({"platform": {"vSphere": {}}}, "platform.vSphere", "vsphere"),
        ({"platform": {"baremetal": {"Hosts": []}}}, "platform.baremetal.Hosts", "hosts"),
        ({"FEATURESET": "x"}, "FEATURESET", "featureSet"),
    ],
)
def test_a_key_in_another_case_is_read_with_a_warning(given, field, name):
    result, problems = decoded(given)
    assert problems == [
        (
            "warning",
            "misspelled-field",
            f"f, {field}",
            f"is read as {name} by the installer, but not by other programs",
            f"Write {name}",
        )
    ]
    assert name in str(result)
    assert decoded(result) == (result, [])


def test_both_spellings_are_an_error():
    result, problems = decoded({"Capabilities": {}, "capabilities": NONE})
    assert [item[:3] for item in problems] == [("error", "duplicate-field", "f, Capabilities")]
    assert result == {"capabilities": NONE}


def test_the_selection_and_the_platform_take_effect():
    block = {"baselineCapabilitySet": "None", "additionalenabledcapabilities": []}
    given = {"Platform": {"AWS": {"region": "x"}}, "Capabilities": block}
    result = check("4.20", given)
    assert result.platform == "aws"
    assert {"inst-ingress", "inst-ccm"} <= {item.code for item in result.problems}


def test_a_block_in_another_case_is_not_written_twice():
    document = read_document(b"baseDomain: x\nCapabilities: {baselineCapabilitySet: None}\n", "f")
    with pytest.raises(DocumentError) as caught:
        edit_capabilities(document, NONE, "f")
    (problem,) = caught.value.problems
    assert (problem.code, str(problem.where)) == ("misspelled-field", "f, line 2")
