# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The smallest corrections of a selection: spellings, names of other versions, and names that a rule requires.

``None`` means that only the user can know what is meant.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from .._capability.rules import InstallContext, rule_violations
from .._capability.selection import Selection
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, API_FIELDS, V_CURRENT, MinorData, since_of


def corrected_options(block: object, excluded: Sequence[str], install: InstallContext) -> dict[str, Any] | None:
    """The selection of an installation with corrected spellings, as options. ``excluded``: names that it excludes."""
    known = install.names
    if not isinstance(block, Mapping) and not excluded:
        return None
    fields = block if isinstance(block, Mapping) else {}
    baseline, names = fields.get(API_BASELINE), fields.get(API_ADDITIONAL) or []
    if set(fields) - set(API_FIELDS) or (not baseline and (names or not excluded)):
        return None
    corrected = known_names(names, known)
    if corrected is None:
        return None
    result: dict[str, Any] = {"baseline_capability_set": spelled_set(baseline, install.minor_data) or V_CURRENT}
    if corrected:
        result["additional_enabled_capabilities"] = corrected
    if excluded:
        spelling = {name.lower(): name for name in known}
        result["excluded_capabilities"] = [spelling.get(name.strip().lower(), name) for name in excluded]
    return result


def corrected_cluster_version(selection: Selection, install: InstallContext) -> Selection | None:
    """The selection of a ClusterVersion with the names that the rules of the API require."""
    names = known_names(selection.additional, install.names)
    baseline = spelled_set(selection.baseline, install.minor_data)
    if names is None or baseline not in {None, *install.minor_data.sets}:
        return None
    corrected = selection._replace(additional=tuple(names), baseline=baseline)
    while missing := [
        item.capability
        for item in rule_violations(corrected, install)
        if item.rule.layer == "ClusterVersion" and item.capability
    ]:
        corrected = corrected.with_names(missing)
    return corrected


def spelled_set(baseline: object, data: MinorData) -> Any:
    """``baseline`` in the case of the capability set of that name; unchanged if there is none."""
    spelling = {name.lower(): name for name in data.sets}
    return spelling.get(baseline.lower(), baseline) if isinstance(baseline, str) else baseline


def known_names(names: object, known: Collection[str]) -> list[str] | None:
    """``names`` as ``known`` spells them, each once. Names that only other versions have are dropped."""
    if not isinstance(names, (list, tuple)):
        return None
    spelling = {name.lower(): name for name in known}
    found: list[str] = []
    for name in names:
        if not isinstance(name, str):
            return None
        spelled = spelling.get(name.strip().lower())
        if spelled is not None:
            found.append(spelled)
        elif since_of(name) is None:
            return None
    return list(dict.fromkeys(found))
