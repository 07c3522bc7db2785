# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""An install-config.yaml, read with the places of its parts, and written anew.

The installer reads it with sigs.k8s.io/yaml, strictly (openshift/installer:pkg/asset/installconfig/installconfig.go):
one document, and no key twice. ``_document_edit`` changes its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

try:
    import yaml
except ImportError:  # modules ask _deps before they come here
    yaml = None  # type: ignore[assignment]

from ._document_nodes import BOM, Node, Tree, below, line_of, parse_tree, walk
from ._domain.errors import CapabilityError, Problem, type_name
from ._head import YamlError, resolve_plain
from ._plain import plain
from ._yaml import load_body, read_head

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
            [Problem("error", _at(where, line), "is not UTF-8", "Save the file in UTF-8, without a byte order mark")]
        ) from None
    try:
        tree = parse_tree(text)
    except YamlError as error:
        # Jinja is what most often keeps a file from being YAML; what the parser says of it helps nobody.
        raise DocumentError(list(_jinja_lines(text, where)) or [_not_yaml(error, where)]) from None
    root = _one_map(tree, text, where)
    problems = [
        *_content_problems(root, text, where, ""),
        *_repeated_anchors(root, text, where),
        *_more(tree, text, where),
    ]
    if problems:
        raise DocumentError(problems)
    return Document(text, root, _values(text, where), tree.end)


def render_document(content: Mapping[str, Any]) -> str:
    """Return ``content`` as the text of a new file: keys in the order of the installer, secrets last."""
    values = plain(content)
    order = [name for name in _FIRST if name in values]
    order += sorted((name for name in values if name not in _FIRST + _LAST), key=str)
    order += [name for name in _LAST if name in values]
    ordered = {name: values[name] for name in order}
    text: str = yaml.dump(
        ordered, Dumper=_dumper(), default_flow_style=False, sort_keys=False, allow_unicode=True, width=2**31
    )
    return text


def _one_map(tree: Tree, text: str, where: str) -> Node:
    """Return the map that the document is."""
    root = tree.root
    mend = "Write an install-config there, a map that begins with apiVersion: v1"
    if root is None or root.is_empty:
        raise DocumentError([Problem("error", where, "is empty", mend)])
    if root.kind != "map":
        message = f"holds {'a list' if root.kind == 'list' else 'one plain value'}, expected a map"
        found = [] if root.kind == "list" else list(_jinja_lines(text, where))
        raise DocumentError(found or [Problem("error", _at(where, line_of(text, root.start)), message, mend)])
    return root


def _more(tree: Tree, text: str, where: str) -> Iterator[Problem]:
    if tree.next_document >= 0:
        message = "another document begins here; the installer reads the first one only"
        yield Problem("error", _at(where, line_of(text, tree.next_document)), message, "Leave one document in the file")


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
        mend = "Look at what carries a tag (!!int) or is merged (<<)"
        raise DocumentError([Problem("error", where, "a value does not fit its tag or its use", mend)]) from None
    if isinstance(found, dict):
        return found
    raise DocumentError([Problem("error", where, f"holds {type_name(found)}, expected a map")])


def _content_problems(node: Node, text: str, where: str, path: str) -> Iterator[Problem]:
    """Yield what is wrong below ``node``, in the order of the text."""
    at = _at(where, line_of(text, node.start))
    if node.tag not in _TAGS:
        # It is not quoted: it may be the begin of a password without quotes.
        message = f"{path or 'the document'} has a tag that the installer does not know"
        yield Problem("error", at, message, "Put a value that begins with ! into quotes")
    if _is_jinja(node, text):
        yield _jinja(where, line_of(text, _jinja_place(node, text)), path)
        return
    seen: dict[str, int] = {}
    for pair in node.pairs:
        key, line = pair.key, line_of(text, pair.key.start)
        field = below(path, key)
        if _is_jinja(key, text):
            yield _jinja(where, line, path)
        elif key.kind == "scalar" and key.value != "<<":
            if key.value in seen:
                message = f"the key {field} is there twice, first in line {seen[key.value]}"
                yield Problem("error", _at(where, line), message, "Leave one of them")
            seen.setdefault(key.value, line)
        yield from _content_problems(pair.value, text, where, field)
    for number, item in enumerate(node.items):
        yield from _content_problems(item, text, where, f"{path}[{number}]")


def _repeated_anchors(root: Node, text: str, where: str) -> Iterator[Problem]:
    """Yield anchors of one name: YAML allows them, PyYAML does not read them."""
    seen: dict[str, int] = {}
    for _path, node in walk(root):
        if node.anchor:
            line = line_of(text, node.start)
            if node.anchor in seen:
                message = f"an anchor is there twice, first in line {seen[node.anchor]}"
                yield Problem("error", _at(where, line), message, "Rename one of them")
            seen.setdefault(node.anchor, line)


def _is_jinja(node: Node, text: str) -> bool:
    if node.kind == "scalar":
        return bool(_JINJA.search(node.value) or (node.style not in ("|", ">") and _in_source(node, text)))
    return node.kind == "map" and node.style == "{" and text.startswith(("{{", "{#"), node.start)


def _in_source(node: Node, text: str) -> bool:
    return bool(_JINJA.search(text, node.start, node.end))


def _jinja_place(node: Node, text: str) -> int:
    found = _JINJA.search(text, node.start, node.end)
    return found.start() if found else node.start


def _jinja_lines(text: str, where: str) -> Iterator[Problem]:
    """Yield where Jinja stands in a text that is not YAML."""
    lines = [_COMMENT.sub("", line) for line in text.splitlines()]
    for number, line in enumerate(lines, 1):
        if _JINJA.search(line):
            yield _jinja(where, number, _path_by_indent(lines[:number]))


def _path_by_indent(lines: list[str]) -> str:
    """Return the path of the field that the last of ``lines`` belongs to, by the indentation of those above."""
    path: list[str] = []
    own = lines[-1].lstrip()
    limit = len(lines[-1]) - len(own)
    if own.startswith("-") or _KEY_LINE.match(own):
        limit += len(own)  # the key of a list may stand above its dash; a key belongs to its own path
    for line in reversed(lines):
        found = _KEY_LINE.match(line)
        if found and len(found[1]) < limit:
            path.insert(0, found[2])
            limit = len(found[1])
    return ".".join(path)


def _jinja(where: str, line: int, path: str) -> Problem:
    message = f"{path + ' holds' if path else 'there is'} a Jinja expression or comment, which nobody has rendered"
    return Problem("error", _at(where, line), message, "Render the template first, and give the result")


def _not_yaml(error: YamlError, where: str) -> Problem:
    place = f"{_at(where, error.line)}, column {error.column}" if error.line else where
    # What the parser quotes may be a secret, unless it is an indicator.
    message = re.sub(r"(['\"]).{4,}\1", "(not shown)", error.message)
    return Problem("error", place, f"is not YAML: {message}", "Mend the file")


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
