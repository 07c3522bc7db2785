# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A directory that holds exactly the files we put there, beside files of others that we never touch.

An inventory file in the directory says which files are ours, so that one that no longer belongs can go.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from typing import NamedTuple

from ._domain.errors import DestinationError, Problem, raise_errors

INVENTORY = ".capability-openshift-files"
"""Has no suffix of a manifest, so that neither the CVO nor kubectl takes it for one."""

_SHOWN = 10


class DestinationPlan(NamedTuple):
    """What writing would do. ``written`` maps names to (before, after), ``None`` where there was no file."""

    dest: str
    files: Mapping[str, bytes]
    written: Mapping[str, tuple[bytes | None, bytes]]
    removed: Mapping[str, bytes]
    inventory_changes: bool
    problems: tuple[Problem, ...]

    @property
    def changed(self) -> bool:
        """Whether applying the plan would change anything."""
        return bool(self.written or self.removed or self.inventory_changes)


def plan_destination(dest: str, files: Mapping[str, bytes], source: str) -> DestinationPlan:
    """Compare ``dest`` with what it should hold: ``files``, by name.

    ``source`` is the directory that the files come from; ``dest`` must not lie inside it. Nothing is written.
    Raises ``DestinationError``.
    """
    problems = _place_problems(dest, source)
    raise_errors(problems, DestinationError)
    try:
        present = {entry.name for entry in os.scandir(dest)} if os.path.isdir(dest) else set()
        ours, has_inventory = _read_inventory(dest)
        written: dict[str, tuple[bytes | None, bytes]] = {}
        for name, data in files.items():
            before = _content(os.path.join(dest, name)) if name in present else None
            if name in present and before != data and name not in ours:
                message = "is there already with other content, and was not written by this module"
                mend = "Move it away or choose another dest"
                problems.append(Problem("error", os.path.join(dest, name), message, mend))
            elif before != data:
                written[name] = (before, data)
        removed = {name: _content(os.path.join(dest, name)) or b"" for name in sorted((ours & present) - set(files))}
    except OSError as error:
        raise DestinationError([_cannot("read", dest, error)]) from None
    raise_errors(problems, DestinationError)
    foreign = sorted(present - ours - set(files) - {INVENTORY})
    if foreign:
        more = f" and {len(foreign) - _SHOWN} more" if len(foreign) > _SHOWN else ""
        message = f"holds files that are not ours and were left alone: {', '.join(foreign[:_SHOWN])}{more}"
        problems.append(Problem("warning", dest, message, "Choose a dest of its own if they do not belong there"))
    inventory_changes = ours != set(files) or not has_inventory
    return DestinationPlan(dest, files, written, removed, inventory_changes, tuple(problems))


def apply_destination(plan: DestinationPlan) -> None:
    """Write what ``plan`` says. Safe to be killed at any moment: the next run goes on. Raises ``DestinationError``."""
    try:
        os.makedirs(plan.dest, exist_ok=True)
        if plan.written or plan.removed:
            # First of all: a file that we write is ours from the start, also if we get no further.
            ours, _known = _read_inventory(plan.dest)
            _write_inventory(plan.dest, ours | set(plan.files))
        for name, (_before, after) in plan.written.items():
            _write(plan.dest, name, after)
        for name in plan.removed:
            os.unlink(os.path.join(plan.dest, name))
        if plan.changed:
            _write_inventory(plan.dest, set(plan.files))
    except OSError as error:
        raise DestinationError([_cannot("write", plan.dest, error)]) from None


def holds_secret(data: bytes) -> bool:
    """Tell whether a file may hold a Secret; sooner once too often than once too seldom."""
    return re.search(rb"kind[\"']?\s*:\s*[\"']?Secret\b", data) is not None


def _place_problems(dest: str, source: str) -> list[Problem]:
    if os.path.lexists(dest) and not os.path.isdir(dest):
        return [Problem("error", dest, "is a file, expected a directory (or nothing yet)", "Choose another dest")]
    inside, outside = os.path.realpath(dest), os.path.realpath(source)
    if inside == outside or inside.startswith(outside.rstrip(os.sep) + os.sep):
        return [Problem("error", dest, f"lies inside the release {source}", "Choose a dest outside of the release")]
    return []


def _read_inventory(dest: str) -> tuple[set[str], bool]:
    path = os.path.join(dest, INVENTORY)
    if not os.path.lexists(path):
        return set(), False
    with open(path, "rb") as handle:
        data = handle.read()
    try:
        names = json.loads(data)["files"]
        # A name with a path in it was not written by us, and must never lead to another directory.
        safe = {
            name
            for name in names
            if isinstance(name, str) and name == os.path.basename(name) and name not in ("", ".", "..")
        }
    except (ValueError, KeyError, TypeError):
        mend = "Remove it: files that are as they should be are recognised, others are left alone"
        raise DestinationError([Problem("error", path, "is not an inventory that can be read", mend)]) from None
    return safe, True


def _write_inventory(dest: str, names: set[str]) -> None:
    _write(dest, INVENTORY, (json.dumps({"files": sorted(names)}, indent=1) + "\n").encode())


def _content(path: str) -> bytes | None:
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, "rb") as handle:
        return handle.read()


def _write(dest: str, name: str, data: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".part", dir=dest)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            os.fchmod(handle.fileno(), 0o600 if holds_secret(data) else 0o666 & ~_umask())
        os.replace(temporary, os.path.join(dest, name))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _cannot(verb: str, dest: str, error: OSError) -> Problem:
    return Problem(
        "error", error.filename or dest, f"cannot {verb}: {error.strerror or error}", "Check the permissions"
    )
