# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The end of a module that checks files: baseline, outputs, and failure by severity.

The documentation fragment ``_findings`` has the options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from .._files.files import absolute
from .._findings.files import compare_with_file, file_changes, relative_findings, write_files
from .._findings.finding import CheckRule, Report, counts, finding_dict, finding_line, in_order, summary
from .._findings.formats import FORMATS, parse_outputs
from .._problems import Problem, Problems, problem_dicts
from .argspec import Spec
from .interface import Module
from .result import diff_entry, map_texts, warn

OUTPUT_FORMATS = tuple(FORMATS)
"""The formats of the option ``outputs``."""

_MOST_SHOWN = 20


def findings_spec() -> Spec:
    """Options of all modules that report findings (fragment ``_findings``)."""
    return {
        "baseline": {"type": "path"},
        "update_baseline": {"type": "bool", "default": False},
        "outputs": {"type": "list", "elements": "str", "default": []},
        "relative_to": {"type": "path"},
        "fail_on": {"type": "str", "choices": ["error", "warning", "info", "never"], "default": "error"},
    }


def check_outputs(module: Module) -> None:
    """Raise ``InvalidOptionError`` if an output is not valid, before anything is checked."""
    parse_outputs(module.params["outputs"])


def output_files(params: dict[str, Any]) -> tuple[str, ...]:
    """The absolute paths of the files that a check writes, or wrote in an earlier run."""
    paths = [output.path for output in parse_outputs(params["outputs"])]
    return tuple(map(absolute, [*paths, params["baseline"]] if params["baseline"] else paths))


def finish_check(
    module: Module,
    tool: str,
    directory: str,
    rules: Sequence[CheckRule],
    findings: Iterable[Problem],
    problems: Problems,
    *,
    scope: tuple[int, str],
    unchecked: Iterable[str] = (),
    write: Callable[[], None] | None = None,
    appendix: str = "",
    **result: Any,
) -> NoReturn:
    """Compare ``findings`` with the baseline, write the outputs, and exit: failed if a finding is severe enough.

    ``directory`` is the one that the paths of ``findings`` are relative to. ``write`` writes further files before the
    outputs, or checks in check mode whether they can be written, and raises ``DestinationError``. ``scope`` is what was
    checked, a number and a noun, and ``unchecked`` what was not, as clauses. ``appendix`` is Markdown about it.
    ``result`` has the further keys of the result; its ``changed`` and ``diff`` come from ``write``. Raises
    ``CapabilityError`` if an option is invalid or a file cannot be written.
    """
    params = module.params
    update = params["update_baseline"]
    found = in_order(relative_findings(findings, directory, params["relative_to"]))
    compared = compare_with_file(found, params["baseline"], problems, update=update)
    unchecked = tuple(unchecked)
    report = Report(tool, tuple(rules), compared.new, compared.known, params["fail_on"], scope, unchecked, appendix)
    if update:
        report = report._replace(findings=(), known=found)
    changes = file_changes(report, parse_outputs(params["outputs"]), params["baseline"], found, update=update)
    if write is not None:
        write()
    if not module.check_mode:
        write_files(changes)
    if module._diff:
        own = [diff_entry(change.path, change.before or "", change.after) for change in changes]
        result["diff"] = [*result.get("diff", ()), *own]
    result |= {
        "changed": bool(changes) or bool(result.get("changed")),
        "findings": [finding_dict(finding) for finding in report.findings],
        "counts": counts(report.findings),
        "baselined": len(report.known),
        "text": FORMATS["text"](report),
    }
    warn(module, problems)
    result["problems"] = problem_dicts(problems)
    if report.failures:
        module.fail_json(**map_texts({**result, "msg": _failure(report)}, _in_utf_8))
    module.exit_json(**map_texts(result, _in_utf_8))


def _in_utf_8(text: str) -> str:
    """``text`` with escapes for the bytes of file names that are not UTF-8, which Ansible refuses in a result."""
    return text.encode(errors="backslashreplace").decode()


def _failure(report: Report) -> str:
    """The message of a failed module: the findings that fail it."""
    lines = [finding_line(finding) for finding in report.failures[:_MOST_SHOWN]]
    if len(report.failures) > len(lines):
        lines.append(f"and {len(report.failures) - len(lines)} more")
    return "\n".join([f"{summary(report)}:", *(f"- {line}" for line in lines)])
