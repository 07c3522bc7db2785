# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads an edited document back: the selections must be the new ones, and every other value must be unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._yaml.nodes import Node, parse_tree, walk
from .._yaml.values import YamlError
from .document import SourceDocument
from .form import BLOCK
from .overrides import Overrides
from .site import Site

_END_OF_PART = re.compile(r"[.\[]|\Z")
_ITEM = re.compile(r"(.*)\[[0-9]+\]", re.DOTALL)


class SiteEdit(NamedTuple):
    """A site, its overrides before, and the selection to write."""

    site: Site
    overrides: Overrides
    block: Mapping[str, Any]


def lists_of(block: Mapping[str, Any]) -> dict[str, list[str]]:
    """The fields of ``block`` that are lists."""
    return {field: value for field, value in block.items() if isinstance(value, list)}


def is_right(document: SourceDocument, edits: Sequence[SiteEdit], text: str) -> bool:
    """Whether ``text`` is ``document`` after ``edits``, and after nothing else."""
    try:
        root = parse_tree(text).root
    except YamlError:
        return False
    if root is None:
        return False
    paths = {id(node): path for path, node in walk(document.root)}
    places = [_place(edit.site, paths) for edit in edits]
    old, new = _values(document.root), _values(root)
    allowed = {path for place, edit in zip(places, edits, strict=True) for path in _allowed(place, edit)}
    changed = (path for path in {*old, *new} if old.get(path) != new.get(path))
    if None in places or not all(_is_below(path, allowed) for path in changed):
        return False
    lists: dict[str, list[str]] = {}
    for path, (_kind, value) in new.items():
        if item := _ITEM.fullmatch(path):
            lists.setdefault(item[1], []).append(value)
    return all(_is_written(place or "", edit, new, lists) for place, edit in zip(places, edits, strict=True))


def _place(site: Site, paths: Mapping[int, str]) -> str | None:
    """The path of the selection of ``site`` in its document, as ``walk`` builds it."""
    if site.parent is not None:
        path = paths.get(id(site.parent))
        return None if path is None else f"{path}.{site.field}".lstrip(".")
    metadata = site.document.get(site.origin.node, "metadata")
    path = paths.get(id(metadata))
    return None if path is None else f"{path}.annotations.{site.field}"


def _allowed(place: str | None, edit: SiteEdit) -> list[str]:
    """The paths below which values can change."""
    if edit.site.form in ("overrides", "block"):
        return [f"{place}"]
    return [f"{place}.{field}" for field in lists_of(edit.block)]


def _is_below(path: str, allowed: set[str]) -> bool:
    return any(path[: part.start()] in allowed for part in _END_OF_PART.finditer(path))


def _is_written(
    place: str, edit: SiteEdit, values: Mapping[str, tuple[str, str]], lists: Mapping[str, list[str]]
) -> bool:
    site, overrides, block = edit
    if site.form == "block":
        return True  # the edit has checked it
    if site.form != "overrides":
        return all(
            sorted(lists.get(f"{place}.{field}", [])) == sorted(names) for field, names in lists_of(block).items()
        )
    try:
        written = json.loads(values.get(place, ("", ""))[1])
    except ValueError:
        return False
    return bool(written == {**overrides.values, BLOCK: _ordered(written.get(BLOCK), block)})


def _ordered(written: object, block: Mapping[str, Any]) -> object:
    """``written`` if it is ``block`` with names in any order, else ``block``."""
    same = isinstance(written, dict) and {key: _sorted(value) for key, value in written.items()} == {
        key: _sorted(value) for key, value in block.items()
    }
    return written if same else block


def _sorted(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value


def _values(root: Node) -> dict[str, tuple[str, str]]:
    """The kind and value of each node that is not a map, by path."""
    return {
        path: (node.kind + node.tag, node.value)
        for path, node in walk(root)
        if node.kind in ("scalar", "alias") or not (node.pairs or node.items)
    }
