# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The check of words: what it reads from the glossary, and what it finds."""

from __future__ import annotations

import pytest
import words

GLOSSARY = """
## Glossary

Text with `code`.

| use | instead of |
| --- | --- |
| report | `tell`, `told` |
| enable | `turn on` |

These words have one meaning:

| word | meaning |
| --- | --- |
| capability | `Console` and so on |

## Next
"""
RULES = words.read_rules(GLOSSARY)


def found(text: str) -> list[tuple[int, str, str]]:
    return [(hit.line, hit.found, hit.word) for hit in words.find("a.md", text, RULES)]


def test_the_rules_are_those_of_the_first_table():
    assert RULES == {"tell": "report", "told": "report", "turn on": "enable"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It told me.", [(1, "told", "report")]),
        ("one\ntwo Told\n", [(2, "Told", "report")]),
        ("was_told = told_by()", [(1, "told", "report"), (1, "told", "report")]),
        ("turn on", [(1, "turn on", "enable")]),
        ("turn_on()", [(1, "turn_on", "enable")]),
        ("    # they turn\n    # on\n", [(1, "turn\n    # on", "enable")]),
        ("> turn\n> on\n", [(1, "turn\n> on", "enable")]),
    ],
)
def test_words_are_found_in_texts_and_names(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize("text", ["", "teller", "foretold", "turn onwards", "return on", "Console"])
def test_parts_of_words_are_not_found(text):
    assert found(text) == []


def test_the_glossary_of_the_project_has_rules():
    assert len(words.read_rules(words.GLOSSARY.read_text("utf-8"))) > 40
