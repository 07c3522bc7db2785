# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module of a subcommand without Ansible, and shows its outcome."""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any, NoReturn, TextIO

from ...module_utils._module.argspec import Spec
from ...module_utils._module.main import ModuleDefinition, run_definition
from ...module_utils._module.progress import VARIABLE
from ...module_utils._module.progress_reader import follow
from ...module_utils._module.result import error_text
from ...module_utils._problems import InvalidOptionError
from ...module_utils._summary.lines import summary_lines
from .options import RENDERED, Parser, make_parser, parse
from .subcommands import PROGRAM, SUBCOMMANDS, Subcommand

_COLOURS = {"error": "31", "blocked": "31", "warning": "33", "risk": "33", "acknowledge": "33", "go": "32"}
_WORDS = re.compile(rf"(?m)^(\s*|\S+: )({'|'.join(_COLOURS)})(?=:| \[)")


class Ended(BaseException):
    """The end of a module, with its result. Not an ``Exception``, so that no code on the way handles it."""


class CommandModule:
    """Stands for ``AnsibleModule``."""

    def __init__(self, params: dict[str, Any], spec: Spec, *, check_mode: bool = False, diff: bool = False) -> None:
        self.params, self.check_mode, self._diff = {"chdir": None, **params}, check_mode, diff
        self.no_log_values = set(_secrets(params, spec))
        self.warnings: list[str] = []

    def warn(self, warning: str, /) -> None:
        """Keep a warning, to show it with the result."""
        self.warnings.append(warning)

    def exit_json(self, **result: Any) -> NoReturn:
        """End with ``result``."""
        raise Ended(result)

    def fail_json(self, msg: str, **result: Any) -> NoReturn:
        """End with ``result``, and fail."""
        raise Ended({**result, "msg": msg, "failed": True})

    def run(self, definition: ModuleDefinition) -> dict[str, Any]:
        """Run the module, and return its result as Ansible does: the values of JSON, without secrets."""
        try:
            run_definition(definition, self)
        except Ended as ended:
            text = json.dumps([ended.args[0], list(dict.fromkeys(self.warnings))])
            for secret in sorted(self.no_log_values, key=len, reverse=True):
                text = text.replace(json.dumps(secret)[1:-1], "********")
            result, self.warnings = json.loads(text)
            return dict(result)


def _secrets(value: Any, spec: Spec, *, hidden: bool = False) -> Iterator[str]:
    """Yield the texts in options with ``no_log``."""
    for name, item in value.items() if isinstance(value, dict) else ():
        option = spec.get(name, {})
        yield from _secrets(item, option.get("options", {}), hidden=hidden or option.get("no_log", False))
    for item in value if isinstance(value, list) else ():
        yield from _secrets(item, spec, hidden=hidden)
    if hidden and isinstance(value, str) and value:
        yield value


@contextmanager
def _shown_progress() -> Iterator[None]:
    over = Event()
    with tempfile.NamedTemporaryFile(prefix="progress-") as file:
        os.environ[VARIABLE] = file.name
        arguments = (file.name, over, "running", partial(print, file=sys.stderr))
        Thread(target=follow, args=arguments, daemon=True).start()
        try:
            yield
        finally:
            over.set()


def call(subcommand: Subcommand, words: Sequence[str]) -> int:
    """Run a subcommand, and return the exit code."""
    definition = subcommand.definition()
    try:
        params, output = parse(subcommand, definition, words)
    except InvalidOptionError as error:
        show(f"error: {error_text(error)}", sys.stderr)
        return 2
    with ExitStack() as stack:
        if sys.stderr.isatty():
            stack.enter_context(_shown_progress())
        report = Path(stack.enter_context(tempfile.TemporaryDirectory()), "report")
        if output["format"] not in RENDERED:
            # The module writes its other formats to files.
            params["outputs"].append({"format": output["format"], "path": str(report)})
        module = CommandModule(params, definition.spec, check_mode=output["check"], diff=output["diff"])
        result = module.run(definition)
        options = {**params, "check_mode": output["check"]}
        if subcommand.decides and output["format"] == "text" and not result.get("failed"):
            decided = options["decided"] = _decide(params)
            result = decided if decided.get("failed") else result
        for warning in module.warnings:
            show(f"warning: {warning}", sys.stderr)
        if report.exists():
            show(report.read_text(encoding="utf-8").rstrip("\n"), sys.stdout)
        else:
            _show_result(subcommand, result, options, output)
    return int(bool(result.get("failed")) or result.get("ready") is False)


def _decide(params: dict[str, Any]) -> dict[str, Any]:
    other = SUBCOMMANDS["manifests"].definition()
    common = {name: params.get(name, option.get("default")) for name, option in other.spec.items()}
    return CommandModule(common, other.spec).run(other)


def _show_result(
    subcommand: Subcommand, result: dict[str, Any], options: dict[str, Any], output: dict[str, Any]
) -> None:
    if output["format"] == "json":
        lines = [json.dumps(result, indent=2, ensure_ascii=False)]
    elif output["format"] == "yaml":
        import yaml

        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        lines = [yaml.dump(result, Dumper=dumper, sort_keys=False, allow_unicode=True, width=120).rstrip("\n")]
    else:
        changes = _diff_lines(result.get("diff", [])) if output["diff"] else ()
        lines = [*changes, *summary_lines(subcommand.module, result, options)]
    if lines:
        show("\n".join(lines), sys.stdout)
    else:
        show(f"error: {result['msg']}", sys.stderr)


def _diff_lines(diff: Any) -> Iterator[str]:
    for part in [diff] if isinstance(diff, dict) else diff:
        values = (part["before"], part["after"])
        old, new = (value if isinstance(value, str) else json.dumps(value, indent=2) for value in values)
        names = (part["before_header"], part["after_header"])
        yield from difflib.unified_diff(old.splitlines(), new.splitlines(), *names, lineterm="")


def show(text: str, stream: TextIO) -> None:
    """Write ``text`` and a line break to ``stream``, with colours if it is a terminal (no-color.org)."""
    if stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        text = _WORDS.sub(lambda found: f"{found[1]}\033[{_COLOURS[found[2]]}m{found[2]}\033[0m", text)
    print(text, file=stream)


def show_completion(words: Sequence[str]) -> int:
    """Print the completion for the shell in ``words``, and return the exit code."""
    try:
        import shtab
    except ImportError:
        show("error: shtab is missing. Install it: pip install 'capability-openshift[completion]'", sys.stderr)
        return 1
    if len(words) != 1 or words[0] not in shtab.SUPPORTED_SHELLS:
        show(f"error: completion: expected a shell: {', '.join(shtab.SUPPORTED_SHELLS)}", sys.stderr)
        return 2
    parser = Parser(prog=PROGRAM)
    added = parser.add_subparsers()
    for name, subcommand in SUBCOMMANDS.items():
        make = partial(added.add_parser, name, help=subcommand.short_description())
        for action in make_parser(subcommand, subcommand.definition(), make, documented=False)._actions:
            if action.metavar == "PATH" or not action.option_strings:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(parser, words[0]))
    return 0
