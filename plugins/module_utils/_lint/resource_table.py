# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists the manifests of an operator's checkout with what decides about each, as rows and as Markdown."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._data.inclusion_rules import (
    CAPABILITY_ANNOTATION,
    DELETE_ANNOTATION,
    FEATURE_GATE_ANNOTATION,
    FEATURE_SET_ANNOTATION,
    PROFILE_ANNOTATION,
)
from .._release.manifest import Manifest, manifest_dict
from .._release.manifest_file import ManifestFile
from .._release.release import Release
from .._release.task_graph import component_of
from .._resources import CLUSTER_OPERATORS, ResourceId
from .checkout import OperatorCheckout

_COLUMNS = {
    "capability": CAPABILITY_ANNOTATION,
    "feature_set": FEATURE_SET_ANNOTATION,
    "feature_gate": FEATURE_GATE_ANNOTATION,
    "delete": DELETE_ANNOTATION,
}
_SHOWN = ("file", "resource", "owner", "capability", "profiles", "feature_set", "feature_gate")


def resource_rows(checkout: OperatorCheckout, release: Release | None) -> dict[str, Any]:
    """All manifests of ``checkout``, their changes since the merge base, and how ``release`` differs from them."""
    own = checkout.source.release.manifests
    manifests = (*own, *checkout.operands.release.manifests)
    kind = CLUSTER_OPERATORS.group_kind
    operators = sorted({item.resource_id.name for item in own if item.resource_id.group_kind == kind})
    earlier, removed = _matched(checkout.earlier, manifests)
    released, _others = _matched(release.manifests if release else (), manifests)
    rows = []
    for index, (item, old, other) in enumerate(zip(manifests, earlier, released, strict=True)):
        is_own = index < len(own)
        in_release = _differences(item, other) if other else ["not there"] * (is_own and release is not None)
        owner = ", ".join(operators) if is_own else "the operator"
        rows.append(_row(item, owner, _changes(checkout, old, item), in_release))
    gone = [_row(item, "", ["removed"], []) for item in removed]
    return {"resources": rows, "removed": gone, "merge_base": checkout.base}


def _changes(checkout: OperatorCheckout, old: Manifest | None, item: Manifest) -> list[str]:
    """What the checkout changes in ``item``, which is ``old`` in the merge base."""
    if old is None:
        return ["added"] if checkout.base else []
    files = {**checkout.source.release.files, **checkout.operands.release.files}
    moved = [f"file: {old.file} -> {item.file}"] * (old.file != item.file)
    return [*moved, *_differences(old, item), *["content"] * (_content(checkout.before, old) != _content(files, item))]


def appendix(rows: Mapping[str, Any], *, has_release: bool) -> str:
    """Render ``rows`` of a checkout as Markdown. ``has_release``: whether it was compared with one."""
    return "\n".join([*_lines(rows, has_release=has_release), ""])


def _lines(rows: Mapping[str, Any], *, has_release: bool) -> Iterator[str]:
    resources = rows["resources"]
    if rows["merge_base"]:
        yield from _section(f"Changes since {rows['merge_base']}", "changes", (*resources, *rows["removed"]))
    if has_release:
        yield from _section("Different in the release", "in_release", resources)
    yield from ("", "### Manifests", "", _cells(_SHOWN), _cells(["---"] * len(_SHOWN)))
    for item in resources:
        cells = {**item, "resource": _resource(item)}
        yield _cells(str(cells[column]).replace("|", "\\|") for column in _SHOWN)


def _section(title: str, key: str, items: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    lines = [f"- `{item['file']}` {_resource(item)}: {'; '.join(item[key])}" for item in items if item[key]]
    yield from ("", f"### {title}", "", *(lines or ["None"]))


def _cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _resource(item: Mapping[str, Any]) -> str:
    return f"{item['kind']} {item['namespace'] + '/' if item['namespace'] else ''}{item['name']}"


def _columns(manifest: Manifest) -> dict[str, str]:
    """The annotations that decide about ``manifest``, each as one text, empty if it has none."""
    given = manifest.annotations or {}
    return {"profiles": ", ".join(manifest.profiles), **{name: given.get(key, "") for name, key in _COLUMNS.items()}}


def _row(manifest: Manifest, owner: str, changes: list[str], in_release: list[str]) -> dict[str, Any]:
    owner = component_of(manifest.file) or owner
    row = {**manifest_dict(manifest), **_columns(manifest), "owner": owner}
    return {**row, "changes": changes, "in_release": in_release}


def _differences(before: Manifest, after: Manifest) -> list[str]:
    old, new = _columns(before), _columns(after)
    return [f"{name}: {old[name] or 'none'} -> {new[name] or 'none'}" for name in old if old[name] != new[name]]


def _matched(
    before: Iterable[Manifest], after: Sequence[Manifest]
) -> tuple[list[Manifest | None], tuple[Manifest, ...]]:
    """The counterpart of each manifest of ``after``, and the manifests of ``before`` that are none.

    Of several manifests of a resource, the one in that file counts, or else in a file of that name, which a release
    prefixes, or else the one with the fewest other annotations.
    """
    left: dict[ResourceId, list[Manifest]] = {}
    for item in before:
        left.setdefault(item.object_id, []).append(item)
    found: list[Manifest | None] = [None] * len(after)
    for name_of in (str, posixpath.basename, lambda _file: ""):
        for index, item in enumerate(after):
            others, name = left.get(item.object_id, []), name_of(item.file)
            alike = [one for one in others if one.file.endswith(name)]
            if found[index] is None and alike:
                other = min(alike, key=lambda one: len(_differences(one, item)))
                others.remove(other)
                found[index] = other
    return found, tuple(item for items in left.values() for item in items)


def _content(files: Mapping[str, ManifestFile], manifest: Manifest) -> Any:
    """The body of a manifest without the annotations whose changes are listed on their own."""
    body = json.loads(files[manifest.file].read_json(manifest))
    others = body["metadata"].pop("annotations", None)
    listed = (PROFILE_ANNOTATION, *_COLUMNS.values())
    if isinstance(others, dict):
        others = {key: value for key, value in others.items() if not key.startswith(listed)}
    return body, others or {}
