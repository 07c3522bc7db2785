# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Passes progress from a module to its action plugin, which shows it (``plugin_utils/_progress.py``).

The action plugin creates a file and names it in the environment of the module. Without that, nothing is shown.
"""

from __future__ import annotations

import os
from contextlib import suppress

from .._progress import Progress
from .interface import Module
from .result import masked

VARIABLE = "CAPABILITY_OPENSHIFT_PROGRESS"
"""The environment variable with the path of the file."""


def show_progress(text: str) -> None:
    """Append a line to the file. Never fails: the work is more important than its progress."""
    path = os.environ.get(VARIABLE)
    if path:
        write_line(path, text)


def progress_of(module: Module) -> Progress:
    """Return a function that shows the progress of ``module``, without its secrets."""

    def show(text: str) -> None:
        # They are read for each text, because connecting removes values from them that are not secret.
        show_progress(masked(text, module.no_log_values))

    return show


def write_line(path: str, text: str) -> None:
    """Append a line to the file at ``path``, unless that is not possible."""
    with suppress(OSError):
        handle = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, " ".join(text.split()).encode("utf-8", "replace") + b"\n")
        finally:
            os.close(handle)
