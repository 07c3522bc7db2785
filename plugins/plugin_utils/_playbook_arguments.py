# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this plugin util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The argument spec of a playbook: checks the extra variables of a run against it, and renders it as a help text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    Problems,
    did_you_mean,
    nearest_name,
    shown,
    type_name,
)

HELP = "help"
"""The extra variable that shows the options of a playbook instead of running it."""
HELP_OPTION = {"type": "bool", "description": "Whether to show the variables of the playbook instead of running it."}

_COLLECTION = Path(__file__).resolve().parents[2]
OTHER_PREFIXES = ("ansible_", "awx_", "tower_")
"""Prefixes of variables that Ansible and its controllers set."""

_WIDTH = 100
_COLUMN = 28
_FORMS = {
    "bool": ("true or false", "Write -e {name}=true"),
    "dict": ("a map", "Write -e '{{\"{name}\": {{...}}}}', or -e @FILE"),
    "dicts": ("a list of maps", "Write -e '{{\"{name}\": [{{...}}]}}', or -e @FILE"),
    "int": ("a whole number", "Write -e {name}=60"),
    "list": ("a list", "Write -e {name}=ONE,TWO, or -e '{{\"{name}\": [...]}}'"),
    "str": ("a string", "Write -e {name}=VALUE"),
}
"""Of each type: what a message expects, and how the user writes it on the command line. ``dicts``: a list of dicts."""
_WITHOUT_NAME = "_raw_params"
"""The key in which Ansible keeps the words of ``-e`` that are not ``NAME=VALUE``."""


class PlaybookSpec(NamedTuple):
    """The argument spec of a playbook: its ``PLAYBOOK.meta.yml``.

    The form is that of ansible-core 2.20. ``options`` are those of Ansible's argument specs. ``role_options`` are the
    names of the variables of its roles, which users can set as well.
    """

    name: str
    description: str
    examples: str
    options: Mapping[str, Mapping[str, Any]]
    role_options: frozenset[str]


def read_spec(name: str) -> PlaybookSpec:
    """Read the argument spec of the playbook ``name`` of this collection."""
    content = _read_yaml(_COLLECTION / "playbooks" / f"{name}.meta.yml")
    spec = content["argument_specs"][name]
    roles = (_COLLECTION / "roles" / role / "meta" / "argument_specs.yml" for role in spec.get("roles", ()))
    entries = (entry for path in roles for entry in _read_yaml(path)["argument_specs"].values())
    role_options = frozenset(option for entry in entries for option in entry["options"])
    return PlaybookSpec(name, content["description"], spec["examples"], spec["options"], role_options)


def _read_yaml(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return content


def check_names(
    spec: PlaybookSpec,
    names: Iterable[str],
    problems: Problems,
    *,
    has_other_variables: bool,
    others: Iterable[str] = (),
) -> None:
    """Report extra variables that neither the playbook nor one of ``others`` has.

    ``has_other_variables``: whether an extra variable can belong to something else, such as an inventory. A name that
    resembles no known one is a warning then. ``others``: the names of the playbooks of this collection in the same run,
    which are read only for a name that this one does not have.
    """
    own = _known(spec) | {_WITHOUT_NAME}
    names = list(names)
    if _WITHOUT_NAME in names:
        hint = "Quote a value that contains blanks, such as -e \"NAME='A B'\""
        problems.error("unknown-variable", "-e", "contains a word that is not NAME=VALUE", hint)
    unknown = [name for name in names if name not in own and not name.startswith(OTHER_PREFIXES)]
    if unknown:  # Each host would read the specs.
        known = own.union(*(_known(read_spec(name)) for name in others))
        for name in unknown:
            if name not in known:
                _report_unknown(name, spec, known, problems, has_other_variables=has_other_variables)


def _known(spec: PlaybookSpec) -> set[str]:
    return {HELP, *spec.options, *spec.role_options}


def check_values(spec: PlaybookSpec, values: Mapping[str, Any], problems: Problems) -> None:
    """Check the types and choices of ``values``, which contain no templates."""
    options = {**spec.options, HELP: HELP_OPTION}
    for name, value in values.items():
        if name in options:
            _check_value(name, value, options[name], problems)


def check_required(spec: PlaybookSpec, names: Iterable[str], problems: Problems) -> None:
    """Report the required options that are not in ``names``, the names of all variables of a host."""
    given = set(names)
    for name, option in spec.options.items():
        if option.get("required") and name not in given:
            expected, form = _form(option)
            message = f"is required, expected {expected}: {_first_sentence(option)}"
            problems.error("missing-variable", name, message, form.format(name=name))


def _report_unknown(
    name: str, spec: PlaybookSpec, known: Iterable[str], problems: Problems, *, has_other_variables: bool
) -> None:
    message = f"is not a variable of the playbook {spec.name}"
    nearest = nearest_name(name, known)
    if nearest is not None:
        problems.error("unknown-variable", name, message, f"Did you mean {nearest}?")
    elif has_other_variables:
        hint = f"If it does not belong to the inventory, remove it. -e {HELP}=true shows the variables of the playbook"
        problems.warning("unknown-variable", name, message, hint)
    else:
        problems.error("unknown-variable", name, message, did_you_mean(name, spec.options))


def _check_value(name: str, value: Any, option: Mapping[str, Any], problems: Problems) -> None:
    kept = {key: option[key] for key in ("type", "elements") if key in option}
    checked = ArgumentSpecValidator({name: kept}).validate({name: value})
    # Ansible makes a string of each value.
    is_null = value is None and option["type"] != "raw"
    if checked.error_messages or is_null or (option["type"] == "str" and isinstance(value, (Mapping, list))):
        expected, form = _form(option)
        # The value is not shown: it can be a secret.
        message = f"is {type_name(value)}, expected {expected}: {_first_sentence(option)}"
        problems.error("wrong-type", name, message, form.format(name=name))
    elif value == "" and option["type"] != "raw":
        expected, _form_of_value = _form(option)
        message = f"is set but empty, expected {expected}: {_first_sentence(option)}"
        problems.error("empty-option", name, message, "Set a value, or do not set the variable")
    elif "choices" in option:
        found = checked.validated_parameters[name]
        for item in found if isinstance(found, list) else [found]:
            _check_choice(name, str(item).strip(), option["choices"], problems)


def _form(option: Mapping[str, Any]) -> tuple[str, str]:
    return _FORMS["dicts" if option.get("elements") == "dict" else option["type"]]


def _check_choice(name: str, value: str, choices: Sequence[str], problems: Problems) -> None:
    if value not in choices:
        message = f"is {shown(value)}, expected {' or '.join(choices)}"
        problems.error("unknown-choice", name, message, did_you_mean(value, choices))


def _first_sentence(option: Mapping[str, Any]) -> str:
    return str(option["description"]).partition(". ")[0].rstrip(".")


def help_text(spec: PlaybookSpec) -> str:
    """The description, the options and the examples of a playbook, for a terminal."""
    return "\n".join(_help_lines(spec))


def _help_lines(spec: PlaybookSpec) -> Iterator[str]:
    yield from textwrap.wrap(spec.description, _WIDTH)
    yield from ("", "Variables:")
    for name, option in spec.options.items():
        yield from _option_lines(name, option)
    yield from ("", "Examples:")
    yield textwrap.indent(spec.examples.rstrip("\n"), "  ")


def _option_lines(name: str, option: Mapping[str, Any]) -> Iterator[str]:
    facts = [" or ".join(option["choices"])] if "choices" in option else []
    if "choices" not in option and option["type"] != "raw":
        facts.append(option["type"])
    if option.get("required"):
        facts.append("required")
    if "default" in option:
        facts.append(f"default {str(option['default']).lower()}")
    text = f"{option['description']} ({', '.join(facts)})" if facts else option["description"]
    label = f"  {name}".ljust(_COLUMN)
    first, *rest = textwrap.wrap(text, _WIDTH - _COLUMN)
    if len(label) > _COLUMN:
        yield label
        yield " " * _COLUMN + first
    else:
        yield label + first
    for line in rest:
        yield " " * _COLUMN + line
