# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Finds the secrets of an install-config, and masks them in results and messages.

``_kind_below`` (by key) and ``_HELD`` (inside any text) define the secrets.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

MASK = "********"
SHORTEST = 4
"""A value with fewer characters occurs in too many other words to be masked everywhere."""
_SAFE_INSIDE_WORDS = 8

# Kinds of values below a key, the strongest last: any value, a URL that may contain a password, a whole secret.
_PLAIN, _PROXY, _SECRET = range(3)

# Keys are recognized by their ends: pullSecret, bmcPassword, aws_secret_access_key.
_SECRET_END = "(?:passw(?:or)?d|passphrase|token|secret|(?:api|access|private|ssh)[_-]?key)s?"
_SECRET_KEY = re.compile(rf".*{_SECRET_END}|auth", re.IGNORECASE | re.DOTALL)
_PROXY_KEY = re.compile(r".*proxy", re.IGNORECASE | re.DOTALL)

# Group 2 of each pattern is the secret.
_USERINFO = re.compile(r"(://)([^/\s]+)(?=@)")
# A password may contain characters that a URL cannot, such as / and blanks. A proxy needs no scheme.
_PROXY_USERINFO = re.compile(r"""\A(\s*["']?(?:[a-z][a-z0-9+.-]*:/+)?)(.+)(?=@)""", re.IGNORECASE | re.DOTALL)
_PRIVATE_KEY = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)"
_SSH_KEY = r"(?<![\w-])(?:ssh-|ecdsa-|sk-)[\w@.-]{1,60}[ \t]+AAAA[\w+/=]+[^\n\r]*"
_PULL_SECRET = r"""\{\s*\\*"auths\\*"\s*:(?s:.*)|(?<!\\)\\*"auth\\*"\s*:\s*\\*"[^"]*\""""
_HELD = re.compile(f"()({_PRIVATE_KEY}|{_SSH_KEY}|{_PULL_SECRET})")
_BLOB = re.compile(r"AAAA[\w+/=]+")


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
