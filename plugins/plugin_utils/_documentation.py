# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The documentation of a module as plain text: for the help of a playbook, and of the command."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from ..module_utils._yaml.libyaml import load_body

_PLUGINS = __package__.rpartition(".")[0]
_MARKUP = re.compile(r"\b(RV|[A-Z])\(((?:[^()\\]|\\.|\([^()]*\))*)\)")
_OF_PLUGIN = re.compile(r"^[\w.]+#\w+:")

Parts = Mapping[str, Mapping[str, Any]]
"""The documentation of a module, with an empty name, and of its fragments, with the names of their files and parts."""


@cache
def read_documentation(module: str) -> Parts:
    """Read ``DOCUMENTATION`` of a module, and its fragments."""
    own: dict[str, Any] = load_body(import_module(f"{_PLUGINS}.modules.{module}").DOCUMENTATION.encode())
    parts = {"": own}
    for name in own["extends_documentation_fragment"]:
        _namespace, _collection, fragment, part = f"{name}.documentation".split(".")[:4]
        holder = import_module(f"{_PLUGINS}.doc_fragments.{fragment}").ModuleDocFragment
        parts[f"{fragment}.{part}"] = load_body(getattr(holder, part.upper()).encode())
    return parts


def option_texts(parts: Parts) -> dict[str, tuple[str, str]]:
    """The file of the fragment that documents each option, empty for the module itself, and the first paragraph."""
    texts: dict[str, tuple[str, str]] = {}
    for fragment, part in parts.items():
        for name, option in part.get("options", {}).items():
            # A fragment can add suboptions to an option of the module, and the module can describe one of a fragment.
            if "description" not in option:
                continue
            text = option["description"]
            texts.setdefault(name, (fragment.partition(".")[0], text if isinstance(text, str) else text[0]))
    return texts


def plain(text: str, option: Callable[[str, str], str]) -> str:
    """``text`` without Ansible's markup. ``option`` formats the name of an option, and its value or an empty string."""

    def replace(found: re.Match[str]) -> str:
        kind, content = found[1], found[2].replace("\\", "")
        if kind == "O":
            name, _equals, value = _OF_PLUGIN.sub("", content).partition("=")
            return option(name, value)
        return content.rpartition(".")[2] if kind == "M" else content.partition(",")[0] if kind == "L" else content

    return _MARKUP.sub(replace, text)
