# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Corrects the selections of a file in its text, shows what changes, and writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._files.checkout import CheckoutFile, read_again
from .._files.files import cannot, write_file
from .._problems import DestinationError, Location, Problem, Problems
from .document import read_documents
from .edit import edit_document, sites_in
from .patch import DocumentChange, patch


class FixedFile(NamedTuple):
    """A file to write. ``written`` are the numbers of the corrected sites in the file, from 0.

    ``patch`` is its unified diff, without anything but selections, if it is requested. ``problems``: of sites
    that cannot be edited; they keep their text.
    """

    path: str
    real_path: str
    before: bytes
    after: bytes
    written: frozenset[int] = frozenset()
    patch: str = ""
    problems: tuple[Problem, ...] = ()


def fix_file(path: str, real_path: str, blocks: Mapping[int, Mapping[str, Any]], *, with_patch: bool) -> FixedFile:
    """Write ``blocks`` into the sites of a file, by their number. Writes nothing to the disk, raises nothing."""
    problems = Problems()
    data = read_again(path, real_path, problems)
    if data is None:
        return FixedFile(path, real_path, b"", b"", problems=tuple(problems))
    written: set[int] = set()
    changes: list[DocumentChange] = []
    text = data.decode("utf-8")
    parts: list[str] = []
    done = first = 0
    for document in read_documents(CheckoutFile(path, real_path, data), Problems()):
        sites = sites_in(document)
        wanted = {number: blocks[first + number] for number in range(len(sites)) if first + number in blocks}
        edited = edit_document(document, sites, wanted, problems)
        written |= {first + number for number in edited.written}
        if with_patch:
            changes.append(DocumentChange(document.line, document.text, edited.text, tuple(sites), edited.sites))
        parts += [text[done : document.start], edited.text]
        done = document.start + len(document.text)
        first += len(sites)
    after = "".join([*parts, text[done:]]).encode()
    shown = patch(path, changes) if with_patch else ""
    return FixedFile(path, real_path, data, after, frozenset(written), shown, tuple(problems))


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
