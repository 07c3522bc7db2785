# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each sentence of a message is asserted in one test file, so that a changed sentence changes one test file.

All other tests assert ``code`` and ``where`` of a problem.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ansible_collections.capability.openshift.tests.unit.sources import ROOT, literals, trees

FEWEST_WORDS, FEWEST_CHARACTERS = 4, 20

# These quote the CVO, the API server, a format or a command, not a message of this collection.
FILES_WITH_TEXTS_OF_OTHERS = ("_capability/inclusion.py",)
TEXTS_OF_OTHERS = (
    "Capabilities match configured spec",
    "The cluster version is invalid:",
    "The following capabilities could not be disabled:",
    "PGP PUBLIC KEY BLOCK",
    "cosign container image signature",
    "there are multiple possible payloads for this version, specify the exact image",
    "when image is empty the update must be an available update",
    "failed to create typed patch object",
)
COMMANDS = ("oc ", "curl ")
# Second implementations, and data that tests share.
NO_ASSERTIONS = (
    *("tests/unit/builders/", "tests/unit/oracles/", "tests/benchmarks/", "tests/unit/test_sentences.py"),
    "tests/control_plane/",  # it has texts of the cluster-version operator
)


def sentences(texts: Iterable[str]) -> set[str]:
    """The texts that are long enough to belong to one message."""
    return {text for text in texts if len(text.split()) >= FEWEST_WORDS and len(text) >= FEWEST_CHARACTERS}


def product_sentences() -> set[str]:
    """The sentences of the product's messages. What is part of another one belongs to no single message."""
    files = {path: tree for path, tree in trees("plugins").items() if "module_utils" in path.parts}
    ours = [tree for path, tree in files.items() if not str(path).endswith(FILES_WITH_TEXTS_OF_OTHERS)]
    found = {text for tree in ours for text in sentences(literals(tree))}
    every = "\0".join(found)
    whole = {text for text in found if every.count(text) == 1}
    return {text for text in whole.difference(TEXTS_OF_OTHERS) if not text.startswith(COMMANDS)}


def asserted_texts() -> dict[str, set[str]]:
    """The long texts of each test file."""
    found = {path.relative_to(ROOT).as_posix(): tree for path, tree in trees("tests").items()}
    return {name: sentences(literals(tree)) for name, tree in found.items() if not name.startswith(NO_ASSERTIONS)}


def test_each_sentence_is_asserted_in_one_file():
    found, texts = product_sentences(), asserted_texts()
    assert len(found) > 500
    # One search in all sentences is quicker than one in each.
    every = "\0".join(found)
    files = defaultdict(set)
    for name, known in texts.items():
        whole, parts = "\0".join(known), [text for text in known if text in every]
        for sentence in found:
            if sentence in whole or any(text in sentence for text in parts):
                files[sentence].add(name)
    assert {sentence: names for sentence, names in files.items() if len(names) > 1} == {}
