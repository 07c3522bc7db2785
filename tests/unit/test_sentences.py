# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each sentence of a message is asserted in one test file, so that a changed sentence changes one test file.

All other tests assert ``code`` and ``where`` of a problem.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULE_UTILS = ROOT / "plugins" / "module_utils"
TESTS = ROOT / "tests"
FEWEST_WORDS, FEWEST_CHARACTERS = 4, 20

# These quote the CVO, the API server, a format or a command, not a message of this collection.
FILES_WITH_TEXTS_OF_OTHERS = ("_capability/inclusion.py",)
TEXTS_OF_OTHERS = (
    "Capabilities match configured spec",
    "The cluster version is invalid:",
    "The following capabilities could not be disabled:",
    "PGP PUBLIC KEY BLOCK",
    "cosign container image signature",
    "failed to create typed patch object",
)
COMMANDS = ("oc ", "curl ")
# Second implementations, and data that tests share.
NO_ASSERTIONS = ("tests/unit/builders/", "tests/unit/oracles/", "tests/benchmarks/", "tests/unit/test_sentences.py")


def literals(path: Path) -> Iterator[str]:
    """Yield the string literals of a file, also the constant parts of f-strings, without docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value.strip()


def sentences(texts: Iterable[str]) -> set[str]:
    """The texts that are long enough to belong to one message."""
    return {text for text in texts if len(text.split()) >= FEWEST_WORDS and len(text) >= FEWEST_CHARACTERS}


def product_sentences() -> set[str]:
    """The sentences of the product's messages. What is part of another one belongs to no single message."""
    files = [path for path in MODULE_UTILS.rglob("*.py") if not str(path).endswith(FILES_WITH_TEXTS_OF_OTHERS)]
    found = {text for path in files for text in sentences(literals(path))}
    whole = {text for text in found if not any(text in other for other in found if text != other)}
    return {text for text in whole.difference(TEXTS_OF_OTHERS) if not text.startswith(COMMANDS)}


def asserted_texts() -> dict[str, set[str]]:
    """The long texts of each test file."""
    names = {path.relative_to(ROOT).as_posix(): path for path in sorted(TESTS.rglob("*.py"))}
    return {name: sentences(literals(path)) for name, path in names.items() if not name.startswith(NO_ASSERTIONS)}


def test_each_sentence_is_asserted_in_one_file():
    found, texts = product_sentences(), asserted_texts()
    assert len(found) > 500
    repeated = {}
    for sentence in found:
        files = [name for name, known in texts.items() if any(sentence in text or text in sentence for text in known)]
        if len(files) > 1:
            repeated[sentence] = files
    assert repeated == {}
