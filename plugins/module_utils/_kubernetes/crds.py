# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits until the API server serves the kind of a CustomResourceDefinition."""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Event, Lock, Thread
from typing import Any

from .._problems import ClusterError
from .._resources import CUSTOM_RESOURCE_DEFINITIONS, Target, conditions_of
from .client import Client

TOUCHED = "capability.openshift.io/nudged"
"""Annotation that is set and removed at once to make an API server process a definition that it has forgotten."""

ESTABLISH_SECONDS = 300.0
"""Time limit for definitions; it includes a restart of the API server, which takes minutes on a single node."""

TOUCH_SECONDS = 8.0
"""Time without an event after which a definition is touched. A highly available API server takes up to 5 seconds."""

_PAUSE = 0.5
"""Seconds before a broken watch is restarted."""

_LONGEST_WATCH = 60.0
"""Seconds after which a watch is restarted, because a connection can be dead without an error."""

_IDLE_SECONDS = 2.0
"""Seconds without a waiting thread after which the watch ends with the next event."""


class DefinitionWatch:
    """One watch of all CustomResourceDefinitions, for threads that each wait for one of them.

    It runs while a thread waits. It begins with the definitions that exist, so it misses nothing.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock = Lock()
        self._waiting: dict[str, Event] = {}
        self._decided: dict[str, Mapping[str, Any]] = {}
        self._is_running = False
        self._used_at = 0.0

    def wait(self, name: str, uid: str, seconds: float) -> Mapping[str, Any] | None:
        """Return a definition as soon as it is decided. ``None`` after ``seconds``, or earlier if the watch ends.

        Only the fields of the definition that are needed to find its kinds are in it.
        """
        ended = Event()
        with self._lock:
            crd = self._find(name, uid)
            if crd is not None:
                return crd
            self._waiting[name] = ended
            is_running, self._is_running = self._is_running, True
        if not is_running:
            Thread(target=self._run, daemon=True).start()
        ended.wait(seconds)
        with self._lock:
            self._waiting.pop(name, None)
            self._used_at = time.monotonic()
            return self._find(name, uid)

    def _find(self, name: str, uid: str) -> Mapping[str, Any] | None:
        crd = self._decided.get(name)
        return crd if crd is not None and crd["metadata"]["uid"] == uid else None

    def _run(self) -> None:
        try:
            for event in self._client.watch(Target(CUSTOM_RESOURCE_DEFINITIONS), "", _LONGEST_WATCH):
                if event["type"] == "ERROR" or not self._is_used():
                    break
                if event["type"] != "BOOKMARK":
                    self._note(event["type"], event["object"])
        except ClusterError:
            pass  # Those who wait read their definitions, which shows whether only the connection broke.
        finally:
            with self._lock:
                self._is_running = False
                self._decided.clear()
                for ended in self._waiting.values():
                    ended.set()

    def _is_used(self) -> bool:
        with self._lock:
            return bool(self._waiting) or time.monotonic() - self._used_at < _IDLE_SECONDS

    def _note(self, type_: str, crd: Mapping[str, Any]) -> None:
        name = crd["metadata"]["name"]
        with self._lock:
            self._decided.pop(name, None)
            if type_ != "DELETED" and _is_decided(crd):
                self._decided[name] = _without_schemas(crd)
                if name in self._waiting:
                    self._waiting[name].set()


def wait_until_established(
    client: Client,
    target: Target,
    metadata: Mapping[str, Any],
    seconds: float,
    touch_seconds: float = TOUCH_SECONDS,
    watch: DefinitionWatch | None = None,
) -> tuple[Mapping[str, Any], str]:
    """Return a CustomResourceDefinition, and why it is not established, empty if it is.

    Waits for ``seconds``, or until its names are rejected; if ``seconds`` is 0, it is read once. ``metadata`` is that
    of the definition when it was applied. ``watch`` is shared by those who wait for definitions at the same time.
    Raises ``ClusterError``.
    """
    watch = watch or DefinitionWatch(client)
    started = time.monotonic()
    crd: Mapping[str, Any] = {"metadata": metadata}
    touches = 0
    while not _is_decided(crd):
        remaining = started + seconds - time.monotonic()
        crd = _next_state(watch, client, target, metadata["uid"], min(remaining, touch_seconds))
        if _is_decided(crd) or remaining <= 0:
            break
        # Less and less often, because each touch is work for a server that may only be slow.
        if time.monotonic() - started >= touch_seconds * (2 ** (touches + 1) - 1):
            # An API server that was killed between accepting the names and establishing them processes a definition
            # again only if it changes (kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go).
            touches += 1
            _touch(client, target)
    remove_trace(client, target, crd["metadata"])
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


def _next_state(watch: DefinitionWatch, client: Client, target: Target, uid: str, seconds: float) -> Mapping[str, Any]:
    """The definition after ``seconds``, or earlier if it is decided or the watch ends."""
    if seconds > 0:
        started = time.monotonic()
        crd = watch.wait(target.name, uid, seconds)
        if crd is not None:
            return crd
        time.sleep(max(0.0, min(_PAUSE, seconds) - (time.monotonic() - started)))
    return client.get(target)


def _without_schemas(crd: Mapping[str, Any]) -> Mapping[str, Any]:
    """Copy the fields of a definition that decide which kinds it has, because a hundred schemas would be large."""
    metadata, spec = crd["metadata"], crd["spec"]
    return {
        "metadata": {name: metadata.get(name) for name in ("name", "uid", "annotations")},
        "spec": {
            **{name: spec[name] for name in ("group", "scope", "names")},
            "versions": [{name: item[name] for name in ("name", "served")} for item in spec["versions"]],
        },
        "status": {"conditions": crd["status"]["conditions"]},
    }


def remove_trace(client: Client, target: Target, metadata: Mapping[str, Any]) -> None:
    """Remove the annotation that a run left in a definition if it was killed between two requests, or is older."""
    if TOUCHED in (metadata.get("annotations") or {}):
        client.merge(target, {"metadata": {"annotations": {TOUCHED: None}}})


def _touch(client: Client, target: Target) -> None:
    """Change a definition and change it back, so the API server processes it again, and nothing stays in it."""
    for value in ("1", None):
        client.merge(target, {"metadata": {"annotations": {TOUCHED: value}}})
