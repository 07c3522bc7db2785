# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The user whom the API server sees for the requests of a module."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.tests.cluster.helpers.support import Site
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane


class Identity(NamedTuple):
    """The user of a request, as in the audit log."""

    user: str
    groups: tuple[str, ...] = ()
    impersonated: str = ""


def identity_of(site: Site, **options: Any) -> Identity:
    """Read the cluster with connection options, and return the identity of the requests."""
    mark = site.plane.audit.mark()
    outcome = site.info(**{"kubeconfig": None, **options})
    assert not outcome.failed, outcome.result
    assert outcome["spec"]["additionalEnabledCapabilities"] == ["Console"]
    return identity_since(site.plane, mark)


def identity_since(plane: ControlPlane, since: int) -> Identity:
    """Return the identity of the requests for the ClusterVersion since a mark."""
    end = plane.audit.mark()
    with (plane.folder / "audit.log").open("rb") as log:
        log.seek(since)
        events = [json.loads(line) for line in log.read(end - since).splitlines()]
    identities = {
        Identity(
            event["user"]["username"],
            tuple(event.get("impersonatedUser", {}).get("groups", ())),
            event.get("impersonatedUser", {}).get("username", ""),
        )
        for event in events
        if "/clusterversions/version" in event["requestURI"]
    }
    (identity,) = identities
    return identity
