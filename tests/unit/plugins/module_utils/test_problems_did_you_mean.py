# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import did_you_mean

KNOWN = ["Console", "baremetal", "Storage"]
SAMPLES = ["openshift-samples", "openshift-tests", "ImageRegistry"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("console", "Write Console: names are case sensitive"),
        ("BAREMETAL", "Write baremetal: names are case sensitive"),
        (" Console", "Remove the spaces around Console"),
        ("Console\n", "Remove the spaces around Console"),
        ("Consol", "Did you mean Console?"),
        ("bare-metal", "Did you mean baremetal?"),
        # Too short to be near, and the beginning of only one
        ("bare", "Did you mean baremetal?"),
        ("Quux", "Use one of: Console, Storage, baremetal"),
        (7, "Use one of: Console, Storage, baremetal"),
    ],
)
def test_the_hint_for_a_name_that_does_not_exist(name, hint):
    assert did_you_mean(name, KNOWN) == hint


def test_the_hint_if_no_name_is_known():
    assert did_you_mean("Console", []) == "Remove it"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("samples", "Did you mean openshift-samples?"),
        ("Registry", "Did you mean ImageRegistry?"),
        # Part of more than one name
        ("pens", "Use one of: ImageRegistry, openshift-samples, openshift-tests"),
        # The beginning of one name: three letters are enough
        ("ima", "Did you mean ImageRegistry?"),
        ("im", "Use one of: ImageRegistry, openshift-samples, openshift-tests"),
        # Too short a part
        ("ift", "Use one of: ImageRegistry, openshift-samples, openshift-tests"),
    ],
)
def test_the_hint_for_a_part_of_one_name(name, hint):
    assert did_you_mean(name, SAMPLES) == hint


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nonsense", "Use one of: agent, aws, none"),
        ("nnoe", "Did you mean none?"),
        ("non", "Did you mean none?"),
        ("asw", "Did you mean aws?"),
    ],
)
def test_a_suggestion_is_as_long_as_the_name(name, hint):
    assert did_you_mean(name, ["aws", "none", "agent"]) == hint
