# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages of the documentation are short, and docs/README.md lists each of them."""

from __future__ import annotations

import re
from pathlib import Path

import docsite
import pytest
from environment import ROOT

DOCS = ROOT / "docs"
KINDS = ("tutorials", "how_to", "reference", "explanation")
PAGES = sorted(path for kind in KINDS for path in (DOCS / kind).glob("*.md"))
LIMIT = 1500
SHOWN = ("docs", "examples", "extensions", "playbooks", "plugins", "roles")
"""Folders with examples for users."""
LOOKED_UP = DOCS / "reference" / "problems.md"
"""A page that is not read as a whole: it has a paragraph for each code."""


def count_words(text: str) -> int:
    """Count the words of prose and tables: not those of code blocks, comments and the targets of links.

    A word is what blanks separate and what contains a letter or a digit, so the lines of a table do not count.
    """
    for pattern in (docsite.FENCE.pattern, r"(?s)<!--.*?-->", r"(?<=\])\([^)]*\)"):
        text = re.sub(pattern, "", text)
    return sum(any(map(str.isalnum, word)) for word in text.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# A title\n\nTwo lines\nof text.\n", 6),
        ("Before\n\n```bash\nls -l\n```\n\nafter\n", 2),
        ("- item\n\n  ```text\n  of a list\n  ```\n", 1),
        ("| a | b |\n| --- | --- |\n| `c` | [two words](page.md#x) |\n", 5),
        ("<!-- a comment -->\n", 0),
    ],
)
def test_words_of_prose_and_tables_count(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_a_page_is_short_enough_to_read(page: Path) -> None:
    template = page.with_suffix(".md.j2")

    assert (
        page == LOOKED_UP or count_words((template if template.exists() else page).read_text(encoding="utf-8")) <= LIMIT
    )


def test_each_page_is_in_the_overview() -> None:
    listed = re.findall(r"\]\(([^)#]+)\)", (DOCS / "README.md").read_text(encoding="utf-8"))

    assert [str(page.relative_to(DOCS)) for page in PAGES if str(page.relative_to(DOCS)) not in listed] == []


def test_dates_in_examples_are_quoted() -> None:
    """Before ansible-core 2.19, a templated list with a date is text that is no literal."""
    paths = (path for folder in SHOWN for path in (ROOT / folder).rglob("*.*"))
    files = (path for path in paths if path.suffix in (".md", ".py", ".yml"))
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}

    assert [name for name, text in texts.items() if re.search(r"\bexpires: +[0-9]", text)] == []
