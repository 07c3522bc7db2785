# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Forms of a selection that mean the same: the pinned one, and the shortest one.

A capability set is used only where every minor in question resolves it alike: v4.11 to v4.13 gained MachineAPI at
4.14, and vCurrent grows with every release that adds a capability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._capability.selection import Selection, requested
from .._data import capabilities as capability_data
from .._data.capabilities import NONE, V_CURRENT, MinorData


class SelectionForm(NamedTuple):
    """A selection in another form, without exclusions, and why it has that form."""

    selection: Selection
    reason: str


def candidate_minors(facts: MinorData) -> tuple[MinorData, ...]:
    """Return ``facts`` and what every later minor that the registry knows knows: a cluster may be updated to each."""
    later = (capability_data.data_of(minor) for minor in sorted(capability_data.BRANCHES) if minor > facts.minor)
    return (facts, *(item for item in later if item is not None))


def pinned(names: frozenset[str], minors: Sequence[MinorData], where: str) -> SelectionForm:
    """Return the selection that asks for ``names`` in each of ``minors``, the one to install first."""
    facts = minors[0]
    span = f"{facts.minor}" if len(minors) == 1 else f"every version from {facts.minor} to {minors[-1].minor}"
    for name, content in stable_sets(minors).items():
        if content == names:
            return SelectionForm(Selection(name, (), None, where), f"{name} is exactly that in {span}")
    reason = f"no capability set is exactly that in {span}, so every name is listed ({len(names)})"
    return SelectionForm(Selection(NONE, tuple(sorted(names)), None, where), reason)


def shortest(selection: Selection, minors: Sequence[MinorData]) -> SelectionForm:
    """Return the form of ``selection``, one without exclusions, that lists the fewest names.

    All of ``minors``, the one to install first, resolve it as they resolve ``selection``. What follows every release
    (``vCurrent``, or nothing said) goes on doing so, and nothing else begins to.
    """
    first = minors[0]
    baseline = selection.baseline or V_CURRENT
    names = requested(selection, first)
    forms = []
    for name, content in first.sets.items():
        form = selection._replace(baseline=name, additional=tuple(sorted(names - content)))
        follows = V_CURRENT in (name, baseline)
        alike = all(requested(form, minor) == requested(selection, minor) for minor in minors)
        if alike and (name == baseline or not follows):
            forms.append(form)
    form = min(forms, key=lambda form: len(form.additional))
    listed = len(form.additional)
    reason = f"{form.baseline} with {listed} beside it is the shortest way to say these names ({len(names)})"
    return SelectionForm(form, reason)


def stable_sets(minors: Sequence[MinorData]) -> Mapping[str, frozenset[str]]:
    """Return the sets that the first of ``minors`` has and all others resolve alike, oldest first; never vCurrent."""
    first = minors[0].sets
    return {
        name: content
        for name, content in first.items()
        if name != V_CURRENT and all(facts.sets.get(name) == content for facts in minors)
    }
