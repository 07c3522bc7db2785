# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Renders and writes the report of an update plan: the capabilities that it enables, and the resources that cause it.

``report``: the distinct ``plans`` and the ``problems``, as plain values. Equal reports are equal bytes.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._files.files import cannot, check_access, make_directory, write_file
from .._problems import DestinationError, Problems, plural
from . import words
from .html import HTML
from .style import STYLE
from .view import report_view

NAME = "update_plan.html"
"""Name of the file in a directory."""

_GENERATOR = "capability.openshift.update_plan"
"""It distinguishes our reports from other files."""
_HEAD_SIZE = 2000

_SUFFIXES = (".html", ".htm")
_OTHER_SUFFIXES = (".md", ".markdown", ".txt", ".json", ".yaml", ".yml", ".csv", ".pdf")
_DATE = re.compile(rf"({words.DATE}\W[^\d\n]{{0,20}})\d{{4}}-\d\d-\d\d")
"""The date of a report, which alone is no reason to write it again."""


class ReportFile(NamedTuple):
    """A report: its path, and the text before and after; ``None`` if there was no file."""

    path: str
    before: str | None
    after: str

    @property
    def changed(self) -> bool:
        """Whether the file has to be written."""
        return self.before != self.after

    def digests(self) -> tuple[str, str]:
        """Return a digest of the text before, which is empty if there was no file, and one of the text after."""
        return _digest(self.before), _digest(self.after)


def render_html(report: Mapping[str, Any]) -> str:
    """Render the report as one HTML page, without scripts, fonts, pictures or network access."""
    from jinja2 import Environment, StrictUndefined  # only reports need it

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(HTML)
    return template.render(view=report_view(report), words=words, plural=plural, style=STYLE, generator=_GENERATOR)


def write_report(path: str, report: Mapping[str, Any], *, check_mode: bool) -> ReportFile:
    """Write the report if it differs, but not in check mode. Raises ``DestinationError``.

    If ``path`` does not end in a suffix of HTML, it is the directory of the report.
    """
    problems = Problems()
    _check_path(path, problems)
    problems.raise_errors(DestinationError)
    path = os.path.abspath(path)
    name = os.path.realpath(path if path.lower().endswith(_SUFFIXES) else os.path.join(path, NAME))
    _check_file(name, problems)
    problems.raise_errors(DestinationError)
    before = _content(name)
    if before is not None and before.strip() and _GENERATOR not in before[:_HEAD_SIZE]:
        message = "already exists and is not a report of an update plan"
        problems.error("foreign-file", name, message, "Choose another path")
    # File names need not be UTF-8, but the report is.
    text = render_html(report).encode("utf-8", "replace").decode("utf-8")
    file = ReportFile(name, before, _dated(text, before))
    if file.changed:
        check_access(os.path.dirname(name), "report", problems)
    problems.raise_errors(DestinationError)
    if file.changed and not check_mode:
        make_directory(os.path.dirname(name))
        try:
            write_file(name, file.after.encode("utf-8"))
        except OSError as error:
            raise DestinationError([cannot("write", name, error)]) from None
    return file


def _dated(text: str, before: str | None) -> str:
    """Return ``text``, with the date of the report ``before`` if nothing else differs."""
    if before is not None and _DATE.sub(r"\1", text, count=1) == _DATE.sub(r"\1", before, count=1):
        return before
    return text


def _digest(text: str | None) -> str:
    return f"(HTML page, sha256 {hashlib.sha256(text.encode()).hexdigest()})\n" if text else ""


def _check_path(path: str, problems: Problems) -> None:
    if "\0" in path:
        problems.error("invalid-path", "report", "contains a NUL character", "Set a file or a directory")
    elif (suffix := os.path.splitext(path)[1].lower()) in _OTHER_SUFFIXES and not os.path.isdir(path):
        message = f"ends in {suffix}, expected a directory or a file that ends in .html"
        problems.error("invalid-path", path, message, "Remove the suffix, or write .html instead")


def _check_file(path: str, problems: Problems) -> None:
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        hint = "Move it away or choose another path; a path without a suffix is used as a directory"
        problems.error("not-a-file", path, "is a directory, expected a file or nothing", hint)
    elif os.path.lexists(path) and not os.path.isfile(path) and not os.path.islink(path):
        problems.error("not-a-file", path, "is neither a file nor a link to a file", "Choose another path")
    elif os.path.lexists(folder) and not os.path.isdir(folder):
        problems.error("not-a-directory", folder, "is a file, expected a directory or nothing", "Choose another path")


def _content(path: str) -> str | None:
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as handle:
            return handle.read().decode("utf-8", "replace")
    except OSError as error:
        raise DestinationError([cannot("read", path, error)]) from None
