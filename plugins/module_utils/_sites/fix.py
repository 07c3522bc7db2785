# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Corrects the selections of one file in its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._checkout.walk import CheckoutFile, read_again
from .._problems import Problem, Problems
from .document import read_documents
from .edit import edit_document, sites_in
from .form import BLOCK


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
    done = first = 0
    for document in read_documents(CheckoutFile(path, real_path, data), Problems()):
        sites = sites_in(document)
        wanted = {number: blocks[first + number] for number in range(len(sites)) if first + number in blocks}
        edited = edit_document(document, sites, wanted, problems)
        for number in edited.written:
            site, overrides = sites[number]
            before = overrides.values.get(BLOCK) if overrides is not None else None
            changes.append(SelectionChange(first + number, site.resource, before, wanted[number]))
        parts += [text[done : document.start], edited.text]
        done = document.start + len(document.text)
        first += len(sites)
    after = "".join([*parts, text[done:]]).encode()
    return FixedFile(path, real_path, data, after, tuple(changes), tuple(problems))
