# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The audit log of the API server: who requested what."""

from __future__ import annotations

import json
import threading
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from ansible_collections.capability.openshift.tests.control_plane.api import Api
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

POLICY: dict[str, Any] = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "None", "nonResourceURLs": ["/readyz*", "/livez*", "/healthz*"]}, {"level": "Metadata"}],
}


_MARK = "/version?mark="


class Request(NamedTuple):
    """A request that the API server answered."""

    verb: str
    uri: str
    user_agent: str
    user: str
    code: int
    at: datetime


class Audit:
    """The requests of one API server, each of them once; a watch counts when it starts."""

    def __init__(self, log: Path, api: Api) -> None:
        self._log, self._api = log, api
        self._known = 0
        self._marking = threading.Lock()

    def mark(self) -> int:
        """Return a place in the log: what was answered before this call is before it."""
        with self._marking:  # or a later mark could be found first
            sign = f"{_MARK}{uuid4()}"
            self._api.get(sign)
            return wait_for(lambda: self._end_of(sign), "a request to be in the audit log", pause=0.01)

    def requests(self, since: int = 0, *, user: str | None = None, user_agent: str | None = None) -> list[Request]:
        """Return what was answered since a mark, of one user or of user agents that begin with ``user_agent``.

        Marks themselves are left out.
        """
        end = self.mark()
        with self._log.open("rb") as log:
            log.seek(since)
            data = log.read(end - since)
        found = [_request(event) for event in map(json.loads, data.splitlines()) if _counts(event)]
        return [
            request
            for request in found
            if user in (None, request.user) and request.user_agent.startswith(user_agent or "")
        ]

    def _end_of(self, sign: str) -> int:
        """Return where the line ends that contains ``sign``, 0 if it is not there yet: after all earlier marks."""
        with self._log.open("rb") as log:
            log.seek(self._known)
            data = log.read()
        start = data.find(sign.encode())
        end = data.find(b"\n", start) if start >= 0 else -1
        if end < 0:
            return 0
        self._known += end + 1
        return self._known


def _counts(event: dict[str, Any]) -> bool:
    # Both stages of a watch are in the log, and the second one comes when the client gives up waiting.
    stage = "ResponseStarted" if event["verb"] == "watch" else "ResponseComplete"
    return event["stage"] == stage and not event["requestURI"].startswith(_MARK)


def _request(event: dict[str, Any]) -> Request:
    return Request(
        event["verb"],
        event["requestURI"],
        event.get("userAgent", ""),
        event["user"].get("username", ""),
        event.get("responseStatus", {}).get("code", 0),
        datetime.fromisoformat(event["requestReceivedTimestamp"]),
    )
