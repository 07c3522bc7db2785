# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Shows an install-config in a diff: its selection, and the lines around it that cannot contain a secret.

A line is shown only if it is known to be harmless. Everything else, comments included, is masked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .._data.capabilities import API_FIELDS
from .._yaml.nodes import Lines, Node, own_pair, walk
from .document import Document, render_document
from .flow_style import BLOCK
from .secrets import MASK, secret_values, without_secrets

CHANGED = f"{MASK} (changed)"

_WITH_VALUE = frozenset(
    {
        *API_FIELDS,
        "apiVersion",
        "architecture",
        "baseDomain",
        "cidr",
        "cpuPartitioningMode",
        "credentialsMode",
        "featureSet",
        "fips",
        "hostPrefix",
        "hyperthreading",
        "kind",
        "name",
        "networkType",
        "publish",
        "replicas",
    }
)
"""Fields whose values are shown if they are short."""

_NAMED = frozenset(
    {
        *_WITH_VALUE,
        "additionalTrustBundle",
        "capabilities",
        "clusterNetwork",
        "compute",
        "controlPlane",
        "imageDigestSources",
        "machineNetwork",
        "metadata",
        "networking",
        "none",
        "platform",
        "proxy",
        "pullSecret",
        "serviceNetwork",
        "sshKey",
    }
)
"""Fields whose names are shown."""

_FIELD = re.compile(r"( *(?:- +)?)([A-Za-z]+):(?:[ \t]+(.*))?")
_VALUE = re.compile(r"""(?:[\w./-]{1,63}|'[\w./-]{1,63}'|"[\w./-]{1,63}")""")
_EMPTY = (None, "", "{}", "[]")
_ITEM = re.compile(r"""( *- +)(["']?[A-Za-z][A-Za-z0-9-]{0,62}["']?)""")
_COMMENT = re.compile(r"(?:^|[ \t]+)#.*")


def diff_texts(before: Document | None, after: Document) -> tuple[str, str]:
    """The texts of both sides of a diff. Lines that are masked and new in ``after`` are marked as changed."""
    secrets = secret_values(after.data) | (secret_values(before.data) if before is not None else set())
    known = frozenset(before.text.splitlines()) if before is not None else frozenset(after.text.splitlines())
    old = _shown(before, known) if before is not None else ""
    texts: list[str] = without_secrets([old, _shown(after, known)], secrets)
    return texts[0], texts[1]


def _shown(document: Document, known: frozenset[str]) -> str:
    """The lines of ``document``. Masked lines that are not in ``known`` are marked as changed."""
    source = document.text.splitlines()
    number = Lines(document.text).number
    continued = {
        line
        for _path, node in walk(document.root)
        if node.kind == "scalar"
        for line in range(number(node.start) + 1, number(max(node.start, node.end - 1)) + 1)
    }
    pair = own_pair(document.root, BLOCK)
    block = range(number(pair.key.start), number(max(pair.key.start, pair.end - 1)) + 1) if pair else range(0)
    in_flow = pair is not None and _in_flow(document.root, pair.value)
    lines: list[str] = []
    for line, text in enumerate(source, 1):
        if in_flow and line == block.start:
            lines += _rendered(document.data.get(BLOCK))
        if in_flow and line in block and not document.root.style:
            continue
        mark = MASK if text in known else CHANGED
        lines.append(mark if line in continued else _line(text, mark, in_block=line in block and not in_flow))
    return "".join(f"{line}\n" for line in lines)


def _in_flow(root: Node, value: Node) -> bool:
    """Whether the selection, or the document, is in flow style, so other fields can be on its lines."""
    return bool(root.style or value.kind == "alias" or any(node.style in ("{", "[") for _path, node in walk(value)))


def _rendered(block: object) -> list[str]:
    fields: Mapping[str, Any] = block if isinstance(block, Mapping) else {}
    known = {field: fields[field] for field in API_FIELDS if field in fields}
    return [_line(text, MASK, in_block=True) for text in render_document({BLOCK: known}).splitlines()]


def _line(text: str, mark: str, *, in_block: bool) -> str:
    """``text`` if it is harmless, else as much of it as is. ``in_block``: it belongs to the selection."""
    plain = _COMMENT.sub("", text)
    comment = f"  # {mark}" if plain != text else ""
    field, item = _FIELD.fullmatch(plain), _ITEM.fullmatch(plain)
    if not plain.strip():
        return comment.strip()
    if in_block and item:
        return plain + comment
    if field is None or field[2] not in _NAMED:
        return mark
    if field[3] in _EMPTY or (field[2] in _WITH_VALUE and _VALUE.fullmatch(field[3])):
        return plain + comment
    return f"{field[1]}{field[2]}: {mark}"
