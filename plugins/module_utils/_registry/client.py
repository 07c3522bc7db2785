# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""A client of registries: manifests and blobs of one image, from its mirrors or itself.

The requests: opencontainers/distribution-spec:spec.md, Pulling manifests, Pulling blobs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from .._http.client import HttpResponse, Patience
from .._http.error import HttpError
from .._problems import Problem, Problems, RegistryError
from .blob import BlobSink, StoredManifest, checked_manifest
from .configured_access import ConfiguredAccess, registry_error
from .image_manifest import ACCEPT, LARGEST_MANIFEST, Descriptor
from .pull_spec import PullSpec

Value = TypeVar("Value")


class RegistryClient:
    """Reads one image. It asks its sources in their order, and stays with the first that has it.

    ``sources`` are by default those of ``access``. ``source`` is the one that answered last.
    """

    def __init__(self, access: ConfiguredAccess, spec: PullSpec, sources: Sequence[PullSpec] | None = None) -> None:
        self._access = access
        self._sources = list(access.sources(spec) if sources is None else sources)
        # Instead of a host that is dead, there are others.
        self._patience = Patience(dead=len(self._sources) == 1)

    @property
    def source(self) -> PullSpec:
        """The source that answered last, before the first answer the first one."""
        return self._sources[0]

    def manifest(self, reference: str) -> StoredManifest:
        """Return the manifest of a tag or a digest. Raises ``RegistryError`` with what each source answered."""

        def read(source: PullSpec) -> StoredManifest:
            def receive(answer: HttpResponse) -> StoredManifest:
                data = answer.read(LARGEST_MANIFEST)
                if len(data) > LARGEST_MANIFEST:
                    message, hint = (
                        f"the manifest has more than {LARGEST_MANIFEST} bytes",
                        "Name the image of a release",
                    )
                    raise RegistryError([Problem("error", "invalid-manifest", str(source), message, hint)])
                return checked_manifest(data, reference, str(source))

            return self._get(source, f"manifests/{reference}", {"Accept": ACCEPT}, receive)

        return self._first(read)

    def copy_blob(self, sink: BlobSink) -> None:
        """Write a blob to ``sink``. After a connection that breaks, it begins again."""

        def read(source: PullSpec) -> None:
            def receive(answer: HttpResponse) -> None:
                sink.restart(str(source))
                for data in answer.chunks(sink.descriptor.size):
                    sink.write(data)
                sink.check()

            self._get(source, f"blobs/{sink.descriptor.digest}", {}, receive)

        self._first(read)

    def require_blob(self, descriptor: Descriptor) -> None:
        """Raise ``RegistryError`` unless the registry has a blob of this digest and size. Nothing of it is read."""

        def read(source: PullSpec) -> None:
            def receive(answer: HttpResponse) -> None:
                answer.read(0)
                sizes = answer.header("Content-Length") if answer.status == 200 else ()
                if sizes and sizes != [str(descriptor.size)]:
                    message = f"the blob {descriptor.digest} has {sizes[0]} bytes, expected {descriptor.size}"
                    hint = "Remove the damaged blob from the registry, and copy the image again"
                    raise RegistryError([Problem("error", "wrong-digest", str(source), message, hint)])

            self._get(source, f"blobs/{descriptor.digest}", {}, receive, method="HEAD")

        self._first(read)

    def _first(self, read: Callable[[PullSpec], Value]) -> Value:
        problems = Problems()
        for position, source in enumerate(list(self._sources)):
            with problems.collect(RegistryError):
                value = read(source)
                # The next request begins with the source that has the image.
                self._sources = self._sources[position:] + self._sources[:position]
                return value
        raise RegistryError(problems)

    def _get(
        self,
        source: PullSpec,
        path: str,
        headers: Mapping[str, str],
        receive: Callable[[HttpResponse], Value],
        method: str = "GET",
    ) -> Value:
        """Return what ``receive`` makes of the answer. Raises ``RegistryError``."""

        def accept(answer: HttpResponse) -> Value:
            # A registry redirects to the storage only if the blob is there.
            if answer.status != 200 and not (method == "HEAD" and answer.status in (302, 303, 307, 308)):
                raise _status_error(source, path, answer.status)
            return receive(answer)

        try:
            return self._access.http.request(
                f"{self._access.base_url(source.registry)}/v2/{source.repository}/{path}",
                headers,
                accept,
                authorize=lambda challenges: self._access.authorization(source, challenges),
                method=method,
                patience=self._patience,
            )
        except HttpError as error:
            raise registry_error(str(source), error) from None


def _status_error(source: PullSpec, path: str, status: int) -> RegistryError:
    kind, _slash, reference = path.partition("/")
    what = "this manifest" if kind == "manifests" else f"the blob {reference}"
    if status in (401, 403):
        code, message = "registry-unauthorized", f"the registry denies access ({status})"
        hint = f"Set pull_secret or auth_file to credentials for {source.name}"
    elif status == 404:
        code, message, hint = "image-not-found", f"the registry does not have {what}", "Correct the pull spec"
    else:
        code, message, hint = "registry-error", f"the registry answers {status}", "Run the module again later"
    return RegistryError([Problem("error", code, str(source), message, hint)])
