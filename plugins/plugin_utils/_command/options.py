# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The command line of a subcommand, which is made of the argument spec of its module."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from ...module_utils._module.argspec import Spec, check_rules
from ...module_utils._module.findings import OUTPUT_FORMATS
from ...module_utils._module.main import ModuleDefinition
from ...module_utils._problems import (
    InvalidOptionError,
    Location,
    Problem,
    Problems,
    did_you_mean,
    nearest_name,
    raise_errors,
    shown,
    type_name,
    unknown_choice,
)
from ...module_utils._yaml.libyaml import load_body, read_document
from ...module_utils._yaml.nodes import Lines, own_pair, parse_tree
from ...module_utils._yaml.values import YamlError
from .._documentation import plain
from .subcommands import PROGRAM, Subcommand

RENDERED = ("text", "json", "yaml")
"""Formats of any result. The others are those that the module writes."""

_METAVARS: dict[Any, str] = {"path": "PATH", "dict": "MAP", "int": "NUMBER", "json": "JSON"}
_NAMES = """\
A release is a directory or an image: REGISTRY/REPOSITORY@sha256:DIGEST, REGISTRY/REPOSITORY:TAG,
oci-archive:FILE[:NAME] or oc-mirror:PATH[@sha256:DIGEST]. The documentation of the module has all details of an option.
"""


class Parser(argparse.ArgumentParser):
    """Raises ``InvalidOptionError`` instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        """Report a call that cannot be read."""
        raise InvalidOptionError([Problem("error", "invalid-call", "", message.removeprefix("argument "))])


def make_parser(subcommand: Subcommand, definition: ModuleDefinition, *, documented: bool) -> Parser:
    """The parser of a subcommand, with or without the texts of its help."""
    spec, first = definition.spec, subcommand.positional
    groups = subcommand.documentation() if documented else {"": dict.fromkeys(spec, "")}
    parser = Parser(
        usage=argparse.SUPPRESS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=_head(subcommand, spec) if documented else None,
        epilog=_NAMES if documented and "release_cache" in spec else None,
        allow_abbrev=False,
        add_help=False,
        argument_default=argparse.SUPPRESS,
    )
    texts = {name: _help(text, spec[name], first) for group in groups.values() for name, text in group.items()}
    arguments = parser.add_argument_group("arguments")
    for name in first:
        how: dict[str, Any] = {"nargs": "*", "action": "extend"} if _is_list(spec[name]) else {"nargs": "?"}
        arguments.add_argument(name, metavar=name.upper(), help=texts[name], **how)
    for title, options in groups.items():
        group = parser.add_argument_group(title)
        for name in options:
            # As an option, too, like in playbooks.
            _add_option(group, name, spec[name], argparse.SUPPRESS if name in first else texts[name], first)
        if title == next(iter(groups)):
            _add_output(parser, spec)
    return parser


def _head(subcommand: Subcommand, spec: Mapping[str, Any]) -> str:
    shown_words = {name: f"{name.upper()}{' ...' if _is_list(spec[name]) else ''}" for name in subcommand.positional}
    words = (text if spec[name].get("required") else f"[{text}]" for name, text in shown_words.items())
    own = f"{PROGRAM} {subcommand.name}"
    lines = [f"{subcommand.short_description()}.", "", "examples, in the folder examples of the collection:"]
    lines += [f"  {own} {example}" for example in subcommand.examples]
    return "\n".join([*lines, "", f"usage: {own} {' '.join(words)} [OPTION ...]"])


def _is_list(option: Mapping[str, Any]) -> bool:
    return bool(option["type"] == "list")


def _add_option(group: Any, name: str, option: Mapping[str, Any], text: str, positional: tuple[str, ...]) -> None:
    how: dict[str, Any] = {"action": argparse.BooleanOptionalAction}
    if option["type"] != "bool":
        metavar = _METAVARS.get(option.get("elements", option["type"]), "VALUE")
        metavar = "|".join(option["choices"]) if "choices" in option else metavar
        how = {"action": "append" if _is_list(option) else "store", "metavar": metavar}
    dest = flag(name) if name in positional else name
    group.add_argument(*(flag(each) for each in (name, *option.get("aliases", ()))), dest=dest, help=text, **how)


def _add_output(parser: Parser, spec: Mapping[str, Any]) -> None:
    output = parser.add_argument_group("options of the output")
    metavar = "|".join(_formats(spec))
    output.add_argument("--format", metavar=metavar, default="text", help="Format of the result. Default: text")
    output.add_argument("--check", action="store_true", default=False, help="Write nothing, and show what would change")
    output.add_argument("--diff", action="store_true", default=False, help="Show the changes of files and clusters")
    output.add_argument("-h", "--help", action="help", help="Show this help")


def _formats(spec: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*RENDERED, *(OUTPUT_FORMATS if "outputs" in spec else ()))))


def _help(text: str, option: Mapping[str, Any], positional: tuple[str, ...]) -> str:
    default = option.get("default")
    shown = f" Default: {default}" if default and isinstance(default, (str, int)) else ""
    text = plain(text, lambda name, value: f"{as_typed(name, positional)}{value and ' '}{value}")
    # argparse formats it with %.
    return f"{text}{shown}".replace("%", "%%")


def as_typed(name: str, positional: tuple[str, ...]) -> str:
    """An option as the usage shows it."""
    return name.upper() if name in positional else flag(name)


def flag(name: str) -> str:
    """An option as it is written on the command line."""
    return f"--{name.replace('_', '-')}"


def parse(subcommand: Subcommand, definition: ModuleDefinition, words: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """The options of the module and of the output, from a command line. Shows help, if requested.

    Raises ``InvalidOptionError`` with all problems.
    """

    def place(name: str) -> Location:
        return Location(field=as_typed(name, subcommand.positional))

    parser = make_parser(subcommand, definition, documented=not {"-h", "--help"}.isdisjoint(words))
    problems = Problems()
    found, unknown = parser.parse_known_intermixed_args(list(_without_booleans(words, parser, problems)))
    values = vars(found)
    # Without the dashes, which would make all names similar.
    known = [text[2:] for action in parser._actions for text in action.option_strings if text.startswith("--")]
    for before, word in pairwise(("", *unknown)):
        name = word.partition("=")[0]
        if before.startswith("-") and "=" not in before and not name.startswith("-"):
            continue  # the value of an unknown option
        nearest = nearest_name(name.lstrip("-"), known) if name.startswith("-") else None
        hint = f"Did you mean --{nearest}?" if nearest else f"Run {PROGRAM} {subcommand.name} --help"
        problems.error("unknown-option", name, "is not expected here", hint)
    output = {name: values.pop(name) for name in ("format", "check", "diff")}
    if output["format"] not in (formats := _formats(definition.spec)):
        message, hint = unknown_choice(output["format"], shown(output["format"]), formats)
        problems.error("unknown-choice", Location(field="--format"), message, hint)
    for name in subcommand.positional:
        if flag(name) in values and name in values:
            message = f"cannot be combined with {flag(name)}"
            problems.error("conflicting-options", place(name), message, "Keep one of them")
        values[name] = values.pop(flag(name), values.get(name))
    places: dict[str, Location] = {}
    given = {
        name: _value(name, value, definition.spec[name], place(name), places, problems)
        for name, value in values.items()
    }
    params = checked_options(given, definition.spec, place, problems)
    check_rules(params, definition.rules, place, problems)
    raise_errors([problem._replace(where=_in_file(problem.where, places)) for problem in problems], InvalidOptionError)
    return params, {**output, "places": places}


def _without_booleans(words: Sequence[str], parser: Parser, problems: Problems) -> Iterator[str]:
    """Yield ``words``, with the form of the boolean options of ``oc``, ``--NAME=false``, as ``--no-NAME``."""
    actions = (action for action in parser._actions if isinstance(action, argparse.BooleanOptionalAction))
    flags = {text for action in actions for text in action.option_strings if not text.startswith("--no-")}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in flags:
            yield word
        elif value.lower() in _BOOLEANS:
            yield name if _BOOLEANS[value.lower()] else f"--no-{name[2:]}"
        else:
            problems.error("wrong-type", name, f"is {shown(value)}, expected true or false")


def _in_file(where: Location, places: Mapping[str, Location]) -> Location:
    item = "".join(where.field.partition("]")[:2])
    return places[item]._replace(field=where.field) if item in places else where


def _value(
    name: str, given: Any, option: Mapping[str, Any], where: Location, places: dict[str, Location], problems: Problems
) -> Any:
    """The value of the option ``name`` from its texts on the command line. ``places`` gets its items in files.

    A file with a list of maps can also be a file of variables for a playbook, with the option as its only variable.
    """
    if not isinstance(given, list):
        return _read(given, option["type"], where, problems)[0] if isinstance(given, str) else given
    items: list[Any] = []
    for text in given:
        if text == "[]":
            continue  # an empty list
        value, content = _read(text, option["elements"], where, problems)
        if value is None:
            continue  # a problem
        for at, line in enumerate(_lines(content, name), len(items)):
            place = where.child(f"[{at}]")
            places[place.field] = place._replace(source=text[1:], line=line)
        if option["elements"] == "dict" and isinstance(value, dict) and name in value:
            if others := ", ".join(str(other) for other in value if other != name):
                message = f"the file also sets {others}, expected only {name}"
                problems.error("unknown-option", where, message, "Set everything else with its own option")
            value = value[name]
        is_list = isinstance(value, str) and option["elements"] != "dict"
        parts = [part.strip() for part in value.split(",")] if is_list else value
        items += parts if isinstance(parts, list) else [parts]
    return items


def _lines(content: str, name: str) -> list[int]:
    """The line of each item of a list in a file, or of the list ``name`` in it."""
    with suppress(YamlError):
        root = parse_tree(content).root
        pair = root and own_pair(root, name)
        found, lines = pair.value if pair else root, Lines(content)
        return [lines.number(item.start) for item in found.items] if found else []
    return []


def _read(text: str, kind: str, where: Location, problems: Problems) -> tuple[Any, str]:
    """The value of ``text``: YAML or JSON, the content of a file after @, or the text itself. And the content."""
    # A text that is only raw can be a path, or a whole install-config with its comments.
    if kind != "dict" and not (kind in ("json", "raw") and text.startswith(("@", "{", "["))):
        return text, ""
    try:
        if not text.startswith("@"):
            value = load_body(text.encode())
            return value if isinstance(value, (dict, list)) else text, ""
        content = Path(text[1:]).read_bytes()
        document = read_document(content)
        if document.value is None:
            # Otherwise, the option would not be set.
            problems.error("empty-file", where, f"{text[1:]} is empty", "Set another file, or remove the option")
        if document.more:
            message = f"{text[1:]} contains several documents, expected one"
            problems.error("several-documents", where, message, "Keep one document in the file")
        return document.value, content.decode(errors="replace")
    except OSError as error:
        message = f"{text[1:]} cannot be read: {error.strerror or error}"
        problems.error("unreadable-file", where, message, "Correct the path after @")
    except YamlError as error:
        if not text.startswith(("@", "{", "[")):
            return text, ""  # such as GLOB=VERSION
        # The value is not shown: it can be a secret.
        file = f"{text[1:]}, line {error.line}, " if text.startswith("@") else ""
        problems.error("invalid-yaml", where, f"{file}is not valid YAML or JSON: {error}", "Correct it, or quote it")
    return None, ""


Place = Callable[[str], Location]
"""Where an option is, by its name."""


def checked_options(values: Mapping[str, Any], spec: Spec, place: Place, problems: Problems) -> dict[str, Any]:
    """The value of each option in ``spec``, the default if it is not in ``values``."""
    names = {alias: name for name, option in spec.items() for alias in (name, *option.get("aliases", ()))}
    for name in values.keys() - names:
        problems.error("unknown-option", place(name), "is not an option", did_you_mean(name, names))
    given = {names[name]: value for name, value in values.items() if name in names and value is not None}
    for name, option in spec.items():
        if name not in given and option.get("required"):
            problems.error("missing-option", place(name), "is required", "Set it")
    complete = {name: given.get(name, option.get("default")) for name, option in spec.items()}
    return {name: _checked(value, spec[name], place(name), problems) for name, value in complete.items()}


def _checked(value: Any, option: Mapping[str, Any], where: Location, problems: Problems) -> Any:
    kind, choices = option["type"], option.get("choices", ())
    if value is None:
        return None
    if kind == "list":
        items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [value]
        element = {**option, "type": option["elements"]}
        for at, item in enumerate(items):
            if item is None and element["type"] != "raw":
                problems.error("wrong-type", where.child(f"[{at}]"), f"is null, expected {_TYPES[element['type']][1]}")
        return [_checked(item, element, where.child(f"[{at}]"), problems) for at, item in enumerate(items)]
    convert, expected = _TYPES[kind]
    # A secret is not shown.
    found = type_name(value) if option.get("no_log") or isinstance(value, (dict, list)) else shown(value)
    try:
        converted = convert(value)
    except (AttributeError, KeyError, TypeError, ValueError):
        problems.error("wrong-type", where, f"is {found}, expected {expected}")
        return None
    if choices and converted not in choices:
        problems.error("unknown-choice", where, *unknown_choice(converted, found, choices))
    return checked_options(converted, option["options"], where.child, problems) if "options" in option else converted


def _string(value: Any) -> str:
    if isinstance(value, (dict, list)):
        raise TypeError
    return str(value)


def _pair(text: str) -> list[str]:
    return text.strip().split("=", 1)


_BOOLEANS = {
    **dict.fromkeys(("yes", "on", "1", "true", "t", "y"), True),
    **dict.fromkeys(("no", "off", "0", "false", "f", "n"), False),
}
"""Source: ansible/ansible:lib/ansible/module_utils/parsing/convert_bool.py."""
_TYPES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "bool": (lambda value: _BOOLEANS[str(value).strip().lower()], "true or false"),
    # A text is name=value,name=value.
    "dict": (lambda value: dict(value if isinstance(value, dict) else map(_pair, value.split(","))), "a map"),
    "int": (lambda value: int(_string(value)), "a whole number"),
    "json": (lambda value: value if isinstance(value, str) else json.dumps(value), "JSON"),
    "path": (lambda value: os.path.expanduser(os.path.expandvars(_string(value))), "a path"),
    "raw": (lambda value: value, "a value"),
    "str": (_string, "a string"),
}
