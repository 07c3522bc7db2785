# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A ClusterVersion object in a file, YAML or JSON."""

from __future__ import annotations

import json
import os
from typing import Any

from ._domain.errors import FactsError, Problem
from ._head import YamlError


def read_cluster_version(path: str, where: str = "cluster_version") -> Any:
    """Return what the file at ``path`` holds, as plain values. Raises ``FactsError``."""
    path = os.path.abspath(os.path.expanduser(os.path.expandvars(path)))
    try:
        with open(path, "rb") as handle:
            data = handle.read()
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}"
        raise FactsError([Problem("error", where, message, "Name a file, or give the object itself")]) from None
    try:
        if data.lstrip().startswith(b"{"):
            return json.loads(data)
    except (ValueError, RecursionError):
        pass  # a YAML flow map begins like JSON
    from ._yaml import load_body

    try:
        return load_body(data)
    except YamlError as error:
        at = f" (line {error.line})" if error.line else ""
        message, mend = f"{path}{at} is not YAML: {error.message}", "Save it again: oc get clusterversion -o yaml"
        raise FactsError([Problem("error", where, message, mend)]) from None
