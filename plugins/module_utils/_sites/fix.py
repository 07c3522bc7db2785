# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Corrects the selections of a file in its text, shows what changes, and writes it."""

from __future__ import annotations

import difflib
import json
import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._data.capabilities import API_FIELDS
from .._files.checkout import CheckoutFile, read_again
from .._files.files import cannot, check_access, write_file
from .._problems import DestinationError, Location, Problem, Problems
from .._yaml.nodes import Node, Pair, own_pair, parse_tree
from .._yaml.values import YamlError
from .document import ANNOTATION, read_documents
from .edit import EditedDocument, edit_document, sites_in
from .overrides import BLOCK
from .site import SiteNode

_CONTROLS = frozenset("\t\n\r")
_HIDDEN = "(not shown)"
_NO_NEWLINE = "\n\\ No newline at end of file\n"


class FixedFile(NamedTuple):
    """A file to write. ``written`` are the numbers of the corrected sites in the file, from 0.

    ``patch`` is its unified diff, without anything but selections, if it is requested. ``left`` has the problem of each
    site that cannot be edited, by its number; they keep their text.
    """

    path: str
    real_path: str
    before: bytes
    after: bytes
    written: frozenset[int] = frozenset()
    patch: str = ""
    left: Mapping[int, Problem] = {}


def fix_file(path: str, real_path: str, blocks: Mapping[int, Mapping[str, Any]], *, with_patch: bool) -> FixedFile:
    """Write ``blocks`` into the sites of a file, by their number. Writes nothing to the disk, raises nothing."""
    problems = Problems()
    data = read_again(path, real_path, problems)
    if data is None:
        return FixedFile(path, real_path, b"", b"", left=dict.fromkeys(blocks, problems[0]))
    written: set[int] = set()
    left: dict[int, Problem] = {}
    changes: list[EditedDocument] = []
    text = data.decode("utf-8")
    parts: list[str] = []
    done = first = 0
    for document in read_documents(CheckoutFile(path, real_path, data), Problems()):
        sites = sites_in(document)
        wanted = {number: blocks[first + number] for number in range(len(sites)) if first + number in blocks}
        edited = edit_document(document, sites, wanted)
        written |= {first + number for number in edited.written}
        left |= {first + number: problem for number, problem in edited.left.items()}
        changes.append(edited)
        parts += [text[done : document.start], edited.text]
        done = document.start + len(document.text)
        first += len(sites)
    after = "".join([*parts, text[done:]]).encode()
    shown = patch(path, changes) if with_patch else ""
    return FixedFile(path, real_path, data, after, frozenset(written), shown, left)


def write_files(files: Iterable[FixedFile], *, check_mode: bool) -> None:
    """Replace each file at once. Raises ``DestinationError`` with all files that could not be written.

    Check mode reports missing permissions as well.
    """
    problems = Problems()
    for file in files:
        if read_again(file.path, file.real_path, problems) != file.before:
            hint = "Try again, one run at a time"
            problems.error("concurrent-change", Location(file.path), "has changed since it was read", hint)
            continue
        own = Problems()
        check_access(posixpath.dirname(file.real_path), "checkout", own)
        try:
            if not own and not check_mode:
                write_file(file.real_path, file.after)
        except OSError as error:
            own.append(cannot("write", file.path, error))
        problems += (item._replace(where=Location(file.path)) for item in own)
    problems.raise_errors(DestinationError)


def patch(path: str, changes: Sequence[EditedDocument]) -> str:
    """The unified diff of the documents of a file that changed, and nothing of the file but selections.

    The rest may contain secrets. So a hunk has no context, and a line with other values is shown without them.
    ``git apply --unidiff-zero`` and ``patch`` apply the diff if no line had to be shortened.
    """
    old, new = f"a/{path}", f"b/{path}"
    if set(path) & _CONTROLS:  # git quotes such a name as JSON does
        old, new = (json.dumps(name, ensure_ascii=False) for name in (old, new))
    lines = [f"--- {old}\n", f"+++ {new}\n"]
    shift = 0
    for change in changes:
        if change.document.text != change.text:
            lines += _shown_hunks(change, shift)
            shift += change.text.count("\n") - change.document.text.count("\n")
    return "".join(lines)


def _shown_hunks(change: EditedDocument, shift: int) -> Iterator[str]:
    """Yield the lines of the hunks. ``shift``: how many lines more the new file has before the document."""
    old, new = _Side(change.document.text, change.sites), _Side(change.text, change.new_sites)
    pairs = list(zip(change.sites, change.new_sites, old.places, new.places, strict=True))
    edited = [pair for pair in pairs if pair[0].site.overrides != pair[1].site.overrides]
    at = change.document.line - 1
    for tag, *ends in difflib.SequenceMatcher(None, old.lines, new.lines).get_opcodes():
        removed, added = range(*ends[:2]), range(*ends[2:])
        if tag == "equal":
            continue
        here = [pair for pair in edited if _overlap(pair[2], removed) or _overlap(pair[3], added)] or edited
        title = ", ".join(dict.fromkeys(node.site.resource for node, *_others in here))
        is_shown = old.selections.issuperset(removed) and new.selections.issuperset(added)
        # git apply refuses the whole patch if a hunk has other numbers of lines than its header says.
        sizes = (len(removed), len(added)) if is_shown else (len(here), len(here))
        places = f"-{_place(at + removed.start, sizes[0])} +{_place(at + shift + added.start, sizes[1])}"
        if is_shown:
            yield f"@@ {places} @@ {title}\n"
            yield from (_line("-", old.lines[number]) for number in removed)
            yield from (_line("+", new.lines[number]) for number in added)
        else:
            yield f"@@ {places} @@ {title}; other values of these lines are not shown\n"
            for node, new_node, *_places in here:
                yield f"-{_shortened(node)}\n"
                yield f"+{_shortened(new_node)}\n"


def _overlap(first: range, second: range) -> bool:
    return first.start < second.stop and second.start < first.stop


class _Side:
    """A document before or after. ``places`` are the lines of the selection of each of its sites, from 0.

    ``selections`` are the lines that contain selections and nothing else.
    """

    def __init__(self, text: str, nodes: Sequence[SiteNode]) -> None:
        parts = text.split("\n")
        self.lines = [f"{part}\n" for part in parts[:-1]] + parts[-1:] * bool(parts[-1])
        self.text = text
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self.places = [self._place(node) for node in nodes]
        self.selections = {
            number
            for node, place in zip(nodes, self.places, strict=True)
            for number in self._selection_lines(node, place)
        }

    def _place(self, node: SiteNode) -> range:
        if node.pair is None:
            return range(0)
        start, stop = (bisect_left(self._breaks, index) for index in _ends(node.pair))
        # The key of the first annotation comes with the key of all annotations.
        is_first = node.key == ANNOTATION and start > 0 and self.lines[start - 1].strip() == "annotations:"
        return range(start - is_first, stop + 1)

    def _selection_lines(self, node: SiteNode, place: range) -> range:
        pair, overrides = node.pair, node.site.overrides
        if pair is None or not _is_alone(self.text, pair):
            return range(0)
        if node.site.form != "overrides" or (overrides is not None and set(overrides.values) <= {BLOCK}):
            return place
        within = _lines_in_json(pair.value)
        first = bisect_left(self._breaks, pair.value.start) + 1
        return range(first + within.start, first + within.stop)


def _line(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}{_NO_NEWLINE}"


def _place(start: int, count: int) -> str:
    if count == 1:
        return str(start + 1)
    return f"{start + (count > 0)},{count}"


def _ends(pair: Pair) -> tuple[int, int]:
    """The first and the last index of a pair."""
    return pair.key.start, max(pair.key.start, pair.value.end - 1)


def _lines_in_json(value: Node) -> range:
    """The lines of a literal block, from 0, that contain the selection in its JSON, and nothing else."""
    try:
        root = parse_tree(value.value).root if value.style == "|" else None
    except YamlError:  # not all JSON is YAML
        return range(0)
    pair = own_pair(root, BLOCK) if root is not None else None
    if pair is None or not _is_alone(value.value, pair):
        return range(0)
    start, stop = (value.value.count("\n", 0, index) for index in _ends(pair))
    return range(start, stop + 1)


def _is_alone(text: str, pair: Pair) -> bool:
    """Whether the lines of ``pair`` contain nothing else but brackets, commas and comments."""
    before = text[text.rfind("\n", 0, pair.key.start) + 1 : pair.key.start]
    end = pair.value.end
    after = "" if text[end - 1 : end] == "\n" else text[end : (text.find("\n", end) + 1 or len(text) + 1) - 1]
    return not before.strip(" \t") and not after.partition("#")[0].strip(" \t\r,")


def _shortened(node: SiteNode) -> str:
    """The selection of a site on one line, without the other values of its line."""
    overrides = node.site.overrides
    block: Any = overrides.values.get(BLOCK) if overrides is not None else None
    if not isinstance(block, Mapping):
        return f"... {BLOCK}: {_HIDDEN if block is not None else 'none'} ..."
    fields = {key: value if key in API_FIELDS else _HIDDEN for key, value in block.items()}
    return f"... {BLOCK}: {json.dumps(fields)} ..."
