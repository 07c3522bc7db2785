# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Run level and component of a manifest, from the name of its file."""

from __future__ import annotations

import re

_FILE_NAME = re.compile(r"0000_(\d+)_([a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*?)_", re.ASCII)


def component_of(file: str) -> str:
    """Return NAME of a file name ``0000_NN_NAME_...``; empty where the name has another form.

    Source: openshift/cluster-version-operator:pkg/payload/task_graph.go reMatchPattern.
    """
    match = _FILE_NAME.match(file.rpartition("/")[2])
    return match.group(2) if match else ""
