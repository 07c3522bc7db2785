# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What the report of an update plan shows, in the order of reading, before it is Markdown or HTML.

A fleet has the same lists of resources in many plans. Each list has a number and is written out in the first place
only; the other places link to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

CellState = Literal["unknown", "off", "on", "turns-on", "requested"]

_STATE_TEXT: Mapping[CellState, str] = {
    "unknown": "·",
    "off": "off",
    "on": "on",
    "turns-on": "turns on",
    "requested": "requested",
}
_NO_CAPABILITY = "no capability"
_FIELDS = ("type", "status", "reason", "message")


class Resource(NamedTuple):
    """A resource as a list shows it. ``mark`` is empty or one thing worth knowing about it."""

    kind: str
    group: str
    name: str
    file: str
    mark: str


class Group(NamedTuple):
    """Resources of a list that have something in common: ``title``, such as the change of their annotation."""

    title: str
    resources: tuple[Resource, ...]


class Listing(NamedTuple):
    """A list of resources, to be written out where it is ``first``. ``plan`` is the number of the plan that has it."""

    number: int
    first: bool
    plan: int
    size: int
    what: str
    groups: tuple[Group, ...]


class EnablementCause(NamedTuple):
    """Why a capability turns on; ``source`` is where a fact comes from, if it is not the releases."""

    text: str
    source: str = ""
    listing: Listing | None = None


class Cell(NamedTuple):
    """A capability at one release. ``note`` says in a word or two why it turns on, ``causes`` say it in full."""

    state: CellState
    text: str
    note: str = ""
    causes: tuple[EnablementCause, ...] = ()


class Row(NamedTuple):
    """A capability along the path: a cell per release."""

    name: str
    cells: tuple[Cell, ...]


class Names(NamedTuple):
    """Capabilities that a hop does something to, and what that means."""

    title: str
    meaning: str
    names: Sequence[str]


class Section(NamedTuple):
    """A list of a hop; ``meaning`` says what happens to its resources, ``note`` adds to their number."""

    title: str
    note: str
    meaning: str
    listing: Listing


class HopView(NamedTuple):
    """One update of the path. ``nothing`` says what it does not do, or is empty."""

    id: str
    start: str
    end: str
    downgrade: bool
    blocked_by: Sequence[Mapping[str, str]]
    names: tuple[Names, ...]
    sections: tuple[Section, ...]
    nothing: str
    components: Sequence[Mapping[str, Any]]


class PlanView(NamedTuple):
    """A plan. ``turns_on`` are the names that nobody asked for, ``blocked`` the releases that the CVO would refuse."""

    number: int
    clusters: Sequence[str]
    path: str
    releases: Sequence[str]
    selection: str
    turns_on: tuple[str, ...]
    requested: tuple[str, ...]
    blocked: tuple[str, ...]
    rows: tuple[Row, ...]
    hops: tuple[HopView, ...]
    enabled: Sequence[str]
    implicitly_enabled: Sequence[str]
    condition: Mapping[str, str] | None
    condition_text: str


class ReportView(NamedTuple):
    """The whole report. ``shared`` are the numbers of the lists that more than one place shows."""

    title: str
    subtitle: str
    fleet: bool
    plans: tuple[PlanView, ...]
    shared: frozenset[int]
    problems: Sequence[Mapping[str, str]]
    problem_count: str


class _Listings:
    """All lists of a report, numbered as they come up."""

    def __init__(self) -> None:
        self._known: dict[str, Listing] = {}
        self._shared: set[int] = set()
        self.plan = 0

    @property
    def shared(self) -> frozenset[int]:
        """The numbers of the lists that came up more than once."""
        return frozenset(self._shared)

    def add(self, items: Sequence[Mapping[str, Any]], title: Callable[[Mapping[str, Any]], str], what: str) -> Listing:
        """Return the list of ``items``, grouped by ``title``; ``what`` is one of them (``resource``)."""
        key = json.dumps([what, items], sort_keys=True)
        known = self._known.get(key)
        if known:
            self._shared.add(known.number)
            return known._replace(first=False)
        groups: dict[str, list[Resource]] = {}
        for item in items:
            groups.setdefault(title(item), []).append(_resource(item))
        made = tuple(Group(name, tuple(resources)) for name, resources in groups.items())
        listing = Listing(len(self._known) + 1, True, self.plan, len(items), _counted(len(items), what), made)
        self._known[key] = listing
        return listing


def report_view(report: Mapping[str, Any]) -> ReportView:
    """Return what the report shows. ``report`` has ``plans`` and ``problems``, as the module update_plan makes them."""
    listings = _Listings()
    plans = tuple(_plan(number, plan, listings) for number, plan in enumerate(report["plans"], 1))
    clusters = sum(len(plan.clusters) for plan in plans)
    fleet = len(plans) > 1 or clusters > 0
    paths = {plan.path for plan in plans}
    title = f"Update plan {paths.pop()}" if len(paths) == 1 else "Update plans"
    subtitle = f"{_counted(len(plans), 'plan')} for {_counted(clusters, 'cluster')}" if fleet else ""
    problems = report["problems"]
    return ReportView(title, subtitle, fleet, plans, listings.shared, problems, _problem_count(problems))


def _plan(number: int, plan: Mapping[str, Any], listings: _Listings) -> PlanView:
    listings.plan = number
    hops = plan["hops"]
    rows = _rows(plan, listings)
    implicit = {entry["name"] for hop in hops for entry in hop["implicitly_enabled"] if not entry["requested"]}
    created = {name for hop in hops for name in hop["no_longer_optional"]}
    return PlanView(
        number=number,
        clusters=plan["clusters"],
        path=" → ".join(plan["releases"]),
        releases=plan["releases"],
        selection=_selection(plan["capabilities"]),
        turns_on=_sorted(implicit | created),
        requested=tuple(row.name for row in rows if any(cell.state == "requested" for cell in row.cells)),
        blocked=tuple(hop["to"] for hop in hops if hop["blocked_by"]),
        rows=rows,
        hops=tuple(_hop(f"plan-{number}-hop-{place}", hop, listings) for place, hop in enumerate(hops, 1)),
        enabled=plan["enabled_capabilities"],
        implicitly_enabled=plan["implicitly_enabled_capabilities"],
        condition=plan["condition"],
        condition_text=_condition_text(plan["condition"]),
    )


def _rows(plan: Mapping[str, Any], listings: _Listings) -> tuple[Row, ...]:
    hops = plan["hops"]
    if hops:
        known, enabled = set(hops[0]["known_before"]), set(hops[0]["enabled_before"])
    else:
        known, enabled = set(plan["known_capabilities"]), set(plan["enabled_capabilities"])
    names = known | enabled
    for hop in hops:
        names.update(hop["known_before"], hop["known_after"], hop["enabled_before"], hop["enabled_after"])
    return tuple(
        Row(name, (_cell(_standing(name, enabled, known)), *_hop_cells(name, hops, enabled, listings)))
        for name in _sorted(names)
    )


def _hop_cells(name: str, hops: Sequence[Mapping[str, Any]], start: set[str], listings: _Listings) -> list[Cell]:
    cells = []
    was_on = name in start
    for hop in hops:
        is_on = name in hop["enabled_after"]
        entries = [entry for entry in hop["implicitly_enabled"] if entry["name"] == name]
        requested = name in hop["newly_requested"]
        if is_on and not was_on:
            cells.append(_enabled_capabilities(hop, entries, requested, listings))
        else:
            cells.append(_cell(_standing(name, hop["enabled_after"], hop["known_after"])))
        was_on = is_on
    return cells


def _standing(name: str, enabled: Iterable[str], known: Iterable[str]) -> CellState:
    if name in enabled:
        return "on"
    return "off" if name in known else "unknown"


def _cell(state: CellState) -> Cell:
    return Cell(state, _STATE_TEXT[state])


def _enabled_capabilities(
    hop: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], requested: bool, listings: _Listings
) -> Cell:
    notes: list[str] = []
    causes: list[EnablementCause] = []
    if requested:
        causes.append(EnablementCause(f"The selection asks for it in {hop['to']}."))
    for entry in entries:
        if entry["cause"] == "forced":
            notes.append("forced")
            causes.append(
                EnablementCause(
                    "Forced: the cluster-version operator turns it on whatever is selected.", entry["source"]
                )
            )
        else:
            listing = listings.add(entry["resources"], _change, "resource")
            notes.append(listing.what)
            causes.append(EnablementCause(_moved_text(listing, requested), listing=listing))
    state: CellState = "requested" if requested else "turns-on"
    return Cell(state, _STATE_TEXT[state], ", ".join(notes), tuple(causes))


def _moved_text(listing: Listing, requested: bool) -> str:
    text = f"{listing.what} of the cluster {'needs' if listing.size == 1 else 'need'} it from now on"
    return f"{text}, so it would turn on without being asked for, too." if requested else f"{text}."


def _hop(place: str, hop: Mapping[str, Any], listings: _Listings) -> HopView:
    nothing = [verb for verb in ("added", "removed", "deleted") if not hop[verb]]
    return HopView(
        id=place,
        start=hop["from"],
        end=hop["to"],
        downgrade=hop["downgrade"],
        blocked_by=hop["blocked_by"],
        names=_names(hop),
        sections=tuple(_sections(hop, listings)),
        nothing=f"No resource is {_listed(nothing, 'or')}." if nothing else "",
        components=hop["created_components"],
    )


def _sections(hop: Mapping[str, Any], listings: _Listings) -> Iterator[Section]:
    for entry in hop["moved"]:
        meaning = f"The selection names {entry['name']}, and these resources of it need other capabilities now."
        yield Section(f"Moved: {entry['name']}", "", meaning, listings.add(entry["resources"], _change, "resource"))
    meanings = {
        "added": f"They come to the cluster with {hop['to']}.",
        "removed": f"{hop['to']} no longer applies them. They stay on the cluster, and nobody manages them.",
        "deleted": f"{hop['to']} deletes them.",
        "left_behind": f"They stay on the cluster, although {hop['to']} does not know them.",
    }
    for key, meaning in meanings.items():
        if hop[key] and not (key == "removed" and hop["left_behind"]):
            title = key.replace("_", " ").capitalize()
            yield Section(title, "", meaning, listings.add(hop[key], _capabilities, "resource"))
    requests = hop["credentials_requests"]
    if requests:
        new = sum(1 for request in requests if request["new"])
        listing = listings.add(requests, _provider, "CredentialsRequest")
        yield Section("Credentials", f"{new} new" if new else "", "The cloud has to grant what they ask for.", listing)


def _names(hop: Mapping[str, Any]) -> tuple[Names, ...]:
    end = hop["to"]
    found = [
        Names("Requested", f"The selection asks for these in {end}, and they were off.", hop["newly_requested"]),
        Names("New and off", f"{end} knows these, and nothing turns them on.", hop["newly_known"]),
        Names(
            "No longer optional",
            f"{end} does not know these, which were off, as capabilities, and creates what they bring.",
            hop["no_longer_optional"],
        ),
        Names(
            "Not in a fresh install",
            f"A fresh install of {end} with this selection would not have these.",
            hop["not_in_fresh_install"],
        ),
    ]
    return tuple(entry for entry in found if entry.names)


def _resource(item: Mapping[str, Any]) -> Resource:
    name = f"{item['namespace']}/{item['name']}" if item["namespace"] else item["name"]
    mark = "deleted by the release" if item.get("deleted") else "new" if item.get("new") else ""
    return Resource(item["kind"], item["group"], name, _file(item), mark)


def _file(item: Mapping[str, Any]) -> str:
    if "file" in item:
        return str(item["file"])
    before, after = item["from_file"], item["to_file"]
    return str(after) if before in (None, after) else f"{before} → {after}"


def _change(item: Mapping[str, Any]) -> str:
    before, after = _annotation(item["from_capabilities"]), _annotation(item["to_capabilities"])
    # Equal where the resource itself was found on the cluster, and not its manifest.
    return f"{before} → {after}" if before != after else f"{after}, on the cluster although it was off"


def _capabilities(item: Mapping[str, Any]) -> str:
    return _annotation(item["capabilities"])


def _provider(item: Mapping[str, Any]) -> str:
    return item["provider"] or "no provider named"


def _annotation(capabilities: Sequence[str]) -> str:
    """Return the annotation as it stands in a manifest."""
    return "+".join(capabilities) or _NO_CAPABILITY


def _selection(capabilities: Mapping[str, Any]) -> str:
    baseline = capabilities["baseline_capability_set"]
    additional = capabilities["additional_enabled_capabilities"]
    text = f"capability set {baseline}" if baseline else "the cluster default, which is capability set vCurrent"
    return f"{text}, with {_listed(additional, 'and')}" if additional else text


def _condition_text(condition: Mapping[str, str] | None) -> str:
    """Return the condition as YAML; JSON strings are YAML too."""
    if condition is None:
        return ""
    return "\n".join(f"{field}: {json.dumps(condition[field], ensure_ascii=False)}" for field in _FIELDS)


def _problem_count(problems: Sequence[Mapping[str, str]]) -> str:
    severities = [problem["severity"] for problem in problems]
    words = {"error": "error", "warning": "warning", "info": "note"}
    return _listed([_counted(n, word) for key, word in words.items() if (n := severities.count(key))], "and")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number:,} {what}s"


def _listed(words: Sequence[str], last: str) -> str:
    *front, end = words or [""]
    return f"{', '.join(front)} {last} {end}" if front else end


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: (name.lower(), name)))
