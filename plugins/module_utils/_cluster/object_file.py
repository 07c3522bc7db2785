# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An object of a cluster, or a list of objects, that a user saved in a YAML or JSON file."""

from __future__ import annotations

from typing import Any

from .._files.files import absolute
from .._problems import InvalidOptionError, Problem
from .._yaml.values import YamlError, parse_json_object

_SET_PATH = "Set the path of a file"


def read_object_file(path: str, option: str, command: str) -> Any:
    """Return the only document of the file at ``path``, as plain values. Raises ``InvalidOptionError``.

    ``option`` names the file, and ``command`` saves it.
    """
    where, again = location_of(path, option), f"Save it again: {command}"
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
            raise _error("empty-file", where, "is empty, expected an object", again)
        if document.more:
            raise _error("several-documents", where, "contains several documents, expected one", again)
        return document.value
    except YamlError as error:
        at = f" on line {error.line}" if error.line else ""
        message = f"is neither YAML nor JSON{at}: {error.message}"
        raise _error("invalid-yaml", where, message, again) from None


def location_of(path: str, option: str) -> str:
    """Name the file of an option in ``Problem.where``."""
    return f"{option} ({path})" if path else option


def _error(code: str, where: str, message: str, hint: str) -> InvalidOptionError:
    return InvalidOptionError([Problem("error", code, where, message, hint)])
