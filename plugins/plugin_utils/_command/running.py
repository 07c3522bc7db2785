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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any, NoReturn, TextIO

from ...module_utils._module.argspec import Spec
from ...module_utils._module.main import ModuleDefinition, run_definition
from ...module_utils._module.progress import VARIABLE
from ...module_utils._module.progress_reader import follow
from ...module_utils._module.result import map_texts, masked
from ...module_utils._problems import Location
from ...module_utils._summary.lines import summary_lines
from .options import RENDERED, as_typed, parse
from .subcommands import SUBCOMMANDS, Subcommand

EXTRAS = {
    library: f"capability-openshift[{extra}]"
    for library, extra in {"urllib3": "registries", "Jinja2": "reports", "cryptography": "signatures"}.items()
}
"""What to install for a library, as in pyproject.toml."""


_MODULES = {subcommand.module: subcommand.module.replace("_", "-") for subcommand in SUBCOMMANDS.values()}


class Ended(BaseException):
    """The end of a module, with its result. Not an ``Exception``, so that no code on the way handles it."""


class CommandModule:
    """Stands for ``AnsibleModule``."""

    def __init__(self, params: dict[str, Any], spec: Spec, *, check_mode: bool = False, diff: bool = False) -> None:
        self.params, self.check_mode, self._diff = {"chdir": None, **params}, check_mode, diff
        self.no_log_values = set(_secrets(params, spec))
        self.warnings: list[str] = []
        self.warn = self.warnings.append

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
            plain = json.loads(json.dumps([ended.args[0], list(dict.fromkeys(self.warnings))]))
            result, self.warnings = map_texts(plain, self.masked) if self.no_log_values else plain
            return dict(result)

    def masked(self, text: str) -> str:
        """``text`` without secrets."""
        return masked(text, self.no_log_values)


def _secrets(value: Any, spec: Spec, *, hidden: bool = False) -> Iterator[str]:
    """Yield the texts in options with ``no_log``."""
    for name, item in value.items() if isinstance(value, dict) else ():
        option = spec.get(name, {})
        yield from _secrets(item, option.get("options", {}), hidden=hidden or option.get("no_log", False))
    for item in value if isinstance(value, list) else ():
        yield from _secrets(item, spec, hidden=hidden)
    if hidden and isinstance(value, str) and value:
        yield value


def call(subcommand: Subcommand, words: Sequence[str]) -> int:
    """Run a subcommand, and return the exit code. Raises ``InvalidOptionError``."""
    definition = subcommand.definition()
    params, output = parse(subcommand, definition, words)
    is_report = output["format"] not in RENDERED
    module = CommandModule(params, definition.spec, check_mode=output["check"], diff=output["diff"] or is_report)
    with tempfile.TemporaryDirectory() as folder:
        report, progress, over = Path(folder, "report"), Path(folder, "progress"), Event()
        if sys.stderr.isatty():
            progress.touch()
            os.environ[VARIABLE] = str(progress)
            arguments = (str(progress), over, "running", lambda line: print(module.masked(line), file=sys.stderr))
            Thread(target=follow, args=arguments, daemon=True).start()
        if is_report:
            # The module writes its other formats to files, which are in its diff, also in check mode.
            params["outputs"].append(f"{output['format']}:{report}")
        result = module.run(definition)
        options = {**params, "check_mode": output["check"]}
        of_entries = {name for entry in params.get("clusters") or () for name in entry}
        typed = partial(_as_typed, subcommand=subcommand, places=output["places"], of_entries=of_entries)
        over.set()
        for warning in module.warnings:
            show(typed(f"warning: {warning}"), sys.stderr)
        rendered = [part["after"] for part in result.get("diff", ()) if part.get("after_header") == str(report)]
        if rendered:
            show(rendered[0].rstrip("\n"), sys.stdout)
        else:
            _show_result(subcommand.module, result, options, output["format"], typed)
    if result.get("failed"):
        # Otherwise, findings or a plan failed it, as the options request.
        return 2 if any(item["severity"] == "error" for item in result["problems"]) else 1
    return int(result.get("ready") is False)


def _show_result(
    module: str, result: dict[str, Any], options: dict[str, Any], form: str, typed: Callable[[str], str]
) -> None:
    if form == "json":
        show(json.dumps(result, indent=2, ensure_ascii=False), sys.stdout)
    elif form == "yaml":
        import yaml

        show(yaml.safe_dump(result, sort_keys=False, allow_unicode=True, width=120).rstrip("\n"), sys.stdout)
    else:
        diff = list(_diff_lines(result.get("diff", [])))
        lines = summary_lines(module, result, options)
        if diff:
            show("\n".join(diff), sys.stdout)
        if lines:
            show(typed("\n".join(lines)), sys.stdout)
        elif not diff:
            show(typed(f"error: {result['msg']}"), sys.stderr)


def _diff_lines(diff: Any) -> Iterator[str]:
    for part in [diff] if isinstance(diff, dict) else diff:
        if "prepared" in part:
            # A line of a file can contain other line breaks, and end with a carriage return.
            yield from part["prepared"].removesuffix("\n").split("\n")
            continue
        values = (part["before"], part["after"])
        old, new = (value if isinstance(value, str) else json.dumps(value, indent=2) for value in values)
        names = (part["before_header"], part["after_header"])
        yield from difflib.unified_diff(old.splitlines(), new.splitlines(), *names, lineterm="")


def show(text: str, stream: TextIO) -> None:
    """Write ``text`` and a line break to ``stream``."""
    print(text, file=stream)


def _as_typed(
    text: str, subcommand: Subcommand, places: Mapping[str, Location], of_entries: Collection[str] = ()
) -> str:
    """``text`` with options instead of the names in the module, at the beginning of a message or with an underscore.

    ``places``: the items of options that are in files, by their names as they are typed. ``of_entries``: options that
    keep their name in a sentence, because the entries of a file have them.
    The name of a file can be the same, a metric in PromQL: ``cluster_version{type="initial"}``, and a key of an item:
    ``clusters[1] (paris): feature_set``.
    """
    spec, first = subcommand.definition().spec, subcommand.positional
    either = "|".join(spec)
    words = {name: as_typed(name, first) for name in spec} | _MODULES
    named = "|".join(name for name in words if "_" in name and name not in of_entries)

    def typed(at: re.Match[str]) -> str:
        item = f"{as_typed(at[2], first)}{at[3]}"
        return f"{at[1]}{places.get(item, item)}"

    field = r"(?!\S*\.(?:json|ya?ml)\b)(?=[:,\[]|\.\w+[:.\[])"
    text = re.sub(rf"(?m)^((?:(?:error|warning|info): |- )?)({either})((?:\[\d+\])?){field}", typed, text)
    text = re.sub(rf"(?<![\w./-])(?<!\): )({named})(?![\w/{{-]|\.\w)", lambda at: words[at[1]], text)
    text = re.sub(r"--([\w-]+) to false\b", r"--no-\1", text)
    return re.sub(rf"pip install ({'|'.join(EXTRAS)})\b", lambda at: f"pip install '{EXTRAS[at[1]]}'", text)
