# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Who signed a release. Separate from what verifies it, because tasks that read a kept result do not need that."""

from __future__ import annotations

from typing import NamedTuple


class Signer(NamedTuple):
    """Who signed: a key of ``key_ring``, with its ``fingerprint`` and ``user``. ``source`` has the signature."""

    key_ring: str
    fingerprint: str
    user: str
    source: str
