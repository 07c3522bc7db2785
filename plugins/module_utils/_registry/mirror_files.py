# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mirror sets and install-configs that the option ``mirrors`` names, in files or as objects."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from .._files.files import absolute, is_special
from .._problems import Problems
from .._yaml.libyaml import load_documents
from .._yaml.values import YamlError
from .mirror_sets import MIRRORS_EXPECTED, check_policies, parse_mirror_sets
from .mirrors import MirrorSource, RegistryRule, merge_sources

_SUFFIXES = (".yaml", ".yml", ".json")


def read_mirrors(values: Sequence[Any], problems: Problems) -> tuple[RegistryRule, ...]:
    """The rules of the option ``mirrors``, whose values are paths, or objects as the API returns them.

    A directory stands for its files, such as the ``working-dir/cluster-resources`` of oc-mirror. Reports values
    that have no mirrors together, because a cluster can have sets of only one kind.
    """
    entries: list[MirrorSource] = []
    before = len(problems)
    for index, value in enumerate(values):
        where = f"mirrors[{index}]"
        if isinstance(value, str):
            for path in _paths(value, where, problems):
                entries += _read_file(path, where, problems)
        else:
            entries += parse_mirror_sets(value, where, problems)
    if values and not entries and len(problems) == before:
        paths = ", ".join(value for value in values if isinstance(value, str)) or "the objects"
        problems.error("no-mirrors", "mirrors", f"no mirrors are in {paths}", f"Set it to {MIRRORS_EXPECTED}")
    check_policies(entries, problems)
    return merge_sources(entries)


def _paths(path: str, where: str, problems: Problems) -> list[str]:
    if not path or "\0" in path:
        problems.error("invalid-path", where, f"is {path!r}, expected a path", "Set the path of a file")
        return []
    path = absolute(path)
    if not os.path.isdir(path):
        return [path]
    try:
        paths = [os.path.join(path, name) for name in sorted(os.listdir(path)) if name.endswith(_SUFFIXES)]
    except OSError as error:
        location = f"{where} ({path})"
        problems.error("unreadable-file", location, f"cannot be read: {error.strerror}", "Check the permissions")
        return []
    return [file for file in paths if not is_special(file)]


def _read_file(path: str, where: str, problems: Problems) -> Iterator[MirrorSource]:
    location = f"{where} ({path})"
    try:
        with open(path, "rb") as handle:
            documents = load_documents(handle.read())
    except OSError as error:
        problems.error("unreadable-file", location, f"cannot be read: {error.strerror or error}", "Check the path")
        return
    except YamlError as error:
        at = f" on line {error.line}" if error.line else ""
        problems.error("invalid-yaml", location, f"is neither YAML nor JSON{at}", "Correct the syntax")
        return
    for number, document in enumerate(documents, 1):
        if document is not None:
            yield from parse_mirror_sets(document, f"{path}, document {number}" if number > 1 else path, problems)
