# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Whether the cluster-version operator of a release accepts the image of the next one by its signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from .._problems import Problem
from .._release_image.release_source import SignatureOptions
from .._signature.unchecked import UNCHECKED


class ImageSignature(NamedTuple):
    """``unknown``: it could not be checked. ``reason``: why it is not ``verified``."""

    state: Literal["verified", "invalid", "unknown"]
    reason: str = ""


def image_signature(options: SignatureOptions, unsigned: Sequence[Problem], *, is_signed: bool) -> ImageSignature:
    """Return the signature of an image that was opened with ``options``. ``unsigned``: why it ``is_signed`` not."""
    if is_signed:
        return ImageSignature("verified")
    if options.mode == "ignore":
        return ImageSignature("unknown", "the option signature is ignore")
    if not options.previous and not options.keys:
        return ImageSignature("unknown", "the keys of the release before it are not known")
    reasons = [problem for problem in unsigned if problem.severity != "info"]
    unchecked = [problem for problem in reasons if problem.code in UNCHECKED]
    if unchecked or not reasons:
        return ImageSignature("unknown", "; ".join(f"{problem.where} {problem.message}" for problem in unchecked))
    return ImageSignature("invalid", "; ".join(f"{problem.where} {problem.message}" for problem in reasons))
