# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._domain.runlevel import component_of


# cvo-behaviour §5: ^0000_(\d+)_([a-zA-Z0-9]+(-[a-zA-Z0-9]+)*?)_
@pytest.mark.parametrize(
    ("file", "component"),
    [
        ("0000_50_console-operator_07-operator.yaml", "console-operator"),
        ("release-manifests/0000_50_console-operator_07-operator.yaml", "console-operator"),
        ("0000_50_a_b_c.yaml", "a"),
        ("0000_50_a_b", "a"),
        ("0000_50_a-b", ""),
        ("0001_00_cluster-version-operator_03_service.yaml", ""),
        ("99_x_y.yaml", ""),
        ("x0000_50_a_b.yaml", ""),
        ("0000_\u0665\u0660_a_b.yaml", ""),
    ],
)
def test_the_component_is_part_of_the_file_name(file, component):
    assert component_of(file) == component
