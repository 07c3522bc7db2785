# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""New values of scalars, in the quotes and the indentation of the old ones."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._install_config.edit import spliced
from ansible_collections.capability.openshift.plugins.module_utils._sites.scalar import replaced
from ansible_collections.capability.openshift.plugins.module_utils._yaml.nodes import parse_tree


@pytest.mark.parametrize("text", ["a: 'x-y'\n", 'a: "x-y"\n', "a: |-\n   x-y\n", "a: >-\n   x-y\n"])
@pytest.mark.parametrize("value", ["x-'-y", 'x-"-y', "x-\\-y", "x-''-y", "-", "z"])
def test_characters_of_the_style_are_escaped(text, value):
    root = parse_tree(text).root
    assert root is not None
    new = replaced(text, root.pairs[0].value, value)
    assert new is not None
    assert yaml.safe_load(spliced(text, [new])) == {"a": value}


@pytest.mark.parametrize("text", ["a: x\n", "a: [x]\n"])
def test_only_a_quoted_or_block_scalar_is_replaced(text):
    root = parse_tree(text).root
    assert root is not None
    assert replaced(text, root.pairs[0].value, "z") is None
