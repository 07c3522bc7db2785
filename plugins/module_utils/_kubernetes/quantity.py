# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Resource quantities of the Kubernetes API, such as 250m or 1Gi."""

from __future__ import annotations

import re

NANO = 10**9
"""Nanos in a unit: Kubernetes stores quantities in nanos and rounds finer values up."""

_MOST = (2**63 - 1) * NANO
_LONGEST_QUANTITY = 100
_FARTHEST_EXPONENT = 2 * _LONGEST_QUANTITY  # beyond it, no mantissa of that length makes a difference

_QUANTITY = re.compile(
    r"\+?(?=\.?[0-9])(?P<whole>[0-9]*)\.?(?P<fraction>[0-9]*)"
    r"(?:[eE](?P<exponent>[+-]?[0-9]+)|(?P<suffix>[KMGTPE]i|[numkMGTPE])?)"
)

_SUFFIXES = {
    **{suffix: 1000**power for power, suffix in enumerate(("n", "u", "m", "", "k", "M", "G", "T", "P", "E"))},
    **{f"{suffix}i": NANO * 1024**power for power, suffix in enumerate("KMGTPE", 1)},
}
"""Nanos in one of each suffix."""


def parse_quantity(value: object) -> int | None:
    """Return a quantity in nanos (10^-9 of its unit), ``None`` if ``value`` is not a quantity or is negative.

    Finer values are rounded up. Values beyond 64 bits become the largest 64-bit value.
    Source: kubernetes/apimachinery:pkg/api/resource/quantity.go: Quantity has the grammar, UnmarshalJSON also accepts
    numbers, null and surrounding white space.
    """
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    text = str(value).strip()
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST_QUANTITY else None
    if match is None:
        return None
    numerator = int(match["whole"] + match["fraction"])
    denominator = 10 ** len(match["fraction"])
    if match["exponent"] is None:
        numerator *= _SUFFIXES[match["suffix"] or ""]
    else:
        # 10^999999999 would take forever.
        exponent = max(-_FARTHEST_EXPONENT, min(int(match["exponent"]), _FARTHEST_EXPONENT))
        numerator *= NANO * 10 ** max(exponent, 0)
        denominator *= 10 ** max(-exponent, 0)
    return min(round_up(numerator, denominator), _MOST)


def round_up(numerator: int, denominator: int) -> int:
    """Divide and round up, as the API server does with quantities."""
    return -(-numerator // denominator)
