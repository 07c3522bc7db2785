# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The content of the report of an update plan, in reading order, for its Markdown and its HTML.

A fleet has the same lists of resources in many plans. Each list has a number and is written out once; all other
occurrences link to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._data.feature_sets import DEFAULT_FEATURE_SET
from .._problems import plural
from . import words
from .words import STATES, CellState, annotation, listed


class Listing(NamedTuple):
    """A list of resources, written out if it is ``first``.

    ``groups``: the resources by what they share, for example the change of their annotation.
    """

    number: int
    first: bool
    size: int
    what: str
    groups: Mapping[str, Sequence[Mapping[str, str]]]


class EnablementCause(NamedTuple):
    """Why a capability is enabled. ``source``: the origin of a cause that is not in the releases."""

    text: str
    source: str = ""
    listing: Listing | None = None


class Cell(NamedTuple):
    """A capability at one release. ``note`` is the short reason why it is enabled, ``causes`` the full one."""

    state: CellState
    text: str
    note: str = ""
    causes: tuple[EnablementCause, ...] = ()


class Effect(NamedTuple):
    """What a hop does in one way to the capabilities ``names``, or to the resources in ``listing``."""

    title: str
    meaning: str
    names: Sequence[str] = ()
    listing: Listing | None = None
    note: str = ""


class _Listings:
    """All lists of a report, numbered in the order of their first occurrence."""

    def __init__(self) -> None:
        self._known: dict[str, Listing] = {}
        self._shared: set[int] = set()

    @property
    def shared(self) -> frozenset[int]:
        """The numbers of the lists that occur more than once."""
        return frozenset(self._shared)

    def add(self, items: Sequence[Mapping[str, Any]], title: Callable[[Mapping[str, Any]], str], noun: str) -> Listing:
        """Return the list of ``items``, grouped by ``title``. ``noun`` names one of them, such as ``resource``."""
        key = json.dumps([noun, items], sort_keys=True)
        known = self._known.get(key)
        if known:
            self._shared.add(known.number)
            return known._replace(first=False)
        groups: dict[str, list[dict[str, str]]] = {}
        for item in items:
            groups.setdefault(title(item), []).append(_resource(item))
        number, size = len(self._known) + 1, len(items)
        listing = Listing(number, first=True, size=size, what=plural(size, noun), groups=groups)
        self._known[key] = listing
        return listing


def report_view(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the report shows. ``report``: ``plans`` and ``problems``, as ``PlanSerializer.report`` returns them.

    ``shared``: the numbers of the lists that occur more than once. ``origin``: when and from what it was made, as
    labels and values.
    """
    listings = _Listings()
    plans = [_plan(number, plan, listings) for number, plan in enumerate(report["plans"], 1)]
    clusters = sum(len(plan["clusters"]) for plan in plans)
    fleet = len(plans) > 1 or clusters > 0
    if not fleet and report["required_acceptances"]:  # a fleet has a table of them, with their clusters
        plans[0]["facts"][words.REQUIRED] = listed([row["name"] for row in report["required_acceptances"]], "and")
    paths = {plan["path"] for plan in plans}
    return {
        "title": f"{words.TITLE} {paths.pop()}" if len(paths) == 1 else f"{words.TITLE}s",
        "subtitle": f"{plural(len(plans), 'plan')} for {plural(clusters, 'cluster')}" if fleet else "",
        "origin": tuple(_origin(report["origin"], fleet=fleet)),
        "fleet": fleet,
        "reasons": report["reasons"],
        "required": report["required_acceptances"],
        "plans": plans,
        "shared": listings.shared,
        "problems": report["problems"],
        "problem_count": _problem_count(report["problems"]),
    }


def _origin(origin: Mapping[str, Any], *, fleet: bool) -> Iterator[tuple[str, str]]:
    yield words.DATE, origin["date"]
    if not fleet:  # its plans name their clusters
        yield "Cluster", origin["cluster"] or "not known"
    for release in origin["releases"]:
        yield f"Release {release['version']}", release["name"]
    yield words.PLANNED_WITH, f"capability.openshift {origin['collection']}"


def _plan(number: int, plan: Mapping[str, Any], listings: _Listings) -> dict[str, Any]:
    """Return a plan and how it is shown. ``facts``: labels and values."""
    hops = plan["hops"]
    rows = _rows(plan, listings)
    not_checked = hops[0]["not_checked"] if hops else ()
    accepted = words.accepted_names(hops)
    return {
        **plan,
        "number": number,
        "tone": words.tone(plan["verdict"], plan["newly_enabled"], accepted, not_checked),
        "headline": words.headline(
            words.VERDICTS[plan["verdict"]].report, plan["newly_enabled"], accepted, not_checked
        ),
        "accepted_count": words.accepted_count(accepted),
        "meaning": words.meaning(plan["verdict"], accepted),
        "unchecked": words.unchecked(not_checked),
        "path": " → ".join(plan["releases"]),
        "selection": selection_text(plan),
        "facts": {
            words.SELECTION: selection_text(plan),
            "Platform": plan["platform"] or "not known",
            "Cluster profile": plan["cluster_profile"],
            "Feature set": plan["feature_set"] or DEFAULT_FEATURE_SET,
        },
        "rows": rows,
        "hops": [_hop(f"plan-{number}-hop-{position}", hop, listings) for position, hop in enumerate(hops, 1)],
    }


def selection_text(plan: Mapping[str, Any]) -> str:
    """Describe the selection of a plan."""
    capabilities = plan["capabilities"]
    excluded = capabilities.get("excluded_capabilities", ())
    return words.selection(
        capabilities["baseline_capability_set"], capabilities["additional_enabled_capabilities"], excluded
    )


def capability_states(plan: Mapping[str, Any]) -> dict[str, list[CellState]]:
    """Return the state of every capability at each release of the path: before the first hop, and after each hop."""
    hops = plan["hops"]
    known, enabled = plan["known_capabilities"], plan["enabled_capabilities"]
    if hops:
        known, enabled = hops[0]["known_before"], hops[0]["enabled_before"]
    names = {*known, *enabled}
    for hop in hops:
        names.update(hop["known_before"], hop["known_after"], hop["enabled_before"], hop["enabled_after"])
    return {name: [_state(name, enabled, known), *(_state_after(name, hop) for hop in hops)] for name in _sorted(names)}


def _state(name: str, enabled: Iterable[str], known: Iterable[str]) -> CellState:
    if name in enabled:
        return "enabled"
    return "disabled" if name in known else "unknown"


def _state_after(name: str, hop: Mapping[str, Any]) -> CellState:
    if name in hop["enabled_after"] and name not in hop["enabled_before"]:
        return "newly_requested" if name in hop["newly_requested"] else "newly_enabled"
    return _state(name, hop["enabled_after"], hop["known_after"])


def _rows(plan: Mapping[str, Any], listings: _Listings) -> dict[str, tuple[Cell, ...]]:
    """Return one cell for each release, by capability."""
    rows = {}
    for name, (start, *states) in capability_states(plan).items():
        cells = [_cell(state, name, hop, listings) for state, hop in zip(states, plan["hops"], strict=True)]
        rows[name] = (Cell(start, STATES[start].report), *cells)
    return rows


def _cell(state: CellState, name: str, hop: Mapping[str, Any], listings: _Listings) -> Cell:
    if state not in ("newly_enabled", "newly_requested"):
        return Cell(state, STATES[state].report)
    requested = state == "newly_requested"
    notes: list[str] = []
    causes = [EnablementCause(f"The selection requests it in {hop['to']}.")] if requested else []
    for entry in hop["implicitly_enabled"]:
        if entry["name"] != name:
            continue
        if entry["cause"] == "forced":
            notes.append(words.FORCED)
            text = "Forced: the cluster-version operator enables it for every selection."
            causes.append(EnablementCause(text, entry["source"]))
        else:
            listing = listings.add(entry["resources"], _change, "resource")
            notes.append(listing.what)
            text = f"{listing.what} of the cluster {'needs' if listing.size == 1 else 'need'} it from now on"
            text += ", so it would be enabled even if not requested." if requested else "."
            causes.append(EnablementCause(text, listing=listing))
    return Cell(state, STATES[state].report, ", ".join(notes), tuple(causes))


def _hop(anchor: str, hop: Mapping[str, Any], listings: _Listings) -> dict[str, Any]:
    """Return an update of the path and how it is shown. ``nothing`` lists what it does not do, or is empty."""
    names = words.accepted_names([hop])
    labels = {"added": words.ADDED, "removed": words.REMOVED, "deleted": words.DELETED}
    unchanged = [label.lower() for key, label in labels.items() if not hop[key]]
    return {
        **hop,
        "id": anchor,
        "tone": words.tone(hop["verdict"], hop["newly_enabled"], names, hop["not_checked"]),
        "headline": words.headline(words.VERDICTS[hop["verdict"]].report, hop["newly_enabled"], names),
        "names": (*_names(hop), *_accepted_capabilities(hop)),
        "sections": tuple(_sections(hop, listings)),
        "nothing": f"No resource is {listed(unchanged, 'or')}." if unchanged else "",
    }


def _sections(hop: Mapping[str, Any], listings: _Listings) -> Iterator[Effect]:
    end = hop["to"]
    for entry in hop["moved"]:
        meaning = f"The selection requests {entry['name']}, and these resources of it now need other capabilities."
        yield Effect(f"Moved: {entry['name']}", meaning, listing=listings.add(entry["resources"], _change, "resource"))
    sections = {
        "added": (words.ADDED, f"{end} creates them."),
        "removed": (
            words.REMOVED,
            f"{end} no longer applies them. They stay on the cluster and are no longer managed.",
        ),
        "deleted": (words.DELETED, f"{end} deletes them."),
    }
    if hop["downgrade"]:
        sections["removed"] = ("Orphaned", f"They stay on the cluster, although {end} does not apply them.")
    for key, (title, meaning) in sections.items():
        if hop[key]:
            yield Effect(title, meaning, listing=listings.add(hop[key], _capabilities, "resource"))
    requests = hop["credentials_requests"]
    if requests:
        new = sum(1 for request in requests if request["new"])
        listing = listings.add(requests, _capabilities, "CredentialsRequest")
        meaning = "The cloud has to grant the permissions that they request."
        yield Effect("CredentialsRequests", meaning, listing=listing, note=f"{new} {words.NEW}" if new else "")


def _names(hop: Mapping[str, Any]) -> Iterator[Effect]:
    end = hop["to"]
    fresh = words.NOT_IN_FRESH_INSTALL.format(end=end)
    created = f"{end} does not know these disabled capabilities, so it creates their components."
    for key, title, meaning in (
        ("newly_requested", "Requested", f"The selection requests these in {end}, and they were not enabled before."),
        ("newly_known", words.NEWLY_KNOWN, f"{end} knows these, and nothing enables them."),
        ("no_longer_optional", "No longer optional", created),
        ("not_in_fresh_install", fresh, "A fresh install with this selection would not have these."),
    ):
        if hop[key]:
            yield Effect(title, meaning, hop[key])


def _accepted_capabilities(hop: Mapping[str, Any]) -> Iterator[Effect]:
    for entry in hop["accepted"]:
        if entry["name"] in hop["newly_enabled"]:
            title = words.accepted_until(entry)
            yield Effect(f"{title[:1].upper()}{title[1:]}", f"{words.BECAUSE}: {entry['reason']}", [entry["name"]])


def _resource(item: Mapping[str, Any]) -> dict[str, str]:
    """Return how a resource is shown. ``mark``: one remark about it, or empty."""
    name = f"{item['namespace']}/{item['name']}" if item["namespace"] else item["name"]
    mark = words.DELETED_BY_RELEASE if item.get("deleted") else words.NEW if item.get("new") else ""
    return {"kind": item["kind"], "group": item["group"], "name": name, "file": _file(item), "mark": mark}


def _file(item: Mapping[str, Any]) -> str:
    if "file" in item:
        return str(item["file"])
    before, after = item["from_file"], item["to_file"]
    return str(after) if before in (None, after) else f"{before} → {after}"


def _change(item: Mapping[str, Any]) -> str:
    before, after = annotation(item["from_capabilities"]), annotation(item["to_capabilities"])
    # Equal if the plan compares with the cluster and the resource exists there although its capability is disabled.
    return f"{before} → {after}" if before != after else f"{after}, {words.EXISTS_DISABLED}"


def _capabilities(item: Mapping[str, Any]) -> str:
    return annotation(item["capabilities"])


def _problem_count(problems: Sequence[Mapping[str, str]]) -> str:
    severities = [problem["severity"] for problem in problems]
    nouns = {"error": "error", "warning": "warning", "info": "note"}
    return listed([plural(n, noun) for key, noun in nouns.items() if (n := severities.count(key))], "and")


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: (name.lower(), name)))
