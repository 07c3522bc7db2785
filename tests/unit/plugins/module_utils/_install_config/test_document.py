# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._install_config.document import (
    DocumentError,
    read_document,
    render_document,
    same_values,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.edit import edit_capabilities
from ansible_collections.capability.openshift.plugins.module_utils._yaml import nodes

CORPUS = sorted((Path(__file__).parents[3] / "install_configs").glob("*.*"))
EDITABLE = [path for path in CORPUS if path.suffix != ".json"]
assert EDITABLE, "no install-config to test with"
assert EDITABLE != CORPUS, "no JSON to test with"

SELECTIONS: list[dict[str, Any]] = [
    {"baselineCapabilitySet": "None"},
    {"baselineCapabilitySet": "vCurrent"},
    {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress", "Console"]},
    {"baselineCapabilitySet": "v4.15", "additionalEnabledCapabilities": ["Storage", "Build", "Console", "None"]},
    {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["yes", "1.5", "null", "a: b", "[x]"]},
]

VARIANTS = {
    "as it is": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "BOM": lambda text: "\ufeff" + text,
    "no final newline": lambda text: text.rstrip("\n"),
    "tabs": lambda text: re.sub(r"^(\w+): (?=\S)", "\\1:\t", text, flags=re.MULTILINE),
    "markers": lambda text: text if "\n---\n" in text else f"--- # begin\n{text.rstrip(chr(10))}\n...\n# behind\n",
    "empty document": lambda text: text if "\n...\n" in text else f"{text.rstrip(chr(10))}\n---\n",
}


def edited(text: str, selection: dict[str, Any]) -> str:
    return edit_capabilities(read_document(text.encode(), "install-config.yaml"), selection, "install-config.yaml")


def values(text: str) -> dict[str, Any]:
    return read_document(text.encode(), "install-config.yaml").data


def outside(text: str) -> list[str]:
    """The text without the block, which ends at the next line that is neither blank nor indented."""
    lines, inside = [], False
    for line in text.splitlines(keepends=True):
        if re.match("\ufeff?[\"']?capabilities[\"']?:", line):
            inside = True
        elif inside and line[0] not in " \t\r\n#-":
            inside = False
        if line.startswith(("---", "...")):
            inside = False
        if not inside:
            lines.append(line)
    if lines:
        lines[-1] = lines[-1].rstrip("\r\n")
    return lines


def comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.lstrip().startswith("#")]


def assert_edited(old: str, new: str, selection: dict[str, Any]) -> None:
    before, after = values(old), values(new)
    block = after.pop("capabilities")
    before.pop("capabilities", None)
    assert repr(after) == repr(before)
    assert block["baselineCapabilitySet"] == selection["baselineCapabilitySet"]
    assert sorted(block.get("additionalEnabledCapabilities") or []) == sorted(
        selection.get("additionalEnabledCapabilities", [])
    )
    assert edited(new, selection) == new
    assert old.startswith("\ufeff") == new.startswith("\ufeff")
    assert old.endswith("\n") == new.endswith("\n")
    assert ("\r\n" in new) == ("\r\n" in old)
    if "\r\n" in old:
        assert "\n" not in new.replace("\r\n", "")


@pytest.mark.parametrize("selection", SELECTIONS, ids=json.dumps)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("path", EDITABLE, ids=lambda path: path.name)
def test_edit_changes_nothing_but_the_block(path, variant, selection):
    old = VARIANTS[variant](path.read_bytes().decode())
    new = edited(old, selection)
    assert_edited(old, new, selection)
    assert outside(new) == outside(old)
    if path.name != "multi_line_flow.yaml":
        remaining = [line for line in comments(old) if line in comments(new)]
        below_a_list = "additionalEnabledCapabilities" not in selection
        assert remaining == comments(old) or below_a_list


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_an_equal_selection_changes_nothing(path):
    text = path.read_bytes().decode()
    block = values(text).get("capabilities", {})
    if path.name in ("compact.json", "vsphere_anchors.yaml", "null_block.yaml", "empty_values.yaml"):
        pytest.skip("has no selection")
    names = block.get("additionalEnabledCapabilities", [])
    selection = {**block, "additionalEnabledCapabilities": sorted(set(names))}
    assert (edited(text, selection) == text) is (len(names) == len(set(names)))


BLOCK = "capabilities:\n  baselineCapabilitySet: {}\n  additionalEnabledCapabilities:\n  - Build\n  - Console\n"
TWO = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Build"]}
NO_NAMES = {"baselineCapabilitySet": "None"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # only the set differs: its quotes and its comment stay
        (BLOCK.format("v4.11  # why"), BLOCK.format("None  # why")),
        (BLOCK.format("'v4.11'  # why"), BLOCK.format("'None'  # why")),
        (BLOCK.format('"v4.11"'), BLOCK.format('"None"')),
        (BLOCK.format(""), BLOCK.format("None").replace("None\n", "None \n", 1)),
        (BLOCK.format("# why"), BLOCK.format("None # why")),
        (BLOCK.format("~"), BLOCK.format("None")),
        (BLOCK.format("&x !!str v4.11"), BLOCK.format("None")),
        (BLOCK.format("|\n    v4.11"), BLOCK.format("None")),
        (BLOCK.format("\n    v4.11"), BLOCK.format("\n    None")),
        (BLOCK.format("[v4.11]"), BLOCK.format("None")),
        (BLOCK.format("\n  - v4.11"), BLOCK.format("None")),
        # the same names, in another order
        (BLOCK.format("None").replace("Build\n  - Console", "Console\n  - Build"), None),
        (BLOCK.format("None") + "  # end\n", None),
        # no capabilities
        ("a: 1", "a: 1\n" + BLOCK.format("None").rstrip()),
        ("a: 1\r\n", "a: 1\r\n" + BLOCK.format("None").replace("\n", "\r\n")),
        ("a: 1\n# end\n", "a: 1\n# end\n" + BLOCK.format("None")),
        ("a: 1\n...\n# end\n", "a: 1\n" + BLOCK.format("None") + "...\n# end\n"),
        ("a: 1\n\n---\n", "a: 1\n\n" + BLOCK.format("None") + "---\n"),
        ("a: 1\r\n# on b\r\nb: |\r\n  x", f"a: 1\n{BLOCK.format('None')}# on b\nb: |\n  x".replace("\n", "\r\n")),
        # if the end of the text is part of the last value, the block is inserted before it
        ("a: 1\n# on b\nb: |\n  x", "a: 1\n" + BLOCK.format("None") + "# on b\nb: |\n  x"),
        ("a: |\n  # no comment\nb: |\n  x", "a: |\n  # no comment\n" + BLOCK.format("None") + "b: |\n  x"),
        ("a: 1\nb: |+\n  x\n\n", "a: 1\nb: |+\n  x\n\n" + BLOCK.format("None")),
        # other values than a map
        ("capabilities:\n", BLOCK.format("None")),
        ("capabilities:  # c", "capabilities:  # c\n" + BLOCK.format("None").partition("\n")[2].rstrip()),
        ("capabilities: {} # c\nb: 1\n", BLOCK.format("None").replace(":\n", ": # c\n", 1) + "b: 1\n"),
        ("capabilities: [a,\n  b] # c\nb: 1\n", BLOCK.format("None").replace(":\n", ": # c\n", 1) + "b: 1\n"),
        ("capabilities:\n- a\n- b\nb: 1\n", BLOCK.format("None") + "b: 1\n"),
        ("capabilities: word\n", BLOCK.format("None")),
        ("capabilities:\n  unknown: 1\n  baselineCapabilitySet: None\n", BLOCK.format("None")),
        ("b: &b {}\ncapabilities: *b\n", "b: &b {}\n" + BLOCK.format("None")),
        # indentation
        (
            "a:\n    b:\n      - c\n",
            "a:\n    b:\n      - c\n"
            "capabilities:\n    baselineCapabilitySet: None\n    additionalEnabledCapabilities:\n"
            "      - Build\n      - Console\n",
        ),
        (
            "  a: 1\n",
            "  a: 1\n  capabilities:\n    baselineCapabilitySet: None\n    additionalEnabledCapabilities:\n"
            "    - Build\n    - Console\n",
        ),
        # lines of names
        (
            "capabilities:\n  additionalEnabledCapabilities:\n  # one\n  - Storage # s\n  # two\n  - Console # c\n",
            "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities:\n  # one\n  # two\n"
            "  - Console # c\n  - Build\n",
        ),
        (
            "capabilities:\n  additionalEnabledCapabilities:\n  - 'Storage'\n  baselineCapabilitySet: None\n",
            "capabilities:\n  additionalEnabledCapabilities:\n  - 'Build'\n  - 'Console'\n"
            "  baselineCapabilitySet: None\n",
        ),
        (
            "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities:\n      -   Build",
            "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities:\n      -   Build\n"
            "      -   Console",
        ),
        (
            "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities:\n  -\n  - 1\n",
            BLOCK.format("None"),
        ),
        # flow style
        (
            "capabilities: {additionalEnabledCapabilities: [Build, x, Console, y], } # c\n",
            BLOCK.format("None").replace(":\n", ": # c\n", 1),
        ),
        ("capabilities: {baselineCapabilitySet: None}\n", BLOCK.format("None")),
        ("capabilities: {\n  baselineCapabilitySet: None, # c\n}\nb: 1 # d\n", BLOCK.format("None") + "b: 1 # d\n"),
        (
            "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities: ['x', # c\n    'y']\n",
            "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities: ['Build', 'Console']\n",
        ),
        (
            "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities: [x, 'y']  # c\n",
            "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities: [Build, Console]  # c\n",
        ),
        # line breaks of YAML 1.1 that no editor shows
        (
            "a: 1\u2028capabilities: {}\u2028b: 2\n",
            "a: 1\u2028capabilities:\u2028" + BLOCK.format("None").partition("\n")[2] + "b: 2\n",
        ),
    ],
)
def test_edit(old, new):
    assert edited(old, TWO) == (old if new is None else new)


def test_names_are_dropped_with_their_key():
    old = "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities: # c\n  # x\n  - Build\nb: 1\n"
    assert edited(old, NO_NAMES) == "capabilities:\n  baselineCapabilitySet: None\nb: 1\n"


@pytest.mark.parametrize("block", ["\n  <<: *far # c\n", " {<<: *far}\n"])
def test_merged_names_are_removed_with_the_merge(block):
    old = f"a: &far {{additionalEnabledCapabilities: [Build]}}\ncapabilities:{block}b: 1\n"
    new = old.replace(block, "\n  baselineCapabilitySet: None\n")
    assert edited(old, NO_NAMES) == new


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"a": 1, "b": {"c": [None]}}, {"b": {"c": [None]}, "a": 1}, True),
        ({"a": float("nan")}, {"a": float("nan")}, True),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": [1]}, {"a": [True]}, False),
        ({"a": {1: 2}}, {"a": {True: 2}}, False),
        ({"a": {1: 2}}, {"a": {"1": 2}}, False),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": None}, {}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": []}, {"a": {}}, False),
        ({"a": []}, {"a": "[]"}, False),
    ],
)
def test_same_values(first, second, same):
    for pair in ((first, second), (second, first)):
        assert same_values(*pair) is same


def test_names_that_yaml_does_not_read_as_strings_are_quoted():
    new = edited("a: 1\n", {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["None", "no", "y", "1"]})
    assert '  - "1"\n  - None\n  - "no"\n  - "y"\n' in new


@pytest.mark.parametrize("text", ["{}\n", "\n{a: 1, capabilities}", "{capabilities: {a: &caps 1}, b: *caps}"])
def test_a_flow_map_is_not_edited(text):
    with pytest.raises(DocumentError) as caught:
        edited(text, TWO)
    (problem,) = caught.value.problems
    assert tuple(problem.as_dict().values()) == (
        *("error", "uneditable-text", f"install-config.yaml, line {1 + text.index('{')}"),
        "is in flow style, such as JSON, expected one field per line",
        f'Write "capabilities": {json.dumps(TWO)} in it',
    )


@pytest.mark.parametrize("path", sorted({*CORPUS} - {*EDITABLE}), ids=lambda path: path.name)
def test_json_is_edited_only_if_nothing_has_to_change(path):
    text = path.read_bytes().decode()
    for selection in SELECTIONS:
        with pytest.raises(DocumentError):
            edited(text, selection)
    with_block = json.dumps({**values(text), "capabilities": TWO})
    assert edited(with_block, TWO) == with_block


@pytest.mark.parametrize(
    "text",
    [
        "capabilities: &caps\n  baselineCapabilitySet: v4.11\nb: *caps\n",
        "capabilities:\n  baselineCapabilitySet: &caps v4.11\nb: *caps\n",
        "capabilities:\n  additionalEnabledCapabilities: &caps\n  - Build\nb:\n  <<: {c: *caps}\n",
    ],
)
def test_an_anchor_that_is_used_elsewhere_is_an_error(text):
    with pytest.raises(DocumentError, match=r"install-config.yaml, line \d: the anchor &caps .* Write the value on"):
        edited(text, TWO)


def test_an_unused_anchor_is_removed():
    assert edited("b: &b 1\ncapabilities: &caps {c: *b}\n", TWO) == "b: &b 1\n" + BLOCK.format("None")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# only\n---\n", [("f", "empty-file", "is empty")]),
        ("a: 1\nb: \x01\n", [("f, line 2, column 4", "invalid-yaml", "is not YAML: the character U+0001")]),
        ("a: 1\nb:\n\tc: 1\n", [("f, line 3, column 1", "invalid-yaml", "is not YAML")]),
        ("a: *b\n", [("f, line 1, column 4", "invalid-yaml", "is not YAML: unknown anchor 'b'")]),
        ("a: " + "[" * 200 + "]" * 200, [("f, line 1, column 104", "invalid-yaml", "is not YAML: is nested deeper")]),
        ("a: 1\nb: !vault secret\n", [("f, line 2", "unknown-tag", "b has")]),
        (
            "a: 1\nb:\n  c: 1\n  c: 2\n'a': 3\n---\nd: 1\n",
            [
                ("f, line 4", "duplicate-key", "the key b.c is repeated, first on line 3"),
                ("f, line 5", "duplicate-key", "the key a is repeated, first on line 1"),
                ("f, line 6", "several-documents", "another document"),
            ],
        ),
        (
            "a: '{{ secret }}'\nb:\n- c: x{% if secret %}\n  d: |\n    {# secret #}\n'{{ secret }}': 1\n# {{ fine }}\n",
            [
                ("f, line 1", "unrendered-template", "a"),
                ("f, line 3", "unrendered-template", "b[0].c"),
                ("f, line 5", "unrendered-template", "b[0].d"),
                ("f, line 6", "unrendered-template", "the text"),
            ],
        ),
        ("a: 1\nb:\n  c: {{ secret }}\n", [("f, line 3", "unrendered-template", "b.c")]),
        (
            "a: 1\n{% if secret %} # c\nb:\n  c:\n  - d: {{ secret | x('y') }}\n{% endif %}\n# {{ fine }}\n",
            [
                ("f, line 2", "unrendered-template", "the text"),
                ("f, line 5", "unrendered-template", "b.c.d"),
                ("f, line 6", "unrendered-template", "the text"),
            ],
        ),
    ],
)
def test_unreadable_texts_are_located_and_not_shown(text, expected):
    with pytest.raises(DocumentError) as error:
        read_document(text if isinstance(text, bytes) else text.encode(), "f")
    reported = error.value.problems
    assert [(str(problem.where), problem.code) for problem in reported] == [row[:2] for row in expected]
    for problem, (_where, _code, start) in zip(reported, expected, strict=True):
        assert problem.message.startswith(start)
        assert "secret" not in str(problem)


def test_values_are_those_that_the_installer_reads():
    data = values("\ufeffa: &a {b: None}\nc:\n  <<: *a\n  d: None\ne: 2024-01-01\n...\n")
    assert data == {"a": {"b": "None"}, "c": {"b": "None", "d": "None"}, "e": "2024-01-01"}


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_both_parsers_agree_on_positions(path, monkeypatch):
    text = path.read_bytes().decode()
    for variant in ("as it is", "CRLF", "BOM", "no final newline"):
        changed = VARIANTS[variant](text)
        monkeypatch.undo()
        tree = nodes.parse_tree(changed)
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
        assert nodes.parse_tree(changed) == tree


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_a_rendered_document_has_the_same_values(path):
    data = values(path.read_bytes().decode())
    text = render_document(data)
    assert values(text) == data
    assert render_document(dict(reversed(data.items()))).splitlines()[0] == text.splitlines()[0]


def test_a_rendered_document_looks_like_an_install_config():
    long = "word " * 60
    content = {
        "sshKey": "ssh-ed25519 AAAA\nssh-rsa AAAA\n",
        "pullSecret": '{"auths":{}}',
        "zone": "y",
        "additionalTrustBundle": "-----BEGIN\nx\n-----END",
        "platform": {"none": {}},
        "compute": [{"name": "worker", "replicas": 0, "odd": ["1:30", "0o17", "1e3", " \n x", "a\u0085b", "", "None"]}],
        "metadata": {"name": "a", "long": long},
        "apiVersion": "v1",
    }
    text = render_document(content)
    assert values(text) == content
    assert re.findall(r"^\w+", text, re.MULTILINE) == [
        *("apiVersion", "metadata", "compute", "platform", "additionalTrustBundle", "zone", "pullSecret", "sshKey")
    ]
    assert "additionalTrustBundle: |-\n  -----BEGIN\n  x\n  -----END\n" in text
    assert "compute:\n- name: worker\n  replicas: 0\n" in text
    assert f"long: '{long}'" in text
    assert "zone: 'y'" in text
    assert "- None\n" in text


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
