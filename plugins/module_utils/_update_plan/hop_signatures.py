# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verifies the images of a path, each with the keys of the release before it, as the CVO of that release does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .._problems import CapabilityError, Problems
from .._release_image.open_release import source_after, with_signers
from .._release_image.release_source import ReleaseSource
from .releases import PathRelease
from .request import PlanRequest
from .signature import ImageSignature, image_signature


class _PathResult(NamedTuple):
    signatures: tuple[ImageSignature | None, ...] = ()
    error: CapabilityError | None = None


class HopSignatures:
    """The signatures of the images of paths, which consist of ``releases``. Each path is verified once.

    ``source`` has the options. ``remarks`` gets the reasons why an image is not verified, unless that is an error.
    """

    def __init__(self, releases: Sequence[PathRelease], source: ReleaseSource, remarks: Problems) -> None:
        self._releases, self._source, self._remarks = releases, source, remarks
        self._verified: dict[tuple[tuple[int, ...], tuple[object, ...]], _PathResult] = {}

    def add(self, request: PlanRequest) -> PlanRequest:
        """Return ``request`` with the signature of each hop. Raises ``CapabilityError`` if a required one is missing.

        The stores of the cluster replace those of the releases, and the option ``signature_stores`` replaces both. Then
        the stores of the cluster that it lacks remain in the request.
        """
        if all(self._releases[position].opened.image is None for position in request.path):
            return request  # directories have no signatures
        options, stores = self._source.signature, request.state.signature_stores
        left = tuple(url for url in stores if url not in options.stores)
        if options.stores or options.mode == "ignore":
            stores = ()
        else:
            left = ()
        verified = self._verify(request.path, stores)
        return request._replace(state=request.state._replace(signature_stores=left, signatures=verified.signatures))

    def _verify(self, path: tuple[int, ...], stores: tuple[str, ...]) -> _PathResult:
        key = path, stores
        if key not in self._verified:
            try:
                self._verified[key] = _PathResult(tuple(self._signatures(path, stores)))
            except CapabilityError as error:
                self._verified[key] = _PathResult(error=error)
        verified = self._verified[key]
        if verified.error is not None:
            raise verified.error
        return verified

    def _signatures(self, path: tuple[int, ...], stores: tuple[str, ...]) -> Iterator[ImageSignature | None]:
        """Yield the signature of each hop of ``path``, ``None`` for a directory. ``stores``: of the cluster."""
        name, opened = self._releases[path[0]][:2]
        before = with_signers(opened, name, self._source, self._remarks)
        signature = self._source.signature
        own = self._source._replace(signature=signature._replace(stores=stores or signature.stores))
        for position in path[1:]:
            source = source_after(before, name, own)
            name, opened = self._releases[position][:2]
            unsigned = Problems()
            before = with_signers(opened, name, source, unsigned)
            self._remarks += unsigned
            if opened.image is None:
                yield None
            else:
                yield image_signature(source.signature, unsigned, is_signed=bool(before.signed_by))
