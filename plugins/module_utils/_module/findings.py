# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The end of a module that checks files: baseline, outputs, and failure by severity.

The options are those of the documentation fragment ``_findings``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, NoReturn

from .._files import absolute, cannot, check_access, make_directory, write_file
from .._findings.baseline import Key, baseline_text, compare, parse_baseline
from .._findings.finding import CheckRule, Report, counts, finding_dict, in_order
from .._findings.formats import FORMATS
from .._findings.text import finding_line, summary
from .._problems import DestinationError, InvalidOptionError, Problem, Problems
from .argspec import Spec
from .interface import Module
from .result import diff_entry, problem_dicts, warn

_MOST_SHOWN = 20


class _Change(NamedTuple):
    """A file to write. ``before`` is ``None`` if it does not exist."""

    path: str
    before: str | None
    after: str


def findings_spec() -> Spec:
    """Options of all modules that report findings (fragment ``_findings``)."""
    output = {"format": {"type": "str", "required": True, "choices": list(FORMATS)}, "path": _required_path()}
    return {
        "baseline": {"type": "path"},
        "update_baseline": {"type": "bool", "default": False},
        "outputs": {"type": "list", "elements": "dict", "default": [], "options": output},
        "documentation_url": {"type": "str"},
        "relative_to": {"type": "path"},
        "fail_on": {"type": "str", "choices": ["error", "warning", "info", "never"], "default": "error"},
    }


def finish(
    module: Module,
    tool: str,
    directory: str,
    rules: Sequence[CheckRule],
    findings: Iterable[Problem],
    problems: Problems,
    *,
    scope: tuple[int, str],
    write: Callable[[], None] | None = None,
    **result: Any,
) -> NoReturn:
    """Compare ``findings`` with the baseline, write the outputs, and exit: failed if a finding is severe enough.

    ``directory`` is the one that the paths of ``findings`` are relative to. ``write`` writes further files, before the
    outputs and not in check mode, and raises ``DestinationError``. ``scope`` is what was checked, a number and a noun.
    ``result`` has the further keys of the result; its ``changed`` and ``diff`` are those of ``write``. Raises
    ``CapabilityError`` if an option is invalid or a file cannot be written.
    """
    params = module.params
    found = in_order(_relative(findings, directory, params["relative_to"]))
    known = _read_baseline(params)
    compared = compare(found, known)
    documentation = params["documentation_url"] or ""
    report = Report(tool, tuple(rules), compared.new, compared.known, params["fail_on"], scope, documentation)
    if params["update_baseline"]:
        report = report._replace(findings=(), known=found)
    elif compared.gone:
        message = f"contains {compared.gone} findings that no longer exist"
        problems.info("outdated-baseline", params["baseline"], message, "Write it again with update_baseline")
    changes = _changes(params, report, found)
    if not module.check_mode:
        if write is not None:
            write()
        _write(changes)
    if module._diff:
        own = [diff_entry(change.path, change.before or "", change.after) for change in changes]
        result["diff"] = [*result.get("diff", ()), *own]
    result |= {
        "changed": bool(changes) or bool(result.get("changed")),
        "findings": [finding_dict(finding) for finding in report.findings],
        "counts": counts(report.findings),
        "known": len(report.known),
        "text": FORMATS["text"](report),
    }
    warn(module, problems)
    if report.failures:
        module.fail_json(msg=_failure(report), problems=problem_dicts(problems), **result)
    module.exit_json(problems=problem_dicts(problems), **result)


def _required_path() -> dict[str, Any]:
    return {"type": "path", "required": True}


def _relative(findings: Iterable[Problem], directory: str, base: str | None) -> list[Problem]:
    if base is None:
        return list(findings)
    base = absolute(base)
    prefix = os.path.relpath(absolute(directory), base)
    if prefix.split(os.sep, maxsplit=1)[0] == os.pardir:
        message = f"is {base}, which does not contain {absolute(directory)}"
        hint = "Set it to the directory of the checkout"
        raise InvalidOptionError([Problem("error", "invalid-path", "relative_to", message, hint)])
    return [_below(prefix, found) if found.where.source else found for found in findings]


def _below(prefix: str, found: Problem) -> Problem:
    path = os.path.normpath(os.path.join(prefix, found.where.source))
    return found._replace(where=found.where._replace(source=path))


def _read_baseline(params: dict[str, Any]) -> Counter[Key]:
    path = params["baseline"]
    if path is None:
        if params["update_baseline"]:
            problem = Problem("error", "missing-option", "baseline", "is missing, expected a file", "Set baseline")
            raise InvalidOptionError([problem])
        return Counter()
    text = _read(absolute(path))
    if params["update_baseline"]:
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


def _changes(params: dict[str, Any], report: Report, found: Sequence[Problem]) -> list[_Change]:
    """The files that have to be written, with their content now. Reports all files that cannot be written at once."""
    texts = [(output["path"], FORMATS[output["format"]](report)) for output in params["outputs"]]
    if params["update_baseline"]:
        texts.append((params["baseline"], baseline_text(found)))
    files: dict[str, str] = {}
    problems = Problems()
    for given, after in texts:
        path = absolute(given)
        if path in files:
            problems.error("duplicate-path", path, "is given for two files", "Choose another path")
        elif os.path.isdir(path):
            problems.error("not-a-file", path, "is a directory, expected a file", "Choose another path")
        else:
            check_access(os.path.dirname(path), "path", problems)
            files[path] = after
    problems.raise_errors(DestinationError)
    changes = [_Change(path, _read(path), after) for path, after in files.items()]
    return [change for change in changes if change.before != change.after]


def _write(changes: Iterable[_Change]) -> None:
    for change in changes:
        make_directory(os.path.dirname(change.path))
        try:
            write_file(change.path, change.after.encode(errors="replace"))
        except OSError as error:
            raise DestinationError([cannot("write", change.path, error)]) from None


def _failure(report: Report) -> str:
    """The message of a failed module: the findings that fail it."""
    lines = [finding_line(finding) for finding in report.failures[:_MOST_SHOWN]]
    if len(report.failures) > len(lines):
        lines.append(f"and {len(report.failures) - len(lines)} more")
    return "\n".join([f"{summary(report)}:", *(f"- {line}" for line in lines)])
