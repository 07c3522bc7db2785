# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The journal of a rollout: a line of JSON for each thing that happens, as it happens."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from ._domain.errors import ClusterError, Problem


class Journal:
    """Appends to a file, which is made for its owner alone; without a path it keeps nothing."""

    def __init__(self, path: str | None) -> None:
        self._lock = Lock()
        self._file = None
        if path:
            try:
                handle = os.open(os.path.expanduser(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            except OSError as error:
                message = f"{path} cannot be written: {error.strerror}"
                raise ClusterError([Problem("error", "journal", message, "Give a path that can be written")]) from None
            self._file = os.fdopen(handle, "a", encoding="utf-8")

    def note(self, event: str, **facts: Any) -> None:
        """Write one line, at once: whoever follows the journal sees it, and a kill does not lose it."""
        if self._file is None:
            return
        line: Mapping[str, Any] = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "event": event,
            **facts,
        }
        with self._lock:
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
