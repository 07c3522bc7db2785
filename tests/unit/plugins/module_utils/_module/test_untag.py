# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from datetime import date, datetime

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag

# ansible-test runs these tests without the controller.
DataLoader = pytest.importorskip("ansible.parsing.dataloader").DataLoader
wrap_var = pytest.importorskip("ansible.utils.unsafe_proxy").wrap_var

TEXT = "{a: [b, 1, 1.5, true, null, {c: 'd'}]}"
PLAIN = {"a": ["b", 1, 1.5, True, None, {"c": "d"}]}


class Text(str):
    """Ansible passes such a value instead of a string."""

    __slots__ = ()


class Number(int):
    """Ansible passes such a value instead of a number."""


def kinds(value):
    if isinstance(value, dict):
        return dict, {key: (type(key), kinds(item)) for key, item in value.items()}
    if isinstance(value, list):
        return list, [kinds(item) for item in value]
    return type(value)


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
def test_values_become_plain(value, expected):
    assert untag(value) == expected
    assert kinds(untag(value)) == kinds(expected)


def test_a_time_is_a_string_too():
    assert untag(datetime(2024, 5, 1, 10)) == "2024-05-01T10:00:00"


@pytest.mark.parametrize("value", [DataLoader().load(TEXT), wrap_var(PLAIN)], ids=["of the loader", "unsafe"])
def test_values_of_ansible_become_plain_all_the_way_down(value):
    assert untag(value) == PLAIN
    assert kinds(untag(value)) == kinds(PLAIN)


def test_a_date_is_the_string_that_was_written():
    assert untag(DataLoader().load("a: 2024-05-01")) == {"a": "2024-05-01"}
