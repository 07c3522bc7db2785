# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The same question asked by this collection and by kubernetes.core, with the same options."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ansible_collections.kubernetes.core.plugins.modules import k8s_info

from ansible_collections.capability.openshift.tests.cluster.helpers.support import Site
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane


class Told(NamedTuple):
    """What both collections make of the same options: the name that the API server knew, or that it failed."""

    user: str
    groups: tuple[str, ...] = ()
    impersonated: str = ""


def both(site: Site, **options: Any) -> Told:
    """Return as whom ours asks; kubernetes.core asks as the same one, and sees the same."""
    told = []
    for ask in (ours, theirs):
        mark = site.plane.audit.mark()
        names = ask(site, **options)
        assert names == ["Console"]
        told.append(asked_as(site.plane, mark))
    assert told[0] == told[1]
    return told[0]


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


def asked_as(plane: ControlPlane, since: int) -> Told:
    """Return as whom the ClusterVersion was asked for since a mark."""
    end = plane.audit.mark()
    with (plane.folder / "audit.log").open("rb") as log:
        log.seek(since)
        events = [json.loads(line) for line in log.read(end - since).splitlines()]
    found = {
        Told(
            event["user"]["username"],
            tuple(event.get("impersonatedUser", {}).get("groups", ())),
            event.get("impersonatedUser", {}).get("username", ""),
        )
        for event in events
        if "/clusterversions/version" in event["requestURI"]
    }
    (told,) = found
    return told
