# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads which files a Kustomization refers to, and whether its patches can change sites."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from .._files.checkout import KUSTOMIZATIONS, CheckoutFile
from .._resources import as_list, as_text, mappings_in
from .._yaml.libyaml import load_documents
from .._yaml.values import YamlError
from .document import SITE_KINDS

_RESOURCES = ("resources", "bases", "components")
_WITH_TARGET = ("patches", "patchesJson6902")
_OF_ANY_KIND = ("replacements", "transformers", "vars")


class Kustomization(NamedTuple):
    """Paths that a Kustomization names, relative to the checkout. ``resources`` can be directories.

    ``has_open_target``: a change of it can concern an object of any kind, or of a kind of sites.
    """

    patches: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    has_open_target: bool = False


def load_kustomization(file: CheckoutFile) -> list[Mapping[str, Any]]:
    """Load the documents of a Kustomization: none if it is not valid, which is no mistake of a site."""
    try:
        return list(mappings_in(load_documents(file.data)))
    except YamlError:
        return []


def read_kustomization(file: CheckoutFile) -> Kustomization | None:
    """Read a Kustomization, ``None`` if ``file`` is another one."""
    if posixpath.basename(file.path) not in KUSTOMIZATIONS:
        return None
    documents = load_kustomization(file)
    entries = [entry for item in documents for name in _WITH_TARGET for entry in mappings_in(item.get(name))]
    paths = [entry.get("path") for entry in entries]
    paths += [path for item in documents for path in as_list(item.get("patchesStrategicMerge"))]
    resources = [path for item in documents for name in _RESOURCES for path in as_list(item.get(name))]
    return Kustomization(
        tuple(path_beside(file, as_text(path)) for path in paths),
        tuple(path_beside(file, as_text(path)) for path in resources),
        any(item.get(name) for item in documents for name in _OF_ANY_KIND) or any(map(_is_open, entries)),
    )


def path_beside(file: CheckoutFile, path: str) -> str:
    """A path that ``file`` names, relative to the checkout."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(file.path), path))


def files_below(path: str, find: Callable[[str], Kustomization | None]) -> Iterator[str]:
    """Yield the files whose objects the Kustomization at ``path`` can change: its resources, and theirs.

    ``find`` returns the Kustomization at a path.
    """
    paths, seen = [path], set[str]()
    while paths:
        path = paths.pop()
        if path in seen:
            continue
        seen.add(path)
        yield path
        found = find(path)
        for each in found.resources if found is not None else ():
            paths += [each, *(posixpath.normpath(posixpath.join(each, name)) for name in KUSTOMIZATIONS)]


def _is_open(entry: Mapping[str, Any]) -> bool:
    """Whether the target of a patch, a regular expression, can be a site. Without one, its text says."""
    target = entry.get("target")
    if not isinstance(target, Mapping):
        return False
    kind = as_text(target.get("kind"))
    try:
        return not kind or any(re.fullmatch(kind, each) for each in SITE_KINDS)
    except re.error:
        return True
