# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The help of a playbook, for two screens of a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.capability.openshift.plugins.plugin_utils._documentation import (
    option_texts,
    read_documentation,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_variables import Playbook

_WIDTH = 100
_COLUMN = 32
_VALUES = {
    "bool": "true",
    "dict": "{...}",
    "dicts": "[{...}]",
    "int": "60",
    "json": "{...}",
    "list": "A,B",
    "path": "PATH",
}
_MOST_CHOICES = 7
_NAMED = {
    "_auth": "Connection to the cluster",
    "_release_image": "Images and registries",
}
"""The title of the options that a fragment of the documentation contains, which are only named."""
_OF_EACH_CLUSTER = ("kubeconfig", "context")
"""Options of such a fragment that are described."""


def help_text(playbook: Playbook) -> str:
    """The examples, the variables of the playbook, and the options of its module."""
    return "\n".join(_lines(playbook))


def command_lines(playbook: Playbook) -> Iterator[str]:
    """Yield the lines of the examples as commands."""
    for example in playbook.examples:
        lines = [f"ansible-playbook capability.openshift.{playbook.name}"]
        for words in re.split(r" (?=-)", example):
            if len(lines[-1]) + len(words) < _WIDTH - 4:
                lines[-1] += f" {words}"
            else:
                lines[-1] += " \\"
                lines.append(f"    {words}")
        yield from lines


def _lines(playbook: Playbook) -> Iterator[str]:
    yield from textwrap.wrap(f"{playbook.summary()}.", _WIDTH)
    yield from ("", "Examples:")
    yield from (f"  {line}" for line in command_lines(playbook))
    if playbook.own:
        yield from ("", "Variables of the playbook:")
        for name, option in playbook.own.items():
            yield from _variable(playbook, name, option)
    texts = {
        name: of for name, of in option_texts(read_documentation(playbook.module)).items() if name in playbook.options
    }
    names = [name for name, (fragment, _text) in texts.items() if fragment not in _NAMED or name in _OF_EACH_CLUSTER]
    yield from ("", f"Options of the module {playbook.module}:")
    # Those that are required come first.
    for name in sorted(names, key=lambda name: not playbook.options[name].get("required")):
        if name not in playbook.own:
            yield from _variable(playbook, name, playbook.options[name])
    yield ""
    for title in dict.fromkeys(_NAMED.values()):
        listed = [name for name in texts if _NAMED.get(texts[name][0]) == title and name not in names]
        if listed:
            yield from textwrap.wrap(f"{title}: {', '.join(listed)}.", _WIDTH, subsequent_indent="  ")
    yield f"All of them in detail: ansible-doc capability.openshift.{playbook.module}"


def _variable(playbook: Playbook, name: str, option: Mapping[str, Any]) -> Iterator[str]:
    choices = option.get("choices", ())
    kind = "dicts" if option.get("elements") == "dict" else option["type"]
    value = "|".join(choices) if 0 < len(choices) < _MOST_CHOICES else _VALUES.get(kind, "VALUE")
    facts = ["required"] if option.get("required") else []
    if option.get("default") not in (None, "", []):
        facts.append(f"default {_shown(option['default'])}")
    text = f"{playbook.text_of(name)}{f' ({facts[0]})' if facts else ''}"
    label = f"  -e {name}={value}".ljust(_COLUMN)
    if not label.endswith(" "):
        yield label
        label = " " * _COLUMN
    yield from textwrap.wrap(text, _WIDTH, initial_indent=label, subsequent_indent=" " * _COLUMN)


def _shown(default: Any) -> str:
    if isinstance(default, list):
        return ",".join(default)
    return str(default).lower() if isinstance(default, bool) else str(default)
