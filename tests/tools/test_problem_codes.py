# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ast
from pathlib import Path

from problem_codes import find_codes

from ansible_collections.capability.openshift.tests.unit.sources import ROOT, literals, trees

NO_TESTS = ("tests/benchmarks/", "tests/control_plane/", "tests/unit/builders/", "tests/unit/oracles/")

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


def test_each_string_that_becomes_a_code_is_found():
    assert sorted(find_codes({Path("source.py"): ast.parse(SOURCE)})) == sorted(
        [
            *("word", "two-words", "this-one", "that-one", "a-constant", "by-position", "by-name", "of-a-field"),
            *("of-an-exception", "was-assigned", "of-a-tuple", "from-table", "from-table-as-well", "by-default"),
            *("was-returned",),
            *("of-a-returned-tuple", "from-pair", "replaced"),
        ]
    )


def test_each_code_of_the_collection_is_asserted_by_a_test():
    files = {path.relative_to(ROOT).as_posix(): tree for path, tree in trees("tests").items()}
    asserted = {text for name, tree in files.items() if not name.startswith(NO_TESTS) for text in literals(tree)}
    codes = find_codes(trees("plugins"))
    assert len(codes) > 200
    assert sorted(codes.keys() - asserted) == []
