# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The secrets of an install-config: which values they are, and its text without them, for diffs.

What is a secret stands in ``_kind_below`` (by its key) and ``_covered`` (inside any text); plain values, nodes and
comments all go through these.
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
"""A value with fewer characters stands in too many other words to be hidden wherever it stands."""
_SAFE_INSIDE_WORDS = 8

# What is below a key, the strongest last: anything, a URL that may hold a password, what is secret as a whole.
_PLAIN, _PROXY, _SECRET = range(3)

# Names by their ends: pullSecret, bmcPassword, aws_secret_access_key.
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

# Each of the patterns that _covered takes has what stays in group 1, and what is secret in group 2.
_USERINFO = re.compile(r"(://)([^/\s]+)(?=@)")
# A password may hold what no URL can, such as / and blanks. A proxy needs no scheme.
_PROXY_USERINFO = re.compile(r"""\A(\s*["']?(?:[a-z][a-z0-9+.-]*:/+)?)(.+)(?=@)""", re.IGNORECASE | re.DOTALL)
_PRIVATE_KEY = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)"
_SSH_KEY = r"(?<![\w-])(?:ssh-|ecdsa-|sk-)[\w@.-]{1,60}[ \t]+AAAA[\w+/=]+[^\n\r]*"
_PULL_SECRET = r"""\{\s*\\*"auths\\*"\s*:(?s:.*)|(?<!\\)\\*"auth\\*"\s*:\s*\\*"[^"]*\""""
_HELD = re.compile(f"()({_PRIVATE_KEY}|{_SSH_KEY}|{_PULL_SECRET})")
_PRIVATE_KEY_BLOCK = re.compile(_PRIVATE_KEY)
_BLOB = re.compile(r"AAAA[\w+/=]+")


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
    return {value for value in _values(data, _PLAIN) if len(value) >= SHORTEST}


def _kind_below(kind: int, key: str) -> int:
    """Return what is below ``key``, which itself is below something of ``kind``."""
    if kind == _SECRET or _SECRET_KEY.fullmatch(key):
        return _SECRET
    return _PROXY if kind == _PROXY or _PROXY_KEY.fullmatch(key) else _PLAIN


def _userinfo(kind: int) -> re.Pattern[str]:
    return _PROXY_USERINFO if kind == _PROXY else _USERINFO


def _covered(text: str, kind: int, mark: str = MASK) -> tuple[str, list[str]]:
    """Return a text that is no secret as a whole with ``mark`` in the place of those in it, and these."""
    found: list[str] = []

    def cover(match: re.Match[str]) -> str:
        found.append(match[2])
        return match[1] + mark

    for pattern in (_HELD, _userinfo(kind)):
        text = pattern.sub(cover, text)
    return text, found


def _parts(text: str, kind: int) -> Iterator[str]:
    """Yield the secrets that one value is or holds, and what is secret of each alone."""
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
    """Yield what is secret inside a pull secret: base64 of user:password, and the password itself."""
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
    """Return of which kind each scalar is, by its start; the strongest if aliases repeat it below other keys."""
    anchored = {node.start: node for _path, node in walk(root) if node.anchor}
    found: dict[int, int] = {}
    followed: set[tuple[int, int]] = set()
    todo = [(root, _PLAIN)]
    while todo:
        node, kind = todo.pop()
        if node.kind == "scalar" and not node.is_empty:
            found[node.start] = max(kind, found.get(node.start, _PLAIN))
        elif node.kind == "alias" and node.target in anchored and (node.target, kind) not in followed:
            followed.add((node.target, kind))
            todo.append((anchored[node.target], kind))
        todo += [(item, kind) for item in node.items]
        todo += [(pair.value, _kind_below(kind, pair.key.value)) for pair in node.pairs]
    return found


def _secrets(root: Node) -> Iterator[tuple[str, str]]:
    """Yield path and value of each secret below ``root``, and of each scalar that holds one."""
    kinds = _kinds(root)
    for path, node in walk(root):
        secret = _secret_of(node, kinds.get(node.start, _PLAIN)) if node.kind == "scalar" else ""
        if secret and _resolved(node) is not None:
            yield path, secret


def _secret_of(node: Node, kind: int) -> str:
    """Return what is secret in a scalar; empty if nothing is."""
    return node.value if kind == _SECRET else " ".join(_covered(node.value, kind)[1])


def _resolved(node: Node) -> object:
    """Return what a scalar is: null, true and numbers are no texts."""
    return node.value if node.style or node.tag else resolve_plain(node.value)


class _Masker:
    """Goes through a text from scalar to scalar; what is between them are indicators and comments."""

    def __init__(self, source: str, root: Node, other: dict[str, str]) -> None:
        self.source, self.root, self.other = source, root, other
        self.kinds = _kinds(root)
        self.used = {"", *(node.value for _path, node in walk(root) if node.kind == "alias")}
        known: set[str] = set()
        for _path, node in walk(root):
            resolved = _resolved(node) if node.kind == "scalar" else None
            if resolved is None or isinstance(resolved, bool):
                continue  # no secret is a word that stands in so many places
            kind = self.kinds.get(node.start, _PLAIN)
            known.update(_parts(node.value, kind))
            if kind == _SECRET and node.style in ("", "'", '"'):
                known.add(source[_value_start(source, node) : node.end].strip("'\""))
        self.known = _KnownSecrets(known)

    def text(self) -> str:
        parts: list[str] = []
        done = 0
        scalars = [found for found in walk_with_keys(self.root) if found[1].kind == "scalar"]
        for path, node, is_key in sorted(scalars, key=lambda found: found[1].start):
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
            # An anchor that nobody uses, and a tag that nobody knows, is the begin of a password without quotes.
            meant = node.anchor in self.used and (not node.tag or node.tag.startswith(_STANDARD_TAG))
            if meant and (not node.value or _resolved(node) is None):
                return source
            quote = '"' if node.style == '"' else "'"
            return f"{source[:start] if meant else ''}{quote}{mark}{quote}"
        header = _BLOCK_HEADER.match(source) if node.style in ("|", ">") else None
        if header:
            body = _covered(source[header.end() :], kind, mark)[0]
            return self._between(header[0]) + self.known.hidden(body)
        if secret:  # not looked for in the source, where it may be written with escapes
            source = source[:start] + _written(_covered(node.value, kind, mark)[0], node.style)
        return self.known.hidden(source)

    def _between(self, text: str) -> str:
        """Return indicators and comments without the secrets that comments hold."""
        hidden = _PRIVATE_KEY_BLOCK.sub(MASK, text)
        parts: list[str] = []
        done, deeper_than = 0, -1
        for comment in _COMMENT.finditer(hidden):
            parts.append(hidden[done : comment.start()])
            line, deeper_than = _comment(comment[0], deeper_than)
            parts.append(line)
            done = comment.end()
        return self.known.hidden("".join([*parts, hidden[done:]]))


def _comment(line: str, deeper_than: int) -> tuple[str, int]:
    """Return a comment without secrets, and the indentation of the key whose value goes on below it, or -1.

    ``deeper_than`` is that indentation from the comment above: what is commented out may be a block of lines.
    """
    indent = len(line) - len(line[1:].lstrip())
    if deeper_than >= 0 and (indent > deeper_than or len(line) == indent):
        return line[:indent] + (MASK if len(line) > indent else ""), deeper_than
    key = _COMMENTED_SECRET.search(line)
    if key:
        goes_on = key.start() if ":" in key[0] else -1
        return line[: key.end()] + (MASK if key.end() < len(line) else ""), goes_on
    proxy = _COMMENTED_PROXY.search(line)
    value = proxy.end() if proxy else len(line)
    return _covered(line[:value], _PLAIN)[0] + _covered(line[value:], _PROXY)[0], -1


def _value_start(source: str, node: Node) -> int:
    """Return where a scalar begins behind its anchor and its tag."""
    start = node.start
    while (node.anchor or node.tag) and (found := _PROPERTY.match(source, start, node.end)):
        start = found.end()
    return start


def _written(value: str, style: str) -> str:
    """Return ``value``, which was in quotes of ``style`` or in none, as a scalar again."""
    if style == '"' or not value.isprintable():
        return json.dumps(value, ensure_ascii=False)
    if style == "'" or value.startswith("*"):
        return "'" + value.replace("'", "''") + "'"
    return value


class _KnownSecrets:
    """Finds values wherever they stand: long ones everywhere, short ones as words; the longest first.

    One pattern of them all would try each of them at each place, which hundreds of hosts make slow.
    """

    def __init__(self, values: Iterable[str]) -> None:
        self.by_start: dict[str, list[str]] = {}
        for value in sorted(values, key=len, reverse=True):
            if len(value) >= SHORTEST and value.strip("*"):
                self.by_start.setdefault(value[:SHORTEST], []).append(value)

    def hidden(self, text: str) -> str:
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
    around = text[max(0, index - 1) : index] + text[index + len(value) : index + len(value) + 1]
    return len(value) >= _SAFE_INSIDE_WORDS or not re.search(r"\w", around)
