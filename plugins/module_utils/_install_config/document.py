# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""An install-config.yaml, read with the places of its parts, and written anew.

The installer reads it with sigs.k8s.io/yaml, strictly (openshift/installer:pkg/asset/installconfig/installconfig.go):
one document, and no key twice.

No YAML library edits a text without changing the rest of it, so there is one file for each step of that: where the
parts of a text stand (``_document_nodes``), what they say (this one), how ``capabilities`` are edited in lines of their
own (``_document_edit``) and in flow style, which JSON is (``_document_flow``), and what a diff must not show
(``_document_mask``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

try:
    import yaml
except ImportError:  # modules ask _deps before they come here
    yaml = None  # type: ignore[assignment]

from .._module.untag import untag
from .._problems import CapabilityError, Problem, type_name
from .._yaml.head import YamlError, resolve_plain
from .._yaml.libyaml import load_body, read_head
from .._yaml.nodes import BOM, Lines, Node, Tree, below, parse_tree, walk

_JINJA = re.compile(r"\{[{%#]")
_COMMENT = re.compile(r"(^|\s)#.*")
_KEY_LINE = re.compile(r"""(\s*(?:-\s+)*)["']?([\w./-]+)["']?\s*:(?:\s|$)""")
_ODD_BREAKS = frozenset("\r\x85\u2028\u2029")
_BREAKS = _ODD_BREAKS | {"\n"}
_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("binary", "bool", "float", "int", "map", "null", "seq", "str")
) | {"", "!"}

# As types.InstallConfig declares them (openshift/installer:pkg/types/installconfig.go), the long ones last.
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


class DocumentError(CapabilityError):
    """A YAML text cannot be read, or cannot be edited without breaking it."""


class Document(NamedTuple):
    """A text, the nodes of its document, what it says as plain values, and the place where the document ends."""

    text: str
    root: Node
    data: dict[str, Any]
    end: int


def read_document(data: bytes, where: str) -> Document:
    """Read an install-config; ``where`` names it in problems. Raises ``DocumentError``, which never shows values."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            [
                Problem(
                    "error",
                    "todo",
                    _at(where, line),
                    "is not UTF-8",
                    "Save the file in UTF-8, without a byte order mark",
                )
            ]
        ) from None
    try:
        tree = parse_tree(text)
    except YamlError as error:
        # Jinja is what most often keeps a file from being YAML; what the parser says of it helps nobody.
        raise DocumentError(list(_jinja_lines(text, where)) or [_not_yaml(error, where)]) from None
    place = _JinjaSpan(where, text)
    root = _one_map(tree, place)
    problems = [*_content_problems(root, place, ""), *_repeated_anchors(root, place), *_more(tree, place)]
    if problems:
        raise DocumentError(problems)
    return Document(text, root, _values(text, where), tree.end)


def render_document(content: Mapping[str, Any]) -> str:
    """Return ``content`` as the text of a new file: keys in the order of the installer, secrets last."""
    values = untag(content)
    order = [name for name in _FIRST if name in values]
    order += sorted((name for name in values if name not in _FIRST + _LAST), key=str)
    order += [name for name in _LAST if name in values]
    ordered = {name: values[name] for name in order}
    text: str = yaml.dump(
        ordered, Dumper=_dumper(), default_flow_style=False, sort_keys=False, allow_unicode=True, width=2**31
    )
    return text


def same_values(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Tell whether two documents say the same, in whatever order of keys; 1, 1.0, True and "1" are four things."""
    return bool(_comparable(first) == _comparable(second))


def _comparable(value: Any) -> Any:
    # As text: 1, 1.0 and True are equal, as keys, too, and .nan is not equal to itself.
    if isinstance(value, Mapping):
        return {repr(key): _comparable(item) for key, item in value.items()}
    return [_comparable(item) for item in value] if isinstance(value, list) else repr(value)


class _JinjaSpan:
    """The text that is read, and what problems call the places in it."""

    def __init__(self, where: str, text: str) -> None:
        self.where, self.text, self.lines = where, text, Lines(text)

    def line(self, index: int) -> int:
        return self.lines.number(index)

    def at(self, index: int) -> str:
        return _at(self.where, self.line(index))


def _one_map(tree: Tree, place: _JinjaSpan) -> Node:
    """Return the map that the document is."""
    root = tree.root
    hint = "Write an install-config there, a map that begins with apiVersion: v1"
    if root is None or root.is_empty:
        raise DocumentError([Problem("error", "todo", place.where, "is empty", hint)])
    if root.kind != "map":
        message = f"holds {'a list' if root.kind == 'list' else 'one plain value'}, expected a map"
        found = [] if root.kind == "list" else list(_jinja_lines(place.text, place.where))
        raise DocumentError(found or [Problem("error", "todo", place.at(root.start), message, hint)])
    return root


def _more(tree: Tree, place: _JinjaSpan) -> Iterator[Problem]:
    if tree.next_document >= 0:
        message = "another document begins here; the installer reads the first one only"
        yield Problem("error", "todo", place.at(tree.next_document), message, "Leave one document in the file")


def _values(text: str, where: str) -> dict[str, Any]:
    data = text.removeprefix(BOM).encode()
    try:
        read_head(data)
    except YamlError as error:
        raise DocumentError([_not_yaml(error, where)]) from None
    try:
        found = load_body(data)
    except YamlError:
        # What PyYAML says of a value that does not fit its tag quotes the value.
        hint = "Look at what carries a tag (!!int) or is merged (<<)"
        raise DocumentError(
            [Problem("error", "todo", where, "a value does not fit its tag or its use", hint)]
        ) from None
    if isinstance(found, dict):
        return found
    raise DocumentError([Problem("error", "todo", where, f"holds {type_name(found)}, expected a map")])


def _content_problems(node: Node, place: _JinjaSpan, path: str) -> Iterator[Problem]:
    """Yield what is wrong below ``node``, in the order of the text."""
    if node.tag not in _TAGS:
        # It is not quoted: it may be the begin of a password without quotes.
        message = f"{path or 'the document'} has a tag that the installer does not know"
        yield Problem("error", "todo", place.at(node.start), message, "Put a value that begins with ! into quotes")
    if _is_jinja(node, place.text):
        yield _jinja(place.at(_jinja_start(node, place.text)), path)
        return
    seen: dict[str, int] = {}
    for pair in node.pairs:
        key, field = pair.key, below(path, pair.key)
        if _is_jinja(key, place.text):
            yield _jinja(place.at(key.start), path)
        elif key.kind == "scalar" and key.value != "<<":
            if key.value in seen:
                message = f"the key {field} is there twice, first in line {place.line(seen[key.value])}"
                yield Problem("error", "todo", place.at(key.start), message, "Leave one of them")
            seen.setdefault(key.value, key.start)
        yield from _content_problems(pair.value, place, field)
    for number, item in enumerate(node.items):
        yield from _content_problems(item, place, f"{path}[{number}]")


def _repeated_anchors(root: Node, place: _JinjaSpan) -> Iterator[Problem]:
    """Yield anchors of one name: YAML allows them, PyYAML does not read them."""
    seen: dict[str, int] = {}
    for _path, node in walk(root):
        if node.anchor:
            if node.anchor in seen:
                message = f"an anchor is there twice, first in line {place.line(seen[node.anchor])}"
                yield Problem("error", "todo", place.at(node.start), message, "Rename one of them")
            seen.setdefault(node.anchor, node.start)


def _is_jinja(node: Node, text: str) -> bool:
    if node.kind == "scalar":
        return bool(_JINJA.search(node.value) or (node.style not in ("|", ">") and _in_source(node, text)))
    return node.kind == "map" and node.style == "{" and text.startswith(("{{", "{#"), node.start)


def _in_source(node: Node, text: str) -> bool:
    return bool(_JINJA.search(text, node.start, node.end))


def _jinja_start(node: Node, text: str) -> int:
    found = _JINJA.search(text, node.start, node.end)
    return found.start() if found else node.start


def _jinja_lines(text: str, where: str) -> Iterator[Problem]:
    """Yield where Jinja stands in a text that is not YAML."""
    above: list[tuple[int, str]] = []  # the keys that the line may belong to, by indentation
    for number, whole in enumerate(text.splitlines(), 1):
        line = _COMMENT.sub("", whole)
        own = line.lstrip()
        limit = len(line) - len(own)
        found = _KEY_LINE.match(line)
        if found:
            above = [(indent, key) for indent, key in above if indent < len(found[1])]
            above.append((len(found[1]), found[2]))
        if _JINJA.search(line):
            if own.startswith("-") or found:
                limit = len(line)  # the key of a list may stand above its dash; a key belongs to its own path
            yield _jinja(_at(where, number), ".".join(key for indent, key in above if indent < limit))


def _jinja(at: str, path: str) -> Problem:
    message = f"{path + ' has' if path else 'the text has'} Jinja in it, which nobody has rendered"
    return Problem("error", "todo", at, message, "Render the template first, and give the result")


def _not_yaml(error: YamlError, where: str) -> Problem:
    place = f"{_at(where, error.line)}, column {error.column}" if error.line else where
    # What the parser quotes may be a secret, unless it is an indicator.
    message = re.sub(r"(['\"])(?:(?!\1).){4,}\1", "(not shown)", error.message)
    return Problem("error", "todo", place, f"is not YAML: {message}", "Mend the syntax")


def _at(where: str, line: int) -> str:
    return f"{where}, line {line}"


def _dumper() -> Any:
    class Dumper(yaml.SafeDumper):
        """Writes what PyYAML and Go read alike."""

        def ignore_aliases(self, _data: Any) -> bool:
            return True

        def represent_text(self, data: str) -> Any:
            style = None
            if set(data) & _BREAKS:
                # A block that begins with a blank needs an indentation indicator, which PyYAML gets wrong in lists.
                style = '"' if data[0].isspace() or set(data) & _ODD_BREAKS else "|"
            elif not isinstance(resolve_plain(data), str):
                style = "'"  # PyYAML takes y for a string, Go for true
            return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)

    Dumper.add_representer(str, Dumper.represent_text)
    return Dumper
