# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the prediction of an update starts from. An annotation keeps it, so that a second run predicts the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from .._resources import Object, as_text, nested
from .target import MULTI, TargetRelease

ANNOTATION = "capability.openshift/update"
"""The annotation of the ClusterVersion, which is written together with the request of the update."""


class UpdateStart(NamedTuple):
    """A cluster before its update to ``image``.

    ``from_version`` and ``from_image``: what it ran. ``selection`` and ``capabilities``: ``spec.capabilities`` and
    ``status.capabilities``. ``is_multi``: whether the release of ``image`` is for several architectures.
    ``requested``: ``spec.desiredUpdate`` before this update was requested, which the annotation lacks.
    """

    image: str
    from_version: str
    from_image: str
    selection: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    is_multi: bool = False
    requested: Mapping[str, Any] = MappingProxyType({})

    def annotation(self) -> str:
        """The value of the annotation."""
        kept = self._asdict()
        del kept["requested"]
        return json.dumps(kept, sort_keys=True)

    def cluster_version(self, current: Object) -> Object:
        """``current`` with what it had before the update, as far as the enabled capabilities depend on it."""
        spec = {**(nested(current, "spec") or {}), "capabilities": self.selection}
        desired = {"version": self.from_version, "image": self.from_image}
        return {**current, "spec": spec, "status": {"desired": desired, "capabilities": self.capabilities}}


def start_of(cluster_version: Object, target: TargetRelease) -> UpdateStart:
    """Return what an update to ``target`` starts from."""
    status = nested(cluster_version, "status")
    return UpdateStart(
        target.image,
        as_text(nested(status, "desired", "version")),
        as_text(nested(status, "desired", "image")),
        selection_of(cluster_version),
        nested(status, "capabilities") or {},
        requested=nested(cluster_version, "spec", "desiredUpdate") or {},
    )


def read_start(cluster_version: Object, target: TargetRelease) -> UpdateStart | None:
    """Return what the update to ``target`` started from; ``None`` if the annotation is missing or of another update."""
    text = nested(cluster_version, "metadata", "annotations", ANNOTATION)
    try:
        start = UpdateStart(**json.loads(as_text(text)))
    except (ValueError, TypeError):
        return None
    blocks = (start.selection, start.capabilities)
    is_same = start.image == target.image and (not target.replaced or start.from_version == target.version)
    return start if is_same and all(isinstance(block, Mapping) for block in blocks) else None


def with_start(target: TargetRelease, cluster_version: Object) -> TargetRelease:
    """Return the ``target`` of a migration with the image that an earlier run replaced, or without a migration.

    A cluster does not always report that it runs the image for several architectures.
    """
    if not target.replaced:
        return target
    start, updated = read_start(cluster_version, target), TargetRelease(target.version, target.replaced)
    if start is not None:
        return target._replace(replaced=start.from_image)
    earlier = read_start(cluster_version, updated)
    is_multi = nested(cluster_version, "status", "desired", "architecture") == MULTI
    return updated if is_multi or (earlier is not None and earlier.is_multi) else target


def selection_of(cluster_version: Object) -> Mapping[str, Any]:
    """Return the block ``spec.capabilities``, empty if there is none."""
    return nested(cluster_version, "spec", "capabilities") or {}
