# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Resource quantities of the Kubernetes API, such as 250m or 1Gi."""

from __future__ import annotations

import re

NANO = 10**9
"""Parts of a unit in which quantities are kept: Kubernetes keeps them to the nano, and rounds up what is finer."""


_MOST = (2**63 - 1) * NANO


_LONGEST_QUANTITY = 100


_FARTHEST_EXPONENT = 2 * _LONGEST_QUANTITY  # beyond it no mantissa that is short enough makes a difference


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
    """Return a Kubernetes quantity in nanos (10^-9 of its unit), ``None`` where it is none or is negative.

    What is finer is rounded up, what is more than 64 bits hold is the most that they hold.
    Source: kubernetes/apimachinery:pkg/api/resource/quantity.go, of which Quantity has the grammar and UnmarshalJSON
    takes bare numbers, null and white space around.
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
        # Nobody waits for 10^999999999.
        exponent = max(-_FARTHEST_EXPONENT, min(int(match["exponent"]), _FARTHEST_EXPONENT))
        numerator *= NANO * 10 ** max(exponent, 0)
        denominator *= 10 ** max(-exponent, 0)
    return min(_rounded_up(numerator, denominator), _MOST)


def _rounded_up(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)
