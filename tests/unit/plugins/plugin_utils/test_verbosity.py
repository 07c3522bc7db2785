# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What Ansible prints of long results."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.plugin_utils._verbosity import hide_long_result

SHORT, LONG = {"msg": "short"}, {"decisions": [{"file": f"{number}.yaml"} for number in range(100)]}


@pytest.mark.parametrize(
    ("result", "verbosity", "is_hidden"),
    [(SHORT, 1, False), (LONG, 0, False), (LONG, 1, True), (LONG, 2, True), (LONG, 3, False)],
)
def test_a_long_result_is_shown_from_vvv_on(result, verbosity, is_hidden):
    found = hide_long_result(result, verbosity)
    assert ("_ansible_verbose_override" in found) is is_hidden
    assert found.items() >= result.items()
