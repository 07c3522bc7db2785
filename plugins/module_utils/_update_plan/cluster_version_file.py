# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A ClusterVersion object in a file, YAML or JSON."""

from __future__ import annotations

from typing import Any

from .._module.files import absolute
from .._problems import FactsError, Problem
from .._yaml.head import YamlError, json_object

_MEND = "Save it again: oc get clusterversion version -o yaml"


def read_cluster_version(path: str, directory: str = "") -> Any:
    """Return the one document that the file at ``path`` holds, as plain values. Raises ``FactsError``.

    ``directory`` is where a relative path starts from.
    """
    where = place_of(path)
    try:
        if not path or "\0" in path:
            raise FactsError([Problem("error", where, f"{path!r} is not a path", "Name a file, or give the object")])
        with open(absolute(path, directory), "rb") as handle:
            data = handle.read()
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise FactsError([Problem("error", where, message, "Name a file, or give the object")]) from None
    from .._yaml.libyaml import load_body, read_head

    data = data.rstrip().removesuffix(b"\n---")
    found = json_object(data)
    if found is not None:
        return found
    try:
        head = read_head(data)
        if head.value is None:
            raise FactsError([Problem("error", where, "is empty, expected a ClusterVersion object", _MEND)])
        if head.more:
            raise FactsError([Problem("error", where, "holds more than one document, expected one", _MEND)])
        return load_body(data)
    except YamlError as error:
        at = f" in line {error.line}" if error.line else ""
        raise FactsError([Problem("error", where, f"is neither YAML nor JSON{at}: {error.message}", _MEND)]) from None


def place_of(path: str) -> str:
    """Name the file in ``Problem.where``."""
    return f"cluster_version ({path})" if path else "cluster_version"
