# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from types import MappingProxyType

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    Problem,
    ReleaseError,
    raise_errors,
    type_name,
)

INFO = Problem("info", "todo", "a", "is odd")
WARNING = Problem("warning", "todo", "b", "is bad", "Mend it")
ERROR = Problem("error", "todo", "c", "is wrong", "Undo it")


@pytest.mark.parametrize(
    ("problem", "text"),
    [(INFO, "a: is odd"), (WARNING, "b: is bad. Mend it"), (Problem("error", "todo", "", "is wrong"), "is wrong")],
)
def test_a_problem_reads_as_place_message_and_mend(problem, text):
    assert str(problem) == text


def test_an_error_carries_all_problems_errors_first_and_says_the_errors():
    error = CapabilityError([INFO, WARNING, ERROR])

    assert error.problems == (ERROR, WARNING, INFO)
    assert str(error) == str(ERROR)


def test_only_errors_raise():
    raise_errors([INFO, WARNING], ReleaseError)
    with pytest.raises(ReleaseError) as raised:
        raise_errors(iter([INFO, ERROR]), ReleaseError)
    assert raised.value.problems == (ERROR, INFO)


def test_playbooks_get_all_five_fields():
    assert INFO.as_dict() == {"severity": "info", "code": INFO.code, "where": "a", "message": "is odd", "hint": ""}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "a boolean"),
        (0, "a number"),
        (4.2, "a number"),
        ("", "a string"),
        ([], "a list"),
        ({}, "a map"),
        (MappingProxyType({}), "a map"),
        (b"", "a bytes"),
    ],
)
def test_kinds_of_values_are_named_as_yaml_names_them(value, name):
    assert type_name(value) == name
