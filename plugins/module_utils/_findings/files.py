# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a check: the baseline, and the outputs in several formats."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .._files.files import absolute, cannot, check_access, make_directory, write_file
from .._problems import DestinationError, InvalidOptionError, Problem, Problems, plural
from .baseline import Comparison, Key, baseline_text, compare_with_baseline, parse_baseline
from .finding import Report
from .formats import FORMATS, Output


class FileChange(NamedTuple):
    """A file to write. ``before`` is ``None`` if it does not exist."""

    path: str
    before: str | None
    after: str


def compare_with_file(found: Sequence[Problem], path: str | None, problems: Problems, *, update: bool) -> Comparison:
    """Compare findings with the baseline in the file ``path``.

    ``update``: the file is to be written, so all findings are new. Raises ``InvalidOptionError`` if the
    file cannot be used.
    """
    compared = compare_with_baseline(found, _read_baseline(path, update=update))
    if path and compared.gone:
        message = f"contains {plural(compared.gone, 'finding')} that this check did not find"
        hint = "Write it again with update_baseline, unless it is also for other files or options"
        problems.info("outdated-baseline", path, message, hint)
    return compared


def relative_findings(findings: Iterable[Problem], directory: str, base: str | None) -> list[Problem]:
    """Make the paths of findings, which are relative to ``directory``, relative to ``base``.

    Raises ``InvalidOptionError`` if ``base`` does not contain ``directory``.
    """
    if base is None:
        return list(findings)
    base = absolute(base)
    directory = absolute(directory)
    # A forge knows a file by its path without links.
    prefix = os.path.relpath(os.path.realpath(directory), os.path.realpath(base))
    if _is_outside(prefix):  # a link leaves the base
        prefix = os.path.relpath(directory, base)
    if _is_outside(prefix):
        message = f"is {base}, which does not contain {directory}"
        hint = "Set it to a directory that contains what is checked, or do not set it"
        raise InvalidOptionError([Problem("error", "invalid-path", "relative_to", message, hint)])
    return [_below(prefix, found) if found.where.source else found for found in findings]


def _is_outside(path: str) -> bool:
    return path.split(os.sep, maxsplit=1)[0] == os.pardir


def _below(prefix: str, found: Problem) -> Problem:
    path = os.path.normpath(os.path.join(prefix, found.where.source))
    return found._replace(where=found.where._replace(source=path))


def _read_baseline(path: str | None, *, update: bool) -> Counter[Key]:
    if path is None:
        if update:
            problem = Problem("error", "missing-option", "baseline", "is missing, expected a file", "Set baseline")
            raise InvalidOptionError([problem])
        return Counter()
    text = _read(absolute(path))
    if update:
        return Counter()
    if text is None:
        hint = "Write it with update_baseline"
        raise InvalidOptionError([Problem("error", "missing-file", path, "does not exist", hint)])
    problems = Problems()
    known = parse_baseline(text, path, problems)
    problems.raise_errors(InvalidOptionError)
    return known


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as handle:
            return handle.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidOptionError([cannot("read", path, error)]) from None
    except UnicodeDecodeError:
        problem = Problem("error", "invalid-encoding", path, "is not valid UTF-8", "Choose another file")
        raise InvalidOptionError([problem]) from None


def file_changes(
    report: Report, outputs: Sequence[Output], baseline: str | None, found: Sequence[Problem], *, update: bool
) -> list[FileChange]:
    """The files that have to be written, with their content now: ``outputs``, and ``baseline`` with all of ``found``.

    Without ``update``, the baseline stays as it is, and no output may replace it. Raises ``DestinationError`` with all
    files that cannot be written.
    """
    texts = [(os.path.expanduser(output.path), FORMATS[output.format](report)) for output in outputs]
    if baseline is not None and update:
        texts.append((baseline, baseline_text(found)))
    kept = "" if baseline is None or update else absolute(baseline)
    files: dict[str, str] = {}
    problems = Problems()
    for given, after in texts:
        path = absolute(given)
        if path in (*files, kept):
            problems.error("duplicate-path", path, "is given for two files", "Choose another path")
        elif os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
            # Reading a pipe may never end, and a new file would replace a link or a device, such as /dev/null.
            message = "is a directory, a link, a pipe or a device, expected a file"
            problems.error("not-a-file", path, message, "Choose another path")
        else:
            check_access(os.path.dirname(path), "path", problems)
            files[path] = after
    problems.raise_errors(DestinationError)
    changes = [FileChange(path, _read(path), after) for path, after in files.items()]
    return [change for change in changes if change.before != change.after]


def write_files(changes: Iterable[FileChange]) -> None:
    """Write files, and the directories that they need. Raises ``DestinationError``."""
    for change in changes:
        make_directory(os.path.dirname(change.path))
        try:
            write_file(change.path, change.after.encode(errors="replace"))
        except OSError as error:
            raise DestinationError([cannot("write", change.path, error)]) from None
