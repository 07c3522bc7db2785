# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A ClusterVersion object in a file, YAML or JSON."""

from __future__ import annotations

from typing import Any

from .._module.files import absolute
from .._problems import InvalidOptionError, Problem
from .._yaml.head import YamlError, parse_json_object

_HINT = "Save it again: oc get clusterversion version -o yaml"


def read_cluster_version(path: str, directory: str = "") -> Any:
    """Return the one document that the file at ``path`` holds, as plain values. Raises ``InvalidOptionError``.

    ``directory`` is where a relative path starts from.
    """
    where = location_of(path)
    try:
        if not path or "\0" in path:
            raise InvalidOptionError(
                [Problem("error", "todo", where, f"{path!r} is not a path", "Name a file, or give the object")]
            )
        with open(absolute(path, directory), "rb") as handle:
            data = handle.read()
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InvalidOptionError(
            [Problem("error", "todo", where, message, "Name a file, or give the object")]
        ) from None
    from .._yaml.libyaml import load_body, read_head

    data = data.rstrip().removesuffix(b"\n---")
    found = parse_json_object(data)
    if found is not None:
        return found
    try:
        head = read_head(data)
        if head.value is None:
            raise InvalidOptionError(
                [Problem("error", "todo", where, "is empty, expected a ClusterVersion object", _HINT)]
            )
        if head.more:
            raise InvalidOptionError(
                [Problem("error", "todo", where, "holds more than one document, expected one", _HINT)]
            )
        return load_body(data)
    except YamlError as error:
        at = f" in line {error.line}" if error.line else ""
        raise InvalidOptionError(
            [Problem("error", "todo", where, f"is neither YAML nor JSON{at}: {error.message}", _HINT)]
        ) from None


def location_of(path: str) -> str:
    """Name the file in ``Problem.where``."""
    return f"cluster_version ({path})" if path else "cluster_version"
