# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Corrects the selections of one file in its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._problems import Problem, Problems
from .checkout import CheckoutFile, read_again
from .document import SourceDocument, read_documents
from .edit import EditError, edit_site
from .objects import find_objects
from .overrides import read_overrides
from .site import Site, read_sites


class SelectionChange(NamedTuple):
    """A changed selection: the number of its site in the file, the resource, and the block before and after."""

    number: int
    resource: str
    before: Any
    after: Mapping[str, Any]


class FixedFile(NamedTuple):
    """A file to write. ``problems`` are those of sites that cannot be edited; they keep their text."""

    path: str
    real_path: str
    before: bytes
    after: bytes
    changes: tuple[SelectionChange, ...]
    problems: tuple[Problem, ...]


def fix_file(path: str, real_path: str, blocks: Mapping[int, Mapping[str, Any]]) -> FixedFile:
    """Write ``blocks`` into the sites of a file, by their number. Writes nothing to the disk, raises nothing."""
    problems = Problems()
    data = read_again(path, real_path, problems)
    if data is None:
        return FixedFile(path, real_path, b"", b"", (), tuple(problems))
    changes: list[SelectionChange] = []
    text = data.decode("utf-8")
    parts: list[str] = []
    done = number = 0
    for document in read_documents(CheckoutFile(path, real_path, data), Problems()):
        count = len(_sites(document))
        edited = document
        for index in range(count):
            block = blocks.get(number + index)
            if block is not None:
                edited = _edit(edited, index, number + index, block, changes, problems)
        parts += [text[done : document.start], edited.text]
        done = document.start + len(document.text)
        number += count
    after = "".join([*parts, text[done:]]).encode()
    return FixedFile(path, real_path, data, after, tuple(changes), tuple(problems))


def _edit(
    document: SourceDocument,
    index: int,
    number: int,
    block: Mapping[str, Any],
    changes: list[SelectionChange],
    problems: Problems,
) -> SourceDocument:
    """Edit one site. Returns the document that contains the result, parsed again."""
    site = _sites(document)[index]
    overrides = read_overrides(site, Problems())
    if overrides is None:
        return document
    try:
        text = edit_site(site, overrides, block)
    except EditError as error:
        for item in error.problems:
            where = f"{document.path}, line {site.line}"
            problems.append(item._replace(where=where, message=f"{site.resource}: {item.where}: {item.message}"))
        return document
    data = text.encode()
    (edited,) = read_documents(CheckoutFile(document.path, "", data), Problems())
    changes.append(SelectionChange(number, site.resource, overrides.values.get("capabilities"), block))
    return edited._replace(start=document.start, line=document.line)


def _sites(document: SourceDocument) -> list[Site]:
    return [site for origin in find_objects(document, Problems()) for site in read_sites(origin)]
