# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every problem of a text that is not an install-config, with its code, location, message and hint."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.document import (
    DocumentError,
    read_document,
)

PROBLEMS = [
    (b"a: 1\nb: \xe9\n", "invalid-encoding", "f, line 2", "is not UTF-8",
     "Save the file in UTF-8, without a byte order mark"),
    ("", "empty-file", "f", "is empty, expected a map",
     "Write an install-config, a map that begins with apiVersion: v1"),
    ("- a\n", "not-a-map", "f, line 1", "is a list, expected a map",
     "Write an install-config, a map that begins with apiVersion: v1"),
    ("# c\nword\n", "not-a-map", "f, line 2", "is a plain value, expected a map",
     "Write an install-config, a map that begins with apiVersion: v1"),
    ("a: 1\nb: [\n", "invalid-yaml", "f, line 3, column 1", "is not YAML: did not find expected node content",
     "Correct the syntax"),
    ("a: [1, 2\nb: 3\n", "invalid-yaml", "f, line 2, column 2", "is not YAML: did not find expected ',' or ']'",
     "Correct the syntax"),
    ("a: &x 1\nb: *secret\n", "invalid-yaml", "f, line 2, column 4",
     "is not YAML: unknown anchor (not shown) referenced", "Correct the syntax"),
    ("a: !!int secret\n", "invalid-value", "f", "a value does not match its tag",
     "Check values with a tag (!!int)"),
    ("<<: {a: 1}\n<<: 2\n", "invalid-yaml", "f",
     "is not YAML: map merge requires map or sequence of maps as the value", "Correct the syntax"),
    (
        "a: &a 1\nb: &a 2\n",
        "duplicate-anchor",
        "f, line 2",
        "an anchor is repeated, first on line 1, which this module cannot read",
        "Rename one of them",
    ),
    ("b: !vault secret\n", "unknown-tag", "f, line 1", "b has a tag that the installer does not know",
     "Quote a value that begins with !"),
    ("a: 1\na: 2\n", "duplicate-key", "f, line 2", "the key a is repeated, first on line 1", "Keep one of them"),
    ("a: 1\n---\nb: 1\n", "several-documents", "f, line 2",
     "another document begins here; the installer reads only the first one", "Keep one document in the file"),
    ("a: '{{ b }}'\n", "unrendered-template", "f, line 1", "a contains Jinja that is not rendered",
     "Render the template first, and use the result"),
    ("{% if a %}\nb: 1\n", "unrendered-template", "f, line 1", "the text contains Jinja that is not rendered",
     "Render the template first, and use the result"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "where", "message", "hint"), PROBLEMS)
def test_message_and_hint(text, code, where, message, hint):
    with pytest.raises(DocumentError) as error:
        read_document(text if isinstance(text, bytes) else text.encode(), "f")

    assert [tuple(problem.as_dict().values()) for problem in error.value.problems] == [
        ("error", code, where, message, hint)
    ]
