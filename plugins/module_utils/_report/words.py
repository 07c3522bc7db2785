# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The words in which a plan is shown, the same in HTML, Markdown and text.

A word that two of the three renderers show is defined here. The text of a plan is in ``_summary``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from .._problems import plural

CellState = Literal["unknown", "disabled", "enabled", "newly_enabled", "newly_requested"]


class VerdictWords(NamedTuple):
    """How a verdict is shown in a report, and what it means. Text shows the verdict itself."""

    report: str
    meaning: str


VERDICTS: Mapping[str, VerdictWords] = {
    "go": VerdictWords("Go", "nothing that was checked is against the update"),
    "acknowledge": VerdictWords("Acknowledge", "an administrator has to acknowledge something before the update"),
    "risk": VerdictWords("Risk", "nothing that was checked blocks the update, but there are reasons against it"),
    "blocked": VerdictWords("Blocked", "the cluster refuses the update"),
}


ALL_ACCEPTED = "every reason that was found against the update is accepted"
NOT_READ = "the cluster was not read"
NOT_ALL_CHECKED = "not everything was checked"


def headline(
    verdict: str, enabled: Sequence[str], accepted: Sequence[str], not_checked: Sequence[Mapping[str, str]] = ()
) -> str:
    """Return ``verdict``, a word for it, with what a reader must not miss: what is permanent, accepted and not known.

    ``enabled``: names that the update enables. ``accepted``: of reasons. ``not_checked``: what the verdict does not
    consider.
    """
    remarks = [f"enables {listed(enabled, 'and')} permanently"] if enabled else []
    remarks += [accepted_count(accepted)] if accepted else []
    remarks += [unchecked(not_checked)] if not_checked else []
    if verdict.lower() == "go" and remarks:
        return f"{verdict}, but {', and '.join(remarks)}"
    return "; ".join([verdict, *remarks])


def unchecked(not_checked: Sequence[Mapping[str, str]]) -> str:
    """Describe in a few words what a verdict does not consider, empty if that is nothing."""
    messages = {item["code"]: item["message"] for item in not_checked}
    if "cluster-state" in messages:
        return NOT_READ
    shown = (messages[code] for code in ("unused-status", "outdated-status") if code in messages)
    return next(shown, NOT_ALL_CHECKED) if messages else ""


def tone(
    verdict: str, enabled: Sequence[str], accepted: Sequence[str], not_checked: Sequence[Mapping[str, str]]
) -> str:
    """Return the class of a verdict in HTML: green only if nothing is enabled or accepted, and all was checked."""
    return "caution" if verdict == "go" and (enabled or accepted or not_checked) else verdict


def meaning(verdict: str, accepted: Sequence[str]) -> str:
    """Describe ``verdict``. ``accepted``: the names of reasons that do not count in it."""
    return ALL_ACCEPTED if verdict == "go" and accepted else VERDICTS[verdict].meaning


def accepted_names(hops: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the reasons of ``hops`` that are accepted, each once."""
    return list(dict.fromkeys(item["name"] for hop in hops for item in hop["reasons"] if item["accepted"]))


def accepted_count(accepted: Sequence[str]) -> str:
    """Describe how many reasons are accepted, empty if none is. ``accepted``: their names."""
    verb = "is" if len(accepted) == 1 else "are"
    return f"{plural(len(accepted), 'reason')} {verb} accepted" if accepted else ""


def accepted_until(entry: Mapping[str, Any]) -> str:
    """Describe how long the acceptance ``entry`` counts."""
    return f"accepted until {entry['expires']}" if entry["expires"] else "accepted"


class StateWords(NamedTuple):
    """How a state of a capability at a release is shown: in a report, in text, and in the legend of both."""

    report: str
    text: str
    meaning: str


STATES: Mapping[CellState, StateWords] = {
    "unknown": StateWords("·", ".", "the release does not know it"),
    "disabled": StateWords("disabled", "disabled", "known and disabled"),
    "enabled": StateWords("enabled", "enabled", "enabled, and enabled before"),
    "newly_enabled": StateWords("newly enabled", "ENABLED*", "enabled by the update without being requested"),
    "newly_requested": StateWords(
        "newly requested", "ENABLED+", "enabled by the update, and requested by the selection"
    ),
}

# Headings and labels
DATE = "Date"
TITLE = "Update plan"  # write.py recognizes Markdown reports of earlier versions by these two
PLANNED_WITH = "Planned with"
VERDICT = "Verdict"
NOT_CHECKED = "Not checked"
NOTHING_AGAINST = "Nothing that was checked is against this update."
CAPABILITY = "Capability"
CLUSTERS = "Clusters"
PATH = "Path"
SELECTION = "Selection"
ENABLES = "Enables"
PLAN = "Plan"
OVERVIEW = "Overview"
OVERVIEW_COLUMNS = (VERDICT, PLAN, CLUSTERS, PATH, SELECTION, ENABLES, NOT_CHECKED)
REASONS = "Reasons against the updates"
NAME = "Name"
WHAT = "What"
REASONS_COLUMNS = (VERDICT, NAME, WHAT, CLUSTERS, "Accepted on")
NEVER = "never"
REQUIRED = "Required acceptances"
REQUIRED_COLUMNS = (NAME, WHAT, CLUSTERS)
REQUIRED_MEANING = "With these names in acceptances, nothing that can be accepted is against the updates."
BECAUSE = "Accepted because"
PROBLEMS = "Problems"
PROBLEM_COUNT = "Problems and notes"
AT_END = "At the end"
ENABLED = "Enabled"
IMPLICITLY = "Enabled implicitly"
DOWNGRADE = "downgrade"
NEW = "new"
NONE = "none"
NOTHING = "nothing"
SOURCE = "Source"

# Why a capability is enabled
FORCED = "forced"

# Resources
NO_CAPABILITY = "no capability"
DELETED_BY_RELEASE = "deleted by the release"
EXISTS_DISABLED = "exists on the cluster although the capability was disabled"

# What an update does to capabilities
NEWLY_KNOWN = "Becomes known and stays disabled"
NOT_IN_FRESH_INSTALL = "Disabled in a fresh install of {end}"

# What an update does to resources
ADDED = "Added"
REMOVED = "No longer applied"
DELETED = "Deleted"

# The end of the path
COMPARE = "release_compare shows what else changes, such as images and permissions."


def same_list(what: str) -> str:
    """Return the text before a link to a list that is written out above."""
    return f"The same {what} as above:"


def listed(words: Sequence[str], last: str) -> str:
    """Join ``words`` with commas, and the last one with the word ``last``."""
    *front, end = words or [""]
    return f"{', '.join(front)} {last} {end}" if front else end


def annotation(capabilities: Sequence[str]) -> str:
    """Return capabilities as a manifest has them in its annotation."""
    return "+".join(capabilities) or NO_CAPABILITY


def selection(baseline: str | None, additional: Sequence[str], excluded: Sequence[str] = ()) -> str:
    """Describe a selection: its capability set, ``None`` for the default, and its additional and excluded names."""
    text = f"capability set {baseline}" if baseline else "the cluster default, which is capability set vCurrent"
    text += f", with {listed(additional, 'and')}" if additional else ""
    return f"{text}, without {listed(excluded, 'and')}" if excluded else text
