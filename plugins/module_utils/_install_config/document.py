# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an install-config with the positions of its nodes, and renders a new one.

The installer reads it with sigs.k8s.io/yaml, strictly (openshift/installer:pkg/asset/installconfig/installconfig.go):
one document, and no duplicate keys.

No YAML library edits a text without changing the rest of it. So each step has its own file: ``_yaml.nodes`` parses the
text into nodes with positions, this file reads their values, ``edit`` edits ``capabilities``, and ``secrets`` masks the
diff.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

try:
    import yaml
except ImportError:  # modules check with _module.main first
    yaml = None  # type: ignore[assignment]

from .._module.untag import untag
from .._problems import CapabilityError, Location, Problem, Problems, type_name
from .._yaml.libyaml import load_body
from .._yaml.nodes import BOM, Lines, Node, Tree, below, parse_tree, walk
from .._yaml.values import YamlError, YamlValueError, resolve_plain

_JINJA = re.compile(r"\{[{%#]")
_COMMENT = re.compile(r"(^|\s)#.*")
_KEY_LINE = re.compile(r"""(\s*(?:-\s+)*)["']?([\w./-]+)["']?\s*:(?:\s|$)""")
_QUOTE = re.compile("['\"]")
_QUOTED_INDICATOR = re.compile(r"""(['"])(?:[^\w\s]|<[a-z ]+>)\1""")
_ODD_BREAKS = frozenset("\r\x85\u2028\u2029")
_BREAKS = _ODD_BREAKS | {"\n"}
_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("binary", "bool", "float", "int", "map", "null", "seq", "str")
) | {"", "!"}

# Order of types.InstallConfig (openshift/installer:pkg/types/installconfig.go), except that long values come last.
_FIRST = (
    "apiVersion",
    "baseDomain",
    "metadata",
    "controlPlane",
    "compute",
    "arbiter",
    "networking",
    "platform",
    "capabilities",
    "featureSet",
    "featureGates",
)
_LAST = ("pullSecret", "sshKey")
_WIDEST = 2**31 - 1


class DocumentError(CapabilityError):
    """A YAML text cannot be read, or cannot be edited without changing other parts."""


class Document(NamedTuple):
    """A text, the root node of its document, its plain values, and the index at which the document ends."""

    text: str
    root: Node
    data: dict[str, Any]
    end: int


def read_document(data: bytes, where: str) -> Document:
    """Read an install-config. ``where`` names it in problems. Raises ``DocumentError``, which never contains values."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = "Save the file in UTF-8, without a byte order mark"
        raise _error("invalid-encoding", Location(where, line=line), "is not UTF-8", hint) from None
    try:
        tree = parse_tree(text)
    except YamlError as error:
        # Jinja is the most frequent cause, and then the message of the parser does not help.
        problems = Problems()
        _report_jinja_lines(text, where, problems)
        raise DocumentError(problems or [_not_yaml(error, where)]) from None
    source = _Source(where, text)
    root = _root_map(tree, source)
    problems = Problems()
    _check_nodes(root, source, "", problems)
    _check_anchors(root, source, problems)
    if tree.next_document >= 0:
        message = "another document begins here; the installer reads only the first one"
        problems.error("several-documents", source.at(tree.next_document), message, "Keep one document in the file")
    if problems:
        raise DocumentError(problems)
    return Document(text, root, _values(text, where), tree.end)


def render_document(content: Mapping[str, Any]) -> str:
    """Render ``content`` as the text of a new file: keys in the order of the installer, secrets last."""
    values = untag(content)
    order = [name for name in _FIRST if name in values]
    order += sorted((name for name in values if name not in _FIRST + _LAST), key=str)
    order += [name for name in _LAST if name in values]
    text: str = yaml.dump(
        {name: values[name] for name in order},
        Dumper=_dumper(),
        default_flow_style=False,
        sort_keys=False,
        allow_unicode=True,
        width=_WIDEST,
    )
    return text


def same_values(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two documents have the same values, in any order of keys; 1, 1.0, True and "1" are four values."""
    return bool(_comparable(first) == _comparable(second))


def _comparable(value: Any) -> Any:
    # As text: 1, 1.0 and True are equal, as keys, too, and .nan is not equal to itself.
    if isinstance(value, Mapping):
        return {repr(key): _comparable(item) for key, item in value.items()}
    return [_comparable(item) for item in value] if isinstance(value, list) else repr(value)


class _Source:
    """The text that is read, and how problems name positions in it."""

    def __init__(self, where: str, text: str) -> None:
        self.where, self.text, self.lines = where, text, Lines(text)

    def line(self, index: int) -> int:
        return self.lines.number(index)

    def at(self, index: int) -> Location:
        return Location(self.where, line=self.line(index))


def _error(code: str, where: Location, message: str, hint: str = "") -> DocumentError:
    return DocumentError([Problem("error", code, where, message, hint)])


def _root_map(tree: Tree, source: _Source) -> Node:
    root = tree.root
    hint = "Write an install-config, a map that begins with apiVersion: v1"
    if root is None or root.is_empty:
        raise _error("empty-file", Location(source.where), "is empty, expected a map", hint)
    if root.kind != "map":
        problems = Problems()
        if root.kind != "list":
            _report_jinja_lines(source.text, source.where, problems)
        if not problems:
            message = f"is {'a list' if root.kind == 'list' else 'a plain value'}, expected a map"
            problems.error("not-a-map", source.at(root.start), message, hint)
        raise DocumentError(problems)
    return root


def _values(text: str, where: str) -> dict[str, Any]:
    data = text.removeprefix(BOM).encode()
    try:
        values = load_body(data)
    except YamlValueError:
        raise _error(
            "invalid-value", Location(where), "a value does not match its tag", "Check values with a tag (!!int)"
        ) from None
    except YamlError as error:
        raise DocumentError([_not_yaml(error, where)]) from None
    if isinstance(values, dict):
        return values
    raise _error("not-a-map", Location(where), f"is {type_name(values)}, expected a map")


def _check_nodes(node: Node, source: _Source, path: str, problems: Problems) -> None:
    """Check ``node`` and everything below it, in the order of the text."""
    if node.tag not in _TAGS:
        # The message does not contain the tag: it may be the start of an unquoted password.
        message = f"{path or 'the document'} has a tag that the installer does not know"
        problems.error("unknown-tag", source.at(node.start), message, "Quote a value that begins with !")
    if (start := _jinja_start(node, source.text)) is not None:
        _report_jinja(source.at(start), path, problems)
        return
    seen: dict[str, int] = {}
    for pair in node.pairs:
        key, field = pair.key, below(path, pair.key)
        if _jinja_start(key, source.text) is not None:
            _report_jinja(source.at(key.start), path, problems)
        elif key.kind == "scalar" and key.value != "<<":
            if key.value in seen:
                message = f"the key {field} is repeated, first on line {source.line(seen[key.value])}"
                problems.error("duplicate-key", source.at(key.start), message, "Keep one of them")
            seen.setdefault(key.value, key.start)
        _check_nodes(pair.value, source, field, problems)
    for number, item in enumerate(node.items):
        _check_nodes(item, source, f"{path}[{number}]", problems)


def _check_anchors(root: Node, source: _Source, problems: Problems) -> None:
    """Report repeated anchors: YAML allows them, PyYAML does not read them."""
    seen: dict[str, int] = {}
    for _path, node in walk(root):
        if node.anchor:
            if node.anchor in seen:
                message = f"an anchor is repeated, first on line {source.line(seen[node.anchor])}"
                message += ", which this module cannot read"
                problems.error("duplicate-anchor", source.at(node.start), message, "Rename one of them")
            seen.setdefault(node.anchor, node.start)


def _jinja_start(node: Node, text: str) -> int | None:
    """The index at which Jinja begins in ``node``, ``None`` if it contains none."""
    if node.kind == "map":
        return node.start if node.style == "{" and text.startswith(("{{", "{#"), node.start) else None
    jinja = _JINJA.search(text, node.start, node.end)
    if node.kind != "scalar" or not (_JINJA.search(node.value) or (jinja and node.style not in ("|", ">"))):
        return None
    return jinja.start() if jinja else node.start


def _report_jinja_lines(text: str, where: str, problems: Problems) -> None:
    """Report each line with Jinja in a text that is not YAML."""
    above: list[tuple[int, str]] = []  # the keys that the line may belong to, by indentation
    for number, whole in enumerate(text.splitlines(), 1):
        line = _COMMENT.sub("", whole)
        own = line.lstrip()
        limit = len(line) - len(own)
        key_line = _KEY_LINE.match(line)
        if key_line:
            above = [(indent, key) for indent, key in above if indent < len(key_line[1])]
            above.append((len(key_line[1]), key_line[2]))
        if _JINJA.search(line):
            if own.startswith("-") or key_line:
                limit = len(line)  # the key of a list may have the indentation of its dashes; a key is part of its path
            path = ".".join(key for indent, key in above if indent < limit)
            _report_jinja(Location(where, line=number), path, problems)


def _report_jinja(at: Location, path: str, problems: Problems) -> None:
    message = f"{path or 'the text'} contains Jinja that is not rendered"
    problems.error("unrendered-template", at, message, "Render the template first, and use the result")


def _not_yaml(error: YamlError, where: str) -> Problem:
    column = f"column {error.column}" if error.line else ""
    message = f"is not YAML: {_masked(error.message)}"
    return Problem(
        "error", "invalid-yaml", Location(where, line=error.line, field=column), message, "Correct the syntax"
    )


def _masked(message: str) -> str:
    """A message of the parser without longer quotations, which may be secrets. Quoted indicators stay."""
    if not _QUOTE.search(_QUOTED_INDICATOR.sub("", message)):
        return message
    return re.sub(r"(['\"])(?:(?!\1).){4,}\1", "(not shown)", message)


@lru_cache(maxsize=1)
def _dumper() -> Any:
    """A class that writes values that PyYAML and Go read identically."""
    base = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    dumper: Any = type("Dumper", (base,), {"ignore_aliases": lambda _self, _data: True})
    dumper.add_representer(str, _represent_text)
    return dumper


def _represent_text(dumper: Any, data: str) -> Any:
    style = None
    if set(data) & _BREAKS:
        # A block that begins with a blank needs an indentation indicator, which PyYAML writes wrongly in lists.
        style = '"' if data[0].isspace() or set(data) & _ODD_BREAKS else "|"
    elif not isinstance(resolve_plain(data), str):
        style = "'"  # y is a string to PyYAML, true to Go
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=style)
