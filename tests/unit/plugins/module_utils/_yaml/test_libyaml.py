# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._yaml.head import YamlError, resolve_plain
from ansible_collections.capability.openshift.plugins.module_utils._yaml.libyaml import load_body, read_head

_rapidyaml: ModuleType | None
if find_spec("ryml"):
    from ansible_collections.capability.openshift.plugins.module_utils._yaml import rapidyaml as _rapidyaml
else:
    _rapidyaml = None


def head(text: str | bytes) -> Any:
    return read_head(text if isinstance(text, bytes) else text.encode()).value


# goyaml.v2 resolve.go, by way of sigs.k8s.io/yaml
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("y", True),
        ("Off", False),
        ("NO", False),
        ("1", 1),
        ("-1", -1),
        ("0x1F", 31),
        ("0b11", 3),
        ("1_000", 1000),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        (".inf", float("inf")),
        ("1:30", "1:30"),
        ("2024-05-01", "2024-05-01"),
        ("=", "="),
        ("<<", "<<"),
        ("v1", "v1"),
        ("1.2.3", "1.2.3"),
        ("tRue", "tRue"),
    ],
)
def test_an_unquoted_scalar_is_what_the_cvo_reads(text, value):
    assert resolve_plain(text) == value
    assert type(resolve_plain(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("kind: A\nkind: B\n", {"kind": "B"}),
        ("kind: =\n", {"kind": "="}),
        ("kind: A\nspec: {x: =, x: 1}\n", {"kind": "A", "spec": None}),
        ("metadata: {name: one, annotations: {a: 'true', b: true, c: 2024-05-01}}\n", None),
        ("kind: |\n  A\n", {"kind": "A\n"}),
        ('kind: "A\\u0042"\n', {"kind": "AB"}),
        ("kind: !!str 7\n", {"kind": "7"}),
        ("kind: &x A\nmetadata: {name: *x}\n", {"kind": "A", "metadata": {"name": "A"}}),
        ("x: &x {name: one}\nmetadata:\n  <<: *x\n  namespace: two\n", None),
        ("\ufeffkind: A\n", {"kind": "A"}),
        ("kind: A\r\nspec: 1\r\n", {"kind": "A", "spec": None}),
        ("- a\n- b\n", ["a", "b"]),
        ("text", "text"),
        ("# nothing\n", None),
        ("null", None),
    ],
)
def test_the_head_of_a_document_is_read(text, value):
    read = head(text)

    if value is not None or "metadata" not in text:
        assert read == value
    elif "<<" in text:
        assert read["metadata"] == {"name": "one", "namespace": "two"}
    else:
        assert read["metadata"]["annotations"] == {"a": "true", "b": True, "c": "2024-05-01"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("kind: A\nspec: [1, 2\n", 3),
        ("kind: A\n  x: y\n", 2),
        ("kind: A\nspec:\n\t- a\n", 3),
        ("kind: *nope\n", 1),
        ("kind: A\n? [a]\n: b\n", 2),
        ("spec: {a: }}\n", 1),
    ],
)
def test_a_syntax_error_has_its_line(text, line):
    with pytest.raises(YamlError) as raised:
        head(text)

    assert raised.value.message
    assert raised.value.line == line


def bomb(levels: int, width: int) -> str:
    lines = ["kind: A", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        items = ", ".join([f"*a{level - 1}"] * width)
        lines.append(f"a{level}: &a{level} [{items}]")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("where", ["spec", "metadata"])
def test_an_alias_bomb_is_rejected_and_not_expanded(where):
    text = bomb(30, 10) + f"{where}: *a29\n"

    with pytest.raises(YamlError, match="excessive aliasing"):
        head(text)
    with pytest.raises(YamlError, match="excessive aliasing"):
        load_body(text.encode())


def test_some_aliases_are_accepted():
    assert head("a: &a [x]\n" + "".join(f"b{number}: *a\n" for number in range(90)) + "kind: A\n")["kind"] == "A"


def test_excessive_nesting_is_rejected():
    with pytest.raises(YamlError, match="max depth"):
        head("spec: " + "[" * 20000)


def test_the_end_of_a_document_is_not_another_one():
    assert read_head(b"kind: A\n...\n").more is False


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 2024-05-01\nb: =\nc: 1\n", {"a": "2024-05-01", "b": "=", "c": 1}),
        ("a: 1\na: 2\n", {"a": 2}),
        ("x: &x {a: 1}\ny: *x\n", {"x": {"a": 1}, "y": {"a": 1}}),
        ("", None),
    ],
)
def test_a_body_is_loaded_as_plain_values(text, value):
    assert load_body(text.encode()) == value


def test_a_body_creates_no_python_objects():
    with pytest.raises(YamlError):
        load_body(b"a: !!python/object/apply:os.getcwd []\n")


SCALARS = st.sampled_from(
    ["true", "'true'", '"a b"', "1", "1.5", "~", "=", "2024-05-01", "y", "Console", "a+b", "'it''s'", '"q\\"x"', "x: y"]
) | st.from_regex(r"[a-zA-Z0-9_.+/ -]{0,8}", fullmatch=True)
KEYS = st.sampled_from(["name", "namespace", "annotations", "labels", "a", "b.c/d", "'q'", "1"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines: list[str] = []
    fields = draw(st.lists(st.sampled_from(["apiVersion", "kind", "spec", "data", "x"]), max_size=4))
    lines += [*(f"{key}: {draw(SCALARS)}" for key in fields), "metadata:"]
    for key in draw(st.lists(KEYS, max_size=4)):
        if draw(st.booleans()):
            lines.append(f"  {key}: {draw(SCALARS)}")
        else:
            lines.append(f"  {key}:")
            lines += [f"    {inner}: {draw(SCALARS)}" for inner in draw(st.lists(KEYS, max_size=3))]
    if draw(st.booleans()):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(["# note", "", "spec: {a: [1, {b: c}]}"])))
    return "\n".join(lines) + "\n"


def outcome(read: Any, text: str) -> Any:
    """The relevant parts of the result of a reader. Maps and lists instead of strings are reduced to their type."""
    try:
        value = read(text.encode()).value
    except YamlError:
        return "rejected"
    if not isinstance(value, dict):
        return value
    metadata = value.get("metadata")
    if isinstance(metadata, dict):
        annotations = metadata.get("annotations")
        if isinstance(annotations, dict):
            annotations = {key: _shallow(item) for key, item in annotations.items()}
        metadata = [_shallow(metadata.get("name")), _shallow(metadata.get("namespace")), annotations]
    return sorted(value), _shallow(value.get("apiVersion")), _shallow(value.get("kind")), metadata


def _shallow(value: Any) -> Any:
    return type(value) if isinstance(value, (dict, list)) else value


def assert_same_or_unsupported(text: str) -> None:
    assert _rapidyaml is not None
    try:
        fast = outcome(_rapidyaml.read_head, text)
    except _rapidyaml.UnsupportedSyntax:
        return
    assert fast == outcome(read_head, text)


needs_accelerator = pytest.mark.skipif(_rapidyaml is None, reason="rapidyaml is not installed")


@needs_accelerator
@example("kind: A\nmetadata: {name: one, annotations: {a: 'x', b: \"y\"}}\n")
@example("kind: \u00e9\nmetadata:\n  name: |\n    a\n    b\n  annotations: {}\n")
@given(texts())
def test_the_accelerator_equals_libyaml_or_raises(text):
    assert_same_or_unsupported(text)


# Indicators that cannot begin a plain scalar, line breaks of YAML 1.1, missing values and keys.
ODD = [
    *(
        "@x",
        "%x",
        "{",
        "[",
        "'a'b",
        "'a",
        '"a',
        '"\\q"',
        "!x y",
        "*a",
        "&",
        "::",
        ",",
        "!",
        "|x",
    ),
    *("a #b", "# c", "", "a: b", "{a,b}", "{a: }}", "[a,,b]", "[,]", "[a: b]", "{a b: c}", "{? a : b}", "{a:b}"),
    *(
        "a\x85b",
        "\u2028x",
        "a\u2029",
        "\ufeffx",
        "1,000",
        "=",
        "<<",
        "~",
        "..",
        "--",
        "+1",
        "0x",
        "1_0",
        ".5",
        "\n  - a",
    ),
    *("|\n  a\n   b", ">-\n  a\n  b", "'a\n\n  b'", '"a\\\n  b"', "!!int x", "!!binary aGk="),
]
FRAMES = [
    "kind: {}\n",
    "kind: A\nspec: {}\n",
    "kind: A\nmetadata:\n  name: x\n  annotations:\n    k: {}\n    l: m\n",
    "kind: A\nmetadata: {{name: x, annotations: {{k: {}, l: m}}}}\n",
    "kind: A\nspec:\n- {}\n- z\n",
]
WHOLE = [
    "%YAML 1.1\nkind: A\n",
    ": x\n",
    "kind: A\nkind\n",
    "kind: A\n b: c\n",
    "kind: A\n- b\n",
    "kind: A\nkind: B\n",
    "{kind: A} x\n",
    "{kind: A}\nb: c\n",
    "kind: A\n...\n",
    "kind: A\n...\nx: y\n",
    "? kind\n: A\n",
    "[a]: b\n",
    "kind:A\n",
    "a: *nope\nkind: A\n",
    "~: x\n",
    "",
]


@needs_accelerator
@pytest.mark.parametrize("text", [*(frame.format(odd) for frame in FRAMES for odd in ODD), *WHOLE])
def test_the_accelerator_equals_libyaml_or_raises_for_unusual_documents(text):
    assert_same_or_unsupported(text)


@needs_accelerator
@pytest.mark.parametrize(
    "text",
    [
        "kind:\tA\n",
        "kind: A\r\n",
        "kind: &a A\n",
        "- a\n",
        "kind: !!str 7\n",
        "kind: A\x00\n",
        "kind: [\n",
        "kind: *nope\n",
    ],
)
def test_the_accelerator_raises_for_unsupported_syntax(text):
    assert _rapidyaml is not None
    with pytest.raises(_rapidyaml.UnsupportedSyntax):
        _rapidyaml.read_head(text.encode())
