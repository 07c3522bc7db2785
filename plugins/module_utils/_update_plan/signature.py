# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether the cluster-version operator of a release accepts the image of the next one by its signature."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from .._problems import Problem
from .._release_image.release_source import SignatureOptions
from .._release_image.unchecked import UNCHECKED
from .plan import Hop
from .update_reasons import Unchecked, UpdateReason


class ImageSignature(NamedTuple):
    """The signature of an image. ``unknown``: it could not be checked. ``reason``: why it is not ``verified``."""

    state: Literal["verified", "invalid", "unknown"]
    reason: str = ""


def image_signature(
    options: SignatureOptions,
    unsigned: Sequence[Problem],
    keyless: Callable[[], Sequence[Problem]],
    *,
    is_signed: bool,
) -> ImageSignature:
    """The signature of an image that was verified with ``options``. ``unsigned``: why it ``is_signed`` not.

    ``keyless`` reads why the release before it has no keys, and so refuses each image: nothing if that is not known.
    Source: openshift/cluster-version-operator:pkg/cvo/cvo.go InitializeFromPayload.
    """
    if is_signed:
        return ImageSignature("verified")
    if options.mode == "ignore":
        return ImageSignature("unknown", "the option signature is ignore")
    if not options.previous and not options.keys:
        unsigned = keyless()
        if not unsigned:
            return ImageSignature("unknown", "the keys of the release before it are not known")
    reasons = [problem for problem in unsigned if problem.severity != "info"]
    unchecked = [problem for problem in reasons if problem.code in UNCHECKED]
    if unchecked or not reasons:
        return ImageSignature("unknown", "; ".join(f"{problem.where} {problem.message}" for problem in unchecked))
    return ImageSignature("invalid", "; ".join(f"{problem.where} {problem.message}" for problem in reasons))


def signature_reasons(
    hop: Hop, signature: ImageSignature | None, stores: Sequence[str], unchecked: list[Unchecked]
) -> Iterator[UpdateReason]:
    """Yield why a cluster refuses the image of the new release because of its ``signature``.

    ``stores``: URLs of the cluster that were not asked. A hosted cluster never loads the image itself.
    Source: openshift/cluster-version-operator:pkg/cvo/updatepayload.go RetrievePayload.
    """
    if signature is None or hop.start.hosted:
        return
    target = hop.end.release.shown_version
    if stores:
        names = ", ".join(map(_without_credentials, stores))
        message = f"spec.signatureStores of the cluster were not asked: {names}. Set signature_stores to them"
        unchecked.append(Unchecked("signature-stores", message))
    if signature.state == "unknown" or (signature.state == "invalid" and stores):
        message = f"the signature of the image of {target} could not be verified: {signature.reason}"
        unchecked.append(Unchecked("release-signature", message))
    elif signature.state == "invalid":
        message = f"the cluster refuses the image of {target}, because no signature of it is valid for the keys of "
        message += f"{hop.start.release.shown_version}: {signature.reason}"
        hint = "Use an image that these keys signed, or add the store or ConfigMap with its signature"
        source, code = f"the image of {target}", "release-not-signed"
        # A ConfigMap of the cluster can contain the signature, and the plan does not read these.
        yield UpdateReason("blocked", code, "ImageVerificationFailed", message, source, hint, code)


def _without_credentials(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
