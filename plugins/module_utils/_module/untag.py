# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Converts Ansible's tagged, lazy and wrapped values to plain Python values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import date
from typing import Any


def untag(value: Any) -> Any:
    """Convert ``value`` to dict, list, str, int, float, bool or None, recursively.

    ansible-core 2.19 and later pass subclasses that compare equal, but ``type(x) is str`` and YAML dumpers reject them;
    2.16 to 2.18 pass ``AnsibleUnicode``. Ansible reads an unquoted ``2024-05-01`` as a date. It becomes a string again,
    because the CVO reads a string.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)  # str(value) keeps the type of unsafe values
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Mapping):
        return {untag(key): untag(item) for key, item in value.items()}
    if isinstance(value, (Sequence, Set)):
        return [untag(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    return value
