#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find words that the glossary in CONTRIBUTING.md replaces.

Usage: .venv/bin/python tools/words.py [PATH...]    Without paths: everything that users and developers read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from checkout import checkout_files
from environment import ROOT

GLOSSARY = ROOT / "CONTRIBUTING.md"
HEADING = "## Glossary"
TEXTS = (
    "plugins",
    "roles",
    "playbooks",
    "docs",
    "examples",
    "changelogs/fragments",
    "tests",
    "tools",
    "meta",
    "README.md",
    "noxfile.py",
)
# Data of others, pictures, what is generated from the data, and the tests of this tool, which contain the words.
NOT_OURS = ("examples/releases/", "docs/images/", "docs/docsite/", "tests/tools/test_words.py")
# Remove a line when its texts are corrected.
NOT_YET_CORRECTED = ("tests/control_plane/go/",)


# A line break can be followed by the mark of a comment.
BETWEEN = r"(?:\s+(?:#\s*|//\s*|>\s*)?|_)"


class Hit(NamedTuple):
    """One occurrence of a replaced word."""

    path: str
    line: int
    found: str
    word: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.found!r}, write: {self.word}"


def read_rules(text: str) -> dict[str, str]:
    """Read the first table of the glossary: the words in backticks, in lower case, and the word that replaces each."""
    table = text.partition(f"\n{HEADING}\n")[2].partition("\n| ")[2].partition("\n\n")[0]
    rows = [line.strip().strip("|").split("|") for line in table.splitlines()]
    return {old.lower(): cells[0].strip() for cells in rows for old in re.findall(r"`([^`]+)`", cells[-1])}


def find(path: str, text: str, rules: Mapping[str, str]) -> Iterator[Hit]:
    """Yield every occurrence of replaced words in ``text``, in any case, also in an identifier and across lines."""
    words = "|".join(BETWEEN.join(map(re.escape, old.split())) for old in rules)
    # Much faster than a pattern that ignores the case. The module re keeps the compiled pattern.
    for match in re.finditer(rf"(?<![a-z])(?:{words})(?![a-z])", text.lower()):
        line = text.count("\n", 0, match.start()) + 1
        yield Hit(path, line, text[slice(*match.span())], rules[" ".join(re.split(BETWEEN, match[0]))])


def files(paths: list[str]) -> list[str]:
    """List the files of the checkout at or below ``paths``, except those that are not ours."""
    folders = tuple(f"{path.rstrip('/')}/" for path in paths)
    names = (name for name in checkout_files() if name in paths or name.startswith(folders))
    return [name for name in names if not name.startswith((*NOT_OURS, *NOT_YET_CORRECTED))]


def main() -> int:
    """Print every occurrence; return 1 if there is one."""
    rules = read_rules(GLOSSARY.read_text("utf-8"))
    if not rules:
        print(f"{GLOSSARY.name} has no table below {HEADING!r}", file=sys.stderr)
        return 2
    names = files(sys.argv[1:] or list(TEXTS))
    hits = [hit for name in names if (path := Path(ROOT, name)).is_file() for hit in find(name, read(path), rules)]
    for hit in hits:
        print(hit)
    print(f"{len(names)} files, {len(rules)} replaced words, {len(hits)} occurrences")
    return 1 if hits else 0


def read(path: Path) -> str:
    """Read a file as text; a binary file is empty."""
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        return ""


if __name__ == "__main__":
    sys.exit(main())
