# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The zero values of Go types, by their types in OpenAPI."""

from __future__ import annotations

from ansible_collections.capability.openshift.plugins.module_utils._data.kinds import ZERO_VALUES


def test_each_zero_value_has_the_type_of_its_name():
    types = {name: type(value) for name, value in ZERO_VALUES.items()}

    assert types == {"boolean": bool, "integer": int, "number": int, "string": str}
    assert not any(ZERO_VALUES.values())
