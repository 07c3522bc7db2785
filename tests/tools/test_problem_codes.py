# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
import rule_pages
from environment import ROOT
from generated import GeneratedError
from problem_codes import find_codes

from ansible_collections.capability.openshift.plugins.module_utils._sites.rules import REFERENCE_RULES

SOURCE = """
from typing import NamedTuple

CONSTANT = "a-constant"
TABLE = {1: "from-table", 2: "from-table-as-well"}
PAIRS = {1: ("from-pair", "message")}


class Problems:
    def error(self, code: str, message: str): ...


class Reason(NamedTuple):
    verdict: str
    code: str


class Fault(Exception):
    def __init__(self, code: str, message: str): ...


def fail(where: str, code: str): ...


def find(problems, error, number, name):
    problems.error("word", "a message")
    problems.error("two-words", "a message")
    problems.error("this-one" if number else "that-one", "a message")
    problems.error(CONSTANT, "a message")
    fail("where", "by-position")
    fail(where="x", code="by-name")
    Reason("go", "of-a-field")
    raise Fault("of-an-exception", "a message")


def look_up(problems, error, number, result):
    code = "was-assigned"
    if number:
        code, message = "of-a-tuple", "a message"
    problems.error(code, message)
    problems.error(TABLE.get(number, "by-default"), "a message")
    problems.error(returned(number), "a message")
    failure = check(number)
    problems.error(failure[0], failure[1])
    code, message = PAIRS[number]
    problems.error(error.code, "copied")
    result._replace(code="replaced")


def returned(number):
    return "was-returned" if number else ""


def check(number):
    return "of-a-returned-tuple", "a message"
"""


def test_each_string_that_becomes_a_code_is_found(tmp_path):
    (tmp_path / "source.py").write_text(SOURCE)

    assert sorted(find_codes([tmp_path / "source.py"])) == sorted(
        [
            *("word", "two-words", "this-one", "that-one", "a-constant", "by-position", "by-name", "of-a-field"),
            *("of-an-exception", "was-assigned", "of-a-tuple", "from-table", "from-table-as-well", "by-default"),
            *("was-returned",),
            *("of-a-returned-tuple", "from-pair", "replaced"),
        ]
    )


def test_each_code_of_the_collection_has_a_description_and_a_page():
    text = rule_pages.problem_page()

    assert "\n### unknown-capability\n\nThe name is not a capability" in text


@pytest.mark.parametrize(("change", "message"), [(-1, "no description of "), (1, "which is no code in plugins")])
def test_a_code_without_description_or_source_is_an_error(change, message):
    known = [*find_codes((ROOT / "plugins").rglob("*.py")), *REFERENCE_RULES]
    described = [*known, "invented"] if change > 0 else known[1:]

    with pytest.raises(GeneratedError, match=message):
        rule_pages.check_codes(described)
