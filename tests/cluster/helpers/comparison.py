# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The same request by this collection and by kubernetes.core, with the same options."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ansible_collections.kubernetes.core.plugins.modules import k8s_info

from ansible_collections.capability.openshift.tests.cluster.helpers.support import Site
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane


class Identity(NamedTuple):
    """The user of a request, as in the audit log."""

    user: str
    groups: tuple[str, ...] = ()
    impersonated: str = ""


def both(site: Site, **options: Any) -> Identity:
    """Return the identity of our request; kubernetes.core has the same identity and the same result."""
    identities = []
    for read in (ours, theirs):
        mark = site.plane.audit.mark()
        names = read(site, **options)
        assert names == ["Console"]
        identities.append(identity_since(site.plane, mark))
    assert identities[0] == identities[1]
    return identities[0]


def ours(site: Site, **options: Any) -> list[str]:
    outcome = site.info(**{"kubeconfig": None, **options})
    assert not outcome.failed, outcome.result
    names: list[str] = outcome["spec"]["additionalEnabledCapabilities"]
    return names


def theirs(site: Site, **options: Any) -> list[str]:
    query = {"api_version": "config.openshift.io/v1", "kind": "ClusterVersion", "name": "version"}
    outcome = site.call(k8s_info, **query, **options)
    assert not outcome.failed, outcome.result
    names: list[str] = outcome["resources"][0]["spec"]["capabilities"]["additionalEnabledCapabilities"]
    return names


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
