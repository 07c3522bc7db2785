# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Finds the fields of an install-config that the installer does not know, at any depth.

It reads keys in any case, as Go does (golang/go:src/encoding/json/decode.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .._data.install_config_fields import fields_of, path_of
from .._problems import Location


class UnknownField(NamedTuple):
    """A field, and the names of those that the installer knows at this place."""

    where: Location
    name: object
    known: tuple[str, ...]


def unknown_fields(
    value: object, where: Location, path: str = "", *, with_removed: bool = False
) -> Iterator[UnknownField]:
    """Yield the unknown fields of ``value``, whose type is the row ``path`` of the table of fields.

    ``with_removed``: fields that only 4.11 to 4.13 have are known.
    """
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from unknown_fields(item, where.child(f"[{index}]"), path, with_removed=with_removed)
    if isinstance(value, Mapping):
        names = fields_of(path, with_removed=with_removed)
        for key, item in value.items():
            name = str(key) if names is None else names.get(str(key).lower())
            if name is None:
                yield UnknownField(where.child(key), key, tuple(names.values()) if names else ())
            else:
                yield from unknown_fields(item, where.child(key), path_of(path, name), with_removed=with_removed)
