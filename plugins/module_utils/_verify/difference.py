# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Compares a live object with its manifest. Fields that only the live object has are ignored.

An API server adds defaults and fields of other clients, omits empty values, and normalizes some values. None of these
is a difference.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .._cluster.injected_config import without_credentials
from .._kubernetes.quantity import parse_quantity
from .._resources import nested
from .api_fields import (
    DROPPED_MAPS,
    ENCODED,
    KEY_DEFAULTS,
    KEYED,
    KEYED_IN_STRUCTS,
    MERGED,
    METADATA,
    QUANTITIES,
    QUANTITY_MAPS,
    SCHEMA,
    SCHEMA_FIELDS,
    SCHEMA_MAPS,
    SCHEMAS,
    TYPED_GROUPS,
    WHOLE,
)

MASK = "(not shown)"
"""Replaces a value that may be secret."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_LONGEST_DURATION = 100
_DURATION = re.compile(r"[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+")
_DURATION_PART = re.compile(r"([0-9.]+)(ns|us|µs|μs|ms|s|m|h)")
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}


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

    ``typed``: in a Go struct. ``whole``: no other fields are allowed. ``schema``: in an OpenAPI schema, whose
    properties can have any name.
    """

    typed: bool
    whole: bool = False
    schema: bool = False
    shown: str = ""
    names: tuple[str, str] = ("", "")

    def field(self, name: str) -> _FieldPath:
        shown = f"{self.shown}.{name}" if _NAME.fullmatch(name) else f"{self.shown}[{json.dumps(name)}]"
        whole = self.whole or name == "matchLabels" or (self.typed and name in WHOLE)
        schema = self.schema or (self.typed and name == SCHEMA)
        return _FieldPath(self.typed, whole, schema, shown, (self.names[-1], name))

    def item(self, shown: str) -> _FieldPath:
        return self._replace(shown=f"{self.shown}[{shown}]")

    @property
    def is_text(self) -> bool:
        """Whether the value is in a map of strings."""
        return not self.schema and self.names[0] in (KEYED_IN_STRUCTS if self.typed else KEYED)

    @property
    def is_quantity(self) -> bool:
        inside, name = self.names
        return not (self.schema or self.is_text) and (inside in QUANTITY_MAPS or name in QUANTITIES)

    @property
    def is_omitted_if_empty(self) -> bool:
        """Whether the field is a map that a Go struct omits if it is empty."""
        return self.typed and not self.schema and not self.is_text and self.names[1] in DROPPED_MAPS

    @property
    def merged_by(self) -> tuple[str, ...]:
        """The key fields of the items of this list, empty if the list is replaced as a whole (atomic)."""
        return MERGED.get(self.names, ()) if self.typed and not self.schema else ()

    def has_field(self, name: str) -> bool:
        """Whether the kind declares such a field. Unknown kinds declare every field."""
        inside, at = self.names
        is_schema = self.schema and at not in SCHEMA_MAPS and (at in SCHEMAS or inside in SCHEMA_MAPS)
        return not is_schema or name in SCHEMA_FIELDS


def differences(desired: Mapping[str, Any], live: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Compare ``live`` with ``desired``, the object to apply. Both have the same name.

    If the versions of the API group differ, only metadata is compared, because fields differ between versions. If the
    kinds differ, only the kind is reported.
    """
    desired_group, live_group = _group(desired), _group(live)
    other = Difference(".apiVersion", desired.get("apiVersion"), live.get("apiVersion"))
    mismatches = [other] if desired_group != live_group else []
    if desired.get("kind") != live.get("kind"):
        mismatches.append(Difference(".kind", desired.get("kind"), live.get("kind")))
    if mismatches:
        return tuple(mismatches)
    top = _FieldPath(desired_group in TYPED_GROUPS)
    result = list(_metadata(top, nested(desired, "metadata"), nested(live, "metadata")))
    if other.expected == other.actual:
        result += _fields(top, _content(desired), live)
    return tuple(result)


def rewritten_fields(
    desired: Mapping[str, Any], live: Mapping[str, Any], is_declared: Callable[[str], bool]
) -> tuple[str, ...]:
    """The paths of the fields that have another value in ``live`` than in ``desired``, or none although declared."""
    found = differences(desired, live)
    return tuple(item.field for item in found if item.actual is not None or is_declared(item.field))


def mask(items: Iterable[Difference], kind: str) -> tuple[Difference, ...]:
    """Mask the values in the differences of a Secret, and credentials in the URLs of other kinds."""
    hide = _mask_value if kind == "Secret" else _without_credentials
    return tuple(Difference(item.field, hide(item.expected), hide(item.actual)) for item in items)


def _mask_value(value: object) -> str | None:
    return None if value is None else MASK


def _without_credentials(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_credentials(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_credentials(item) for item in value]
    return without_credentials(value) if isinstance(value, str) else value


def _group(body: Mapping[str, Any]) -> str:
    group, slash, _version = str(body.get("apiVersion", "")).partition("/")
    return group if slash else ""


def _content(desired: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields to compare, in the form in which the API server stores them."""
    content = {key: value for key, value in desired.items() if key not in ("apiVersion", "kind", "metadata", "status")}
    if desired.get("kind") == "ClusterRole" and content.get("aggregationRule"):
        # A controller writes the rules: kubernetes/kubernetes:pkg/controller/clusterroleaggregation.
        content.pop("rules", None)
    encoded = ENCODED.get(str(desired.get("kind")), "")
    if isinstance(content.get(encoded), Mapping):
        # The API server ignores line breaks in base64 and does not return them.
        content[encoded] = {
            key: "".join(value.split()) if isinstance(value, str) else value for key, value in content[encoded].items()
        }
    if desired.get("kind") == "Secret" and isinstance(content.get("stringData"), Mapping):
        # Write-only, and overrides data (kubernetes/api:core/v1/types.go Secret).
        texts = {key: _base64(value) for key, value in content.pop("stringData").items()}
        content["data"] = {**(content.get("data") or {}), **texts}
    return content


def _base64(value: object) -> str:
    return b64encode(("" if value is None else str(value)).encode()).decode()


def _metadata(top: _FieldPath, desired: Any, live: Any) -> Iterator[Difference]:
    at = top._replace(typed=True).field("metadata")
    for name in METADATA:
        desired_value, live_value = nested(desired, name), nested(live, name)
        if desired_value is None or (name == "namespace" and live_value is None):
            continue  # the API server drops the namespace of a cluster-scoped object
        if name == "finalizers" and isinstance(desired_value, list):
            # A set: other clients add to it, and its order has no meaning.
            existing = live_value if isinstance(live_value, list) else []
            desired_value = [item for item in desired_value if item not in existing]
            if desired_value:
                yield Difference(at.field(name).shown, desired_value, live_value)
        else:
            yield from _values(at.field(name), desired_value, live_value)


def _values(at: _FieldPath, desired: Any, live: Any) -> Iterator[Difference]:
    if isinstance(desired, Mapping) and live is None and at.is_omitted_if_empty:
        live = {}  # to report the keys
    if live is None:
        if not _can_be_omitted(at, desired):
            yield Difference(at.shown, desired, None)
    elif desired is None:
        # In a Go struct, null means absent, and a default replaces it. Elsewhere it is a value.
        if not at.typed and live not in (False, 0, "", [], {}):
            yield Difference(at.shown, None, live)
    elif isinstance(desired, Mapping) and isinstance(live, Mapping):
        yield from _fields(at, desired, live)
    elif isinstance(desired, list) and isinstance(live, list):
        yield from _lists(at, desired, live)
    elif not _same(desired, live) and not _same_amount(at, desired, live):
        yield Difference(at.shown, desired, live)


def _can_be_omitted(at: _FieldPath, desired: Any) -> bool:
    """Whether an API server, or an operator that rewrites the object, can omit a value (Go's ``omitempty``).

    Not every empty value is equal to an absent one: ``emptyDir: {}`` selects the type of a volume. It is unknown which
    empty maps an operator omits from a custom resource.
    """
    if desired is None:
        return True
    if at.is_text:
        return False
    if not isinstance(desired, Mapping):
        return not desired
    if at.typed:
        return not desired and at.is_omitted_if_empty
    return next(_fields(at, desired, {}), None) is None


def _fields(at: _FieldPath, desired: Mapping[str, Any], live: Mapping[str, Any]) -> Iterator[Difference]:
    for name in sorted(desired):
        if name in live or at.has_field(name):
            yield from _values(at.field(name), desired[name], live.get(name))
    if at.whole:
        for name in sorted(set(live) - set(desired)):
            if not _can_be_omitted(at.field(name), live[name]):
                yield Difference(at.field(name).shown, None, live[name])


def _lists(at: _FieldPath, desired: Sequence[Any], live: Sequence[Any]) -> Iterator[Difference]:
    fields = at.merged_by
    desired_items, live_items = _by_key(fields, desired), _by_key(fields, live)
    if desired_items is not None and live_items is not None:
        for key, item in desired_items.items():
            item_path = at.item(",".join(f"{name}={json.dumps(part)}" for name, part in zip(fields, key, strict=True)))
            if key in live_items:
                yield from _values(item_path, item, live_items[key])
            else:
                yield Difference(item_path.shown, item, None)
        return
    if len(desired) != len(live) or not all(map(_comparable, desired, live)):
        yield Difference(at.shown, desired, live)
        return
    for index, (desired_item, live_item) in enumerate(zip(desired, live, strict=True)):
        if isinstance(desired_item, (Mapping, list)):
            yield from _values(at.item(str(index)), desired_item, live_item)


def _comparable(desired: Any, live: Any) -> bool:
    """Whether a difference of two items can be reported inside of them."""
    if isinstance(desired, Mapping):
        return isinstance(live, Mapping)
    if isinstance(desired, list):
        return isinstance(live, list)
    return _same(desired, live)


def _by_key(fields: Sequence[str], items: Sequence[Any]) -> dict[tuple[Any, ...], Any] | None:
    """Map items by their key fields, ``None`` if they have no unique keys."""
    if not fields:
        return None
    keyed: dict[tuple[Any, ...], Any] = {}
    for item in items:
        key = tuple(nested(item, field) or KEY_DEFAULTS.get(field) for field in fields)
        if not all(isinstance(part, (str, int)) for part in key) or key in keyed:
            return None
        keyed[key] = item
    return keyed


def _same(desired: Any, live: Any) -> bool:
    # In Python, True equals 1.
    return isinstance(desired, bool) is isinstance(live, bool) and bool(desired == live)


def _same_amount(at: _FieldPath, desired: Any, live: Any) -> bool:
    """Whether two values are the same quantity or duration."""
    if at.is_text:
        return False
    if at.is_quantity:
        amount = parse_quantity(desired)
        return amount is not None and amount == parse_quantity(live)
    if at.typed:
        return False  # built-in kinds have no durations
    duration = _nanoseconds(desired)
    return duration is not None and duration == _nanoseconds(live)


def _nanoseconds(value: object) -> Fraction | None:
    """Parse a duration as Go does (time.ParseDuration), ``None`` if the value is not one."""
    if not isinstance(value, str) or len(value) > _LONGEST_DURATION or not _DURATION.fullmatch(value):
        return None
    total = sum((Fraction(number) * _UNITS[unit] for number, unit in _DURATION_PART.findall(value)), Fraction())
    return -total if value.startswith("-") else total
