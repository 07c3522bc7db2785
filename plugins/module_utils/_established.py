# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Waiting until the API server serves what a CustomResourceDefinition defines."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ._client import Client, Target
from ._domain.body import conditions_of
from ._domain.errors import ApiError, ClusterError

NUDGED = "capability.openshift.io/nudged"
"""Annotation that is there for a moment only, where an API server has forgotten a definition."""

_NUDGE_SECONDS = 5.0
_TRIES = 3


def await_established(
    client: Client, target: Target, metadata: Mapping[str, Any], seconds: float
) -> tuple[Mapping[str, Any], str]:
    """Return a CustomResourceDefinition once it is established, or why it is not, after ``seconds`` or for good.

    Where no time is left it is looked at once.

    ``metadata`` is what it had when it was sent. Raises ``ClusterError``.
    """
    deadline = time.monotonic() + seconds
    found: Mapping[str, Any] = {"metadata": metadata}
    nudges, late = 0, False
    while not is_established(found):
        left = deadline - time.monotonic()
        why = _refused_names(found)
        if why or late:
            break
        if left <= 0:
            found, late = client.get(target), True
            continue
        begun = time.monotonic()
        found = _next(client, target, found, min(left, _NUDGE_SECONDS))
        if time.monotonic() - begun >= _NUDGE_SECONDS - 1 and not is_established(found):
            # One that was killed between accepting the names and establishing them looks at a definition again only
            # when that changes (kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go).
            nudges += 1
            _annotate(client, target, str(nudges))
    else:
        if nudges:
            _annotate(client, target, None)
        return found, ""
    return found, why or "time is up, and the server does not say why"


def is_established(crd: Mapping[str, Any]) -> bool:
    """Tell whether the API server serves what ``crd`` defines."""
    return bool(conditions_of(crd).get("Established", {}).get("status") == "True")


def _refused_names(crd: Mapping[str, Any]) -> str:
    """Return why the API server does not take the names of a CustomResourceDefinition, which another one may have."""
    names = conditions_of(crd).get("NamesAccepted", {})
    return f"its names are not accepted ({names.get('message')})" if names.get("status") == "False" else ""


def _next(client: Client, target: Target, found: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
    """Return what has become of a definition since ``found``."""
    try:
        for event in client.watch(target, found["metadata"]["resourceVersion"], seconds):
            if event["type"] in ("ADDED", "MODIFIED"):
                changed: Mapping[str, Any] = event["object"]
                return changed
    except ClusterError:
        pass  # the read that follows tells whether it was only a broken connection
    return client.get(target)


def _annotate(client: Client, target: Target, value: str | None) -> None:
    for _attempt in range(_TRIES):
        metadata = {
            "resourceVersion": client.get(target)["metadata"]["resourceVersion"],
            "annotations": {NUDGED: value},
        }
        try:
            client.merge(target, {"metadata": metadata})
        except ApiError as error:
            if error.code != 409:
                raise
        else:
            return
