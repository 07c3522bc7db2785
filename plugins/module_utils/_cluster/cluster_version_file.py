# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A ClusterVersion object in a YAML or JSON file."""

from __future__ import annotations

from typing import Any

from .._files.files import absolute
from .._problems import InvalidOptionError, Problem
from .._yaml.values import YamlError, parse_json_object

_SAVE_AGAIN = "Save it again: oc get clusterversion version -o yaml"
_SET_PATH = "Set the path of a file, or the object itself"


def read_cluster_version(path: str) -> Any:
    """Return the only document of the file at ``path``, as plain values. Raises ``InvalidOptionError``."""
    where = location_of(path)
    if not path or "\0" in path:
        raise _error("invalid-path", where, f"{path!r} is not a path", _SET_PATH)
    try:
        with open(absolute(path), "rb") as handle:
            data = handle.read()
    except OSError as error:
        raise _error("unreadable-file", where, f"cannot be read: {error.strerror or error}", _SET_PATH) from None
    from .._yaml.libyaml import read_document

    data = data.rstrip().removesuffix(b"\n---")
    parsed = parse_json_object(data)
    if parsed is not None:
        return parsed
    try:
        document = read_document(data)
        if document.value is None:
            raise _error("empty-file", where, "is empty, expected a ClusterVersion object", _SAVE_AGAIN)
        if document.more:
            raise _error("several-documents", where, "contains several documents, expected one", _SAVE_AGAIN)
        return document.value
    except YamlError as error:
        at = f" on line {error.line}" if error.line else ""
        message = f"is neither YAML nor JSON{at}: {error.message}"
        raise _error("invalid-yaml", where, message, _SAVE_AGAIN) from None


def location_of(path: str) -> str:
    """Name the file in ``Problem.where``."""
    return f"cluster_version ({path})" if path else "cluster_version"


def _error(code: str, where: str, message: str, hint: str) -> InvalidOptionError:
    return InvalidOptionError([Problem("error", code, where, message, hint)])
