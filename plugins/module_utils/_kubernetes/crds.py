# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Waits until the API server serves the kind of a CustomResourceDefinition."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from .._problems import ClusterError
from .._resources import Target
from .._unstructured import conditions_of
from .api_errors import ApiError
from .client import Client, WriteResult
from .rest_mapper import RestMapper

TOUCHED = "capability.openshift.io/nudged"
"""Annotation that is set briefly to make an API server process a definition that it has forgotten."""

ESTABLISH_SECONDS = 120.0
"""Time limit for definitions; it includes a restart of the API server."""

TOUCH_SECONDS = 8.0
"""Time without an event after which a definition is touched. A highly available API server takes up to 5 seconds."""

_PAUSE = 0.5
"""Seconds before a broken watch is restarted."""

_TRIES = 3


def wait_until_established(
    client: Client, target: Target, metadata: Mapping[str, Any], seconds: float, touch_seconds: float = TOUCH_SECONDS
) -> tuple[Mapping[str, Any], str]:
    """Return a CustomResourceDefinition, and why it is not established, empty if it is.

    Waits for ``seconds``, or until its names are rejected; if ``seconds`` is 0, it is read once. ``metadata`` is that
    of the definition when it was applied. Raises ``ClusterError``.
    """
    started = time.monotonic()
    crd: Mapping[str, Any] = {"metadata": metadata}
    version, touches = str(metadata["resourceVersion"]), 0
    while not _is_decided(crd):
        remaining = started + seconds - time.monotonic()
        crd = _next_event(client, target, version, min(remaining, touch_seconds))
        # If nothing has changed since a restart of the server, it rejects a watch from the current version as too old.
        version = ""
        if _is_decided(crd) or remaining <= 0:
            break
        if time.monotonic() - started >= touch_seconds * (touches + 1):
            # An API server that was killed between accepting the names and establishing them processes a definition
            # again only if it changes (kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go).
            touches += 1
            _touch(client, target, str(touches))
    if touches or TOUCHED in (crd["metadata"].get("annotations") or {}):  # of an interrupted wait
        _touch(client, target, None)
    return crd, "" if is_established(crd) else _rejected_names(crd) or _state(crd)


def is_established(crd: Mapping[str, Any]) -> bool:
    """Whether the API server serves the kind of ``crd``."""
    return bool(conditions_of(crd).get("Established", {}).get("status") == "True")


def _is_decided(crd: Mapping[str, Any]) -> bool:
    return is_established(crd) or bool(_rejected_names(crd))


def _rejected_names(crd: Mapping[str, Any]) -> str:
    """Why the API server rejects the names, empty if it does not. Another definition can have them."""
    names = conditions_of(crd).get("NamesAccepted", {})
    return f"its names are not accepted ({names.get('message')})" if names.get("status") == "False" else ""


def _state(crd: Mapping[str, Any]) -> str:
    """The state of a definition that is not established in time."""
    condition = conditions_of(crd).get("Established")
    if condition is None:
        return "is not established in time: the API server has not processed it"
    return f"is not established in time: {condition.get('reason')} ({condition.get('message')})"


def _next_event(client: Client, target: Target, version: str, seconds: float) -> Mapping[str, Any]:
    """The definition after ``seconds``, or earlier if it is decided or the watch from ``version`` ends."""
    if seconds > 0:
        started = time.monotonic()
        try:
            for event in client.watch(target, version, seconds):
                if event["type"] in ("ADDED", "MODIFIED") and _is_decided(event["object"]):
                    changed: Mapping[str, Any] = event["object"]
                    return changed
        except ClusterError:
            pass  # the read that follows shows whether only the connection broke
        time.sleep(max(0.0, min(_PAUSE, seconds) - (time.monotonic() - started)))
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
            if not error.is_conflict:
                raise
        else:
            return


def create_of_new_kind(
    client: Client, kinds: RestMapper, target: Target, body: Mapping[str, Any], *, dry_run: bool = False
) -> WriteResult:
    """Create an object. If its kind is new, apply it, because none can exist yet.

    The API server delays a POST of a new kind by two seconds
    (kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go, justCreated).
    """
    if kinds.is_new(target.kind) and kinds.is_fresh(target.kind):
        return client.apply(target, body, dry_run=dry_run, metadata_only=True)
    return client.create(target, body, dry_run=dry_run)
