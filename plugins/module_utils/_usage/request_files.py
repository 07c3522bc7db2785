# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reads APIRequestCounts from a file (``oc get apirequestcounts -o json``) or from a must-gather directory."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from typing import Any

from .._files import absolute, cannot
from .._problems import InvalidOptionError, Location, Problem, type_name
from .._unstructured import mappings_in
from .._yaml.libyaml import load_body
from .._yaml.values import YamlError, parse_json_object

_OPTION = "request_counts"
_SAVE = "Save it with oc get apirequestcounts,clusterversion -o json"
_OF_MUST_GATHER = (
    "**/cluster-scoped-resources/apiserver.openshift.io/apirequestcounts.yaml",
    "**/cluster-scoped-resources/apiserver.openshift.io/apirequestcounts/*.yaml",
    "**/cluster-scoped-resources/config.openshift.io/clusterversions.yaml",
    "**/cluster-scoped-resources/config.openshift.io/clusterversions/*.yaml",
)
_LARGEST = 512 * 2**20
_LARGEST_YAML = 32 * 2**20


def read_objects(path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a file, or those of a must-gather directory that matter. Raises ``InvalidOptionError``."""
    path = absolute(path)
    if not os.path.isdir(path):
        yield from _read_file(path)
        return
    patterns = (os.path.join(glob.escape(path), pattern) for pattern in _OF_MUST_GATHER)
    files = sorted({file for pattern in patterns for file in glob.glob(pattern, recursive=True)})
    if not files:
        message = "contains no cluster-scoped-resources/apiserver.openshift.io, expected a must-gather directory"
        raise _error("no-request-counts", path, message, "Set the directory that oc adm must-gather wrote")
    for file in files:
        yield from _read_file(file)


def _read_file(path: str) -> list[Mapping[str, Any]]:
    try:
        size = os.path.getsize(path)
        if size > _LARGEST:
            raise _error("too-large", path, f"has {size // 2**20} MiB, expected at most {_LARGEST // 2**20}", _SAVE)
        with open(path, "rb") as handle:
            data = handle.read()
    except OSError as error:
        raise InvalidOptionError(
            [cannot("read", path, error)._replace(where=Location(f"{_OPTION} ({path})"))]
        ) from None
    value: Any = parse_json_object(data)
    if value is None:
        if size > _LARGEST_YAML:
            message = f"is YAML with {size // 2**20} MiB, expected at most {_LARGEST_YAML // 2**20}"
            raise _error("too-large", path, message, _SAVE)
        try:
            value = load_body(data)
        except YamlError as error:
            message = f"is neither JSON nor YAML: {error.message}"
            raise _error("invalid-yaml", path, message, _SAVE) from None
    if not isinstance(value, Mapping):
        raise _error("not-a-map", path, f"is {type_name(value)}, expected a list of objects", _SAVE)
    kind = value.get("kind")
    if "items" in value:
        single = kind.removesuffix("List") if isinstance(kind, str) else ""
        return [{**item, "kind": item.get("kind") or single} for item in mappings_in(value["items"])]
    return [value]


def _error(code: str, path: str, message: str, hint: str) -> InvalidOptionError:
    return InvalidOptionError([Problem("error", code, f"{_OPTION} ({path})", message, hint)])
