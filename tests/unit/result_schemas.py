# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a module returned, compared with what it documents in ``RETURN``.

A key in capitals stands for any name. A value can be null if its description contains ``V(null)``. A description that
begins with ``As RV(...)`` refers to another value, which can be one of another module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import yaml

Schema = dict[str, Any]

MODULES = "ansible_collections.capability.openshift.plugins.modules"
SAME_AS = re.compile(r"As RV\((capability\.openshift\.(?P<module>\w+)#module:)?(?P<path>[\w.\[\]]+)\)\.")
TYPES = {"bool": "boolean", "dict": "object", "int": "integer", "list": "array", "path": "string", "str": "string"}
OF_PATHS: Mapping[str, Schema] = {
    **{key: {"type": "integer"} for key in ("uid", "gid", "size")},
    **{key: {"type": "string"} for key in ("owner", "group", "mode", "state", "secontext")},
}
"""What Ansible adds to a result with the key ``path`` or ``dest``.
Source: ansible/ansible:lib/ansible/module_utils/basic.py, AnsibleModule.add_path_info
"""
OF_ANSIBLE: Mapping[str, Schema] = {
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


def check_result(module: str, result: dict[str, Any]) -> None:
    """Fail if a result of a module has a key or a type that its documentation does not have, or lacks a key."""
    differences = [f"{error.json_path}: {error.message[:1000]}" for error in _validator(module).iter_errors(result)]
    assert not differences, f"{module} returned what it does not document:\n" + "\n".join(differences)


@cache
def _validator(module: str) -> Any:
    # The import takes a second of CPU, also of processes that only collect tests or distribute them.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(result_schema(module))


@cache
def documented(module: str) -> Any:
    """Return the documentation of what a module returns."""
    return yaml.safe_load(import_module(f"{MODULES}.{module}").RETURN)


def result_schema(module: str) -> Schema:
    """Return the schema of the result of a module, also of one that failed."""
    own = _keys(documented(module), module)
    known = {**OF_ANSIBLE, **(OF_PATHS if {"path", "dest"} & own["properties"].keys() else {}), **own["properties"]}
    return {
        "type": "object",
        "properties": known,
        "additionalProperties": False,
        "if": {"properties": {"failed": {"const": True}}, "required": ["failed"]},
        "then": {"required": ["msg"]},
        "else": {"required": own["required"]},
    }


def _keys(entries: Mapping[str, Any], module: str) -> Schema:
    names = {key: entry for key, entry in entries.items() if not key.isupper()}
    others = [_value(entry, module) for key, entry in entries.items() if key.isupper()]
    return {
        "properties": {key: _value(entry, module) for key, entry in names.items()},
        "required": [key for key, entry in names.items() if entry.get("returned") in ("always", "success")],
        "additionalProperties": others[0] if others else False,
    }


def _value(entry: Mapping[str, Any], module: str) -> Schema:
    text = " ".join([entry["description"]] if isinstance(entry["description"], str) else entry["description"])
    if same := SAME_AS.match(text):
        other = same["module"] or module
        return _value(_entry_at(other, same["path"]), other)
    if entry["type"] == "raw":
        return {}
    schema: Schema = {"type": [TYPES[entry["type"]], *(["null"] if "V(null)" in text else [])]}
    contained = _keys(entry["contains"], module) if "contains" in entry else {}
    return schema | ({"items": {"type": TYPES[entry["elements"]], **contained}} if "elements" in entry else contained)


def _entry_at(module: str, path: str) -> Any:
    first, *rest = re.findall(r"\w+", path)
    entry = documented(module)[first]
    for name in rest:
        entry = entry["contains"][name]
    return entry
