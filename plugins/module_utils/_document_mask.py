# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The secrets of an install-config: which values they are, and its text without them, for diffs."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from ._document_nodes import Node, below, parse_tree, walk
from ._head import YamlError

MASK, CHANGED = "********", "******** (changed)"
SHORTEST = 4
"""A value with fewer characters stands in too many other words to be hidden wherever it stands."""
_SAFE_INSIDE_WORDS = 8

_SECRET_KEY = re.compile(r".*(?:password|token|secret)|auth|sshkey|privatekey", re.IGNORECASE | re.DOTALL)
_COMMENTED_KEY = re.compile(
    r"""["']?(?<![\w-])(?:[\w.-]*(?:password|token|secret)|auth|sshKey|privateKey)["']?[ \t]*:[ \t]*""", re.IGNORECASE
)
_COMMENT = re.compile(r"(?:(?<=[\s,\[\]{}])|^)#[^\n\r\x85\u2028\u2029]*", re.MULTILINE)
_BLOCK_HEADER = re.compile(r"(?:[&!]\S+\s+)*[|>][-+0-9]*[ \t]*(?:#.*)?")
_USERINFO = re.compile(r"(?<=://)[^/\s]*(?=@)")
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----")
_SSH_KEY = re.compile(r"(?<![\w-])(?:ssh-|ecdsa-|sk-)[\w@.-]+[ \t]+(AAAA[\w+/=]+)[^\n\r]*")
_PULL_SECRET = re.compile(r"""\{\s*"auths".*|(?<="auth":)\s*"[^"]*\"""")
_STANDARD_TAG = "tag:yaml.org,2002:"
_PROPERTY = re.compile(r"[&!]\S*\s+")


def masked(document_text: str, other_text: str | None) -> str:
    """Return the text with its secrets replaced, also in comments; nothing of it if it cannot be read.

    A secret that ``other_text`` has a different one for, in the same place, is marked as changed. To show a diff,
    give the older text to the side of the newer one alone: two marks would be equal.
    """
    tree = _root(document_text)
    if tree is None:
        return "(cannot be read as YAML, content not shown)\n" if document_text.strip() else document_text
    other = _root(other_text) if other_text else None
    return _Masker(document_text, tree, dict(_secrets(other)) if other else {}).text()


def secret_values(data: Any) -> set[str]:
    """Return all secrets of the plain values of an install-config, for ``no_log_values``, but the very short ones."""
    return {value for value in _values(data, False) if len(value) >= SHORTEST}


def _values(data: Any, is_secret: bool) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _values(value, is_secret or _names_secret(str(key)))
    elif isinstance(data, list):
        for value in data:
            yield from _values(value, is_secret)
    elif isinstance(data, bytes):
        yield from _values(data.decode(errors="replace"), is_secret)
    elif data is not None and not isinstance(data, bool):
        yield from _parts(str(data), is_secret)


def _parts(text: str, is_secret: bool) -> Iterator[str]:
    """Yield the secrets that one value is or holds."""
    for userinfo in _USERINFO.findall(text):
        yield userinfo
        password = userinfo.partition(":")[2]
        yield password
        yield unquote(password)
    if is_secret or _PRIVATE_KEY.search(text):
        yield text
        yield text.strip()
        if text.lstrip().startswith("{"):
            yield from _pull_secret_parts(text)
        else:
            lines = (line.strip() for line in text.splitlines())
            yield from (line for line in lines if not line.startswith("#"))
        for key in _SSH_KEY.finditer(text):
            yield key[1]


def _pull_secret_parts(text: str) -> Iterator[str]:
    """Yield what is secret inside a pull secret: base64 of user:password, and the password itself."""
    try:
        registries = json.loads(text)["auths"].values()
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return
    for entry in registries:
        for name, value in entry.items() if isinstance(entry, dict) else ():
            if isinstance(value, str) and _names_secret(name):
                yield value
                yield _decoded_password(value) if name == "auth" else value


def _decoded_password(auth: str) -> str:
    try:
        return base64.b64decode(auth + "=" * (-len(auth) % 4)).decode().partition(":")[2]
    except (binascii.Error, ValueError):
        return ""


def _names_secret(key: str) -> bool:
    return bool(_SECRET_KEY.fullmatch(key))


def _root(text: str) -> Node | None:
    try:
        return parse_tree(text).root
    except YamlError:
        return None


def _secrets(root: Node) -> Iterator[tuple[str, str]]:
    """Yield path and value of each secret below ``root``, and of each scalar that holds one."""
    secret = _secret_nodes(root)
    for path, node in walk(root):
        if node.kind == "scalar" and not node.is_empty:
            if node.start in secret:
                yield path, node.value
            elif _USERINFO.search(node.value):
                yield path, " ".join(_USERINFO.findall(node.value))


def _secret_nodes(root: Node) -> set[int]:
    """Return where the scalars start that are secret: by their key, by an alias under such a key, or a private key."""
    found: set[int] = set()
    targets: set[int] = set()
    for _path, node in walk(root):
        if node.kind == "scalar" and _PRIVATE_KEY.search(node.value):
            found.add(node.start)
        for pair in node.pairs:
            if _names_secret(pair.key.value):
                _collect(pair.value, found, targets)
    for _path, node in walk(root):
        if node.start in targets and node.kind != "alias" and node.anchor:
            _collect(node, found, targets)
    return found


def _collect(node: Node, found: set[int], targets: set[int]) -> None:
    for _path, inner in walk(node):
        if inner.kind == "scalar":
            found.add(inner.start)
        elif inner.kind == "alias":
            targets.add(inner.target)


class _Masker:
    """Goes through a text from scalar to scalar; what is between them are indicators and comments."""

    def __init__(self, source: str, root: Node, other: dict[str, str]) -> None:
        self.source, self.root, self.other = source, root, other
        self.secret = _secret_nodes(root)
        self.used = {node.value for _path, node in walk(root) if node.kind == "alias"}
        known: set[str] = set()
        for _path, node in walk(root):
            if node.kind == "scalar":
                known.update(_parts(node.value, node.start in self.secret))
                if node.start in self.secret and node.style in ("", "'", '"'):
                    known.add(source[_value_start(source, node) : node.end].strip("'\""))
        self.known = _any_of(known)

    def text(self) -> str:
        parts: list[str] = []
        done = 0
        for path, node, is_key in sorted(_scalars(self.root, ""), key=lambda found: found[1].start):
            parts.append(self._between(self.source[done : node.start]))
            parts.append(self.source[node.start : node.end] if is_key else self._scalar(path, node))
            done = node.end
        return "".join([*parts, self._between(self.source[done:])])

    def _scalar(self, path: str, node: Node) -> str:
        source = self.source[node.start : node.end]
        if node.start in self.secret:
            # An anchor that nobody uses, and a tag that nobody knows, is the begin of a password without quotes.
            meant = node.anchor in {"", *self.used} and (not node.tag or node.tag.startswith(_STANDARD_TAG))
            if meant and not node.value:
                return source
            quote = '"' if node.style == '"' else "'"
            before = self.source[node.start : _value_start(self.source, node)] if meant else ""
            return f"{before}{quote}{self._mark(path, node.value)}{quote}"
        found = _USERINFO.findall(node.value)
        if found:
            source = _USERINFO.sub(self._mark(path, " ".join(found)), source)
        header = _BLOCK_HEADER.match(source) if node.style in ("|", ">") else None
        if header:
            return self._between(header[0]) + self._hide_known(source[header.end() :])
        return self._hide_known(source)

    def _mark(self, path: str, value: str) -> str:
        return CHANGED if self.other.get(path, value) != value else MASK

    def _hide_known(self, text: str) -> str:
        return self.known.sub(MASK, text) if self.known else text

    def _between(self, text: str) -> str:
        """Return indicators and comments without the secrets that comments hold."""
        hidden = re.sub(_PRIVATE_KEY.pattern + r"(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", MASK, text)
        parts: list[str] = []
        done, deeper_than = 0, -1
        for comment in _COMMENT.finditer(hidden):
            parts.append(hidden[done : comment.start()])
            line, deeper_than = _comment(comment[0], deeper_than)
            parts.append(line)
            done = comment.end()
        return self._hide_known("".join([*parts, hidden[done:]]))


def _comment(line: str, deeper_than: int) -> tuple[str, int]:
    """Return a comment without secrets, and the indentation of the key whose value goes on below it, or -1.

    ``deeper_than`` is that indentation from the comment above: what is commented out may be a block of lines.
    """
    indent = len(line) - len(line[1:].lstrip())
    if deeper_than >= 0 and (indent > deeper_than or len(line) == indent):
        return line[:indent] + (MASK if len(line) > indent else ""), deeper_than
    key = _COMMENTED_KEY.search(line)
    if key:
        return line[: key.end()] + (MASK if key.end() < len(line) else ""), key.start()
    line = _SSH_KEY.sub(MASK, _PULL_SECRET.sub(MASK, line))
    return _USERINFO.sub(MASK, line), -1


def _scalars(node: Node, path: str) -> Iterator[tuple[str, Node, bool]]:
    """Yield all scalars with their path, and whether they are keys."""
    if node.kind == "scalar":
        yield path, node, False
    for number, item in enumerate(node.items):
        yield from _scalars(item, f"{path}[{number}]")
    for pair in node.pairs:
        if pair.key.kind == "scalar":
            yield path, pair.key, True
        yield from _scalars(pair.value, below(path, pair.key))


def _value_start(source: str, node: Node) -> int:
    """Return where a scalar begins behind its anchor and its tag."""
    start = node.start
    while (node.anchor or node.tag) and (found := _PROPERTY.match(source, start, node.end)):
        start = found.end()
    return start


def _any_of(values: set[str]) -> re.Pattern[str] | None:
    """Return what finds any of ``values``: long ones everywhere, short ones as words; the longest first."""
    patterns = [
        re.escape(value) if len(value) >= _SAFE_INSIDE_WORDS else rf"(?<!\w){re.escape(value)}(?!\w)"
        for value in sorted(values, key=lambda value: (-len(value), value))
        if len(value) >= SHORTEST and value.strip("*")
    ]
    return re.compile("|".join(patterns)) if patterns else None
