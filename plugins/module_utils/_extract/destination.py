# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A directory that holds exactly the files we put there, beside files of others that we never touch.

An inventory file in the directory says which files we wrote, so that one that no longer belongs can go. A file that
somebody else put there is never ours, not even if it is the same to the byte.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .._module.files import access_problems, cannot, is_part, make_directory, write_file
from .._problems import DestinationError, Problem, raise_errors

INVENTORY = ".capability-openshift-files"
"""Has no suffix of a manifest, so that neither the CVO nor kubectl takes it for one."""

_SHOWN = 10


class DestinationPlan(NamedTuple):
    """What writing would do. ``written`` maps names to (before, after), ``None`` where there was no file.

    ``secrets`` are the names of files that hold a Secret; ``ours`` is the inventory that is to be.
    """

    dest: str
    files: Mapping[str, bytes]
    secrets: frozenset[str]
    written: Mapping[str, tuple[bytes | None, bytes]]
    removed: tuple[str, ...]
    ours: frozenset[str]
    inventory_changes: bool
    problems: tuple[Problem, ...]

    @property
    def changed(self) -> bool:
        """Whether applying the plan would change anything."""
        return bool(self.written or self.removed or self.inventory_changes)


def plan_destination(
    dest: str, files: Mapping[str, bytes], sources: tuple[str, ...], secrets: frozenset[str] = frozenset()
) -> DestinationPlan:
    """Compare ``dest`` with what it should hold: ``files``, by name.

    ``sources`` are the directories that the files come from; ``dest`` must not lie inside one. Files whose names are
    in ``secrets`` are readable for their owner alone. Nothing is written. Raises ``DestinationError`` wherever
    writing would fail, as far as that can be seen.
    """
    if not dest:
        raise DestinationError(
            [Problem("error", "todo", "dest", "is empty, expected a directory", "Name one or leave it out")]
        )
    dest = os.path.abspath(dest)
    problems = _location_problems(dest, sources)
    raise_errors(problems, DestinationError)
    try:
        present = {entry.name for entry in os.scandir(dest)} if os.path.isdir(dest) else set()
        ours, has_inventory = _read_inventory(dest)
        written: dict[str, tuple[bytes | None, bytes]] = {}
        for name, data in files.items():
            path = os.path.join(dest, name)
            before = _content(path) if name in present else None
            if name in ours and name in present:
                problems += _directory_problems(path)
            elif name in present and before != data:
                message = "is there already with other content, and was not written by this module"
                problems.append(Problem("error", "todo", path, message, "Move it away or choose another dest"))
            if before != data or (name in secrets and name in ours and _is_open_to_others(path)):
                written[name] = (before, data)
        removed = tuple(sorted((ours & present) - set(files)))
        for name in removed:
            problems += _directory_problems(os.path.join(dest, name))
    except OSError as error:
        raise DestinationError([cannot("read", dest, error)]) from None
    to_be_ours = frozenset(written) | (ours & set(files) & present)
    inventory_changes = ours != to_be_ours or not has_inventory
    if written or removed or inventory_changes:
        problems += access_problems(dest, "dest")
    raise_errors(problems, DestinationError)
    problems += _foreign_problems(dest, present - ours - to_be_ours - {INVENTORY})
    return DestinationPlan(dest, files, secrets, written, removed, to_be_ours, inventory_changes, tuple(problems))


def apply_destination(plan: DestinationPlan) -> None:
    """Write what ``plan`` says. Safe to be killed at any moment: the next run goes on. Raises ``DestinationError``."""
    if not plan.changed:
        return
    make_directory(plan.dest)
    try:
        for name in os.listdir(plan.dest):
            if is_part(name):
                os.unlink(os.path.join(plan.dest, name))
        if plan.written or plan.removed:
            # First of all: a file that we write is ours from the start, also if we get no further.
            ours, _known = _read_inventory(plan.dest)
            write_file(os.path.join(plan.dest, INVENTORY), _inventory(ours | plan.ours))
        for name, (_before, after) in plan.written.items():
            write_file(os.path.join(plan.dest, name), after, secret=name in plan.secrets)
        for name in plan.removed:
            os.unlink(os.path.join(plan.dest, name))
        write_file(os.path.join(plan.dest, INVENTORY), _inventory(plan.ours))
    except OSError as error:
        raise DestinationError([cannot("write", plan.dest, error)]) from None


def write_destination(
    dest: str, files: Mapping[str, bytes], sources: tuple[str, ...], secrets: frozenset[str], *, check_mode: bool
) -> DestinationPlan:
    """Plan ``dest`` and, unless in check mode, write it, with nobody else doing so at the same time.

    Raises ``DestinationError``.
    """
    if check_mode or not os.path.isdir(dest):
        plan = plan_destination(dest, files, sources, secrets)
        if check_mode:
            return plan
        # Made before it is locked, and only now, when nothing speaks against it: everybody locks the same directory.
        make_directory(plan.dest)
    with _locked(dest):
        plan = plan_destination(dest, files, sources, secrets)
        apply_destination(plan)
    return plan


@contextlib.contextmanager
def _locked(dest: str) -> Iterator[None]:
    try:
        descriptor = os.open(dest, os.O_RDONLY)
    except OSError as error:
        raise DestinationError([cannot("read", dest, error)]) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _location_problems(dest: str, sources: tuple[str, ...]) -> list[Problem]:
    if os.path.lexists(dest) and not os.path.isdir(dest):
        return [
            Problem("error", "todo", dest, "is a file, expected a directory (or nothing yet)", "Choose another dest")
        ]
    inside = os.path.realpath(dest)
    for source in sources:
        outside = os.path.realpath(source)
        if inside == outside or inside.startswith(outside.rstrip(os.sep) + os.sep):
            return [
                Problem(
                    "error", "todo", dest, f"lies inside the release {source}", "Choose a dest outside of the release"
                )
            ]
    return []


def _directory_problems(path: str) -> list[Problem]:
    if os.path.isdir(path) and not os.path.islink(path):
        return [Problem("error", "todo", path, "is a directory, and this module wrote a file there", "Move it away")]
    return []


def _foreign_problems(dest: str, names: set[str]) -> list[Problem]:
    foreign = sorted(name for name in names if not is_part(name))
    if not foreign:
        return []
    more = f" and {len(foreign) - _SHOWN} more" if len(foreign) > _SHOWN else ""
    message = f"holds files that are not ours and were left alone: {', '.join(foreign[:_SHOWN])}{more}"
    return [Problem("warning", "todo", dest, message, "Choose a dest of its own if they do not belong there")]


def _is_open_to_others(path: str) -> bool:
    return os.path.isfile(path) and bool(os.stat(path).st_mode & 0o077)


def _read_inventory(dest: str) -> tuple[set[str], bool]:
    path = os.path.join(dest, INVENTORY)
    if not os.path.lexists(path):
        return set(), False
    with open(path, "rb") as handle:
        data = handle.read()
    try:
        names = json.loads(data)["files"]
        # A name with a path in it was not written by us, and must never lead to another directory.
        return {
            name for name in names if isinstance(name, str) and name == os.path.basename(name) and name.strip(".")
        }, True
    except (ValueError, KeyError, TypeError, RecursionError):
        hint = "Remove it: the files that it named then count as those of somebody else"
        raise DestinationError([Problem("error", "todo", path, "is not an inventory that can be read", hint)]) from None


def _inventory(names: set[str] | frozenset[str]) -> bytes:
    return (json.dumps({"files": sorted(names)}, indent=1) + "\n").encode()


def _content(path: str) -> bytes | None:
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, "rb") as handle:
        return handle.read()
