# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import did_you_mean

KNOWN = ["Console", "baremetal", "Storage"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("console", "Write Console: names are case sensitive"),
        ("BAREMETAL", "Write baremetal: names are case sensitive"),
        (" Console", "Write Console without blanks around it"),
        ("Console\n", "Write Console without blanks around it"),
        ("Consol", "Did you mean Console?"),
        ("bare-metal", "Did you mean baremetal?"),
        # Too short to be near, and the beginning of only one
        ("bare", "Did you mean baremetal?"),
        ("Quux", "Known are: Console, Storage, baremetal"),
        (7, "Known are: Console, Storage, baremetal"),
    ],
)
def test_the_hint_for_a_name_that_does_not_exist(name, hint):
    assert did_you_mean(name, KNOWN) == hint


def test_the_hint_if_no_name_is_known():
    assert did_you_mean("Console", []) == "Known are: none"
