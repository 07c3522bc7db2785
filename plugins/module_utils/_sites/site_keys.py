# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds keys without effect: of a selection in the wrong place, misspelled, repeated, or meant to exclude."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from .._data.capabilities import API_ADDITIONAL, API_BASELINE, API_FIELDS, NONE, MinorData
from .._problems import Problems, nearest_name, type_name
from .._yaml.nodes import Node, Pair, below
from .document import (
    AGENT_CLUSTER_INSTALL,
    ANNOTATION,
    CLUSTER_DEPLOYMENT,
    CLUSTER_INSTANCE,
    CLUSTER_VERSION,
    HOSTED_CLUSTER,
    INFRA_ENV,
    INSTALL_CONFIG,
    SITE_CONFIG,
    SiteObject,
    is_selection,
)
from .overrides import BLOCK, OVERRIDES
from .site import SiteNode

_BEGINNING = "capabilit"
"""A key that begins so is a misspelled ``capabilities``, such as ``Capability``."""

_EXCLUSIONS = ("exclu", "disab")
_HOME = {
    CLUSTER_INSTANCE: f"spec.{OVERRIDES}",
    SITE_CONFIG: f"spec.clusters[].{OVERRIDES}",
    AGENT_CLUSTER_INSTALL: f"metadata.annotations[{ANNOTATION}]",
    INFRA_ENV: "the AgentClusterInstall of the cluster",
    CLUSTER_DEPLOYMENT: "the AgentClusterInstall of the cluster",
    HOSTED_CLUSTER: "spec.capabilities",
    CLUSTER_VERSION: "spec.capabilities",
}
_ELSEWHERE = "the object that describes the cluster"
_SEPARATORS = str.maketrans("", "", "_- ")


class ReadForm(NamedTuple):
    """The fields of an install-config that count, and names that the user wants to exclude."""

    values: Mapping[str, Any]
    excluded: tuple[str, ...] = ()


def check_form(values: Mapping[str, Any], problems: Problems, fields: Mapping[str, object] | None = None) -> ReadForm:
    """Report parts of overrides that no installer reads as a selection, and return the others.

    ``fields`` are those that the reader of the overrides knows, as in ``ASSISTED_FIELDS``; ``None``: any.
    """
    kept: dict[str, Any] = {}
    for key, value in values.items():
        if _plain(key) in map(_plain, API_FIELDS):
            message = f"is at the top level, expected it below {BLOCK}, so it has no effect"
            problems.error("misplaced-selection", key, message, f"Move it into {BLOCK}")
        elif key != BLOCK and _plain(key).startswith(_BEGINNING):
            message = f"is not a field, expected {BLOCK}, so the selection has no effect"
            problems.error("misspelled-field", key, message, f"Write {BLOCK}")
        else:
            kept[key] = value
            misplaced = [] if key == BLOCK else list(_selections_in(value, key))
            for path in misplaced:
                message = f"contains a selection, expected it at the top level below {BLOCK}"
                problems.error("misplaced-selection", path, message, f"Move {BLOCK} to the top level")
            if fields is not None and not misplaced:
                _check_fields({key: value}, fields, "", problems)
    excluded: list[str] = []
    block = kept.get(BLOCK)
    if isinstance(block, Mapping):
        kept[BLOCK] = {key: value for key, value in block.items() if not _is_exclusion(key)}
        for key, value in block.items():
            if _is_exclusion(key):
                excluded += _report_exclusion(value, f"{BLOCK}.{key}", problems)
    return ReadForm(kept, tuple(excluded))


def _check_fields(value: object, fields: object, path: str, problems: Problems) -> None:
    """Report what assisted-service rejects in overrides, and everything below it."""
    if value is None or fields is object:
        return
    expected = type_name(fields() if isinstance(fields, type) else fields)
    if type_name(value) != expected:
        message = f"is {type_name(value)}, expected {expected}, so assisted-service rejects the overrides"
        problems.error("invalid-json", path, message, f"Write {expected}")
    elif isinstance(fields, list) and isinstance(value, list):
        for number, item in enumerate(value):
            _check_fields(item, fields[0], f"{path}[{number}]", problems)
    elif isinstance(fields, Mapping) and isinstance(value, Mapping):
        known = {name.lower(): name for name in fields}
        for key, item in value.items():
            where = f"{path}.{key}" if path else key
            if key.lower() in known:
                _check_fields(item, fields[known[key.lower()]], where, problems)
            elif nearest := nearest_name(key, fields):
                message = "is not a field that assisted-service knows, so it rejects the overrides"
                problems.error("unknown-field", where, message, f"Did you mean {nearest}?")
            else:
                message = "is not a field of assisted-service of August 2026, which would reject the overrides"
                problems.warning("unknown-field", where, message, "Remove it, unless your version knows it")


def report_listed_in_set(block: object, data: MinorData, problems: Problems) -> None:
    """Warn about a list whose names are all in the baseline set: it was probably meant to exclude them."""
    if not isinstance(block, Mapping):
        return
    baseline, names = block.get(API_BASELINE), block.get(API_ADDITIONAL)
    content = data.sets.get(baseline, frozenset()) if isinstance(baseline, str) else frozenset()
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        return
    if baseline != NONE and content.issuperset(names):
        message = f"has no effect: {baseline} contains {', '.join(names)}. The list enables names and disables none"
        hint = f"Remove the list, or set {API_BASELINE} to {NONE} and list what stays enabled"
        problems.warning("ineffective-list", f"{BLOCK}.{API_ADDITIONAL}", message, hint)


def check_keys(origin: SiteObject, sites: tuple[SiteNode, ...], problems: Problems) -> None:
    """Report keys in a place or spelling in which they have no effect, or that their map has again.

    ``sites`` are the sites of the object.
    """
    right = {site.pair.key.start for site in sites if site.pair is not None}
    home, has_error = _HOME.get(origin.kind, _ELSEWHERE), False
    for path, (key, _colon, _value), repeated in _keys(origin.node, ""):
        if repeated:
            message = f"{below(path, key)} is repeated: some readers use the last one, others fail"
            problems.error("duplicate-key", origin.location(key), message, "Keep one of them")
        if key.kind == "map":  # {{ x }} is a map with a map as its key
            message = "contains a template, which is not checked"
            problems.info("template", origin.location(key), message, "Render it, and check the result")
        plain = _plain(key.value)
        if plain in _INSTALL_CONFIG_SECRETS:
            message = f"{below(path, key)} names a Secret with an install-config, which is not checked"
            hint = "Check the install-config with install_config"
            problems.info("unread-selection", origin.location(key), message, hint)
        if repeated or key.start in right or _OVERRIDE not in plain:
            continue
        if plain in _OVERRIDES_KEYS:
            message = f"{below(path, key)} is not a field of {origin.kind}, so it has no effect"
            problems.error("misplaced-selection", origin.location(key), message, f"Write it in {home}")
            has_error = True
        elif plain in _MISSPELLED_KEYS:
            message = f"{below(path, key)} is misspelled, so it has no effect"
            problems.error("misspelled-field", origin.location(key), message, f"Write it in {home}")
            has_error = True
    for site in sites:
        if site.site.form != "block" and (found := _key_elsewhere(site)) is not None:
            message = f"{found.value} is not a field of {origin.kind}, so it has no effect"
            hint = f"Write it as JSON in {home}" if site.site.form == "overrides" else f"Write it in {home}"
            problems.error("misplaced-selection", origin.location(found), message, hint)
            has_error = True
    if not has_error and origin.kind != INSTALL_CONFIG:
        _report_selections(origin, sites, home, problems)


def _report_selections(origin: SiteObject, sites: tuple[SiteNode, ...], home: str, problems: Problems) -> None:
    """Report fields with a selection that nothing reads. Annotations and the status can repeat the object."""
    right = {site.pair.key.start for site in sites if site.pair is not None}
    ignored = ("metadata.annotations", "status", *(site.site.field for site in sites))
    for path, pair, repeated in _keys(origin.node, ""):
        # A value with an anchor is read where an alias repeats it.
        is_unread = pair.key.start not in right and not pair.value.anchor and not path.startswith(ignored)
        if is_unread and not repeated and is_selection(pair):
            message = f"{below(path, pair.key)} contains a selection, but nothing reads it, so it has no effect"
            problems.error("misplaced-selection", origin.location(pair.key), message, f"Write it in {home}")


def _key_elsewhere(site: SiteNode) -> Node | None:
    """The key of a selection, or a misspelled one, next to where it is read, in the spec, or in the object itself."""
    document, right = site.document, "" if site.pair is None else site.pair.key.value
    for parent in (site.parent, document.get(site.origin.node, "spec"), site.origin.node):
        for key in document.keys(parent):
            is_right = parent is site.parent and key.value == right
            if _BEGINNING in _plain(key.value) and "/" not in key.value and not is_right:
                return key
    return None


def _keys(node: Node, path: str) -> Iterator[tuple[str, Pair, bool]]:
    """Yield path, pair and whether the map has its key again, for every key below ``node``."""
    last = {pair.key.value: pair.key.start for pair in node.pairs}
    for pair in node.pairs:
        key, _colon, value = pair
        yield path, pair, key.start != last[key.value] and key.value != "<<"
        if value.kind != "scalar":
            yield from _keys(value, below(path, key))
    for number, item in enumerate(node.items):
        if item.kind != "scalar":
            yield from _keys(item, f"{path}[{number}]")


def _selections_in(value: object, path: str) -> Iterator[str]:
    """Yield the paths of maps that have a field of a selection."""
    if isinstance(value, Mapping):
        if set(API_FIELDS).intersection(value):
            yield path
        for key, item in value.items():
            yield from _selections_in(item, f"{path}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _selections_in(item, f"{path}[{number}]")


def _is_exclusion(key: object) -> bool:
    return str(key).lower().startswith(_EXCLUSIONS)


def _report_exclusion(value: object, where: str, problems: Problems) -> list[str]:
    message = "is not a field: a selection cannot exclude, so everything in its baseline is enabled"
    hint = f"Set {API_BASELINE} to {NONE} and list what stays enabled"
    problems.error("exclusion-list", where, message, hint)
    return [str(name) for name in (value if isinstance(value, list) else [value])]


@lru_cache(maxsize=4096)
def _plain(name: object) -> str:
    """``name`` in lower case without separators."""
    return str(name).lower().translate(_SEPARATORS)


_INSTALL_CONFIG_SECRETS = frozenset(map(_plain, ("installConfigSecretRef", "installConfigSecretTemplateRef")))
_OVERRIDE = "override"
_OVERRIDES_KEYS = frozenset(map(_plain, (OVERRIDES, ANNOTATION)))
_MISSPELLED_KEYS = frozenset(f"{key}s" for key in _OVERRIDES_KEYS) | frozenset(key[:-1] for key in _OVERRIDES_KEYS)
