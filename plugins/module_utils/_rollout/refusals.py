# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What is done about a manifest that an API server refuses: sent differently, or explained without its secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._kubernetes.schema import schema_of
from .._problems import Problem
from .._release.loader import LoadedRelease
from .._release.manifest import Manifest, location
from .._resources import CUSTOM_RESOURCE_DEFINITIONS, Target
from .desired_object import mark_normalized
from .normalize import (
    adopt_conflicting_defaults,
    fill_required_nulls,
    without_field,
    wrong_types,
)

_EXPECTED = "Write what the API expects"


class Normalized(NamedTuple):
    """What to send instead of what was refused. ``first`` has to be applied before it, where it is not ``None``."""

    sending: Mapping[str, Any]
    problem: Problem
    first: Mapping[str, Any] | None = None


def normalized_for(
    client: Client,
    loaded: LoadedRelease,
    manifest: Manifest,
    target: Target,
    sending: Mapping[str, Any],
    error: ApiError,
    definition: Manifest | None,
) -> Normalized | None:
    """Return what the CVO would have got through, ``None`` where nothing can be done. Raises ``ClusterError``.

    ``definition`` is the CustomResourceDefinition that the release has of the kind.
    """
    where = location(manifest.file, manifest.document)
    if error.undeclared_fields:
        return _without_undeclared(manifest, sending, error)
    if not error.is_invalid or not error.causes:
        return None
    schema = _schema(client, loaded, target, definition)
    nulled, filled = fill_required_nulls(sending, error.causes, schema)
    if filled:
        message = f"null stands for {', '.join(filled)}, which the API requires"
        return Normalized(nulled, Problem("info", "todo", where, message))
    # The CVO replaces what stands in the way. Server-side apply leaves it, because it is a default of the API server,
    # which belongs to no manager: so it is made ours, and goes when it is no longer applied.
    live = _live(client, target) if any(cause.is_forbidden for cause in error.causes) else None
    first, taken = adopt_conflicting_defaults(sending, error.causes, live) if live is not None else ({}, ())
    if taken:
        message = f"{', '.join(taken)} of the cluster does not go with what is applied, so it is taken away"
        return Normalized(sending, Problem("info", "todo", where, message), mark_normalized(first, hashed=False))
    return None


def refusal(loaded: LoadedRelease, manifest: Manifest, error: ApiError) -> Problem:
    """Return why ``manifest`` cannot be applied, which no other attempt changes."""
    where = location(manifest.file, manifest.document)
    wrong = wrong_types(error.mistyped_fields, loaded.release.body(manifest))
    if wrong:
        return Problem("error", "todo", where, "; ".join(wrong), _EXPECTED)
    problem = redacted(manifest, error)._replace(where=where)
    if error.is_immutable_field:
        hint = (
            "This cannot be changed once the object is there. Delete the object, so that the next run makes it anew "
            "(what it runs stops meanwhile), or leave it alone with an override"
        )
        problem = problem._replace(hint=hint)
    return problem._replace(hint=_EXPECTED) if error.is_permanent else problem


def redacted(manifest: Manifest, error: ApiError) -> Problem:
    """Return what the API server said; of a Secret only about which fields, because it quotes their values."""
    is_secret = manifest.resource_id.group_kind == ("", "Secret")
    return error.redacted() if is_secret and not error.is_field_conflict else error.problems[0]


def _without_undeclared(manifest: Manifest, sending: Mapping[str, Any], error: ApiError) -> Normalized | None:
    fields = error.undeclared_fields
    left = sending
    for field in fields:
        left = without_field(left, field)
    if left == sending:
        return None
    message = f"the API does not know {', '.join(fields)} of {manifest.resource_id.kind}, so it is left out"
    return Normalized(
        mark_normalized(left), Problem("warning", "todo", location(manifest.file, manifest.document), message)
    )


def _schema(client: Client, loaded: LoadedRelease, target: Target, definition: Manifest | None) -> Any:
    if definition is not None:
        return schema_of(loaded.release.body(definition), target.kind.version)
    # Where the kind has none, what the server says is what counts.
    return schema_of(_live(client, Target(CUSTOM_RESOURCE_DEFINITIONS, target.kind.resource)), target.kind.version)


def _live(client: Client, target: Target) -> Mapping[str, Any] | None:
    try:
        return client.get(target)
    except ApiError:
        return None
