# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A plan as lines of plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from . import words
from .view import capability_states, enabled_by, selection_text
from .words import STATES, annotation, counted

_MOST_RESOURCES = 5
_MOST_CLUSTERS = 5
_MOST_PROBLEMS = 20
_MOST_REASONS = 5


def plan_lines(result: Mapping[str, Any], *, full: bool) -> list[str]:
    """Render ``result``, what the module update_plan returns, with or without details.

    ``full``: with the table of capabilities and the causes. It has no effect for a fleet.
    """
    lines = list(_fleet(result) if "plans" in result else _one_plan(result, full=full))
    if not result.get("report") and len(result.get("clusters") or ()) > _MOST_CLUSTERS:
        lines.append("To see each cluster with all its reasons, set report to a directory")
    return [*lines, *(f"Report: {file}" for file in result.get("report") or ())]


def _one_plan(plan: Mapping[str, Any], *, full: bool) -> Iterator[str]:
    yield f"{_headline(plan)}: {_path(plan)}, {words.SELECTION.lower()}: {selection_text(plan)}"
    if full:
        yield ""
        yield from _table(plan)
        yield f"({'; '.join(f'{shown.text} = {shown.meaning}' for shown in STATES.values())})"
    yield ""
    for hop in plan["hops"]:
        yield from _hop(hop, full=full)
    condition = plan["condition"]
    if condition:
        state = f"{condition['type']} is {condition['status']} ({condition['reason']})"
        yield f"{words.AT_END} {state}: {condition['message']}"
    else:
        yield words.NO_CONDITION
    if full:
        yield words.COMPARE


def _table(plan: Mapping[str, Any]) -> Iterator[str]:
    rows = {name: [STATES[state].text for state in states] for name, states in capability_states(plan).items()}
    first = max(map(len, (words.CAPABILITY, *rows))) + 2
    width = max(map(len, (*plan["releases"], *chain.from_iterable(rows.values())))) + 2
    for name, cells in {words.CAPABILITY.upper(): plan["releases"], **rows}.items():
        yield "".join([name.ljust(first), *(cell.ljust(width) for cell in cells)]).rstrip()


def _hop(hop: Mapping[str, Any], *, full: bool) -> Iterator[str]:
    mark = f" ({words.DOWNGRADE})" if hop["downgrade"] else ""
    yield f"{hop['verdict']}: {hop['from']} -> {hop['to']}{mark} {_effects(hop)}"
    for reason in hop["reasons"]:
        yield f"  {reason['verdict']}: {reason['message']} ({reason['reason']}; {reason['source']}). {reason['hint']}"
    for item in hop["not_checked"]:
        yield f"  {words.NOT_CHECKED.lower()}: {item['message']}"
    if full:
        for entry in hop["implicitly_enabled"]:
            yield from _causes(entry, hop)
        yield from _names(hop)
        yield from _resources(hop)
        yield ""


def _effects(hop: Mapping[str, Any]) -> str:
    implicit = [f"{item['name']} ({_reason(item)})" for item in hop["implicitly_enabled"] if not item["requested"]]
    effects = [f"{words.ENABLES.lower()} {', '.join(implicit) or words.NOTHING_UNREQUESTED}"]
    if hop["newly_requested"]:
        effects.append(f"{words.SELECTION_REQUESTS} {', '.join(hop['newly_requested'])}")
    if hop["no_longer_optional"]:
        effects.append(words.CREATES.format(names=", ".join(hop["no_longer_optional"]), end=hop["to"]))
    return "; ".join(effects)


def _reason(entry: Mapping[str, Any]) -> str:
    return words.FORCED if entry["cause"] == "forced" else counted(entry["count"], "resource")


def _causes(entry: Mapping[str, Any], hop: Mapping[str, Any]) -> Iterator[str]:
    source = f", {entry['source']}" if entry["cause"] == "forced" else ""
    also = f", {words.ALSO_REQUESTED}" if entry["requested"] else ""
    yield f"  {entry['name']}{also}: {_reason(entry)}{source}"
    shown = entry["resources"][:_MOST_RESOURCES]
    for item in shown:
        change = f"{annotation(item['from_capabilities'])} -> {annotation(item['to_capabilities'])}"
        remarks = [words.EXISTS_ONLY.format(start=hop["from"])] if not item["from_file"] else []
        if item["from_file"] and entry["name"] in item["from_capabilities"]:
            remarks.append(words.EXISTS_DISABLED)
        remarks += [words.DELETED_BY_RELEASE] if item["deleted"] else []
        yield f"    {', '.join([f'{_resource(item)}: {change}', *remarks])}"
    if entry["count"] > len(shown):
        yield f"    and {entry['count'] - len(shown):,} more"


def _names(hop: Mapping[str, Any]) -> Iterator[str]:
    labels = {"newly_known": words.NEWLY_KNOWN, "not_in_fresh_install": words.NOT_IN_FRESH_INSTALL}
    for key, label in labels.items():
        if hop[key]:
            yield f"  {_lower(label.format(end=hop['to']))}: {', '.join(hop[key])}"
    for entry in hop.get("moved") or ():
        resources = entry["resources"]
        need = "needs" if len(resources) == 1 else "need"
        count = counted(len(resources), "resource")
        yield f"  {words.MOVED_SUMMARY.format(name=entry['name'], resources=count, need=need)}"


def _resources(hop: Mapping[str, Any]) -> Iterator[str]:
    if "added" not in hop:  # without details
        return
    new = [item for item in hop["credentials_requests"] if item["new"]]
    changes = ", ".join(
        [
            f"{counted(len(hop['added']), 'resource')} {words.ADDED.lower()}",
            f"{len(hop['removed']):,} {words.REMOVED.lower()}",
            f"{len(hop['deleted']):,} {words.DELETED.lower()}",
        ]
    )
    requests = f"{counted(len(hop['credentials_requests']), 'CredentialsRequest')}, {len(new)} {words.NEW}"
    yield f"  {changes}; {requests}"
    for item in new:
        yield f"    {_resource(item)} ({annotation(item['capabilities'])})"
    if hop["live_only"]:
        yield f"  {words.LIVE_ONLY_SUMMARY.format(end=hop['to'])}: {counted(len(hop['live_only']), 'resource')}"
    for item in hop["live_only"][:_MOST_RESOURCES]:
        yield f"    {_resource(item)}: {words.managed_with(item['disabled_capabilities'])}"
    if len(hop["live_only"]) > _MOST_RESOURCES:
        yield f"    and {len(hop['live_only']) - _MOST_RESOURCES:,} more"


def _fleet(result: Mapping[str, Any]) -> Iterator[str]:
    plans = result["plans"]
    members: dict[int, list[str]] = {}
    for name, position in result["clusters"].items():
        members.setdefault(position, []).append(name)
    total = f"{counted(len(result['clusters']), 'cluster')}, {counted(len(plans), 'distinct plan')}"
    yield f"{total}: {_verdict_counts(plans, members)}{_remarks(plans, members)}"
    yield ""
    for position, plan in enumerate(plans):
        names = members.get(position, [])
        clusters = f"{counted(len(names), 'cluster')} ({_first_of(names)})"
        effects = f"{words.ENABLES.lower()} {', '.join(enabled_by(plan)) or words.NOTHING_UNREQUESTED}"
        selection = f"{words.SELECTION.lower()}: {selection_text(plan)}"
        yield f"{_headline(plan)}: {clusters}, {selection}: {_path(plan)} {effects}"
        yield from _first_reasons(plan)
    yield from _fleet_problems(result)


def _verdict_counts(plans: Sequence[Mapping[str, Any]], members: Mapping[int, Sequence[str]]) -> str:
    """Return how many clusters have each verdict, the most serious first."""
    counts = dict.fromkeys(reversed(tuple(words.VERDICTS)), 0)
    for position, plan in enumerate(plans):
        counts[plan["verdict"]] += len(members.get(position, ()))
    return ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items() if count)


def _remarks(plans: Sequence[Mapping[str, Any]], members: Mapping[int, Sequence[str]]) -> str:
    """Return on how many clusters something is permanent or not known, empty if there is none."""

    def count(flag: Callable[[Mapping[str, Any]], bool]) -> int:
        return sum(len(members.get(position, ())) for position, plan in enumerate(plans) if flag(plan))

    counts = {"enabled": count(lambda plan: bool(plan["newly_enabled"]))}
    counts["unchecked"] = count(lambda plan: not plan["cluster_checked"])
    remarks = [
        text.format(**counts) for text, number in zip(words.FLEET_REMARKS, counts.values(), strict=True) if number
    ]
    return f"; {', and '.join(remarks)}" if remarks else ""


def _headline(plan: Mapping[str, Any]) -> str:
    return words.headline(plan["verdict"], plan["newly_enabled"], plan["hops"][0]["not_checked"])


def _first_reasons(plan: Mapping[str, Any]) -> Iterator[str]:
    reasons = [(hop, reason) for hop in plan["hops"] for reason in hop["reasons"]]
    for hop, reason in reasons[:_MOST_REASONS]:
        yield f"  {reason['verdict']} in {hop['to']}: {reason['message']} ({reason['reason']}). {reason['hint']}"
    if len(reasons) > _MOST_REASONS:
        yield f"  and {len(reasons) - _MOST_REASONS:,} more reasons"


def _fleet_problems(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the warnings of single plans. The module warns of those that all plans have."""
    found = [item for plan in result["plans"] for item in plan["problems"] if item not in result["problems"]]
    lines = list(dict.fromkeys(_problem(item) for item in found if item["severity"] == "warning"))
    if lines:
        yield ""
        yield from lines[:_MOST_PROBLEMS]
    if len(lines) > _MOST_PROBLEMS:
        yield f"and {len(lines) - _MOST_PROBLEMS:,} more, see the problems of each plan in the result"


def _problem(item: Mapping[str, str]) -> str:
    hint = f". {item['hint']}" if item["hint"] else ""
    return f"{item['severity']}: {item['where']}: {item['message']}{hint}"


def _path(plan: Mapping[str, Any]) -> str:
    return " -> ".join(plan["releases"])


def _resource(item: Mapping[str, Any]) -> str:
    namespace = f"{item['namespace']}/" if item["namespace"] else ""
    return f"{item['kind']} {namespace}{item['name']}"


def _first_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_CLUSTERS:,} more" if len(names) > _MOST_CLUSTERS else ""
    return f"{', '.join(names[:_MOST_CLUSTERS])}{more}"


def _lower(label: str) -> str:
    return label[:1].lower() + label[1:]
