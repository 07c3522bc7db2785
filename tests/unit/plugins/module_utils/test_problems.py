# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import sys
from types import MappingProxyType

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    ClusterError,
    Location,
    Problem,
    Problems,
    ReleaseError,
    check_list,
    check_string,
    did_you_mean,
    empty_option,
    missing_library,
    raise_errors,
    type_name,
)

INFO = Problem("info", "odd-value", "a", "is odd")


WARNING = Problem("warning", "bad-value", "b", "is bad", "Change it")


ERROR = Problem("error", "wrong-value", "c", "is wrong", "Undo it")


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (INFO, "a: is odd"),
        (WARNING, "b: is bad. Change it"),
        (Problem("error", "wrong-value", "", "is wrong"), "is wrong"),
    ],
)
def test_a_problem_reads_as_location_message_and_hint(problem, text):
    assert str(problem) == text


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (Location("a.yaml", 2, 3, "spec"), "berlin: a.yaml, document 2 (line 3), spec"),
        (Location(field="capabilities"), "berlin: capabilities"),
        (Location("a.yaml"), "berlin: a.yaml"),
        (Location(line=3), "berlin, line 3"),
        (Location(), "berlin"),
    ],
)
def test_a_location_can_be_that_of_one_of_several_clusters(where, text):
    assert str(where.within("berlin")) == text


def test_an_error_has_all_problems_errors_first_and_its_text_is_the_errors():
    error = CapabilityError([INFO, WARNING, ERROR])

    assert error.problems == (ERROR, WARNING, INFO)
    assert str(error) == str(ERROR)


def test_only_errors_raise():
    raise_errors([INFO, WARNING], ReleaseError)
    with pytest.raises(ReleaseError) as raised:
        raise_errors(iter([INFO, ERROR]), ReleaseError)
    assert raised.value.problems == (ERROR, INFO)


def test_a_collector_adds_by_severity_and_raises_only_errors():
    problems = Problems()
    problems.info("odd-value", "a", "is odd")
    problems.warning("bad-value", "b", "is bad", "Change it")

    assert problems == [INFO, WARNING]
    assert not problems.has_errors
    problems.raise_errors(ReleaseError)
    problems.error("wrong-value", "c", "is wrong", "Undo it")
    with pytest.raises(ReleaseError) as raised:
        problems.raise_errors(ReleaseError)
    assert raised.value.problems == (ERROR, WARNING, INFO)


def test_a_collector_collects_one_kind_of_error():
    problems = Problems([INFO])
    with problems.collect(ReleaseError):
        raise ReleaseError([ERROR, WARNING])
    assert problems == [INFO, ERROR, WARNING]
    with pytest.raises(ClusterError), problems.collect(ReleaseError):
        raise ClusterError([ERROR])
    assert problems == [INFO, ERROR, WARNING]


def test_a_collector_has_each_distinct_problem_once():
    assert Problems([INFO, WARNING, INFO]).unique() == (INFO, WARNING)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (["a", "b"], []),
        (("a",), []),
        ("a", [("not-a-list", "names")]),
        (None, [("not-a-list", "names")]),
        (["a", 7, None], [("not-a-string", "names[1]"), ("not-a-string", "names[2]")]),
    ],
)
def test_a_list_of_strings(value, found):
    problems = Problems()
    check_list("names", value, problems, of_strings=True)

    assert [(item.code, str(item.where)) for item in problems] == found


def test_a_list_of_anything():
    problems = Problems()
    check_list("names", [7, {}], problems, of_strings=False)

    assert problems == []


@pytest.mark.parametrize(("value", "valid"), [("", True), ("a", True), (7, False), (None, False), (["a"], False)])
def test_a_string(value, valid):
    problems = Problems()
    check_string("name", value, problems)

    assert (problems == []) is valid


def test_playbooks_get_all_five_fields():
    assert INFO.as_dict() == {"severity": "info", "code": "odd-value", "where": "a", "message": "is odd", "hint": ""}


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


def test_a_library_that_is_missing_and_one_that_lacks_another():
    missing = missing_library(
        "kubernetes", error=ModuleNotFoundError("No module named 'kubernetes'", name="kubernetes")
    )
    broken = missing_library("kubernetes", error=ModuleNotFoundError("No module named 'dateutil'", name="dateutil"))
    assert str(missing) == (
        f"the Python library kubernetes is missing for {sys.executable}. "
        "Install it for this Python: pip install kubernetes"
    )
    assert "cannot be imported (No module named 'dateutil')" in broken.message
    assert missing.code == broken.code == "missing-library"


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


def test_an_empty_option_that_is_not_required_need_not_be_set() -> None:
    assert empty_option("path").hint == "Set a value, or do not set the option"
    assert empty_option("path", required=True).hint == "Set a value"
