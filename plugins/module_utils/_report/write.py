# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The report of an update plan: which capabilities an update turns on, and because of which resources.

``report`` has ``plans`` (the distinct plans) and ``problems``, in plain values. The same report gives the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .._module.files import access_problems, cannot, make_directory, write_file
from .._module.result import diff_entry
from .._problems import DestinationError, Problem, raise_errors
from .html import HTML
from .markdown import MARKDOWN
from .style import STYLE
from .view import ReportView, report_view

if TYPE_CHECKING:
    from jinja2 import Environment

NAME = "update_plan"
"""Of the files in a directory, without their suffixes."""

_GENERATOR = "capability.openshift.update_plan"
_TITLE = "# Update plan"
"""What tells a report of ours, in HTML and in Markdown, from a file of somebody else."""
_HEAD_SIZE = 2000

_MARKDOWN_SUFFIXES = (".md", ".markdown")
_HTML_SUFFIXES = (".html", ".htm")
# What Markdown, or HTML in it, gives a meaning to inside a line.
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$]")
# A break would end a table or begin a block.
_BREAK = re.compile(r"\s+")


class ReportPlan(NamedTuple):
    """The files of a report: path -> (text before, text after); ``None`` where there was no file."""

    files: Mapping[str, tuple[str | None, str]]

    @property
    def changed(self) -> bool:
        """Whether a file has to be written."""
        return any(before != after for before, after in self.files.values())


def render_markdown(report: Mapping[str, Any]) -> str:
    """Return the report as Markdown, in the flavour of GitHub."""
    return _markdown(report_view(report))


def render_html(report: Mapping[str, Any]) -> str:
    """Return the report as one HTML page that needs nothing else: no script, no font, no picture, no network."""
    return _html(report_view(report))


def _markdown(view: ReportView) -> str:
    environment = _environment(autoescape=False)
    environment.filters.update(text=_text, code=_code)
    return environment.from_string(MARKDOWN).render(view=view)


def _html(view: ReportView) -> str:
    return _environment(autoescape=True).from_string(HTML).render(view=view, style=STYLE, generator=_GENERATOR)


def report_files(path: str, report: Mapping[str, Any]) -> dict[str, str]:
    """Return absolute path -> text.

    A ``path`` that ends like Markdown or HTML is the one file; any other is a directory that gets both.
    """
    path = os.path.abspath(path)
    suffix = os.path.splitext(path)[1].lower()
    view = report_view(report)
    if suffix in _MARKDOWN_SUFFIXES:
        texts = {path: _markdown(view)}
    elif suffix in _HTML_SUFFIXES:
        texts = {path: _html(view)}
    else:
        name = os.path.join(path, NAME)
        texts = {f"{name}.html": _html(view), f"{name}.md": _markdown(view)}
    # A name on disk need not be UTF-8; the report is.
    return {os.path.realpath(name): text.encode("utf-8", "replace").decode("utf-8") for name, text in texts.items()}


def write_report(path: str, report: Mapping[str, Any], *, check_mode: bool) -> ReportPlan:
    """Write the files of the report that differ; none in check mode. Raises ``DestinationError``."""
    raise_errors(_path_problems(path), DestinationError)
    files = report_files(path, report)
    raise_errors(dict.fromkeys(problem for name in files for problem in _file_problems(name)), DestinationError)
    plan = ReportPlan({name: (_content(name), text) for name, text in files.items()})
    raise_errors(
        [_foreign(name) for name, (before, _after) in plan.files.items() if _is_foreign(before)], DestinationError
    )
    outdated = {name: after for name, (before, after) in plan.files.items() if before != after}
    if outdated:
        raise_errors(access_problems(os.path.dirname(next(iter(outdated))), "report"), DestinationError)
    if not check_mode:
        _write(outdated)
    return plan


def _write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        make_directory(os.path.dirname(name))
        try:
            write_file(name, text.encode("utf-8"))
        except OSError as error:
            raise DestinationError([cannot("write", name, error)]) from None


def _path_problems(path: str) -> list[Problem]:
    if not path:
        return [
            Problem(
                "error", "todo", "report", "is empty, expected a path", "Name a file or a directory, or leave it out"
            )
        ]
    if "\0" in path:
        return [
            Problem("error", "todo", "report", "has a NUL in it, which no path can have", "Name a file or a directory")
        ]
    return []


def _file_problems(path: str) -> list[Problem]:
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        hint = "Move it away or choose another path; a path without the suffix is taken for a directory"
        return [Problem("error", "todo", path, "is a directory, expected a file (or nothing yet)", hint)]
    if os.path.lexists(path) and not os.path.isfile(path) and not os.path.islink(path):
        return [Problem("error", "todo", path, "is neither a file nor a link to one", "Choose another path")]
    if os.path.lexists(folder) and not os.path.isdir(folder):
        return [
            Problem("error", "todo", folder, "is a file, expected a directory (or nothing yet)", "Choose another path")
        ]
    return []


def _is_foreign(text: str | None) -> bool:
    """Tell whether a file with this text was written by somebody else: reports are written again, notes are not."""
    if text is None or not text.strip():
        return False
    return not text.startswith(_TITLE) and _GENERATOR not in text[:_HEAD_SIZE]


def _foreign(path: str) -> Problem:
    return Problem("error", "todo", path, "is there already, and is no report of an update plan", "Choose another path")


def _content(path: str) -> str | None:
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as handle:
            return handle.read().decode("utf-8", "replace")
    except OSError as error:
        raise DestinationError([cannot("read", path, error)]) from None


def _environment(*, autoescape: bool) -> Environment:
    from jinja2 import Environment, StrictUndefined  # here, because only reports pay for it

    return Environment(autoescape=autoescape, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _text(value: object) -> str:
    """Return ``value`` as text of one line that Markdown shows as it is, in tables too."""
    return _SPECIAL.sub(r"\\\g<0>", _BREAK.sub(" ", str(value)))


def _code(value: object) -> str:
    """Return ``value`` as a code span, which is not for tables: there a bar would end the cell."""
    text = _BREAK.sub(" ", str(value))
    if not text.strip():
        return ""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"{fence}{text}{fence}"


def report_diff(files: Mapping[str, tuple[str | None, str]]) -> list[dict[str, str]]:
    """Return the diff of a report, path -> (before, after); of a page it shows the digest alone."""
    return [
        diff_entry(path, _readable(path, before or ""), _readable(path, after))
        for path, (before, after) in files.items()
        if before != after
    ]


def _readable(path: str, text: str) -> str:
    if not text or not path.lower().endswith((".html", ".htm")):
        return text
    return f"(a page, sha256 {hashlib.sha256(text.encode()).hexdigest()})\n"
