# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Finds the secrets of an install-config, and masks them in its text for diffs.

``_kind_below`` (by key) and ``_covered`` (inside any text) define the secrets, for plain values, nodes and comments.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from .._yaml.head import YamlError, resolve_plain
from .._yaml.nodes import Node, parse_tree, walk, walk_with_keys

MASK, CHANGED = "********", "******** (changed)"
SHORTEST = 4
"""A value with fewer characters occurs in too many other words to be masked everywhere."""
_SAFE_INSIDE_WORDS = 8

# Kinds of values below a key, the strongest last: any value, a URL that may contain a password, a whole secret.
_PLAIN, _PROXY, _SECRET = range(3)

# Keys are recognized by their ends: pullSecret, bmcPassword, aws_secret_access_key.
_SECRET_END = "(?:passw(?:or)?d|passphrase|token|secret|(?:api|access|private|ssh)[_-]?key)s?"
_SECRET_KEY = re.compile(rf".*{_SECRET_END}|auth", re.IGNORECASE | re.DOTALL)
_PROXY_KEY = re.compile(r".*proxy", re.IGNORECASE | re.DOTALL)
_ASSIGNED = r"""["']?[ \t]*[:=][ \t]*"""
_COMMENTED_SECRET = re.compile(rf"""["']?(?<![\w.-])(?:[\w.-]*{_SECRET_END}|auth){_ASSIGNED}""", re.IGNORECASE)
_COMMENTED_PROXY = re.compile(rf"(?<![\w.-])[\w.-]*proxy{_ASSIGNED}", re.IGNORECASE)
_COMMENT = re.compile(r"(?:(?<=[\s,\[\]{}])|^)#[^\n\r\x85\u2028\u2029]*", re.MULTILINE)
_BLOCK_HEADER = re.compile(r"(?:[&!]\S+\s+)*[|>][-+0-9]*[ \t]*(?:#.*)?")
_STANDARD_TAG = "tag:yaml.org,2002:"
_PROPERTY = re.compile(r"[&!]\S*\s+")

# In each pattern that _covered uses, group 1 stays and group 2 is the secret.
_USERINFO = re.compile(r"(://)([^/\s]+)(?=@)")
# A password may contain characters that a URL cannot, such as / and blanks. A proxy needs no scheme.
_PROXY_USERINFO = re.compile(r"""\A(\s*["']?(?:[a-z][a-z0-9+.-]*:/+)?)(.+)(?=@)""", re.IGNORECASE | re.DOTALL)
_PRIVATE_KEY = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)"
_SSH_KEY = r"(?<![\w-])(?:ssh-|ecdsa-|sk-)[\w@.-]{1,60}[ \t]+AAAA[\w+/=]+[^\n\r]*"
_PULL_SECRET = r"""\{\s*\\*"auths\\*"\s*:(?s:.*)|(?<!\\)\\*"auth\\*"\s*:\s*\\*"[^"]*\""""
_HELD = re.compile(f"()({_PRIVATE_KEY}|{_SSH_KEY}|{_PULL_SECRET})")
_PRIVATE_KEY_BLOCK = re.compile(_PRIVATE_KEY)
_BLOB = re.compile(r"AAAA[\w+/=]+")


def masked(document_text: str, other_text: str | None) -> str:
    """Mask the secrets of a text, those in comments included. Shows nothing of a text that is not YAML.

    A secret that differs from the one at the same path in ``other_text`` is marked as changed. For a diff, pass the
    older text as ``other_text`` of the newer one only: two marks would be equal.
    """
    tree = _root(document_text)
    if tree is None:
        return "(cannot be read as YAML, content not shown)\n" if document_text.strip() else document_text
    other = _root(other_text) if other_text else None
    return _Masker(document_text, tree, dict(_secrets(other)) if other else {}).text()


def secret_values(data: Any) -> set[str]:
    """All secrets in the plain values of an install-config, except very short ones, for ``no_log_values``."""
    return {value for value in _values(data, _PLAIN) if len(value) >= SHORTEST}


def without_secrets(value: Any, secrets: Iterable[str]) -> Any:
    """Copy ``value`` (dicts, lists, strings) with every occurrence of one of ``secrets`` masked."""
    return _without(value, _KnownSecrets(secrets))


def _without(value: Any, known: _KnownSecrets) -> Any:
    if isinstance(value, dict):
        return {key: _without(item, known) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, known) for item in value]
    return known.masked(value) if isinstance(value, str) else value


def _kind_below(kind: int, key: str) -> int:
    """The kind of the values below ``key``, which is itself below a value of ``kind``."""
    if kind == _SECRET or _SECRET_KEY.fullmatch(key):
        return _SECRET
    return _PROXY if kind == _PROXY or _PROXY_KEY.fullmatch(key) else _PLAIN


def _userinfo(kind: int) -> re.Pattern[str]:
    return _PROXY_USERINFO if kind == _PROXY else _USERINFO


def _covered(text: str, kind: int, mark: str = MASK) -> tuple[str, list[str]]:
    """Replace the secrets inside a text by ``mark``. Returns the text and the secrets."""
    secrets: list[str] = []

    def cover(match: re.Match[str]) -> str:
        secrets.append(match[2])
        return match[1] + mark

    for pattern in (_HELD, _userinfo(kind)):
        text = pattern.sub(cover, text)
    return text, secrets


def _parts(text: str, kind: int) -> Iterator[str]:
    """Yield the secrets in one value, and the parts of each that are secret on their own."""
    for userinfo in _userinfo(kind).finditer(text):
        yield userinfo[2]
        password = userinfo[2].partition(":")[2]
        yield password
        yield unquote(password)
    for secret in [text] if kind == _SECRET else [held[2] for held in _HELD.finditer(text)]:
        yield secret
        yield secret.strip()
        if secret.lstrip().startswith("{"):
            yield from _pull_secret_parts(secret)
        else:
            lines = (line.strip() for line in secret.splitlines())
            yield from (line for line in lines if not line.startswith("#"))
        yield from _BLOB.findall(secret)


def _pull_secret_parts(text: str) -> Iterator[str]:
    """Yield the secrets inside a pull secret: the base64 form of user:password, and the password."""
    try:
        registries = json.loads(text)["auths"].values()
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return
    for entry in registries:
        for name, value in entry.items() if isinstance(entry, dict) else ():
            if isinstance(value, str) and _kind_below(_PLAIN, name) == _SECRET:
                yield value
                yield _decoded_password(value) if name == "auth" else value


def _decoded_password(auth: str) -> str:
    try:
        return base64.b64decode(auth + "=" * (-len(auth) % 4)).decode().partition(":")[2]
    except (binascii.Error, ValueError):
        return ""


def _values(data: Any, kind: int) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _values(value, _kind_below(kind, str(key)))
    elif isinstance(data, list):
        for value in data:
            yield from _values(value, kind)
    elif isinstance(data, bytes):
        yield from _values(data.decode(errors="replace"), kind)
    elif data is not None and not isinstance(data, bool):
        yield from _parts(str(data), kind)


def _root(text: str) -> Node | None:
    try:
        return parse_tree(text).root
    except YamlError:
        return None


def _kinds(root: Node) -> dict[int, int]:
    """The kind of each scalar, by its start; the strongest one if aliases repeat the scalar below other keys."""
    anchored = {node.start: node for _path, node in walk(root) if node.anchor}
    kinds: dict[int, int] = {}
    followed: set[tuple[int, int]] = set()
    todo = [(root, _PLAIN)]
    while todo:
        node, kind = todo.pop()
        if node.kind == "scalar" and not node.is_empty:
            kinds[node.start] = max(kind, kinds.get(node.start, _PLAIN))
        elif node.kind == "alias" and node.target in anchored and (node.target, kind) not in followed:
            followed.add((node.target, kind))
            todo.append((anchored[node.target], kind))
        todo += [(item, kind) for item in node.items]
        todo += [(pair.value, _kind_below(kind, pair.key.value)) for pair in node.pairs]
    return kinds


def _secrets(root: Node) -> Iterator[tuple[str, str]]:
    """Yield path and secret of each scalar below ``root`` that is or contains one."""
    kinds = _kinds(root)
    for path, node in walk(root):
        secret = _secret_of(node, kinds.get(node.start, _PLAIN)) if node.kind == "scalar" else ""
        if secret and _resolved(node) is not None:
            yield path, secret


def _secret_of(node: Node, kind: int) -> str:
    """The secret in a scalar, empty if there is none."""
    return node.value if kind == _SECRET else " ".join(_covered(node.value, kind)[1])


def _resolved(node: Node) -> object:
    """The value of a scalar: null, booleans and numbers are not strings."""
    return node.value if node.style or node.tag else resolve_plain(node.value)


class _Masker:
    """Masks a text scalar by scalar. Between scalars there are only indicators and comments."""

    def __init__(self, source: str, root: Node, other: dict[str, str]) -> None:
        self.source, self.root, self.other = source, root, other
        self.kinds = _kinds(root)
        self.used = {"", *(node.value for _path, node in walk(root) if node.kind == "alias")}
        known: set[str] = set()
        for _path, node in walk(root):
            resolved = _resolved(node) if node.kind == "scalar" else None
            if resolved is None or isinstance(resolved, bool):
                continue  # too frequent to be masked everywhere
            kind = self.kinds.get(node.start, _PLAIN)
            known.update(_parts(node.value, kind))
            if kind == _SECRET and node.style in ("", "'", '"'):
                known.add(source[_value_start(source, node) : node.end].strip("'\""))
        self.known = _KnownSecrets(known)

    def text(self) -> str:
        parts: list[str] = []
        done = 0
        scalars = [item for item in walk_with_keys(self.root) if item[1].kind == "scalar"]
        for path, node, is_key in sorted(scalars, key=lambda item: item[1].start):
            parts.append(self._between(self.source[done : node.start]))
            parts.append(self.source[node.start : node.end] if is_key else self._scalar(path, node))
            done = node.end
        return "".join([*parts, self._between(self.source[done:])])

    def _scalar(self, path: str, node: Node) -> str:
        source, kind = self.source[node.start : node.end], self.kinds.get(node.start, _PLAIN)
        secret = _secret_of(node, kind)
        mark = CHANGED if self.other.get(path, secret) != secret else MASK
        start = _value_start(self.source, node) - node.start
        if kind == _SECRET:
            # An unused anchor, and an unknown tag, is the start of an unquoted password.
            is_property = node.anchor in self.used and (not node.tag or node.tag.startswith(_STANDARD_TAG))
            if is_property and (not node.value or _resolved(node) is None):
                return source
            quote = '"' if node.style == '"' else "'"
            return f"{source[:start] if is_property else ''}{quote}{mark}{quote}"
        header = _BLOCK_HEADER.match(source) if node.style in ("|", ">") else None
        if header:
            body = _covered(source[header.end() :], kind, mark)[0]
            return self._between(header[0]) + self.known.masked(body)
        if secret:  # masked in the value, because the source may contain escapes
            source = source[:start] + _written(_covered(node.value, kind, mark)[0], node.style)
        return self.known.masked(source)

    def _between(self, text: str) -> str:
        """Mask the secrets in indicators and comments."""
        masked_text = _PRIVATE_KEY_BLOCK.sub(MASK, text)
        parts: list[str] = []
        done, deeper_than = 0, -1
        for comment in _COMMENT.finditer(masked_text):
            parts.append(masked_text[done : comment.start()])
            line, deeper_than = _comment(comment[0], deeper_than)
            parts.append(line)
            done = comment.end()
        return self.known.masked("".join([*parts, masked_text[done:]]))


def _comment(line: str, deeper_than: int) -> tuple[str, int]:
    """Mask a comment. Also returns the indentation of the key whose value continues below it, or -1.

    ``deeper_than`` is that indentation from the comment above: several lines may be commented out.
    """
    indent = len(line) - len(line[1:].lstrip())
    if deeper_than >= 0 and (indent > deeper_than or len(line) == indent):
        return line[:indent] + (MASK if len(line) > indent else ""), deeper_than
    key = _COMMENTED_SECRET.search(line)
    if key:
        continued = key.start() if ":" in key[0] else -1
        return line[: key.end()] + (MASK if key.end() < len(line) else ""), continued
    proxy = _COMMENTED_PROXY.search(line)
    value = proxy.end() if proxy else len(line)
    return _covered(line[:value], _PLAIN)[0] + _covered(line[value:], _PROXY)[0], -1


def _value_start(source: str, node: Node) -> int:
    """The start of a scalar after its anchor and tag."""
    start = node.start
    while (node.anchor or node.tag) and (match := _PROPERTY.match(source, start, node.end)):
        start = match.end()
    return start


def _written(value: str, style: str) -> str:
    """``value`` as a scalar in the quotes of ``style``, or in others if it needs them."""
    if style == '"' or not value.isprintable():
        return json.dumps(value, ensure_ascii=False)
    if style == "'" or value.startswith("*"):
        return "'" + value.replace("'", "''") + "'"
    return value


class _KnownSecrets:
    """Masks known values in any text: long ones everywhere, short ones as words; the longest first.

    One pattern of all values would try each of them at each index, which is slow with hundreds of hosts.
    """

    def __init__(self, values: Iterable[str]) -> None:
        self.by_start: dict[str, list[str]] = {}
        for value in sorted(values, key=len, reverse=True):
            if len(value) >= SHORTEST and value.strip("*"):
                self.by_start.setdefault(value[:SHORTEST], []).append(value)

    def masked(self, text: str) -> str:
        parts: list[str] = []
        done = index = 0
        while index <= len(text) - SHORTEST:
            values = self.by_start.get(text[index : index + SHORTEST])
            value = next((value for value in values if _occurs_at(text, index, value)), "") if values else ""
            if value:
                parts += [text[done:index], MASK]
                done = index + len(value)
            index += len(value) or 1
        return "".join([*parts, text[done:]])


def _occurs_at(text: str, index: int, value: str) -> bool:
    if not text.startswith(value, index):
        return False
    neighbours = text[max(0, index - 1) : index] + text[index + len(value) : index + len(value) + 1]
    return len(value) >= _SAFE_INSIDE_WORDS or not re.search(r"\w", neighbours)
