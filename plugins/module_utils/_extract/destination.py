# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Synchronizes a directory with the files of the included manifests. Never touches other files in it.

An inventory file in the directory lists the files that this module wrote, so it can remove those that are no longer
included. A file from another source is never listed, even if its content is identical.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .._files.files import cannot, check_access, is_part, make_directory, write_file
from .._problems import DestinationError, Problem, Problems

INVENTORY = ".capability-openshift-files"
"""The name has no suffix of a manifest, so neither the CVO nor kubectl reads the file."""

_SHOWN = 10


class DestinationPlan(NamedTuple):
    """Changes to a directory.

    ``written`` maps file names to their content (before, after); ``before`` is ``None`` for a new file. ``secrets`` are
    the names of files that contain a Secret. ``owned`` are the names in the new inventory.
    """

    dest: str
    files: Mapping[str, bytes]
    secrets: frozenset[str]
    written: Mapping[str, tuple[bytes | None, bytes]]
    removed: tuple[str, ...]
    owned: frozenset[str]
    inventory_changes: bool
    problems: tuple[Problem, ...]

    @property
    def changed(self) -> bool:
        """Whether the plan changes anything."""
        return bool(self.written or self.removed or self.inventory_changes)


def plan_destination(
    dest: str, files: Mapping[str, bytes], sources: tuple[str, ...], secrets: frozenset[str] = frozenset()
) -> DestinationPlan:
    """Compare ``dest`` with the content that it should have: ``files``, by name. Writes nothing.

    ``sources`` are the directories of the release; ``dest`` must be outside of them. Only the owner can read the files
    named in ``secrets``. Raises ``DestinationError`` for each obstacle to writing that can be detected in advance.
    """
    problems = Problems()
    dest = os.path.abspath(dest)
    _check_location(dest, sources, problems)
    problems.raise_errors(DestinationError)
    try:
        present = {entry.name for entry in os.scandir(dest)} if os.path.isdir(dest) else set()
        owned, has_inventory = _read_inventory(dest)
        written: dict[str, tuple[bytes | None, bytes]] = {}
        for name, data in files.items():
            path = os.path.join(dest, name)
            before = _content(path) if name in present else None
            if name in owned and name in present:
                _check_not_directory(path, problems)
            elif name in present and before != data:
                message = "exists with different content, and was not written by this module"
                problems.error("foreign-file", path, message, "Move the file, or choose another dest")
            if before != data or (name in secrets and name in owned and _is_open_to_others(path)):
                written[name] = (before, data)
        removed = tuple(sorted((owned & present) - set(files)))
        for name in removed:
            _check_not_directory(os.path.join(dest, name), problems)
    except OSError as error:
        raise DestinationError([cannot("read", dest, error)]) from None
    new_inventory = frozenset(written) | (owned & set(files) & present)
    inventory_changes = owned != new_inventory or not has_inventory
    if written or removed or inventory_changes:
        check_access(dest, "dest", problems)
    problems.raise_errors(DestinationError)
    _report_foreign_files(dest, present - owned - new_inventory - {INVENTORY}, problems)
    return DestinationPlan(dest, files, secrets, written, removed, new_inventory, inventory_changes, tuple(problems))


def apply_destination(plan: DestinationPlan) -> None:
    """Carry out ``plan``. The next run completes an interrupted one. Raises ``DestinationError``."""
    if not plan.changed:
        return
    make_directory(plan.dest)
    try:
        for name in os.listdir(plan.dest):
            if is_part(name):
                os.unlink(os.path.join(plan.dest, name))
        if plan.written or plan.removed:
            # First, so a file is listed even if this process is killed right after it wrote the file.
            owned, _has_inventory = _read_inventory(plan.dest)
            write_file(os.path.join(plan.dest, INVENTORY), _inventory(owned | plan.owned))
        for name, (_before, after) in plan.written.items():
            write_file(os.path.join(plan.dest, name), after, secret=name in plan.secrets)
        for name in plan.removed:
            os.unlink(os.path.join(plan.dest, name))
        write_file(os.path.join(plan.dest, INVENTORY), _inventory(plan.owned))
    except OSError as error:
        raise DestinationError([cannot("write", plan.dest, error)]) from None


def write_destination(
    dest: str, files: Mapping[str, bytes], sources: tuple[str, ...], secrets: frozenset[str], *, check_mode: bool
) -> DestinationPlan:
    """Plan ``dest`` and, unless in check mode, write it under a lock. Raises ``DestinationError``."""
    if check_mode or not os.path.isdir(dest):
        plan = plan_destination(dest, files, sources, secrets)
        if check_mode:
            return plan
        # The lock is on the directory itself. It is created only after the plan found no error.
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


def _check_location(dest: str, sources: tuple[str, ...], problems: Problems) -> None:
    if os.path.lexists(dest) and not os.path.isdir(dest):
        problems.error("not-a-directory", dest, "is a file, expected a directory or a new path", "Choose another dest")
        return
    inside = os.path.realpath(dest)
    for source in sources:
        outside = os.path.realpath(source)
        if inside == outside or inside.startswith(outside.rstrip(os.sep) + os.sep):
            message = f"is inside the release {source}"
            problems.error("inside-release", dest, message, "Choose a dest outside of the release")
            return


def _check_not_directory(path: str, problems: Problems) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        message = "is a directory, expected the file that this module wrote"
        problems.error("not-a-file", path, message, "Move the directory")


def _report_foreign_files(dest: str, names: set[str], problems: Problems) -> None:
    foreign = sorted(name for name in names if not is_part(name))
    if not foreign:
        return
    more = f" and {len(foreign) - _SHOWN} more" if len(foreign) > _SHOWN else ""
    message = f"contains files that this module did not write and does not touch: {', '.join(foreign[:_SHOWN])}{more}"
    problems.warning("foreign-files", dest, message, "Choose a separate dest if they do not belong there")


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
        # A name with a path was not written by this module, and must never lead to another directory.
        return {
            name for name in names if isinstance(name, str) and name == os.path.basename(name) and name.strip(".")
        }, True
    except (ValueError, KeyError, TypeError, RecursionError):
        hint = "Remove it; the files that it listed then count as foreign files"
        raise DestinationError(
            [Problem("error", "invalid-inventory", path, "is not a valid inventory", hint)]
        ) from None


def _inventory(names: set[str] | frozenset[str]) -> bytes:
    return (json.dumps({"files": sorted(names)}, indent=1) + "\n").encode()


def _content(path: str) -> bytes | None:
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, "rb") as handle:
        return handle.read()
