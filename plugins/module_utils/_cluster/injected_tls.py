# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sets the TLS settings in the text of an operator's configuration file, and leaves the rest as it is.

Source: openshift/cluster-version-operator:lib/resourcebuilder/core.go updateRNodeWithTLSSettings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .._problems import type_name
from .._yaml.values import YamlError
from .injected_config import TlsSettings

_KINDS = (
    ("operator.openshift.io/v1alpha1", "GenericOperatorConfig"),
    ("config.openshift.io/v1", "GenericControllerConfig"),
)
_SERVING_INFO = "servingInfo"
_ABSENT: Mapping[str, Any] = {}
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON allows in strings, and YAML does not, or treats as line breaks."""


class InvalidServingInfoError(Exception):
    """``servingInfo`` is not a map. ``type_name`` names its type with an article."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.type_name = type_name(value)


def with_tls_settings(text: Any, settings: TlsSettings) -> Any:
    """Return the text of a configuration file with ``settings``; any other value unchanged.

    The CVO leaves ``servingInfo: null`` as it is. Raises ``InvalidServingInfoError``.
    """
    config = _config(text)
    if config is None or (config.get("apiVersion"), config.get("kind")) not in _KINDS:
        return text
    serving = config.get(_SERVING_INFO, _ABSENT)
    if serving is None:
        return text
    if not isinstance(serving, Mapping):
        raise InvalidServingInfoError(serving)
    fields: dict[str, Any] = {
        "cipherSuites": list(settings.cipher_suites),
        "minTLSVersion": settings.min_tls_version,
    }
    if all(serving.get(name) == value for name, value in fields.items()):
        return text
    expected = {**config, _SERVING_INFO: {**serving, **fields}}
    edited = _edited(text, fields)
    return edited if _config(edited) == expected else _json(expected)


def is_same_config(one: object, other: object) -> bool:
    """Whether two texts contain the same configuration."""
    config = _config(one)
    return one == other or (config is not None and config == _config(other))


def _config(text: object) -> dict[str, Any] | None:
    """Parse a configuration file, ``None`` if it is not a YAML map."""
    from .._yaml.libyaml import load_body

    try:
        value = load_body(text.encode()) if isinstance(text, str) else None
    except (YamlError, UnicodeEncodeError):
        return None
    return value if isinstance(value, dict) else None


def _json(config: Mapping[str, Any]) -> str:
    """Format a configuration as JSON, which is YAML, for styles that the edit does not support."""
    text = json.dumps(config, indent=2, ensure_ascii=False) + "\n"
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _edited(text: str, fields: Mapping[str, Any]) -> str:
    """Edit a document in block style. The result can be wrong for others."""
    from .._yaml.nodes import column_of, line_end, line_start, own_pair, parse_tree

    try:
        root = parse_tree(text).root
    except YamlError:
        return text
    if root is None or root.style:
        return text
    serving = own_pair(root, _SERVING_INFO)
    if serving is None:
        end = line_end(text, root.end)
        return _joined(text[:end], f"{_SERVING_INFO}:\n{_lines(fields, 2)}", text[end:])
    if serving.value.style:
        return text
    indent = column_of(text, serving.value.pairs[0].key.start) if serving.value.pairs else 2
    end = line_end(text, serving.end)
    pairs = [pair for pair in serving.value.pairs if pair.key.value in fields]
    for pair in sorted(pairs, key=lambda pair: pair.key.start, reverse=True):
        start, stop = line_start(text, pair.key.start), line_end(text, pair.end)
        text, end = text[:start] + text[stop:], end - (stop - start)
    return _joined(text[:end], _lines(fields, indent), text[end:])


def _joined(before: str, lines: str, after: str) -> str:
    return before + ("" if before.endswith("\n") else "\n") + lines + after


def _lines(fields: Mapping[str, Any], indent: int) -> str:
    """Format strings and lists of strings as a block."""
    lines = []
    for name, value in fields.items():
        if isinstance(value, list) and value:
            lines += [f"{name}:", *(f"- {item}" for item in value)]
        else:
            lines.append(f"{name}: {json.dumps(value)}" if not value else f"{name}: {value}")
    return "".join(f"{' ' * indent}{line}\n" for line in lines)
