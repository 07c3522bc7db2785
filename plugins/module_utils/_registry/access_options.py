# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of the documentation fragment ``_registry``.

Apart from ``access``, which imports urllib3: what plans an update carries the options, and must not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class AccessOptions(NamedTuple):
    """The options of the documentation fragment ``_registry``. ``mirrors`` are paths and objects."""

    pull_secret: str | None = None
    auth_file: str | None = None
    ca_path: str | None = None
    insecure_registries: Sequence[str] = ()
    mirrors: Sequence[Any] = ()

    def __repr__(self) -> str:
        return "AccessOptions(***)"
