# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The admission guard: a policy by which the API server refuses writes that take back a requested capability.

It is a ValidatingAdmissionPolicy with its binding. Its expressions (CEL) do what ``selection.requested`` does, with
the facts of every minor in one small table, so that the guard outlives updates of the cluster.
Source of the rule: openshift/enhancements:enhancements/installer/component-selection.md, which considered a webhook.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._data import capabilities as capability_data
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, V_CURRENT
from .._problems import Problem, did_you_mean
from .._resources import ADMISSION_BINDINGS, ADMISSION_POLICIES, CLUSTER_VERSIONS, ApiResource
from .._version import Minor

GUARD_NAME = "capabilities-only-grow.capability.openshift.io"
"""Name of the policy, and of its binding."""

PROBE = "capability.openshift.io/guard-probe"
"""Annotation whose only use is to be refused: a write of it that the guard refuses shows that it is in force."""

FINGERPRINT = "capability.openshift.io/guard-fingerprint"
"""Annotation of the policy with the value of ``PROBE`` that this very policy refuses."""

_OWNED_METADATA = ("labels", "annotations")
_OLD, _NEW = "oldObject", "object"
_IS_DELETE = "request.operation == 'DELETE'"
_PROBED = f"{_NEW}.metadata.?annotations[?'{PROBE}'].orValue('')"
_REASON = "Invalid"
"""HTTP 422. With Forbidden, which is 403, clients would tell people that they lack a right."""


class Guard(NamedTuple):
    """What the guard does. ``enforce``: it refuses writes, and otherwise only warns and leaves a mark in the audit log.

    ``allowed``: the only names that a write may add, ``None`` for all.
    """

    enforce: bool = True
    allowed: tuple[str, ...] | None = None


def parse_guard(
    enforce: bool, allowed: Iterable[str] | None, where: str = "allowed_capabilities"
) -> tuple[Guard, tuple[Problem, ...]]:
    """Return the guard that is asked for; a name that no minor knows is an error, for it would never match."""
    if allowed is None:
        return Guard(enforce), ()
    names = tuple(allowed)
    known = [item.name for item in capability_data.CAPABILITIES]
    problems = [
        Problem(
            "error",
            "todo",
            f"{where}[{index}]",
            f"{name!r} is not a capability of any version",
            did_you_mean(name, known),
        )
        for index, name in enumerate(names)
        if name not in known
    ]
    return Guard(enforce, tuple(sorted(set(names)))), tuple(problems)


def guard_objects(guard: Guard) -> tuple[tuple[ApiResource, dict[str, Any]], ...]:
    """Return the policy and its binding, in the order in which they have to be made.

    Fields that the API server would fill in are said, so that what it has can be compared with them.
    """
    spec = _policy_spec(guard)
    fingerprint = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:16]
    probe = {
        "expression": f"{_IS_DELETE} || {_PROBED} != '{fingerprint}'",
        "message": f"the annotation {PROBE} is there to be refused",
        "reason": _REASON,
    }
    spec["validations"].append(probe)
    policy = _object(ADMISSION_POLICIES, {FINGERPRINT: fingerprint}, spec)
    actions = ["Deny"] if guard.enforce else ["Audit", "Warn"]
    binding = _object(ADMISSION_BINDINGS, {}, {"policyName": GUARD_NAME, "validationActions": actions})
    return (ADMISSION_POLICIES, policy), (ADMISSION_BINDINGS, binding)


def owned(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the object ``found`` that is the guard's business: its spec, and the marks of ``wanted``."""
    metadata = {}
    for field in _OWNED_METADATA:
        has = found["metadata"].get(field) or {}
        metadata[field] = {key: has[key] for key in wanted["metadata"].get(field, {}) if key in has}
    return {"metadata": metadata, "spec": found.get("spec") or {}}


def _object(kind: ApiResource, annotations: Mapping[str, str], spec: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {
            "name": GUARD_NAME,
            "labels": {"app.kubernetes.io/managed-by": "capability.openshift"},
            "annotations": {
                "kubernetes.io/description": "Refuses writes to the ClusterVersion that take back a capability",
                **annotations,
            },
        },
        "spec": spec,
    }


def _policy_spec(guard: Guard) -> dict[str, Any]:
    """Return the policy without its probe.

    The match conditions let everything else pass before any table is looked at, so that ``failurePolicy`` can only
    concern writes that change the block ``spec.capabilities``.
    """
    changes = f"{_capabilities(_NEW)}.orValue({{}}) != {_capabilities(_OLD)}.orValue({{}})"
    rule = {
        "apiGroups": [CLUSTER_VERSIONS.group],
        "apiVersions": [CLUSTER_VERSIONS.version],
        "operations": ["UPDATE", "DELETE"],
        "resources": [CLUSTER_VERSIONS.plural],
        "scope": "*",
    }
    variables = {**_capability_constants(), **_side("old", _OLD), **_side("new", _NEW), **_difference(guard.allowed)}
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "matchPolicy": "Equivalent",
            "namespaceSelector": {},
            "objectSelector": {},
            "resourceRules": [rule],
        },
        "matchConditions": [
            # Not the name of the request: it has none where a whole collection is deleted.
            {"name": "is-the-cluster", "expression": f"{_OLD}.metadata.name == 'version'"},
            {"name": "touches-capabilities", "expression": f"{_IS_DELETE} || {changes} || {_PROBED} != ''"},
        ],
        "variables": [{"name": name, "expression": expression} for name, expression in variables.items()],
        "validations": _validations(guard),
    }


def _capability_constants() -> dict[str, str]:
    """Return the variables that say what the cluster knows, and what is on.

    What a set holds is what the cluster knows of its newest content. That tells what an amended set held before it
    was amended, too: a capability is put into older sets by the minor that brings it.
    """
    capabilities = sorted(capability_data.CAPABILITIES)
    order, first = _sets()
    number = "[0-9]{1,3}"
    parts = "int(variables.version.split('.')[0]) * 1000 + int(variables.version.split('.')[1])"
    return {
        "names": _literal([item.name for item in capabilities]),
        "since": _literal({item.name: _number(item.since) for item in capabilities}),
        "sets": _literal(order),
        "firstSet": _literal(first),
        "version": f"{_OLD}.?status.?desired.?version.orValue('')",
        # A version that cannot be read is taken for the newest.
        "minor": f"variables.version.matches('^{number}[.]{number}([.]|$)') ? {parts} : {_number(Minor(999, 999))}",
        "told": f"{_OLD}.?status.?capabilities.?knownCapabilities.orValue([])",
        "known": (
            "size(variables.told) > 0 ? variables.told"
            " : variables.names.filter(n, variables.since[n] <= variables.minor)"
        ),
        "enabled": f"{_OLD}.?status.?capabilities.?enabledCapabilities.orValue([])",
    }


def _side(side: str, source: str) -> dict[str, str]:
    """Return the variables for what the ``old`` or the ``new`` spec asks for."""
    name, place = f"variables.{side}Set", "variables.sets.indexOf"
    is_in = f"n in variables.firstSet && {place}(variables.firstSet[n]) <= {place}({name})"
    return {
        f"{side}Baseline": f"{_capabilities(source)}.?{API_BASELINE}.orValue('')",
        f"{side}Set": f"variables.{side}Baseline == '' ? '{V_CURRENT}' : variables.{side}Baseline",
        f"{side}List": f"{_capabilities(source)}.?{API_ADDITIONAL}.orValue([])",
        f"{side}Told": f"{name} == '{V_CURRENT}' || {name} in variables.sets",
        f"{side}Content": (
            f"{name} == '{V_CURRENT}' ? variables.known"
            f" : variables.known.filter(n, {name} in variables.sets && {is_in})"
        ),
    }


def _difference(allowed: Sequence[str] | None) -> dict[str, str]:
    """Return the variables for the names that a write takes back, and for those that it adds against ``allowed``.

    A set that is not in the table holds nothing that could be relied on. If the write leaves it, it held all that is
    on; if the write chooses it, it adds all that the cluster knows.
    """
    maybe = "!variables.oldTold && (size(variables.enabled) == 0 || n in variables.enabled)"
    asked = f"n in variables.oldList || !variables.sameSet && (n in variables.oldContent || {maybe})"
    found = {
        "sameSet": "variables.oldSet == variables.newSet",
        "unclear": "[variables.oldSet, variables.newSet]"
        f".filter(s, !(s in variables.sets) && s != '{V_CURRENT}' && !variables.sameSet)",
        "hint": (
            "size(variables.unclear) == 0 ? '' : '. The guard does not know what the set ' + variables.unclear[0]"
            " + ' holds: install the guard of a newer collection, or ask for the names themselves'"
        ),
        "dropped": (
            f"variables.known.filter(n, ({asked}) && !(n in variables.newList) && !(n in variables.newContent))"
            " + variables.oldList.filter(n, !(n in variables.known) && !(n in variables.newList))"
        ),
    }
    if allowed is None:
        return found
    is_new = "!(n in variables.oldList) && !(n in variables.enabled) && !(n in variables.allowed)"
    comes = "n in variables.newList || !variables.sameSet && (n in variables.newContent || !variables.newTold)"
    return {
        **found,
        "allowed": _literal(allowed),
        "added": (
            f"variables.known.filter(n, ({comes}) && !(n in variables.oldContent) && {is_new})"
            f" + variables.newList.filter(n, !(n in variables.known) && {is_new})"
        ),
    }


def _validations(guard: Guard) -> list[dict[str, str]]:
    """Return what a write must be; of several that it is not, the API server tells the first."""
    deleted = (
        "deletes the ClusterVersion, and with it all requests for capabilities."
        " Remove the guard first if that is meant (capability_guard with state=absent)"
    )
    dropped = (
        "'drops ' + variables.dropped.join(', ') + ', which the spec of the cluster requests."
        " What is on can never be turned off: keep the names in spec.capabilities.additionalEnabledCapabilities'"
        " + variables.hint"
    )
    validations = [
        {"expression": f"!({_IS_DELETE})", "message": deleted, "reason": _REASON},
        {
            "expression": f"{_IS_DELETE} || size(variables.dropped) == 0",
            "messageExpression": dropped,
            "message": "drops capabilities that the spec of the cluster requests",
            "reason": _REASON,
        },
    ]
    if guard.allowed is not None:
        among = ", ".join(guard.allowed)
        only = f"only {among} may be added" if among else "nothing may be added"
        added = f"'adds ' + variables.added.join(', ') + '; {only} on this cluster' + variables.hint"
        validations.append(
            {
                "expression": f"{_IS_DELETE} || size(variables.added) == 0",
                "messageExpression": added,
                "message": "adds capabilities that may not be added on this cluster",
                "reason": _REASON,
            }
        )
    return validations


def _sets() -> tuple[list[str], dict[str, str]]:
    """Return the sets but for vCurrent, smallest first, and for each capability the smallest one that holds it."""
    facts = capability_data.data_of(capability_data.newest_minor())
    if facts is None:
        raise AssertionError("the newest minor is one that the registry knows")
    sets = sorted((len(content), name) for name, content in facts.sets.items() if name != V_CURRENT)
    first: dict[str, str] = {}
    for size_and_name in sets:
        for capability in sorted(facts.sets[size_and_name[1]]):
            first.setdefault(capability, size_and_name[1])
    return [name for size, name in sets], dict(sorted(first.items()))


def _number(minor: Minor) -> int:
    return minor.major * 1000 + minor.minor


def _capabilities(source: str) -> str:
    return f"{source}.?spec.?capabilities"


def _literal(value: Sequence[str] | Mapping[str, int] | Mapping[str, str]) -> str:
    """Return a list or map of names in CEL, which takes JSON; single quotes keep it readable in YAML."""
    return json.dumps(value).replace('"', "'")
