# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Names that somebody typed: the nearest one that exists."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return the mend for an unknown ``name``: the nearest of ``known``, and a word on case where that is the cause."""
    # Imported here because only a mistake needs it, and every module start would pay for it.
    from difflib import get_close_matches

    names = sorted(known)
    text = str(name)
    by_lower = {candidate.lower(): candidate for candidate in names}
    same = by_lower.get(text.strip().lower())
    if same is not None and same.strip() == text.strip():
        return f"Write {same} without blanks around it"
    if same is not None:
        return f"Write {same}: names are case sensitive"
    begun = [lower for lower in by_lower if len(text) > 2 and lower.startswith(text.lower())]
    near = begun if len(begun) == 1 else get_close_matches(text.lower(), by_lower, n=1, cutoff=0.6)
    return f"Did you mean {by_lower[near[0]]}?" if near else f"Known are: {', '.join(names) or 'none'}"
