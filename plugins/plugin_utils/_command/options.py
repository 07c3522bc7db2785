# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The command line of a subcommand, which is made of the argument spec of its module."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ...module_utils._files import cannot
from ...module_utils._findings.formats import FORMATS
from ...module_utils._module.main import ModuleDefinition
from ...module_utils._problems import InvalidOptionError, Location, Problem, Problems, nearest_name
from ...module_utils._yaml.libyaml import load_body
from ...module_utils._yaml.values import YamlError
from .subcommands import PROGRAM, Subcommand
from .values import check_rules, checked_options

RENDERED = ("text", "json", "yaml")
"""Formats of any result. The others are those that the module writes."""

_METAVARS: dict[Any, str] = {"path": "PATH", "dict": "MAP", "int": "NUMBER", "json": "JSON"}
_MARKUP = re.compile(r"\b(RV|[A-Z])\(((?:[^()\\]|\\.|\([^()]*\))*)\)")


class Parser(argparse.ArgumentParser):
    """Raises ``InvalidOptionError`` instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        """Report a call that cannot be read."""
        raise InvalidOptionError([Problem("error", "invalid-call", "", message.removeprefix("argument "))])


def make_parser(
    subcommand: Subcommand, definition: ModuleDefinition, make: Callable[..., Any] = Parser, *, documented: bool
) -> argparse.ArgumentParser:
    """The parser of a subcommand, with or without the texts of its help. ``make`` creates it."""
    documentation: Mapping[str, Any] = subcommand.documentation() if documented else {}
    spec, first = definition.spec, subcommand.positional
    words = (f"{name.upper()}{' ...' if spec[name]['type'] == 'list' else ''}" for name in first)
    description, notes = (
        "\n\n".join(textwrap.fill(plain(text, first), 100) for text in documentation.get(part, ()))
        for part in ("description", "notes")
    )
    parser: argparse.ArgumentParser = make(
        usage=f"{PROGRAM} {subcommand.name} {' '.join(words)} [OPTION ...]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=description,
        epilog=notes,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    for name in dict.fromkeys((*first, *spec)):
        option = spec[name]
        is_list, flags = option["type"] == "list", [flag(each) for each in (name, *option.get("aliases", ()))]
        text = _help(documentation["options"][name]["description"], option, first) if documented else ""
        if name in first:
            how: dict[str, Any] = {"nargs": "*", "action": "extend"} if is_list else {"nargs": "?"}
            parser.add_argument(name, metavar=name.upper(), help=text, **how)
            # As an option, too, like in playbooks.
            text = argparse.SUPPRESS
        how = {"action": argparse.BooleanOptionalAction}
        if option["type"] != "bool":
            metavar = _METAVARS.get(option.get("elements", option["type"]), "VALUE")
            metavar = "|".join(option["choices"]) if "choices" in option else metavar
            how = {"action": "append" if is_list else "store", "metavar": metavar}
        parser.add_argument(*flags, dest=name, help=text, **how)
    output = parser.add_argument_group("output")
    formats = dict.fromkeys((*RENDERED, *(FORMATS if "outputs" in spec else ())))
    output.add_argument("--format", choices=tuple(formats), default="text", help="format of the result, default: text")
    output.add_argument("--check", action="store_true", default=False, help="write no file, show what would change")
    output.add_argument("--diff", action="store_true", default=False, help="show the changes of files")
    return parser


def _help(texts: str | list[str], option: Mapping[str, Any], positional: tuple[str, ...]) -> str:
    default = option.get("default")
    shown = f" Default: {default}" if default and isinstance(default, (str, int)) else ""
    # argparse formats it with %.
    return f"{plain(texts if isinstance(texts, str) else ' '.join(texts), positional)}{shown}".replace("%", "%%")


def plain(text: str, positional: tuple[str, ...]) -> str:
    """``text`` without Ansible's markup. Options are written as on the command line."""

    def replace(found: re.Match[str]) -> str:
        kind, content = found[1], found[2].replace("\\", "")
        if kind == "O":
            name, equals, value = content.partition("=")
            return f"{name.upper()}{equals}{value}" if name in positional else f"{flag(name)}{equals and ' '}{value}"
        return content.rpartition(".")[2] if kind == "M" else content.partition(",")[0] if kind == "L" else content

    return _MARKUP.sub(replace, text)


def flag(name: str) -> str:
    """An option as it is written on the command line."""
    return f"--{name.replace('_', '-')}"


def parse(subcommand: Subcommand, definition: ModuleDefinition, words: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """The options of the module, and those of the output, from a command line. Shows help, if requested.

    Raises ``InvalidOptionError`` with all problems.
    """

    def place(name: str) -> Location:
        return Location(field=name.upper() if name in subcommand.positional else flag(name))

    parser = make_parser(subcommand, definition, documented=not {"-h", "--help"}.isdisjoint(words))
    found, unknown = parser.parse_known_intermixed_args(list(words))
    values, problems = vars(found), Problems()
    # Without the dashes, which would make all names similar.
    known = [text[2:] for action in parser._actions for text in action.option_strings if text.startswith("--")]
    for word in unknown:
        name = word.partition("=")[0]
        nearest = nearest_name(name.lstrip("-"), known) if name.startswith("-") else None
        hint = f"Did you mean --{nearest}?" if nearest else f"Run {PROGRAM} {subcommand.name} --help"
        problems.error("unknown-option", name, "is not expected here", hint)
    output = {name: values.pop(name) for name in ("format", "check", "diff")}
    given = {name: _value(value, definition.spec[name], place(name), problems) for name, value in values.items()}
    params = checked_options(given, definition.spec, place, problems)
    check_rules(params, definition.rules, place, problems)
    problems.raise_errors(InvalidOptionError)
    return params, output


def _value(given: Any, option: Mapping[str, Any], where: Location, problems: Problems) -> Any:
    """The value of an option from its texts on the command line."""
    if not isinstance(given, list):
        return _read(given, option["type"], where, problems) if isinstance(given, str) else given
    items: list[Any] = []
    for text in given:
        value = _read(text, "raw", where, problems)
        is_list = isinstance(value, str) and option["elements"] != "dict"
        parts = [part.strip() for part in value.split(",")] if is_list else value
        items += parts if isinstance(parts, list) else [parts]
    return items


def _read(text: str, kind: str, where: Location, problems: Problems) -> Any:
    """The value of ``text``: YAML or JSON, the content of a file after @, or the text itself."""
    if kind not in ("dict", "json", "raw") or not text.startswith(("@", "{", "[")):
        return text
    try:
        return load_body(Path(text[1:]).read_bytes() if text.startswith("@") else text.encode())
    except OSError as error:
        problems.append(cannot("read", text[1:], error)._replace(where=where))
    except YamlError as error:
        # The value is not shown: it can be a secret.
        problems.error("invalid-yaml", where, f"is not valid YAML or JSON: {error}", "Correct it, or quote it")
    return None
