# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Mutating webhooks that rewrite what a rollout applies.

The rollout remains the owner of a rewritten field, so the metadata of the object does not show the change. A comparison
of the object with its manifest does.
Source: kubernetes/apiserver:pkg/endpoints/handlers/patch.go (mutating admission comes after server-side apply).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import Any

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._problems import Problems
from .._release.manifest import Manifest
from .._resources import MUTATING_WEBHOOKS, ApiResource, Target, mappings_in, nested

RewrittenFields = Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[str]]
"""Returns the paths of the fields that have another value in a live object (the second one) than in the applied one."""

REWRITTEN_FIELD = "rewritten-field"
"""Code of the warning. The next run applies the object again, and restores it if the webhook no longer rewrites it."""

_MOST_SHOWN = 5


class MutatingWebhooks:
    """The webhooks of a cluster that can rewrite objects. They are read once, when the first object is applied."""

    def __init__(self, client: Client, rewritten_fields: RewrittenFields) -> None:
        self._client, self._rewritten_fields = client, rewritten_fields
        self._lock = Lock()

    def of_kind(self, kind: ApiResource) -> tuple[str, ...]:
        """The names of the webhooks that can rewrite objects of a kind."""
        with self._lock:
            webhooks = self._webhooks
        return tuple(
            str(webhook.get("name"))
            for webhook in webhooks
            if any(_matches(rule, kind) for rule in mappings_in(webhook.get("rules")))
        )

    @cached_property
    def _webhooks(self) -> tuple[Mapping[str, Any], ...]:
        try:
            found = list(self._client.list(Target(MUTATING_WEBHOOKS)))
        except ApiError:
            return ()  # Only a warning depends on them.
        return tuple(webhook for item in found for webhook in mappings_in(item.get("webhooks")))

    def report(
        self,
        manifest: Manifest,
        kind: ApiResource,
        body: Mapping[str, Any],
        live: Mapping[str, Any],
        problems: Problems,
    ) -> None:
        """Warn about fields of the applied ``body`` that have another value in its answer, ``live``."""
        fields = self._rewritten_fields(body, live)
        if fields:
            more = f" and {len(fields) - _MOST_SHOWN} more" if len(fields) > _MOST_SHOWN else ""
            webhooks = ", ".join(self.of_kind(kind))
            message = (
                f"{', '.join(fields[:_MOST_SHOWN])}{more} of the object differ from the manifest as soon as it is "
            )
            message += f"applied, probably because of a mutating webhook ({webhooks}), so release_verify reports them"
            hint = "Exclude the object from the webhook, or add an override for it"
            problems.warning(REWRITTEN_FIELD, manifest.location, message, hint)


def _matches(rule: Mapping[str, Any], kind: ApiResource) -> bool:
    """Whether a rule of a webhook applies to a kind. Its selectors and conditions are not considered."""
    groups, resources = nested(rule, "apiGroups") or (), nested(rule, "resources") or ()
    is_group = "*" in groups or kind.group in groups
    return is_group and any(name in resources for name in ("*", "*/*", kind.plural))
