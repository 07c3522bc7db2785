# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import date, datetime

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.utils.unsafe_proxy import wrap_var

from ansible_collections.capability.openshift.plugins.module_utils._plain import plain


class Text(str):
    """What Ansible hands over instead of a string."""

    __slots__ = ()


class Number(int):
    """What Ansible hands over instead of a number."""


TEXT = "{a: [b, 1, 1.5, true, null, {c: 'd'}]}"
PLAIN = {"a": ["b", 1, 1.5, True, None, {"c": "d"}]}


def kinds(value):
    if isinstance(value, dict):
        return dict, {key: (type(key), kinds(item)) for key, item in value.items()}
    if isinstance(value, list):
        return list, [kinds(item) for item in value]
    return type(value)


def test_values_of_ansible_s_loader_become_plain_all_the_way_down():
    value = plain(DataLoader().load(TEXT))

    assert value == PLAIN
    assert kinds(value) == kinds(PLAIN)


def test_unsafe_values_become_plain():
    assert kinds(plain(wrap_var(PLAIN))) == kinds(PLAIN)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Text("a"), "a"),
        (Number(7), 7),
        ((Text("a"), "b"), ["a", "b"]),
        ({Text("a"): (Number(1),)}, {"a": [1]}),
        (date(2024, 5, 1), "2024-05-01"),
        (True, True),
        (None, None),
    ],
)
def test_what_looks_like_a_plain_value_becomes_one(value, expected):
    assert plain(value) == expected
    assert kinds(plain(value)) == kinds(expected)


def test_a_date_inside_a_manifest_is_the_string_that_was_written():
    assert plain(DataLoader().load("a: 2024-05-01")) == {"a": "2024-05-01"}
    assert plain(DataLoader().load("a: 2024-05-01T10:00:00Z"))["a"].startswith("2024-05-01T10:00:00")
    assert isinstance(plain(datetime(2024, 5, 1, 10)), str)
