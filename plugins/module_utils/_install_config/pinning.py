# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The pinned form of a selection, which every relevant minor resolves to the same names.

It uses a capability set only if every relevant minor resolves the set to the same names: v4.11 to v4.13 gained
MachineAPI in 4.14, and vCurrent grows with every release that adds a capability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._capability.selection import Selection
from .._data import capabilities as capability_data
from .._data.capabilities import NONE, V_CURRENT, MinorData
from .._problems import Location


class SelectionForm(NamedTuple):
    """An equivalent selection without exclusions, and the reason for its form, as a sentence."""

    selection: Selection
    reason: str


def candidate_minors(data: MinorData) -> tuple[MinorData, ...]:
    """``data`` and the data of every later known minor: those to which a cluster may be updated."""
    later = (capability_data.data_of(minor) for minor in sorted(capability_data.BRANCHES) if minor > data.minor)
    return (data, *(item for item in later if item is not None))


def pinned(names: frozenset[str], minors: Sequence[MinorData], where: Location) -> SelectionForm:
    """The selection that requests exactly ``names`` in each of ``minors``, the first of which is installed."""
    first = minors[0]
    span = f"{first.minor}" if len(minors) == 1 else f"every version from {first.minor} to {minors[-1].minor}"
    for name, content in stable_sets(minors).items():
        if content == names:
            return SelectionForm(Selection(name, (), None, where), f"{name} has exactly these names in {span}")
    reason = f"no capability set has exactly these names in {span}, so they are listed ({len(names)})"
    return SelectionForm(Selection(NONE, tuple(sorted(names)), None, where), reason)


def stable_sets(minors: Sequence[MinorData]) -> Mapping[str, frozenset[str]]:
    """The sets of the first of ``minors`` that all others resolve to the same names, oldest first; never vCurrent."""
    first = minors[0].sets
    return {
        name: content
        for name, content in first.items()
        if name != V_CURRENT and all(minor.sets.get(name) == content for minor in minors)
    }
