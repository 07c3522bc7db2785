# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Corrects the selections of a file in its text, shows what changes, and writes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._checkout.walk import CheckoutFile, read_again
from .._data.capabilities import API_FIELDS
from .._files import cannot, write_file
from .._module.result import diff_entry
from .._problems import DestinationError, Location, Problem, Problems
from .correction import HOSTED_DISABLED, HOSTED_ENABLED
from .document import read_documents
from .edit import edit_document, sites_in
from .site import BLOCK

_FIELDS = (*API_FIELDS, HOSTED_ENABLED, HOSTED_DISABLED)


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
            site = sites[number].site
            before = site.overrides.values.get(BLOCK) if site.overrides is not None else None
            changes.append(SelectionChange(first + number, site.resource, before, wanted[number]))
        parts += [text[done : document.start], edited.text]
        done = document.start + len(document.text)
        first += len(sites)
    after = "".join([*parts, text[done:]]).encode()
    return FixedFile(path, real_path, data, after, tuple(changes), tuple(problems))


def sites_diff(files: Iterable[FixedFile]) -> list[dict[str, str]]:
    """The selections before and after, and nothing else of a file, because the rest may contain secrets."""
    return [
        diff_entry(f"{file.path} ({change.resource})", _shown(change.before), _shown(change.after))
        for file in files
        for change in file.changes
    ]


def _shown(block: object) -> str:
    if block is None:
        return ""
    fields = block.items() if isinstance(block, dict) else ()
    lines = json.dumps({key: value if key in _FIELDS else "(removed)" for key, value in fields}, indent=2)
    return f"{lines}\n"


def write_files(files: Iterable[FixedFile]) -> None:
    """Replace each file at once. Raises ``DestinationError`` with all files that could not be written."""
    problems = Problems()
    for file in files:
        if read_again(file.path, file.real_path, problems) != file.before:
            hint = "Try again, one run at a time"
            problems.error("concurrent-change", Location(file.path), "has changed since it was read", hint)
            continue
        try:
            write_file(file.real_path, file.after)
        except OSError as error:
            problems.append(cannot("write", file.path, error)._replace(where=Location(file.path)))
    problems.raise_errors(DestinationError)
