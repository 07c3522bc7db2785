# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts and names use the words of the glossary in CONTRIBUTING.md, not those that it replaces."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checkout import checkout_files
from environment import ROOT

TEXTS = (
    *("changelogs/fragments/", "docs/", "examples/", "meta/", "playbooks/", "plugins/", "roles/", "tests/", "tools/"),
    *("README.md", "noxfile.py"),
)
NOT_OURS = ("examples/releases/", "docs/images/", "docs/docsite/", "tests/tools/test_glossary.py")
"""Data of others, pictures, and the examples below."""
NOT_YET_CORRECTED = ("tests/control_plane/go/",)
"""Remove a line when its texts are corrected."""
TABLE = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Glossary\n")[2].partition("\n\nThese words")[0]
REPLACED = re.findall(r"`([^`]+)`", TABLE.lower())
BETWEEN = r"(?:\s+(?:#\s*|//\s*|>\s*)?|_)"
"""A line break can be followed by the mark of a comment."""
PATTERN = re.compile(rf"(?<![a-z])(?:{'|'.join(BETWEEN.join(word.split()) for word in REPLACED)})(?![a-z])")


def found(text: str) -> list[tuple[int, str]]:
    """Return the line and the text of each word that the glossary replaces."""
    lower = text.lower()  # much faster than a pattern that ignores the case
    return [(1 + text.count("\n", 0, match.start()), match[0]) for match in PATTERN.finditer(lower)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It told me.", [(1, "told")]),
        ("one\ntwo Told\n", [(2, "told")]),
        ("was_told = told_by()", [(1, "told"), (1, "told")]),
        ("turn_on()", [(1, "turn_on")]),
        ("    # they turn\n    # on\n", [(1, "turn\n    # on")]),
        ("> turn\n> on\n", [(1, "turn\n> on")]),
        ("teller, turn onwards, return on, Console", []),
    ],
)
def test_words_are_found_in_texts_and_names(text: str, expected: list[tuple[int, str]]) -> None:
    assert found(text) == expected


def test_nothing_uses_a_replaced_word() -> None:
    assert len(REPLACED) > 40
    names = [name for name in checkout_files() if name.startswith(TEXTS)]
    texts = {name: read(ROOT / name) for name in names if not name.startswith((*NOT_OURS, *NOT_YET_CORRECTED))}
    assert [f"{name}:{line}: {word!r}" for name, text in texts.items() for line, word in found(text)] == []


def read(path: Path) -> str:
    """Read a file as text; a binary file is empty."""
    try:
        return path.read_text("utf-8") if path.is_file() else ""
    except UnicodeDecodeError:
        return ""
