#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find words that the glossary in CONTRIBUTING.md replaces.

Usage: .venv/bin/python tools/words.py [PATH...]    Without paths: everything that users and developers read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
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
NOT_YET_CORRECTED = (
    "tests/benchmarks/",
    "tests/cluster/test_playbooks_of_clusters.py",
    "tests/cluster/test_verify_release_playbook.py",
    "tests/control_plane/",
    "tests/tools/",
    "tests/unit/builders/sites.py",
    "tests/unit/plugins/module_utils/_extract/",
    "tests/unit/plugins/module_utils/_rollout/",
    "tests/unit/plugins/module_utils/_sites/",
)


class Rule(NamedTuple):
    """``word`` is what to write instead of ``pattern``."""

    word: str
    pattern: re.Pattern[str]


class Hit(NamedTuple):
    """One occurrence of a replaced word."""

    path: str
    line: int
    found: str
    word: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.found!r}, write: {self.word}"


def read_rules(text: str) -> tuple[Rule, ...]:
    """Read the first table of the glossary: the word to use, and the words in backticks that it replaces."""
    table = text.partition(f"\n{HEADING}\n")[2].partition("\n| ")[2].partition("\n\n")[0]
    rows = [line.strip().strip("|").split("|") for line in table.splitlines()]
    return tuple(
        Rule(cells[0].strip(), pattern_of(old)) for cells in rows for old in re.findall(r"`([^`]+)`", cells[-1])
    )


def pattern_of(words: str) -> re.Pattern[str]:
    """Compile the pattern for whole words, in any case, also as a part of an identifier and across a line break."""
    # A line break can be followed by the mark of a comment.
    between = r"(?:\s+(?:#\s*|//\s*|>\s*)?|_)"
    return re.compile(rf"(?<![a-z]){between.join(map(re.escape, words.split()))}(?![a-z])", re.IGNORECASE)


def find(path: str, text: str, rules: tuple[Rule, ...]) -> Iterator[Hit]:
    """Yield every occurrence of a replaced word in ``text``, in the order of the lines."""
    hits = [
        Hit(path, text.count("\n", 0, match.start()) + 1, match[0], rule.word)
        for rule in rules
        for match in rule.pattern.finditer(text)
    ]
    yield from sorted(hits, key=lambda hit: hit.line)


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
