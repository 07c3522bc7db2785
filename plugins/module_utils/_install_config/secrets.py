# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Masks the secrets of an install-config in the messages that quote a value of it.

A message quotes only fields that a selection depends on. It contains a secret only if the secret is in such a field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from .._module.result import masked
from .._problems import Problem
from .._yaml.values import parse_json_object

SHORTEST = 8
"""A value with fewer characters is often a common word."""

# Keys are recognized by their ends: pullSecret, bmcPassword, aws_secret_access_key, httpProxy.
_SECRET_END = "(?:passw(?:or)?d|passphrase|token|secret|(?:api|access|private|ssh)[_-]?key)s?|https?_?proxy"
_SECRET_KEY = re.compile(rf".*(?:{_SECRET_END})|auth", re.IGNORECASE | re.DOTALL)
_USERINFO = re.compile(r"://([^\s]+)@")


def secret_values(data: Any) -> set[str]:
    """All secrets in the plain values of an install-config, except short ones."""
    return {value for value in _values(data, secret=False) if len(value) >= SHORTEST}


def without_secrets(problem: Problem, secrets: Iterable[str]) -> Problem:
    """``problem`` with every occurrence of one of ``secrets`` masked."""
    field, message, hint = (masked(text, secrets) for text in (problem.where.field, problem.message, problem.hint))
    return problem._replace(where=problem.where._replace(field=field), message=message, hint=hint)


def _values(data: Any, *, secret: bool) -> Iterator[str]:
    """Yield the secrets in ``data``. ``secret``: it is below a key of a secret."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _values(value, secret=secret or _SECRET_KEY.fullmatch(str(key)) is not None)
    elif isinstance(data, list):
        for value in data:
            yield from _values(value, secret=secret)
    elif data is not None and not isinstance(data, bool):
        yield from _parts(str(data), secret=secret)


def _parts(text: str, *, secret: bool) -> Iterator[str]:
    """Yield the secrets in one value, and the parts of each that are secret on their own."""
    for userinfo in _USERINFO.findall(text):
        password = userinfo.partition(":")[2]
        yield from (userinfo, password, unquote(password))
    if secret:
        yield text
        yield from (line.strip() for line in text.splitlines())
        yield from _values(parse_json_object(text), secret=True)
