#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the JSON Schemas in schemas/, and the job templates in examples/controller.

Usage: .venv/bin/python tools/schemas.py [--check]    --check: change nothing, and end with 1 if a file is not current.

The sources are the argument specs of playbooks and roles, and the documentation of modules. The schemas of variables
accept no value that Ansible rejects. They reject some that it converts: where a string is expected, a number, because
YAML reads a version such as 4.20 as the number 4.2, and an empty string, which the modules reject.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from ansible.module_utils.parsing.convert_bool import BOOLEANS
from antsibull_docs_parser.ansible_doc_text import to_ansible_doc_text
from antsibull_docs_parser.parser import Context, parse
from environment import NAME, NAMESPACE, ROOT, VENV, tool_environment
from generated import write_or_compare
from job_templates import PATH as JOB_TEMPLATES
from job_templates import Playbook, render_job_templates

from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import (
    HELP,
    HELP_OPTION,
    OTHER_PREFIXES,
)

FQCN = f"{NAMESPACE}.{NAME}"
SCHEMAS = ROOT / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SOURCE = "Written by tools/schemas.py. Change it in {}."

Schema = dict[str, Any]
Option = Mapping[str, Any]
Options = Mapping[str, Option]

SAME_AS_ROLE = re.compile(r"Same as (?P<variable>\w+) of the role (?P<role>\w+)\.")
SAME_AS_OPTION = re.compile(r"As O\((?P<option>\w+)\)\. ?(?P<rest>.*)")
SAME_AS_RESULT = re.compile(rf"As RV\(({re.escape(FQCN)}\.(?P<module>\w+)#module:)?(?P<path>[\w.\[\]]+)\)\.")
"""How a description refers to another one."""

TEXTS = sorted(str(value) for value in BOOLEANS if isinstance(value, str))
ANY_CASE = "|".join("".join(f"[{one.upper()}{one}]" if one.isalpha() else one for one in text) for text in TEXTS)
DEFINITIONS: Mapping[str, Schema] = {
    "template": {"type": "string", "pattern": r"\{[{%]"},
    "bool": {
        "anyOf": [
            {"type": "boolean"},
            {"enum": [0, 1]},
            {"type": "string", "pattern": rf"^\s*({ANY_CASE})\s*$"},
            {"$ref": "#/$defs/template"},
        ]
    },
    "int": {
        "anyOf": [
            {"type": "integer"},
            {"type": "string", "pattern": r"^\s*[+-]?[0-9]+\s*$"},
            {"$ref": "#/$defs/template"},
        ]
    },
}
"""Values that Ansible converts. A template is a string that it renders before."""
TYPES = {
    "bool": "boolean",
    "dict": "object",
    "int": "integer",
    "list": "array",
    "path": "string",
    "str": "string",
}
PATH_RESULTS: Mapping[str, Schema] = {
    **{key: {"type": "integer"} for key in ("uid", "gid", "size")},
    **{key: {"type": "string"} for key in ("owner", "group", "mode", "state", "secontext")},
}
"""What Ansible adds to a result with the key ``path`` or ``dest``.
Source: ansible/ansible:lib/ansible/module_utils/basic.py, AnsibleModule.add_path_info
"""
COMMON_RESULTS: Mapping[str, Schema] = {
    "changed": {"type": "boolean"},
    "failed": {"type": "boolean"},
    "msg": {"type": "string"},
    "diff": {"type": ["object", "array"]},
    "warnings": {"type": "array"},
    "deprecations": {"type": "array"},
    "exception": {"type": "string"},
    "invocation": {"type": "object"},
}
"""What Ansible can add to the result of every module.
Source: ansible/ansible-documentation:docs/docsite/rst/reference_appendices/common_return_values.rst
"""


def main() -> int:
    """Write the files, or compare them."""
    texts = {SCHEMAS / f"{name}.json": json.dumps(schema, indent=1) + "\n" for name, schema in schemas()}
    playbooks = {name: described_playbook(name) for name in names_of("playbooks", "*.meta.yml")}
    texts[JOB_TEMPLATES] = render_job_templates(playbooks)
    strangers = sorted(set(SCHEMAS.rglob("*.json")) - set(texts))
    for path in strangers:
        print(f"{path.relative_to(ROOT)} has no source. Remove it", file=sys.stderr)
    return write_or_compare(texts) or int(bool(strangers))


def schemas() -> Iterator[tuple[str, Schema]]:
    """Yield the path of each schema below schemas/, without its suffix, and the schema."""
    for name in names_of("playbooks", "*.meta.yml"):
        yield f"playbooks/{name}", playbook_schema(name)
    yield "inventory", inventory_schema()
    for name in names_of("plugins/modules", "[!_]*.py"):
        if "suboptions" in module_options(name).get("clusters", {}):
            yield f"clusters/{name}", clusters_schema(name)
        yield f"results/{name}", result_schema(name)


# The sources


def names_of(folder: str, pattern: str) -> list[str]:
    """Return the names of the files in a folder of the checkout, without suffixes."""
    return sorted(path.name.partition(".")[0] for path in (ROOT / folder).glob(pattern))


@cache
def playbook_options(name: str) -> Options:
    """Return the options of a playbook. One that is the same as a variable of a role has its type and description."""
    options = dict(playbook_spec(name)["options"])
    for key, option in options.items():
        if same := SAME_AS_ROLE.match(option["description"]):
            of_role = role_options(same["role"])[same["variable"]]
            options[key] = {**typed_as(option, of_role), "description": of_role["description"]}
        elif entries := module_options(name).get(key, {}).get("suboptions"):
            options[key] = {**option, "suboptions": entries}
    return options


def described_playbook(name: str) -> Playbook:
    """Return what a controller shows of a playbook."""
    options = {key: {**option, "description": plain(option)} for key, option in playbook_options(name).items()}
    return Playbook(playbook_spec(name)["short_description"], options)


@cache
def playbook_spec(name: str) -> Any:
    """Return the argument spec of a playbook."""
    return read_yaml(ROOT / "playbooks" / f"{name}.meta.yml")["argument_specs"][name]


@cache
def role_options(role: str) -> Options:
    """Return the variables of a role, of all entry points.

    One without a default has the type raw, because ``omit`` is a value of no other type. The option of the module with
    the same name has its type.
    """
    entries = read_yaml(ROOT / "roles" / role / "meta" / "argument_specs.yml")["argument_specs"].values()
    options = {name: option for entry in entries for name, option in entry["options"].items()}
    of_module = module_options(role)
    return {
        name: typed_as(option, of_module.get(name.removeprefix(f"{role}_"), option)) for name, option in options.items()
    }


def typed_as(option: Option, other: Option) -> Option:
    """Return an option, with the type of ``other`` if it has none."""
    if option["type"] != "raw":
        return option
    return {**option, **{key: other[key] for key in ("type", "elements", "choices", "suboptions") if key in other}}


@cache
def module_options(name: str) -> Options:
    """Return the options of a module. An option of a cluster is described by that of the module which it refers to."""
    options = dict(documentation().get(f"{FQCN}.{name}", {"doc": {}})["doc"].get("options", {}))
    for key, option in options.items():
        if "suboptions" in option:
            entries = {name: described(entry, options) for name, entry in option["suboptions"].items()}
            options[key] = {**option, "suboptions": entries}
    return options


def described(entry: Option, options: Options) -> Option:
    """Return an option of a cluster with the description, and the choices, of an option of the module."""
    first, *rest = paragraphs(entry)
    if not (same := SAME_AS_OPTION.match(first)):
        return entry
    option = options[same["option"]]
    text = [*paragraphs(option), *filter(None, (same["rest"], *rest))]
    return {**{key: option[key] for key in ("choices",) if key in option}, **entry, "description": text}


@cache
def documentation() -> Any:
    """Return the documentation of all modules, with that of fragments, and what they return."""
    names = [f"{FQCN}.{name}" for name in names_of("plugins/modules", "[!_]*.py")]
    command = [str(VENV / "bin" / "ansible-doc"), "--type", "module", "--json", *names]
    return json.loads(subprocess.run(command, env=tool_environment(), stdout=subprocess.PIPE, check=True).stdout)


def read_yaml(path: Path) -> Any:
    """Return the content of a YAML file."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


# Variables


def playbook_schema(name: str) -> Schema:
    """Return the schema of a file with variables for a playbook: its own, and those of its roles."""
    spec = playbook_spec(name)
    own = {**playbook_options(name), HELP: HELP_OPTION}
    of_roles = {key: option for role in spec.get("roles", ()) for key, option in role_options(role).items()}
    return {
        **head(f"Variables of the playbook {FQCN}.{name}", spec["short_description"], f"playbooks/{name}.meta.yml"),
        **closed_object({**own, **{key: optional(option) for key, option in of_roles.items() if key not in own}}),
        "patternProperties": {f"^({'|'.join(OTHER_PREFIXES)})": True},
        "$defs": DEFINITIONS,
    }


def optional(option: Option) -> Option:
    """Return an option that is not required."""
    return {key: value for key, value in option.items() if key != "required"}


def inventory_schema() -> Schema:
    """Return the schema of a file in host_vars or group_vars: variables of roles, and of playbooks for their hosts."""
    roles = names_of("roles", "*")
    own = f"^({'|'.join(roles)})_"
    options: dict[str, Option] = {}
    for playbook in names_of("playbooks", "*.meta.yml"):
        spec = playbook_spec(playbook)["options"]
        options |= {
            name: option
            for name, option in playbook_options(playbook).items()
            if re.match(own, name) or SAME_AS_ROLE.match(spec[name]["description"])
        }
    for role in roles:
        options |= role_options(role)
    return {
        **head(
            f"Variables of hosts for the roles and playbooks of {FQCN}",
            "Variables with other names are allowed, unless they begin with the name of a role.",
            "roles/*/meta/argument_specs.yml and playbooks/*.meta.yml",
        ),
        "type": "object",
        "properties": {name: option_schema(option) for name, option in options.items()},
        "propertyNames": {"if": {"pattern": own}, "then": {"enum": [name for name in options if re.match(own, name)]}},
        "$defs": DEFINITIONS,
    }


def clusters_schema(name: str) -> Schema:
    """Return the schema of a file with the variable ``clusters`` for a module."""
    return {
        **head(
            f"Clusters for the module {FQCN}.{name}",
            "A file of variables. Those with other names are allowed.",
            f"plugins/modules/{name}.py",
        ),
        "type": "object",
        "properties": {"clusters": option_schema(module_options(name)["clusters"])},
        "required": ["clusters"],
        "$defs": DEFINITIONS,
    }


def head(title: str, description: str, source: str) -> Schema:
    """Return the keywords that each schema begins with."""
    return {"$schema": DIALECT, "$comment": SOURCE.format(source), "title": title, "description": description}


def closed_object(options: Options) -> Schema:
    """Return the schema of a map that has only these keys."""
    names = dict(options)
    names |= {alias: optional(option) for option in options.values() for alias in option.get("aliases", ())}
    required = [name for name, option in options.items() if option.get("required")]
    return {
        "type": "object",
        "properties": {name: option_schema(option) for name, option in names.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def option_schema(option: Option) -> Schema:
    """Return the schema of the value of an option."""
    schema: Schema = {"description": plain(option)}
    if "default" in option:
        schema["default"] = option["default"]
    return schema | value_schema(option)


def value_schema(option: Option) -> Schema:
    """Return the schema of the values that Ansible accepts for an option, templates included."""
    kind = option.get("type", "str")
    if kind == "raw":
        return {}
    if kind == "json":
        return {"type": ["string", "object", "array"], "minLength": 1}
    if kind in ("bool", "int"):
        return {"$ref": f"#/$defs/{kind}"}
    if kind == "list":
        return list_schema(option)
    if kind == "dict":
        content = closed_object(option["suboptions"]) if "suboptions" in option else {"type": "object"}
        # A template, or the text of a JSON object.
        return {"anyOf": [content, {"type": "string", "pattern": r"^\s*\{"}]}
    if "choices" in option:
        return {"anyOf": [{"enum": list(option["choices"])}, {"$ref": "#/$defs/template"}]}
    return {"type": TYPES[kind]} if option.get("default") == "" else {"type": TYPES[kind], "minLength": 1}


def list_schema(option: Option) -> Schema:
    """Return the schema of a list. Ansible splits a string at its commas."""
    elements = option.get("elements", "raw")
    item = {key: option[key] for key in ("choices", "suboptions") if key in option} | {"type": elements}
    many: Schema = {"type": "array", "items": value_schema(item)}
    template: Schema = {"$ref": "#/$defs/template"}
    if elements == "dict":
        return {"anyOf": [many, template]}
    if elements == "int":
        number = r"\s*[+-]?[0-9]+\s*"
        text = {"type": "string", "pattern": f"^{number}(,{number})*$"}
        return {"anyOf": [many, {"type": "integer"}, text, template]}
    if "choices" in option:
        word = rf"\s*({'|'.join(map(re.escape, option['choices']))})\s*"
        return {"anyOf": [many, {"type": "string", "pattern": f"^{word}(,{word})*$"}, template]}
    return {"anyOf": [many, {"type": "string", "minLength": 1}]}


def paragraphs(entry: Option) -> list[str]:
    """Return the paragraphs of a description."""
    text = entry["description"]
    return [text] if isinstance(text, str) else list(text)


def plain(entry: Option) -> str:
    """Return a description as ansible-doc shows it."""
    return to_ansible_doc_text(parse(paragraphs(entry), Context(), errors="exception"))


# Results


def result_schema(name: str) -> Schema:
    """Return the schema of the result of a module, also of one that failed."""
    module = documentation()[f"{FQCN}.{name}"]
    returned = module["return"]
    keys = {key: returned_schema(entry) for key, entry in returned.items()}
    required = sorted(key for key, entry in returned.items() if is_always(entry))
    return {
        **head(f"Result of the module {FQCN}.{name}", module["doc"]["short_description"], f"plugins/modules/{name}.py"),
        "type": "object",
        "properties": {**COMMON_RESULTS, **(PATH_RESULTS if {"path", "dest"} & set(keys) else {}), **keys},
        "additionalProperties": False,
        "if": {"properties": {"failed": {"const": True}}, "required": ["failed"]},
        "then": {"required": ["msg"]},
        "else": {"required": required},
    }


def returned_schema(entry: Option) -> Schema:
    """Return the schema of a returned value.

    It can be null if its description contains ``V(null)``. A description that begins with ``As RV(...)`` refers to
    another value, which can be one of another module.
    """
    text = " ".join(paragraphs(entry))
    schema: Schema = {"description": plain(entry)}
    if same := SAME_AS_RESULT.match(text):
        other = same["module"]
        return (returned_schema(entry_at(other, same["path"])) if other else {"$ref": pointer(same["path"])}) | schema
    kind = entry["type"]
    if kind == "raw":
        return schema
    schema["type"] = [TYPES[kind], "null"] if "V(null)" in text else TYPES[kind]
    if kind == "list":
        return schema | {"items": {"type": TYPES[entry["elements"]], **contained(entry)}}
    return schema | contained(entry)


def contained(entry: Option) -> Schema:
    """Return the schema of the keys of a map. A key in capitals stands for any name."""
    entries = entry.get("contains")
    if entries is None:
        return {}
    names = {key: value for key, value in entries.items() if not key.isupper()}
    others = [returned_schema(value) for key, value in entries.items() if key.isupper()]
    required = sorted(key for key, value in names.items() if is_always(value))
    return {
        "properties": {key: returned_schema(value) for key, value in names.items()},
        "required": required,
        "additionalProperties": others[0] if others else False,
    }


def is_always(entry: Option) -> bool:
    """Return whether each successful result contains a value."""
    return entry.get("returned") in ("always", "success")


def entry_at(module: str, path: str) -> Option:
    """Return the documentation of a returned value."""
    first, *rest = re.findall(r"\w+", path)
    entry: Option = documentation()[f"{FQCN}.{module}"]["return"][first]
    for name in rest:
        entry = entry["contains"][name]
    return entry


def pointer(path: str) -> str:
    """Return the reference to a value that is named as in ``RV(hops[].reasons)``."""
    parts: Iterable[str] = re.findall(r"\w+|\[\]", path)
    words = (
        "items" if part == "[]" else "additionalProperties" if part.isupper() else f"properties/{part}"
        for part in parts
    )
    return "/".join(("#", *words))


if __name__ == "__main__":
    sys.exit(main())
