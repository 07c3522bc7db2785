# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The admission guard: a policy that makes the API server reject writes that remove a requested capability.

It is a ValidatingAdmissionPolicy with its binding. Its expressions (CEL) do the same as ``Selection.requested``, with a
small table of every minor, so the guard remains valid when the cluster is updated.
Source of the rule: openshift/enhancements:enhancements/installer/component-selection.md, which considered a webhook.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._data import capabilities as capability_data
from .._data.capabilities import API_ADDITIONAL, API_BASELINE, V_CURRENT
from .._data.version import Minor
from .._problems import Problems, did_you_mean
from .._resources import ADMISSION_BINDINGS, ADMISSION_POLICIES, CLUSTER_VERSIONS, ApiResource

GUARD_NAME = "capabilities-only-grow.capability.openshift.io"
"""Name of the policy, and of its binding."""

PROBE = "capability.openshift.io/guard-probe"
"""Annotation that is only for verification: if a write of it is rejected, the guard is enforced."""

FINGERPRINT = "capability.openshift.io/guard-fingerprint"
"""Annotation of the policy with the value of ``PROBE`` that this version of the policy rejects."""

_OWNED_METADATA = ("labels", "annotations")
_OLD, _NEW = "oldObject", "object"
_IS_DELETE = "request.operation == 'DELETE'"
_PROBED = f"{_NEW}.metadata.?annotations[?'{PROBE}'].orValue('')"
_REASON = "Invalid"
"""HTTP 422. With Forbidden (403), clients would report a missing permission."""


class Guard(NamedTuple):
    """Settings of the guard. ``enforce``: it rejects writes; otherwise it warns and annotates the audit event.

    ``allowed``: the only names that a write may add, ``None`` for all.
    """

    enforce: bool = True
    allowed: tuple[str, ...] | None = None


def parse_guard(allowed: Iterable[str] | None, problems: Problems, *, enforce: bool) -> Guard:
    """Parse the options of the guard. A name that no minor knows is an error, because it would never match."""
    if allowed is None:
        return Guard(enforce)
    names = tuple(allowed)
    known = [item.name for item in capability_data.CAPABILITIES]
    for index, name in enumerate(names):
        if name not in known:
            message = f"{name!r} is not a capability of any version"
            problems.error("unknown-capability", f"allowed_capabilities[{index}]", message, did_you_mean(name, known))
    return Guard(enforce, tuple(sorted(set(names))))


def guard_objects(guard: Guard) -> tuple[tuple[ApiResource, dict[str, Any]], ...]:
    """Return the policy and its binding, in the order in which they must be created.

    They contain all fields that the API server would default, so the live objects can be compared with them.
    """
    spec = _policy_spec(guard)
    fingerprint = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:16]
    probe = {
        "expression": f"{_IS_DELETE} || {_PROBED} != '{fingerprint}'",
        "message": f"the annotation {PROBE} is always rejected",
        "reason": _REASON,
    }
    spec["validations"].append(probe)
    policy = _object(ADMISSION_POLICIES, {FINGERPRINT: fingerprint}, spec)
    actions = ["Deny"] if guard.enforce else ["Audit", "Warn"]
    binding = _object(ADMISSION_BINDINGS, {}, {"policyName": GUARD_NAME, "validationActions": actions})
    return (ADMISSION_POLICIES, policy), (ADMISSION_BINDINGS, binding)


def owned(desired: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of ``live`` that the guard owns: its spec, and the labels and annotations of ``desired``."""
    metadata = {}
    for field in _OWNED_METADATA:
        values = live["metadata"].get(field) or {}
        metadata[field] = {key: values[key] for key in desired["metadata"].get(field, {}) if key in values}
    return {"metadata": metadata, "spec": live.get("spec") or {}}


def _object(kind: ApiResource, annotations: Mapping[str, str], spec: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {
            "name": GUARD_NAME,
            "labels": {"app.kubernetes.io/managed-by": "capability.openshift"},
            "annotations": {
                "kubernetes.io/description": "Rejects writes to the ClusterVersion that remove a requested capability",
                **annotations,
            },
        },
        "spec": spec,
    }


def _policy_spec(guard: Guard) -> dict[str, Any]:
    """The spec of the policy without its probe.

    The match conditions let all other writes pass before the table is used, so ``failurePolicy`` affects only writes
    that change the block ``spec.capabilities``.
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
            # Not the name of the request, which is empty if a whole collection is deleted.
            {"name": "is-the-cluster", "expression": f"{_OLD}.metadata.name == 'version'"},
            {"name": "touches-capabilities", "expression": f"{_IS_DELETE} || {changes} || {_PROBED} != ''"},
        ],
        "variables": [{"name": name, "expression": expression} for name, expression in variables.items()],
        "validations": _validations(guard),
    }


def _capability_constants() -> dict[str, str]:
    """The variables for the names that the cluster knows and has enabled.

    The content of a set is the part of its newest content that the cluster knows. This also gives the content of an
    amended set before the amendment: a capability is added to older sets by the minor that introduces it.
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
        # A version that cannot be parsed counts as the newest.
        "minor": f"variables.version.matches('^{number}[.]{number}([.]|$)') ? {parts} : {_number(Minor(999, 999))}",
        "reported": f"{_OLD}.?status.?capabilities.?knownCapabilities.orValue([])",
        "known": (
            "size(variables.reported) > 0 ? variables.reported"
            " : variables.names.filter(n, variables.since[n] <= variables.minor)"
        ),
        "enabled": f"{_OLD}.?status.?capabilities.?enabledCapabilities.orValue([])",
    }


def _side(side: str, source: str) -> dict[str, str]:
    """The variables for the names that the ``old`` or the ``new`` spec requests."""
    name, index = f"variables.{side}Set", "variables.sets.indexOf"
    is_in = f"n in variables.firstSet && {index}(variables.firstSet[n]) <= {index}({name})"
    return {
        f"{side}Baseline": f"{_capabilities(source)}.?{API_BASELINE}.orValue('')",
        f"{side}Set": f"variables.{side}Baseline == '' ? '{V_CURRENT}' : variables.{side}Baseline",
        f"{side}List": f"{_capabilities(source)}.?{API_ADDITIONAL}.orValue([])",
        f"{side}Known": f"{name} == '{V_CURRENT}' || {name} in variables.sets",
        f"{side}Content": (
            f"{name} == '{V_CURRENT}' ? variables.known"
            f" : variables.known.filter(n, {name} in variables.sets && {is_in})"
        ),
    }


def _difference(allowed: Sequence[str] | None) -> dict[str, str]:
    """The variables for the names that a write removes, and for those that it adds although they are not ``allowed``.

    The content of a set that is not in the table is not known. If a write leaves such a set, it contained all enabled
    names; if a write chooses such a set, it adds all names that the cluster knows.
    """
    possibly = "!variables.oldKnown && (size(variables.enabled) == 0 || n in variables.enabled)"
    requested = f"n in variables.oldList || !variables.sameSet && (n in variables.oldContent || {possibly})"
    variables = {
        "sameSet": "variables.oldSet == variables.newSet",
        "unknownSets": "[variables.oldSet, variables.newSet]"
        f".filter(s, !(s in variables.sets) && s != '{V_CURRENT}' && !variables.sameSet)",
        "hint": (
            "size(variables.unknownSets) == 0 ? '' : '. The guard does not know the set ' + variables.unknownSets[0]"
            " + ': install the guard of a newer collection, or list the names'"
        ),
        "dropped": (
            f"variables.known.filter(n, ({requested}) && !(n in variables.newList) && !(n in variables.newContent))"
            " + variables.oldList.filter(n, !(n in variables.known) && !(n in variables.newList))"
        ),
    }
    if allowed is None:
        return variables
    is_new = "!(n in variables.oldList) && !(n in variables.enabled) && !(n in variables.allowed)"
    added = "n in variables.newList || !variables.sameSet && (n in variables.newContent || !variables.newKnown)"
    return {
        **variables,
        "allowed": _literal(allowed),
        "added": (
            f"variables.known.filter(n, ({added}) && !(n in variables.oldContent) && {is_new})"
            f" + variables.newList.filter(n, !(n in variables.known) && {is_new})"
        ),
    }


def _validations(guard: Guard) -> list[dict[str, str]]:
    """The conditions of a write. The API server reports the first one that is not met."""
    deleted = (
        "deletes the ClusterVersion, and with it all requests for capabilities."
        " To do so, remove the guard first (capability_guard with state=absent)"
    )
    dropped = (
        "'drops ' + variables.dropped.join(', ') + ', which the spec of the cluster requests. An enabled capability"
        " can never be disabled: keep the names in spec.capabilities.additionalEnabledCapabilities'"
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
    """The sets except vCurrent, smallest first, and for each capability the smallest set that contains it."""
    data = capability_data.data_of(capability_data.newest_minor())
    if data is None:
        raise AssertionError("the newest minor has data")
    sets = sorted((len(content), name) for name, content in data.sets.items() if name != V_CURRENT)
    first: dict[str, str] = {}
    for _size, name in sets:
        for capability in sorted(data.sets[name]):
            first.setdefault(capability, name)
    return [name for _size, name in sets], dict(sorted(first.items()))


def _number(minor: Minor) -> int:
    return minor.major * 1000 + minor.minor


def _capabilities(source: str) -> str:
    return f"{source}.?spec.?capabilities"


def _literal(value: Sequence[str] | Mapping[str, int] | Mapping[str, str]) -> str:
    """A list or map as a CEL literal. JSON is valid CEL; single quotes keep it readable in YAML."""
    return json.dumps(value).replace('"', "'")
