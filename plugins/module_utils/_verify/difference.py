# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares a live object with its manifest, as the CVO does: a difference is what it would revert.

An API server adds defaults, omits empty values, and normalizes some values. None of these is a difference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._cluster.injected_config import without_credentials
from .._data.version import Minor
from .._kubernetes.quantity import parse_quantity
from .._resources import nested
from .._rollout.desired_object import with_encoded_texts
from .api_fields import (
    DEFAULTS,
    DROPPED_MAPS,
    ENCODED,
    KEYED,
    POINTERS,
    QUANTITIES,
    QUANTITY_MAPS,
    SCHEMA,
    SCHEMA_POINTERS,
    SCHEMA_VALUES,
    TYPED_GROUPS,
)
from .defaults import with_defaults
from .merge_rules import KINDS, METADATA, MergeRule

MASK = "(not shown)"
"""Replaces a value that may be secret."""

_HEAD = ("apiVersion", "kind", "metadata", "status")
_REPLACED = MergeRule(dict.fromkeys(("annotations", "labels", "ownerReferences"), MergeRule()), value=True)
"""The metadata that the generic builder of the CVO replaces."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class Difference(NamedTuple):
    """A field that differs from the manifest. ``actual`` is ``None`` if the field is absent.

    ``field`` is a path such as ``.spec.template.spec.containers[name="operator"].image``. ``expected`` is ``None`` if
    the field must be absent.
    """

    field: str
    expected: Any
    actual: Any


class _FieldPath(NamedTuple):
    """A field path: as text, and as its last two names without list items.

    ``typed``: in a Go struct. ``schema``: in an OpenAPI schema, whose properties can have any name. ``lenient``: fields
    that only the cluster has can be defaults.
    """

    typed: bool
    lenient: bool = False
    schema: bool = False
    shown: str = ""
    names: tuple[str, str] = ("", "")

    def field(self, name: str) -> _FieldPath:
        shown = f"{self.shown}.{name}" if _NAME.fullmatch(name) else f"{self.shown}[{json.dumps(name)}]"
        schema = self.schema or (self.typed and name == SCHEMA)
        return _FieldPath(self.typed, self.lenient, schema, shown, (self.names[-1], name))

    def item(self, shown: str) -> _FieldPath:
        return self._replace(shown=f"{self.shown}[{shown}]")

    @property
    def is_text(self) -> bool:
        """Whether the value is in a map of strings."""
        return not self.schema and self.names[0] in KEYED

    @property
    def is_quantity(self) -> bool:
        """Whether the value is a quantity in a Go struct. Of a custom resource, only the text counts."""
        inside, name = self.names
        is_text = not self.typed or self.schema or self.is_text
        return not is_text and (inside in QUANTITY_MAPS or name in QUANTITIES)

    def is_omitted(self, value: object) -> bool:
        """Whether a value is the same as an absent field (Go's ``omitempty``).

        Not every empty value is: ``emptyDir: {}`` selects the type of a volume, and a custom resource is stored as it
        is.
        """
        inside, name = self.names
        if value is None:
            return True
        if value or not self.typed or self.is_text:
            return False
        if self.schema:
            return not isinstance(value, Mapping) and not {name, inside} & SCHEMA_VALUES and name not in SCHEMA_POINTERS
        return name in DROPPED_MAPS if isinstance(value, Mapping) else name not in POINTERS


def differences(
    desired: Mapping[str, Any], live: Mapping[str, Any], minor: Minor | None = None
) -> tuple[Difference, ...]:
    """Compare ``live`` with ``desired``, the object to apply, as the CVO of ``minor`` does (the newest by default).

    Both have the same name. If the versions of the API group differ, only metadata is compared, because fields differ
    between versions. If the kinds differ, only the kind is reported. Defaults of a definition count as differences.
    """
    desired_group, live_group = _group(desired), _group(live)
    other = Difference(".apiVersion", desired.get("apiVersion"), live.get("apiVersion"))
    mismatches = [other] if desired_group != live_group else []
    if desired.get("kind") != live.get("kind"):
        mismatches.append(Difference(".kind", desired.get("kind"), live.get("kind")))
    if mismatches:
        return tuple(mismatches)
    kind = (desired_group, str(desired.get("kind")))
    rule = KINDS.get(kind)
    if rule is not None and minor is not None and minor < rule.since:
        rule = None
    is_typed = desired_group in TYPED_GROUPS or rule is not None
    top = _FieldPath(is_typed, lenient=is_typed and kind not in DEFAULTS)
    if other.expected != other.actual:
        rule = MergeRule({"metadata": METADATA} if rule else {})
    elif rule is None:
        rule = _generic_rule(kind, desired, live)
    expected, actual = (_stored(kind, body) for body in (desired, live))
    return tuple(_fields(top, rule, expected, actual, minor))


def _generic_rule(kind: tuple[str, str], desired: Mapping[str, Any], live: Mapping[str, Any]) -> MergeRule:
    """The rule of the generic builder of the CVO. It also replaces metadata if anything else is not as in the manifest.

    A default that the API server added is enough.
    """
    contents = [{name: value for name, value in body.items() if name not in _HEAD} for body in (desired, live)]
    rules = dict.fromkeys(sorted(contents[0]), MergeRule())
    if kind == ("", "Secret") and "stringData" in desired:
        rules["data"] = MergeRule(merged="data" not in desired)
    return MergeRule({**({"metadata": _REPLACED} if contents[0] != contents[1] else {}), **rules})


def rewritten_fields(
    desired: Mapping[str, Any], live: Mapping[str, Any], is_declared: Callable[[str], bool]
) -> tuple[str, ...]:
    """The paths of the fields that have another value in ``live`` than in ``desired``, or none although declared."""
    found = [item for item in differences(desired, live) if item.expected is not None]
    return tuple(item.field for item in found if item.actual is not None or is_declared(item.field))


def mask(items: Iterable[Difference], kind: str) -> tuple[Difference, ...]:
    """Mask the values in the differences of a Secret, and credentials in the URLs of other kinds."""

    def hide(value: Any) -> Any:
        return MASK if kind == "Secret" and value is not None else _without_credentials(value)

    return tuple(Difference(item.field, hide(item.expected), hide(item.actual)) for item in items)


def _without_credentials(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_credentials(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_credentials(item) for item in value]
    return without_credentials(value) if isinstance(value, str) else value


def _group(body: Mapping[str, Any]) -> str:
    group, slash, _version = str(body.get("apiVersion", "")).partition("/")
    return group if slash else ""


def _stored(kind: tuple[str, str], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object in the form in which the API server stores it."""
    content = dict(with_defaults(kind, body))
    if kind == ("rbac.authorization.k8s.io", "ClusterRole") and content.get("aggregationRule"):
        # A controller writes the rules: kubernetes/kubernetes:pkg/controller/clusterroleaggregation.
        content.pop("rules", None)
    encoded = ENCODED.get(kind[1], "") if not kind[0] else ""
    if isinstance(content.get(encoded), Mapping):
        # The API server ignores line breaks in base64 and does not return them.
        content[encoded] = {
            key: "".join(value.split()) if isinstance(value, str) else value for key, value in content[encoded].items()
        }
    return with_encoded_texts(content)


def _compare(at: _FieldPath, rule: MergeRule, desired: Any, live: Any, minor: Minor | None) -> Iterator[Difference]:
    """Yield the differences of a field that ``rule`` compares."""
    if minor is not None and minor < rule.since:
        if rule.former is not None:
            yield from _compare(at, rule.former, desired, live, minor)
        return
    if rule.optional and at.is_omitted(desired):
        return
    if rule.value:
        desired, live = ({} if value is None else value for value in (desired, live))
    if rule.fields is not None and isinstance(desired, Mapping) and isinstance(live, Mapping):
        yield from _fields(at, rule, desired, live, minor)
    elif rule.key or rule.merged:
        yield from _collection(at, rule, desired, live, minor)
    else:
        yield from _values(at, desired, live)


def _fields(
    at: _FieldPath, rule: MergeRule, desired: Mapping[str, Any], live: Mapping[str, Any], minor: Minor | None
) -> Iterator[Difference]:
    for name, inner in sorted((rule.fields or {}).items()):
        yield from _compare(at.field(name), inner, desired.get(name), live.get(name), minor)


def _collection(at: _FieldPath, rule: MergeRule, desired: Any, live: Any, minor: Minor | None) -> Iterator[Difference]:
    """Compare maps, and lists in any order."""
    if isinstance(desired or {}, Mapping) and isinstance(live or {}, Mapping):
        for name in sorted(desired or {}):
            yield from _values(at.field(name), desired[name], (live or {}).get(name))
        return
    if not rule.key:
        expected, found = (value if isinstance(value, list) else [] for value in (desired, live))
        lacking = [item for item in expected if item not in found or (rule.unique and found.count(item) > 1)]
        if lacking:
            yield Difference(at.shown, lacking, live)
        return
    desired_items, live_items = _by_key(rule.key, desired, ""), _by_key(rule.key, live, "")
    if desired_items is None or live_items is None:
        yield from _values(at, desired, live)
        return
    for key, item in desired_items.items():
        item_path = at.item(f"{rule.key}={json.dumps(key)}")
        if key not in live_items:
            yield Difference(item_path.shown, item, None)
        else:
            yield from _compare(item_path, rule.item or MergeRule(), item, live_items[key], minor)
    if not rule.merged:
        for key, item in live_items.items():
            if key not in desired_items:
                yield Difference(at.item(f"{rule.key}={json.dumps(key)}").shown, None, item)


def _values(at: _FieldPath, desired: Any, live: Any) -> Iterator[Difference]:
    """Yield the differences of two values that have to be the same."""
    if desired is None and (at.lenient or at.is_omitted(live)):
        return
    if live is None and at.is_omitted(desired):
        return
    if isinstance(desired, Mapping) and isinstance(live, Mapping):
        for name in sorted({**desired, **live}):
            yield from _values(at.field(name), desired.get(name), live.get(name))
    elif isinstance(desired, list) and isinstance(live, list):
        yield from _lists(at, desired, live)
    elif not _same(desired, live) and not (at.is_quantity and _same_amount(desired, live)):
        yield Difference(at.shown, desired, live)


def _lists(at: _FieldPath, desired: Sequence[Any], live: Sequence[Any]) -> Iterator[Difference]:
    """Compare two lists in order. Items that have names are reported by their names."""
    desired_items, live_items = _by_key("name", desired), _by_key("name", live)
    if desired_items is None or live_items is None:
        if len(desired) != len(live) or not all(map(_comparable, desired, live)):
            yield Difference(at.shown, desired, live)
            return
        for index, (desired_item, live_item) in enumerate(zip(desired, live, strict=True)):
            if isinstance(desired_item, (Mapping, list)):
                yield from _values(at.item(str(index)), desired_item, live_item)
        return
    for name in {**desired_items, **live_items}:
        item = at.item(f"name={json.dumps(name)}")
        if name in desired_items and name in live_items:
            yield from _values(item, desired_items[name], live_items[name])
        else:
            yield Difference(item.shown, desired_items.get(name), live_items.get(name))
    common = [name for name in desired_items if name in live_items]
    if common != [name for name in live_items if name in desired_items]:
        yield Difference(at.shown, desired, live)


def _comparable(desired: Any, live: Any) -> bool:
    """Whether a difference of two items can be reported inside of them."""
    if isinstance(desired, Mapping):
        return isinstance(live, Mapping)
    if isinstance(desired, list):
        return isinstance(live, list)
    return _same(desired, live)


def _by_key(field: str, items: object, default: str | None = None) -> dict[str, Any] | None:
    """Map items by a field, ``None`` if it does not distinguish them. An absent field has the ``default``."""
    keyed: dict[str, Any] = {}
    for item in items if isinstance(items, list) else ():
        key = nested(item, field) or default
        if not isinstance(key, str) or key in keyed:
            return None
        keyed[key] = item
    return keyed


def _same(desired: Any, live: Any) -> bool:
    # In Python, True equals 1.
    return isinstance(desired, bool) is isinstance(live, bool) and bool(desired == live)


def _same_amount(desired: Any, live: Any) -> bool:
    amount = parse_quantity(desired)
    return amount is not None and amount == parse_quantity(live)
