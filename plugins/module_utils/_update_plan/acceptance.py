# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an administrator accepts by name although it is against an update: until when, on which clusters, and why."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from .._problems import Problems, empty_option, nearest_name, type_name

_WILDCARDS = frozenset("*?[")
_ALL = "all"


class Acceptance(NamedTuple):
    """An entry of the option ``acceptances`` that has not expired.

    ``name``: as in ``UpdateReason``, or the name of a capability. ``expires``: the last day on which it counts, as
    ``YYYY-MM-DD``; empty if it always counts. ``clusters``: names or globs; empty means every cluster. ``where``: its
    place in the option.
    """

    name: str
    reason: str
    expires: str = ""
    clusters: tuple[str, ...] = ()
    where: str = ""

    def as_dict(self) -> dict[str, str | None]:
        """Convert to the form in the result."""
        return {"name": self.name, "reason": self.reason, "expires": self.expires or None}

    def concerns(self, names: Iterable[str]) -> bool:
        """Whether it counts for the cluster that has ``names``."""
        return not self.clusters or any(fnmatch.fnmatchcase(name, item) for name in names for item in self.clusters)


def read_acceptances(
    entries: Sequence[Mapping[str, Any]] | None, today: date, problems: Problems
) -> tuple[Acceptance, ...]:
    """Read the option ``acceptances``. An entry that expired before ``today`` accepts nothing, so it is left out."""
    read = (_read(entry, f"acceptances[{index}]", problems) for index, entry in enumerate(entries or ()))
    acceptances: list[Acceptance] = []
    for item in read:
        if item.expires and item.expires < today.isoformat():
            message = f"expired on {item.expires}, so this entry does not accept {item.name}"
            hint = "Decide again, then change expires, or remove it"
            problems.warning("expired-acceptance", item.where, message, hint)
        else:
            acceptances.append(item)
    return tuple(acceptances)


def _read(entry: Mapping[str, Any], where: str, problems: Problems) -> Acceptance:
    name, reason = (str(entry[field]).strip() for field in ("name", "reason"))
    clusters = entry.get("clusters")
    for field, value in {"name": name, "reason": reason}.items():
        if not value:
            problems.append(empty_option(f"{where}.{field}", required=True))
    if name.lower() == _ALL or not _WILDCARDS.isdisjoint(name):
        message = f"is {name!r}, expected the whole name of one reason or capability"
        hint = "Write an entry for each name; update_plan lists them in required_acceptances"
        problems.error("wildcard-name", f"{where}.name", message, hint)
    if clusters is not None and not clusters:
        hint = "Name the clusters, or remove it to accept the name on every cluster"
        problems.error("empty-list", f"{where}.clusters", "is empty", hint)
    expires = _read_date(entry.get("expires"), f"{where}.expires", problems)
    return Acceptance(name, reason, expires, tuple(clusters or ()), where)


def _read_date(value: object, where: str, problems: Problems) -> str:
    """Return the day as ``YYYY-MM-DD``. YAML makes a date of one that is not quoted."""
    if value is None:
        return ""
    text = str(value)
    try:
        if date.fromisoformat(text).isoformat() == text:
            return text
    except ValueError:
        pass
    shown = repr(text) if isinstance(value, (str, date)) else type_name(value)
    problems.error("invalid-date", where, f"is {shown}, expected a day", "Write YYYY-MM-DD")
    return ""


def acceptances_of(
    acceptances: Iterable[Acceptance], names: Collection[str], problems: Problems
) -> tuple[Acceptance, ...]:
    """Return the ``acceptances`` that count for the cluster that has ``names``, and report those that cannot.

    ``names``: empty if no name of the cluster is known.
    """
    if not names:
        for item in acceptances:
            if item.clusters:
                message = (
                    f"names clusters, but no name of this cluster is known, so this entry does not accept {item.name}"
                )
                problems.warning("unknown-cluster-name", f"{item.where}.clusters", message, "Set cluster_name")
    return tuple(item for item in acceptances if item.concerns(names))


def accepting(name: str, acceptances: Iterable[Acceptance]) -> Acceptance | None:
    """Return the first of ``acceptances`` that accepts ``name``; an empty one cannot be accepted."""
    return next((item for item in acceptances if name and item.name == name), None)


def check_used(
    acceptances: Iterable[Acceptance],
    matched: Collection[Acceptance],
    used: Collection[Acceptance],
    known: Collection[str],
    problems: Problems,
) -> None:
    """Report the ``acceptances`` that are not ``used``.

    ``matched``: those that concern a cluster. ``known``: the names that an entry could accept.
    """
    for item in acceptances:
        if item in used:
            continue
        if item not in matched:
            message = f"matches no cluster, so this entry does not accept {item.name}"
            problems.warning("unused-acceptance", f"{item.where}.clusters", message, "Correct the names, or remove it")
        elif item.name in known:
            message = f"accepts nothing: {item.name} is not against an update of its clusters, or accepted already"
            problems.warning("unused-acceptance", item.where, message, "Remove the entry when no cluster needs it")
        else:
            near = nearest_name(item.name, known)
            message = f"{item.name!r} is neither a gate, a risk, a capability nor a code that can be accepted"
            hint = f"Did you mean {near}?" if near else "Copy the name from required_acceptances of update_plan"
            problems.warning("unknown-acceptance", f"{item.where}.name", message, hint)
