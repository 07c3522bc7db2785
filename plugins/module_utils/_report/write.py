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
from typing import TYPE_CHECKING, Any, NamedTuple

from .._files.files import cannot, check_access, make_directory, write_file
from .._problems import DestinationError, Problems, plural, raise_errors
from . import words
from .html import HTML
from .markdown import MARKDOWN
from .style import STYLE
from .view import report_view

if TYPE_CHECKING:
    from jinja2 import Environment

NAME = "update_plan"
"""Name of the files in a directory, without suffix."""

_GENERATOR = "capability.openshift.update_plan"
_TITLE = f"# {words.TITLE}"
_ORIGIN = f"- {words.PLANNED_WITH}: `capability.openshift "
"""Both are in a Markdown report. With ``_GENERATOR`` in HTML, they distinguish our reports from other files."""
_HEAD_SIZE = 2000

_MARKDOWN_SUFFIXES = (".md", ".markdown")
_HTML_SUFFIXES = (".html", ".htm")
_OTHER_SUFFIXES = (".txt", ".json", ".yaml", ".yml", ".csv", ".pdf")
# Characters with a meaning in a line of Markdown, or of HTML in it.
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$]")
# A line break would end a table or begin a block.
_BREAK = re.compile(r"\s+")


_DATE = re.compile(rf"({words.DATE}\W[^\d\n]{{0,20}})\d{{4}}-\d\d-\d\d")
"""The date of a report, which alone is no reason to write it again."""


class ReportPlan(NamedTuple):
    """The files of a report: path -> (text before, text after); ``None`` if there was no file."""

    files: Mapping[str, tuple[str | None, str]]

    @property
    def changed(self) -> bool:
        """Whether a file has to be written."""
        return any(before != after for before, after in self.files.values())


def render_markdown(report: Mapping[str, Any]) -> str:
    """Render the report as GitHub Flavored Markdown."""
    environment = _environment(autoescape=False)
    environment.filters.update(text=_text, code=_code)
    return environment.from_string(MARKDOWN).render(view=report_view(report), words=words, plural=plural)


def render_html(report: Mapping[str, Any]) -> str:
    """Render the report as one HTML page, without scripts, fonts, pictures or network access."""
    template = _environment(autoescape=True).from_string(HTML)
    return template.render(view=report_view(report), words=words, plural=plural, style=STYLE, generator=_GENERATOR)


def report_files(path: str, report: Mapping[str, Any]) -> dict[str, str]:
    """Return absolute path -> text.

    If ``path`` ends in a suffix of Markdown or HTML, it is the only file. Otherwise it is a directory for both.
    """
    path = os.path.abspath(path)
    suffix = os.path.splitext(path)[1].lower()
    if suffix in _MARKDOWN_SUFFIXES:
        texts = {path: render_markdown(report)}
    elif suffix in _HTML_SUFFIXES:
        texts = {path: render_html(report)}
    else:
        name = os.path.join(path, NAME)
        texts = {f"{name}.html": render_html(report), f"{name}.md": render_markdown(report)}
    # File names need not be UTF-8, but the report is.
    return {os.path.realpath(name): text.encode("utf-8", "replace").decode("utf-8") for name, text in texts.items()}


def write_report(path: str, report: Mapping[str, Any], *, check_mode: bool) -> ReportPlan:
    """Write the files of the report that differ, or none in check mode. Raises ``DestinationError``."""
    problems = Problems()
    _check_path(path, problems)
    problems.raise_errors(DestinationError)
    files = report_files(path, report)
    for name in files:
        _check_file(name, problems)
    raise_errors(problems.unique(), DestinationError)
    contents = {name: _content(name) for name in files}
    plan = ReportPlan({name: (contents[name], _dated(text, contents[name])) for name, text in files.items()})
    for name, (before, _after) in plan.files.items():
        if _is_foreign(before):
            problems.error(
                "foreign-file", name, "already exists and is not a report of an update plan", "Choose another path"
            )
    problems.raise_errors(DestinationError)
    outdated = {name: after for name, (before, after) in plan.files.items() if before != after}
    if outdated:
        check_access(os.path.dirname(next(iter(outdated))), "report", problems)
        problems.raise_errors(DestinationError)
    if not check_mode:
        _write(outdated)
    return plan


def _dated(text: str, before: str | None) -> str:
    """Return ``text``, with the date of the report ``before`` if nothing else differs."""
    if before is not None and _DATE.sub(r"\1", text, count=1) == _DATE.sub(r"\1", before, count=1):
        return before
    return text


def _write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        make_directory(os.path.dirname(name))
        try:
            write_file(name, text.encode("utf-8"))
        except OSError as error:
            raise DestinationError([cannot("write", name, error)]) from None


def _check_path(path: str, problems: Problems) -> None:
    if "\0" in path:
        problems.error("invalid-path", "report", "contains a NUL character", "Set a file or a directory")
    elif (suffix := os.path.splitext(path)[1].lower()) in _OTHER_SUFFIXES and not os.path.isdir(path):
        message = f"ends in {suffix}, expected a directory or a file that ends in .html or .md"
        problems.error("invalid-path", path, message, "Remove the suffix, or write .html or .md instead")


def _check_file(path: str, problems: Problems) -> None:
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        hint = "Move it away or choose another path; a path without a suffix is used as a directory"
        problems.error("not-a-file", path, "is a directory, expected a file or nothing", hint)
    elif os.path.lexists(path) and not os.path.isfile(path) and not os.path.islink(path):
        problems.error("not-a-file", path, "is neither a file nor a link to a file", "Choose another path")
    elif os.path.lexists(folder) and not os.path.isdir(folder):
        problems.error("not-a-directory", folder, "is a file, expected a directory or nothing", "Choose another path")


def _is_foreign(text: str | None) -> bool:
    """Whether a file with this text is not a report of ours. Only reports and empty files are overwritten."""
    if text is None or not text.strip():
        return False
    return not (text.startswith(_TITLE) and _ORIGIN in text) and f'content="{_GENERATOR}"' not in text[:_HEAD_SIZE]


def _content(path: str) -> str | None:
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as handle:
            return handle.read().decode("utf-8", "replace")
    except OSError as error:
        raise DestinationError([cannot("read", path, error)]) from None


def _environment(*, autoescape: bool) -> Environment:
    from jinja2 import Environment, StrictUndefined  # only reports need it

    return Environment(autoescape=autoescape, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _text(value: object) -> str:
    """Return ``value`` as one line of text that Markdown shows unchanged, also in tables."""
    return _SPECIAL.sub(r"\\\g<0>", _BREAK.sub(" ", str(value)))


def _code(value: object) -> str:
    """Return ``value`` as a code span. Not for tables, because a bar in it would end the cell."""
    text = _BREAK.sub(" ", str(value))
    if not text.strip():
        return ""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"{fence}{text}{fence}"


def report_changes(files: Mapping[str, tuple[str | None, str]]) -> list[tuple[str, str, str]]:
    """Return the changed files of a report, path -> (before, after), as tuples. Of an HTML page, only the digest."""
    return [
        (path, _readable(path, before or ""), _readable(path, after))
        for path, (before, after) in files.items()
        if before != after
    ]


def _readable(path: str, text: str) -> str:
    if not text or not path.lower().endswith((".html", ".htm")):
        return text
    return f"(HTML page, sha256 {hashlib.sha256(text.encode()).hexdigest()})\n"
