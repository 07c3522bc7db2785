# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the variables that are set for a playbook: their names, and their values for a host."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import INCLUSION_OPTIONS
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import Spec, check_rules
from ansible_collections.capability.openshift.plugins.module_utils._module.untag import untag
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    Location,
    Problem,
    Problems,
    nearest_name,
    shown,
    type_name,
    unknown_choice,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_variables import (
    HELP,
    TARGET_HOSTS,
    Playbook,
    playbook_names,
    read_playbook,
    role_variables,
)

_OTHER_PREFIXES = ("ansible_", "awx_", "tower_")
"""Prefixes of variables that Ansible and its controllers set."""
_WITHOUT_NAME = "_raw_params"
"""The key in which Ansible keeps the words of ``-e`` that are not ``NAME=VALUE``."""
_CAN_BE_EMPTY = {"chdir", *(option.name for option in INCLUSION_OPTIONS if option.default == "")}
"""Options for which an empty text is a value."""
_FORMS = {
    "bool": ("true or false", "Write -e {}=true"),
    "dict": ("a map", "Write -e '{{\"{}\": {{...}}}}', or -e @FILE"),
    "dicts": ("a list of maps", "Write -e '{{\"{}\": [{{...}}]}}', or -e @FILE"),
    "int": ("a whole number", "Write -e {}=60"),
    "json": ("JSON", "Write -e '{{\"{}\": {{...}}}}', or -e @FILE"),
    "list": ("a list", "Write -e {0}=A,B, or -e '{{\"{0}\": [...]}}'"),
    "path": ("a path", "Write -e {}=PATH"),
    "raw": ("a value", "Write -e {}=VALUE"),
    "str": ("a string", "Write -e {}=VALUE"),
}
"""Of each type: what a message expects, and how the user writes it on the command line. ``dicts``: a list of dicts."""
_ALMOST = 0.85
"""How similar a misspelled name is: ``enabled`` is ``enable``, and ``release_dir`` is not ``release``."""
_UNDEFINED = re.compile(r"'[A-Za-z0-9_. ]+' (?:is undefined|has no attribute '[A-Za-z0-9_]+')")


def check_names(
    playbook: Playbook,
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
    own = {HELP, *playbook.variables, _WITHOUT_NAME}
    names = list(names)
    if _WITHOUT_NAME in names:
        hint = "Quote a value that contains blanks, such as -e \"NAME='A B'\""
        problems.error("unknown-variable", "-e", "contains a word that is not NAME=VALUE", hint)
    unknown = [name for name in names if name not in own and not name.startswith(_OTHER_PREFIXES)]
    if unknown:  # Each host would read the other playbooks.
        known = own.union(*(read_playbook(name).variables for name in others))
        for name in unknown:
            if name not in known:
                _report_unknown(name, playbook, known, problems, has_other_variables=has_other_variables)


def _report_unknown(
    name: str, playbook: Playbook, known: Iterable[str], problems: Problems, *, has_other_variables: bool
) -> None:
    message = f"is not a variable of the playbook {playbook.name}"
    nearest = nearest_name(name, known)
    option = name.removeprefix(f"{playbook.name}_")
    if option != name and option in playbook.variables:
        problems.append(_of_role(option, playbook))
    elif nearest is not None:
        problems.error("unknown-variable", name, message, f"Did you mean {nearest}?")
    elif has_other_variables and name != TARGET_HOSTS:
        hint = f"If it does not belong to the inventory, remove it. -e {HELP}=true shows the variables of the playbook"
        problems.warning("unknown-variable", name, message, hint)
    else:
        hint = f"Remove it. -e {HELP}=true shows the variables of the playbook"
        problems.error("unknown-variable", name, message, hint)


def check_inventory_names(playbook: Playbook, variables: Mapping[str, Any], problems: Problems) -> None:
    """Warn about ``variables`` of a host whose names are almost those of variables that are not set.

    Others belong to the inventory, and so do plurals, and variables of other playbooks of this collection.
    """
    own = playbook.variables
    unset = frozenset(own.keys() - variables)
    near = {name: _almost(name, value, unset, own) for name, value in variables.items() if name not in own}
    almost = {name: nearest for name, nearest in near.items() if nearest and name != f"{nearest}s"}
    for name in sorted(almost.keys() - _variables_of_playbooks() if almost else ()):
        message, hint = f"is not a variable of the playbook {playbook.name}", f"Did you mean {almost[name]}?"
        problem = Problem("warning", "unknown-variable", name, message, hint)
        if problem not in problems:
            problems.append(problem)


@cache  # A task can check all hosts, each with the same mistake.
def _variables_of_playbooks() -> frozenset[str]:
    """The variables of all playbooks of this collection."""
    return frozenset(variable for name in playbook_names() for variable in read_playbook(name).variables)


def _almost(name: str, value: Any, unset: frozenset[str], options: Spec) -> str | None:
    """The variable among those that are ``unset`` for which ``name`` seems to be meant. A flag is not."""
    nearest = _most_similar(name, unset)
    is_flag = isinstance(value, bool) and options.get(nearest or "", {}).get("type") != "bool"
    return None if is_flag else nearest


@cache  # The hosts of an inventory have variables with the same names.
def _most_similar(name: str, names: frozenset[str]) -> str | None:
    return next(iter(get_close_matches(name, names, 1, _ALMOST)), None)


def read_values(
    names: Iterable[str],
    variables: Mapping[str, Any],
    template: Callable[[Any], Any],
    problems: Problems,
) -> dict[str, Any]:
    """Return the values of the ``names`` that are set in the variables of a host, as a task of the host gets them.

    ``template`` resolves the templates of a value.
    """
    values: dict[str, Any] = {}
    for name in names:
        if name not in variables:
            continue
        # A template can fail with any exception, and the filter default would hide an undefined variable.
        try:
            # In a list: a single template can return an undefined value, and one that is omitted.
            found = untag(template([variables[name]]))
        except Exception as error:
            problems.append(unreadable_variable(name, error))
        else:
            # What is omitted is not in the list, or, before ansible-core 2.19, a text.
            if found and found[0] != variables.get("omit", names):
                values[name] = found[0]
    return values


def check_prefixes(playbook: Playbook, names: Iterable[str], variables: Container[str], problems: Problems) -> None:
    """Report the ``names`` that are set with the prefix that a role of this name has, and not for the playbook."""
    for name in names:
        problem = _of_role(name, playbook)
        is_set = f"{playbook.name}_{name}" in variables and name not in variables
        if is_set and problem not in problems:
            problems.append(problem)


def _of_role(option: str, playbook: Playbook) -> Problem:
    message = f"begins with {playbook.name}, as the variables of a role, which the playbook does not read"
    return Problem("error", "unknown-variable", f"{playbook.name}_{option}", message, f"Name it {option}")


def check_role_names(
    role: Playbook, variables: Mapping[str, Any], problems: Problems, *, defaults: Collection[str] = ()
) -> None:
    """Report the ``variables`` whose names begin as those of a role, and that are ignored.

    These are options of its module, unless they are among ``defaults``, those of ``module_defaults``, and names that
    are almost one of its variables that is not set. Others belong to the user, because linters ask for the prefix. So
    does a flag, such as whether the role is used.
    """
    known = {*role_variables(role.module), *role.own}
    unset = frozenset(name.removeprefix(role.prefix) for name in known.difference(variables))
    for name, value in variables.items():
        option = name.removeprefix(role.prefix)
        if option == name or name in known:
            continue
        message = f"is not a variable of the role {role.module}"
        if option not in role.options:
            nearest = _almost(option, value, unset, role.options)
            if nearest is not None:
                problems.error("unknown-variable", name, message, f"Did you mean {role.prefix}{nearest}?")
        elif option not in defaults:
            hint = f"Set {option} in module_defaults, and rename or remove the variable"
            problems.error("unknown-variable", name, message, hint)


def unreadable_variable(name: str, error: Exception) -> Problem:
    """The problem of a variable that contains a template which fails with ``error``.

    The message of ``error`` can quote values, which can be secret. Only the names of undefined variables are kept.
    """
    undefined = ", ".join(dict.fromkeys(_UNDEFINED.findall(str(error))))
    message = f"cannot be read: {undefined or 'its template fails'}"
    return Problem("error", "unreadable-variable", name, message, "Correct its template, or do not set it")


def check_values(playbook: Playbook, values: Mapping[str, Any], typed: Container[str], problems: Problems) -> None:
    """Check the types and choices of ``values``, which contain no templates. ``typed``: names of extra variables."""
    for name, value in values.items():
        option = playbook.variables[name]
        kept = {key: option[key] for key in ("type", "elements") if key in option}
        checked = ArgumentSpecValidator({name: kept}).validate({name: value})
        # Ansible makes a string of each value, and counts null as not set.
        is_wrong = value is None or (option["type"] in ("str", "path") and isinstance(value, (Mapping, list)))
        # Ansible splits a text at its commas, and would keep the brackets.
        is_bracketed = option["type"] == "list" and isinstance(value, str) and value[:1] + value[-1:] == "[]"
        if checked.error_messages or is_wrong or is_bracketed:
            fault = "is a string in brackets" if is_bracketed else f"is {type_name(value)}"
            _report_value("wrong-type", name, fault, playbook, typed, problems)
        elif value == "" and name.removeprefix(playbook.prefix) not in _CAN_BE_EMPTY:
            _report_value("empty-option", name, "is set but empty", playbook, typed, problems)
        elif "choices" in option:
            found = checked.validated_parameters[name]
            for item in found if isinstance(found, list) else [found]:
                _check_choice(name, str(item).strip(), option["choices"], problems)


def _report_value(
    code: str, name: str, message: str, playbook: Playbook, typed: Container[str], problems: Problems
) -> None:
    # The value is not shown: it can be a secret.
    expected, form = _form(playbook, name)
    hint = form if name in typed else "Set a value, or do not set the variable"
    problems.error(code, name, f"{message}, expected {expected}: {playbook.text_of(name)}", hint)


def _form(playbook: Playbook, name: str) -> tuple[str, str]:
    option = playbook.variables[name]
    expected, form = _FORMS["dicts" if option.get("elements") == "dict" else option["type"]]
    return expected, form.format(name)


def _check_choice(name: str, value: str, choices: Sequence[str], problems: Problems) -> None:
    if value not in choices:
        problems.error("unknown-choice", name, *unknown_choice(value, shown(value), choices))


def check_set(playbook: Playbook, names: Iterable[str], problems: Problems) -> None:
    """Report what is missing in ``names``, the variables that are set, and what cannot be combined."""
    given = {*names, *(name for name, option in playbook.own.items() if "default" in option)}
    for name, option in playbook.variables.items():
        if option.get("required") and name not in given:
            expected, form = _form(playbook, name)
            message = f"is required, expected {expected}: {playbook.text_of(name)}"
            problems.error("missing-variable", name, message, form)
    # Another name is reported already.
    known = dict.fromkeys(given & playbook.variables.keys(), True)
    check_rules(known, playbook.rules, lambda name: Location(field=name), problems)
