# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The command openshift-capability: modules of the collection without Ansible.

Exit codes: 0 if all is well, 1 if the module finds something that fails it, 2 if it cannot decide or do what it should,
because the command line, an input or a cluster prevents it, 130 after Ctrl-C, and 141 if the reader of the output has
ended.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence

from .subcommands import PROGRAM, SUBCOMMANDS, is_module

_PLAYBOOKS = {"operator-check": f"Run {PROGRAM} release-lint --checkout"}
_OTHERS = {"help": "Show this help, or the help of a subcommand", "--version": "Show the version"}


def main() -> int:
    """Run the command line of this process, and return the exit code. Shows no traceback, unless with -X dev."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # JSON is UTF-8, and the name of a file can have any bytes.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has ended. Python would report it once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        print(f"error: a bug in {PROGRAM}: {type(error).__name__}: {error}. Report it", file=sys.stderr)
        return 2
    return code


def _run(words: Sequence[str]) -> int:
    # Imports are here, because --help and --version need none of them.
    if len(words) > 1 and words[0] == "help":
        words = (words[1], "--help")
    name, *rest = words or ("--help",)
    name = name.replace("_", "-")
    if name in ("-h", "--help", "help"):
        described = {name: each.short_description() for name, each in SUBCOMMANDS.items()} | _OTHERS
        print(f"usage: {PROGRAM} SUBCOMMAND [OPTION ...]\n")
        print(*(f"  {name:<18}  {text}" for name, text in described.items()), sep="\n")
        print(f"\nThe options of a subcommand: {PROGRAM} SUBCOMMAND --help")
        return 0
    if name == "--version":
        from importlib.metadata import version

        print(f"{PROGRAM} {version('capability-openshift')}")
        return 0
    from ...module_utils._module.result import error_text
    from ...module_utils._problems import InvalidOptionError, Problem, did_you_mean
    from .running import call, show

    try:
        if name in SUBCOMMANDS:
            return call(SUBCOMMANDS[name], rest)
        hint = "Run its module with Ansible" if is_module(name) else did_you_mean(name, (*SUBCOMMANDS, *_OTHERS))
        hint = _PLAYBOOKS.get(name, hint)
        raise InvalidOptionError([Problem("error", "unknown-option", name, "is not a subcommand", hint)])
    except InvalidOptionError as error:
        show(f"error: {error_text(error)}", sys.stderr)
        return 2
