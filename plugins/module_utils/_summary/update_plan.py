# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of update_plan as text, in the words of its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .._problems import plural
from .._report import words
from .._report.view import capability_states, selection_text
from .._report.words import STATES, annotation
from .words import first_of, listed, problem_line, resource_text, sorted_names, table

_MOST = 5
_MOST_PROBLEMS = 20


def summary_lines(result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """The plan, with details unless ``full`` is false, and its violations if ``options`` are the ones of the module.

    ``options`` can have ``check_mode``.
    """
    if "violations" not in result:
        return []
    lines = list(_fleet(result) if "plans" in result else _one_plan(result, full=options.get("full", True)))
    if not result.get("report") and len(result.get("clusters") or ()) > _MOST:
        lines.append("To see each cluster with all its reasons, set report to a directory")
    label = "Report, not written" if options.get("check_mode") and result["changed"] else "Report"
    lines += (f"{label}: {file}" for file in result.get("report") or ())
    return [*lines, *(result.get("msg", "").splitlines() if "fail_on" in options else [])]


def _one_plan(plan: Mapping[str, Any], *, full: bool) -> Iterator[str]:
    yield f"{_headline(plan)}: {_path(plan)}, selection: {selection_text(plan)}"
    if full:
        states = {name: [STATES[state].text for state in row] for name, row in capability_states(plan).items()}
        yield ""
        yield from table([["CAPABILITY", *plan["releases"]], *([name, *row] for name, row in states.items())])
        yield f"({'; '.join(f'{shown.text} = {shown.meaning}' for shown in STATES.values())})"
    yield ""
    for hop in plan["hops"]:
        yield from _hop(hop, full=full)
    if plan["required_acceptances"]:
        yield f"{words.REQUIRED}: {listed(row['name'] for row in plan['required_acceptances'])}"
    condition = plan["condition"]
    if condition:
        state = f"{condition['type']} is {condition['status']} ({condition['reason']})"
        yield f"{words.AT_END} {state}: {condition['message']}"
    else:
        yield "The last release has no capabilities, so the cluster shows no condition."
    if full:
        yield words.COMPARE


def _hop(hop: Mapping[str, Any], *, full: bool) -> Iterator[str]:
    mark = f" ({words.DOWNGRADE})" if hop["downgrade"] else ""
    yield f"{hop['verdict']}: {hop['from']} -> {hop['to']}{mark} {_effects(hop)}"
    yield from against_lines(hop, [f"{reason['reason']}; {reason['source']}" for reason in hop["reasons"]])
    if full:
        for entry in hop["implicitly_enabled"]:
            yield from _causes(entry, hop)
        yield from _names(hop)
        yield from _resources(hop)
        yield ""


def against_lines(hop: Mapping[str, Any], origins: Sequence[str]) -> Iterator[str]:
    """Yield what is against a hop, what of it is accepted, until when and why, and what was not checked.

    ``origins``: how each of its reasons is identified.
    """
    yield from map(_reason_line, hop["reasons"], origins)
    yield from _accepted_capabilities(hop)
    for item in hop["not_checked"]:
        yield f"  {words.NOT_CHECKED.lower()}: {item['message']}"


def _accepted_capabilities(hop: Mapping[str, Any]) -> Iterator[str]:
    for entry in hop["accepted"]:
        if entry["name"] in hop["newly_enabled"]:
            yield f"  {words.accepted_until(entry)}: enables {entry['name']}. {words.BECAUSE}: {entry['reason']}"


def _reason_line(reason: Mapping[str, Any], origin: str, place: str = "") -> str:
    entry = reason["accepted"]
    state = words.accepted_until(entry) if entry else reason["verdict"]
    end = f"{words.BECAUSE}: {entry['reason']}" if entry else reason["hint"]
    return f"  {state}{place}: {reason['message']} ({origin}). {end}"


def _effects(hop: Mapping[str, Any]) -> str:
    implicit = [f"{item['name']} ({_reason(item)})" for item in hop["implicitly_enabled"] if not item["requested"]]
    effects = [_enables(implicit)]
    if hop["newly_requested"]:
        effects.append(f"the selection requests {', '.join(hop['newly_requested'])}")
    if hop["no_longer_optional"]:
        names = ", ".join(hop["no_longer_optional"])
        effects.append(f"creates the components of {names}, which {hop['to']} does not know as capabilities")
    return "; ".join(effects)


def _enables(names: Sequence[str]) -> str:
    return f"enables {', '.join(names) or 'nothing that is not requested'}"


def _reason(entry: Mapping[str, Any]) -> str:
    return words.FORCED if entry["cause"] == "forced" else plural(entry["count"], "resource")


def _causes(entry: Mapping[str, Any], hop: Mapping[str, Any]) -> Iterator[str]:
    source = f", {entry['source']}" if entry["cause"] == "forced" else ""
    also = ", also requested by the selection" if entry["requested"] else ""
    yield f"  {entry['name']}{also}: {_reason(entry)}{source}"
    shown = entry["resources"][:_MOST]
    for item in shown:
        change = f"{annotation(item['from_capabilities'])} -> {annotation(item['to_capabilities'])}"
        remarks = [] if item["from_file"] else [f"exists on the cluster but not in {hop['from']}"]
        if item["from_file"] and entry["name"] in item["from_capabilities"]:
            remarks.append(words.EXISTS_DISABLED)
        remarks += [words.DELETED_BY_RELEASE] if item["deleted"] else []
        yield f"    {', '.join([f'{resource_text(item)}: {change}', *remarks])}"
    if entry["count"] > len(shown):
        yield f"    and {entry['count'] - len(shown):,} more"


def _names(hop: Mapping[str, Any]) -> Iterator[str]:
    labels = {"newly_known": words.NEWLY_KNOWN, "not_in_fresh_install": words.NOT_IN_FRESH_INSTALL}
    for key, label in labels.items():
        if hop[key]:
            yield f"  {label[:1].lower()}{label[1:].format(end=hop['to'])}: {', '.join(hop[key])}"
    for entry in hop.get("moved") or ():
        need = "needs" if len(entry["resources"]) == 1 else "need"
        moved = plural(len(entry["resources"]), "resource")
        yield f"  the selection requests {entry['name']}, and {moved} of it now {need} other capabilities"


def _resources(hop: Mapping[str, Any]) -> Iterator[str]:
    if "added" not in hop:  # without details
        return
    new = [item for item in hop["credentials_requests"] if item["new"]]
    changes = [
        f"{plural(len(hop['added']), 'resource')} {words.ADDED.lower()}",
        f"{len(hop['removed']):,} {words.REMOVED.lower()}",
        f"{len(hop['deleted']):,} {words.DELETED.lower()}",
    ]
    requests = f"{plural(len(hop['credentials_requests']), 'CredentialsRequest')}, {len(new)} {words.NEW}"
    yield f"  {', '.join(changes)}; {requests}"
    yield from (f"    {resource_text(item)} ({annotation(item['capabilities'])})" for item in new)


def _fleet(result: Mapping[str, Any]) -> Iterator[str]:
    plans = result["plans"]
    members: list[list[str]] = [[] for _plan in plans]
    for name, position in result["clusters"].items():
        members[position].append(name)
    total = f"{plural(len(result['clusters']), 'cluster')}, {plural(len(plans), 'distinct plan')}"
    yield f"{total}: {_verdict_counts(plans, members)}{_remarks(plans, members)}"
    yield from _shared_reasons(result["reasons"])
    yield from _required_acceptances(result["required_acceptances"])
    yield ""
    for plan, names in zip(plans, members, strict=True):
        clusters = f"{plural(len(names), 'cluster')} ({first_of(names, _MOST)})"
        effects = _enables(sorted_names(_unrequested(plan)))
        yield f"{_headline(plan)}: {clusters}, selection: {selection_text(plan)}: {_path(plan)} {effects}"
        yield from _first_reasons(plan)
    yield from _fleet_problems(result)


def _shared_reasons(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if rows:
        cells: list[list[str | int]] = [["REASON", "VERDICT", "CLUSTERS", "ACCEPTED"]]
        for row in rows[:_MOST]:
            accepted = len(row["accepted"]) if row["name"] else words.NEVER
            cells.append([row["name"] or row["reason"], row["verdict"], len(row["clusters"]), accepted])
        yield ""
        yield from table(cells)
        yield from _more(rows, "reasons")


def _required_acceptances(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if rows:
        yield ""
        yield from table(
            [["REQUIRED ACCEPTANCE", "CLUSTERS"], *([row["name"], len(row["clusters"])] for row in rows[:_MOST])]
        )
        yield from _more(rows, "required_acceptances")


def _more(rows: Sequence[object], key: str) -> Iterator[str]:
    if len(rows) > _MOST:
        yield f"and {len(rows) - _MOST:,} more, see {key} in the result"


def _unrequested(plan: Mapping[str, Any]) -> set[str]:
    """Names that any hop of ``plan`` enables although they are not requested."""
    hops = plan["hops"]
    implicit = {entry["name"] for hop in hops for entry in hop["implicitly_enabled"] if not entry["requested"]}
    return implicit.union(*(hop["no_longer_optional"] for hop in hops))


def _verdict_counts(plans: Sequence[Mapping[str, Any]], members: Sequence[Sequence[str]]) -> str:
    """Return how many clusters have each verdict, the most serious first."""
    counts = dict.fromkeys(reversed(tuple(words.VERDICTS)), 0)
    for plan, names in zip(plans, members, strict=True):
        counts[plan["verdict"]] += len(names)
    return ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items() if count)


def _remarks(plans: Sequence[Mapping[str, Any]], members: Sequence[Sequence[str]]) -> str:
    """Return on how many clusters something is permanent or not known, empty if there is none."""

    def count(flag: Callable[[Mapping[str, Any]], bool]) -> int:
        return sum(len(names) for plan, names in zip(plans, members, strict=True) if flag(plan))

    enabled = count(lambda plan: bool(plan["newly_enabled"]))
    accepted = count(lambda plan: bool(words.accepted_names(plan["hops"])))
    unchecked = count(lambda plan: not plan["cluster_checked"])
    remarks = [f"capabilities are enabled permanently on {enabled}"] if enabled else []
    remarks += [f"reasons are accepted on {accepted}"] if accepted else []
    remarks += [f"not all was checked on {unchecked}"] if unchecked else []
    return f"; {', and '.join(remarks)}" if remarks else ""


def _headline(plan: Mapping[str, Any]) -> str:
    accepted = words.accepted_names(plan["hops"])
    return words.headline(plan["verdict"], plan["newly_enabled"], accepted, plan["hops"][0]["not_checked"])


def _first_reasons(plan: Mapping[str, Any]) -> Iterator[str]:
    reasons = [(hop, reason) for hop in plan["hops"] for reason in hop["reasons"]]
    for hop, reason in reasons[:_MOST]:
        yield _reason_line(reason, reason["reason"], f" in {hop['to']}")
    if len(reasons) > _MOST:
        yield f"  and {len(reasons) - _MOST:,} more reasons"
    for hop in plan["hops"]:
        yield from _accepted_capabilities(hop)


def _fleet_problems(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the warnings of single plans. The module warns of those that all plans have."""
    found = [item for plan in result["plans"] for item in plan["problems"] if item not in result["problems"]]
    lines = list(dict.fromkeys(problem_line(item) for item in found if item["severity"] == "warning"))
    if lines:
        yield ""
        yield from lines[:_MOST_PROBLEMS]
    if len(lines) > _MOST_PROBLEMS:
        yield f"and {len(lines) - _MOST_PROBLEMS:,} more, see the problems of each plan in the result"


def _path(plan: Mapping[str, Any]) -> str:
    return " -> ".join(plan["releases"])
