# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Corrects the selections of one file in its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._problems import Location, Problem, Problems
from .checkout import CheckoutFile, read_again
from .document import SourceDocument, read_documents
from .edit import EditError, edit_site, edit_sites
from .edit_check import SiteEdit
from .form import BLOCK
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
        wanted = {index: blocks[number + index] for index in range(count) if number + index in blocks}
        edited = _edit_all(document, wanted, number, changes) if len(wanted) > 1 else None
        if edited is None:
            edited = document
            for index, block in wanted.items():
                edited = _edit(edited, index, number + index, block, changes, problems)
        parts += [text[done : document.start], edited.text]
        done = document.start + len(document.text)
        number += count
    after = "".join([*parts, text[done:]]).encode()
    return FixedFile(path, real_path, data, after, tuple(changes), tuple(problems))


def _edit_all(
    document: SourceDocument, wanted: Mapping[int, Mapping[str, Any]], number: int, changes: list[SelectionChange]
) -> SourceDocument | None:
    """Edit all sites at once: one after the other, a list of 1,000 sites takes minutes. ``None`` if one fails."""
    sites = _sites(document)
    edits: list[SiteEdit] = []
    for index, block in wanted.items():
        overrides = read_overrides(sites[index], Problems())
        if overrides is None:
            return None
        edits.append(SiteEdit(sites[index], overrides, block))
    text = edit_sites(document, edits)
    if text is None:
        return None
    for index, edit in zip(wanted, edits, strict=True):
        changes.append(_change(number + index, edit))
    return document._replace(text=text)


def _change(number: int, edit: SiteEdit) -> SelectionChange:
    return SelectionChange(number, edit.site.resource, edit.overrides.values.get(BLOCK), edit.block)


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
    edit = SiteEdit(site, overrides, block)
    try:
        text = edit_site(edit)
    except EditError as error:
        for item in error.problems:
            where = Location(document.path, line=site.line)
            problems.append(item._replace(where=where, message=f"{site.resource}: {item.where}: {item.message}"))
        return document
    data = text.encode()
    (edited,) = read_documents(CheckoutFile(document.path, "", data), Problems())
    changes.append(_change(number, edit))
    return edited._replace(start=document.start, line=document.line)


def _sites(document: SourceDocument) -> list[Site]:
    return [site for origin in find_objects(document, Problems()) for site in read_sites(origin)]
