# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of any module as text, and the notes in it. Warnings and errors are shown where the module ends."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .words import problem_line


def summary_lines(module: str, result: Mapping[str, Any], options: Mapping[str, Any]) -> list[str]:
    """Render ``result``, what ``module`` returns. No lines if it failed before it had a result.

    ``options`` are the module's, as far as the text depends on them, with ``check_mode`` and ``full``.
    """
    lines: list[str] = import_module(f"{__package__}.{module}").summary_lines(result, options)
    notes = [problem_line(item) for item in result.get("problems", ()) if item["severity"] == "info"]
    return [*lines, *(notes if lines and options.get("full", True) else [])]
