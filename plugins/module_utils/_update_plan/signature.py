# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Yields why a cluster refuses the image of the new release because of its signature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from .plan import Hop
from .update_reasons import Unchecked, UpdateReason


def signature_reasons(hop: Hop, stores: Sequence[str], unchecked: list[Unchecked]) -> Iterator[UpdateReason]:
    """Yield what the signature of the new image is against. ``stores``: URLs of the cluster that were not asked.

    Source: openshift/cluster-version-operator:pkg/cvo/updatepayload.go RetrievePayload. A hosted cluster never loads
    the image itself.
    """
    if hop.signature is None or hop.start.hosted:
        return
    target = hop.end.release.shown_version
    if stores:
        names = ", ".join(map(_without_credentials, stores))
        message = f"spec.signatureStores of the cluster were not asked: {names}. Set signature_stores to them"
        unchecked.append(Unchecked("signature-stores", message))
    if hop.signature.state == "unknown" or (hop.signature.state == "invalid" and stores):
        message = f"the signature of the image of {target} could not be verified: {hop.signature.reason}"
        unchecked.append(Unchecked("release-signature", message))
    elif hop.signature.state == "invalid":
        message = f"the cluster refuses the image of {target}, because no signature of it is valid for the keys of "
        message += f"{hop.start.release.shown_version}: {hop.signature.reason}"
        hint = "Use an image that these keys signed, or add the store or ConfigMap with its signature"
        yield UpdateReason(
            "blocked", "release-not-signed", "ImageVerificationFailed", message, f"the image of {target}", hint
        )


def _without_credentials(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
