# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Waiting until the API server serves what a CustomResourceDefinition defines."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from .._problems import ApiError, ClusterError
from .._resources import Target
from .._unstructured import conditions_of
from .client import Client, WriteResult
from .rest_mapper import RestMapper

TOUCHED = "capability.openshift.io/nudged"
"""Annotation that is there for a moment only, where an API server has forgotten a definition."""

ESTABLISH_SECONDS = 120.0
"""How long to wait for definitions, through a restart of the API server."""

_TOUCH_SECONDS = 8.0
"""An API server with peers takes 5 seconds until it establishes a definition: only a longer silence means something."""

_PAUSE = 0.5
"""Seconds before a watch is begun again that broke."""

_TRIES = 3


def wait_until_established(
    client: Client, target: Target, metadata: Mapping[str, Any], seconds: float
) -> tuple[Mapping[str, Any], str]:
    """Return a CustomResourceDefinition once it is established, or why it is not, after ``seconds`` or for good.

    Where no time is left it is looked at once.

    ``metadata`` is what it had when it was sent. Raises ``ClusterError``.
    """
    begun = time.monotonic()
    found: Mapping[str, Any] = {"metadata": metadata}
    version, nudges = str(metadata["resourceVersion"]), 0
    while not _is_decided(found):
        left = begun + seconds - time.monotonic()
        found = _next_event(client, target, version, min(left, _TOUCH_SECONDS))
        # A watch from what it has now is refused as too old where nothing has changed since a restart of the server.
        version = ""
        if _is_decided(found) or left <= 0:
            break
        if time.monotonic() - begun >= _TOUCH_SECONDS * (nudges + 1):
            # One that was killed between accepting the names and establishing them looks at a definition again only
            # when that changes (kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go).
            nudges += 1
            _touch(client, target, str(nudges))
    if nudges or TOUCHED in (found["metadata"].get("annotations") or {}):  # of a wait that was broken off
        _touch(client, target, None)
    return found, "" if is_established(found) else _refused_names(found) or _state(found)


def is_established(crd: Mapping[str, Any]) -> bool:
    """Tell whether the API server serves what ``crd`` defines."""
    return bool(conditions_of(crd).get("Established", {}).get("status") == "True")


def _is_decided(crd: Mapping[str, Any]) -> bool:
    return is_established(crd) or bool(_refused_names(crd))


def _refused_names(crd: Mapping[str, Any]) -> str:
    """Return why the API server does not take the names of a CustomResourceDefinition, which another one may have."""
    names = conditions_of(crd).get("NamesAccepted", {})
    return f"its names are not accepted ({names.get('message')})" if names.get("status") == "False" else ""


def _state(crd: Mapping[str, Any]) -> str:
    """Return what the API server says of a definition that has not become established in time."""
    condition = conditions_of(crd).get("Established")
    if condition is None:
        return "time is up, and the server has not looked at it yet"
    return f"time is up, and the server says {condition.get('reason')} ({condition.get('message')})"


def _next_event(client: Client, target: Target, version: str, seconds: float) -> Mapping[str, Any]:
    """Return what becomes of a definition within ``seconds``, or earlier where a watch from ``version`` ends."""
    if seconds > 0:
        begun = time.monotonic()
        try:
            for event in client.watch(target, version, seconds):
                if event["type"] in ("ADDED", "MODIFIED") and _is_decided(event["object"]):
                    changed: Mapping[str, Any] = event["object"]
                    return changed
        except ClusterError:
            pass  # the read that follows tells whether it was only a broken connection
        time.sleep(max(0.0, min(_PAUSE, seconds) - (time.monotonic() - begun)))
    return client.get(target)


def _touch(client: Client, target: Target, value: str | None) -> None:
    for _attempt in range(_TRIES):
        metadata = {
            "resourceVersion": client.get(target)["metadata"]["resourceVersion"],
            "annotations": {TOUCHED: value},
        }
        try:
            client.merge(target, {"metadata": metadata})
        except ApiError as error:
            if error.code != 409:
                raise
        else:
            return


def create_of_new_kind(
    client: Client, kinds: RestMapper, target: Target, body: Mapping[str, Any], *, dry_run: bool = False
) -> WriteResult:
    """Create an object. Of a kind that came a moment ago there is none yet, so that it can be applied as well.

    The API server holds a POST back for two seconds then
    (kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go, justCreated).
    """
    if kinds.is_new(target.kind) and kinds.is_fresh(target.kind):
        return client.apply(target, body, dry_run=dry_run, metadata_only=True)
    return client.create(target, body, dry_run=dry_run)
