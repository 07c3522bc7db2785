# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Ansible's tagged, lazy and wrapped values, turned into plain Python ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import date
from typing import Any


def untag(value: Any) -> Any:
    """Return ``value`` as dict, list, str, int, float, bool or None, all the way down.

    ansible-core 2.19 and later hand over subclasses that compare equal and that ``type(x) is str`` and YAML dumpers
    refuse; 2.16 to 2.18 hand over ``AnsibleUnicode``. A date, which Ansible's YAML reader makes of an unquoted
    ``2024-05-01``, becomes the string that it was, because that is what the CVO reads.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)  # str(value) keeps what marks itself unsafe
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
