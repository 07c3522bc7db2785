# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A client of registries: manifests and blobs of one image, from its mirrors or itself.

The requests: opencontainers/distribution-spec:spec.md, Pulling manifests, Pulling blobs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from .._http.client import HttpAnswer, Patience
from .._http.error import HttpError
from .._problems import Problem, Problems, RegistryError
from .blob import BlobSink, StoredManifest, checked_blob, checked_manifest
from .configured_access import ConfiguredAccess, registry_error
from .image_manifest import ACCEPT, LARGEST_MANIFEST, Descriptor
from .pull_spec import PullSpec

_REDIRECTS = (302, 303, 307, 308)


class RegistryClient:
    """Reads one image. It asks its sources in their order, and stays with the first that has it.

    ``sources`` are by default those of ``access``. ``source`` is the one that answered last, before the first answer
    the first one. All methods raise ``RegistryError`` with what each source answered.
    """

    def __init__(self, access: ConfiguredAccess, spec: PullSpec, sources: Sequence[PullSpec] | None = None) -> None:
        self._access = access
        self._sources = list(access.sources(spec) if sources is None else sources)
        self.source = self._sources[0]
        # A host that is down is not asked again if there are others.
        self._patience = Patience(dead=len(self._sources) == 1)

    def manifest(self, reference: str) -> StoredManifest:
        """Return the manifest of a tag or a digest."""
        problems = Problems()
        for source in self._in_order():
            with self._trying(source, problems):
                body = self._get(source, f"manifests/{reference}", accept=ACCEPT, most=LARGEST_MANIFEST).body
                if len(body) > LARGEST_MANIFEST:
                    message = f"the manifest has more than {LARGEST_MANIFEST} bytes"
                    raise _error("invalid-manifest", source, message, "Name the image of a release")
                return checked_manifest(body, reference, str(source))
        raise RegistryError(problems)

    def copy_blob(self, sink: BlobSink) -> None:
        """Write a blob to ``sink``. After a connection that breaks, it begins again."""
        problems, descriptor = Problems(), sink.descriptor
        for source in self._in_order():
            with self._trying(source, problems):
                sink.where = str(source)
                self._get(source, f"blobs/{descriptor.digest}", most=descriptor.size, writer=sink)
                sink.check()
                return
        raise RegistryError(problems)

    def require_blob(self, descriptor: Descriptor) -> None:
        """Raise an error unless the registry has a blob. It is read only if it has another size than in the manifest.

        Then the blob is damaged, or the size in the manifest is wrong, which a node ignores.
        """
        problems = Problems()
        for source in self._in_order():
            with self._trying(source, problems):
                answer = self._get(source, f"blobs/{descriptor.digest}", method="HEAD")
                size = answer.headers.get("Content-Length", "") if answer.status == 200 else ""
                if size.isdecimal() and int(size) != descriptor.size:
                    with checked_blob(
                        RegistryClient(self._access, source, [source]), descriptor._replace(size=int(size))
                    ):
                        pass
                return
        raise RegistryError(problems)

    def _in_order(self) -> tuple[PullSpec, ...]:
        """The sources, beginning with the one that has the image."""
        at = self._sources.index(self.source)
        return (*self._sources[at:], *self._sources[:at])

    @contextmanager
    def _trying(self, source: PullSpec, problems: Problems) -> Iterator[None]:
        """Stay with ``source`` unless it fails. The reasons are added to ``problems``."""
        with problems.collect(RegistryError):
            yield
            self.source = source

    def _get(
        self,
        source: PullSpec,
        path: str,
        *,
        accept: str = "*/*",
        most: int = 0,
        writer: BlobSink | None = None,
        method: str = "GET",
    ) -> HttpAnswer:
        """Return the answer of one source. Raises ``RegistryError`` for another status than success."""
        try:
            answer = self._access.http.request(
                f"{self._access.base_url(source.registry)}/v2/{source.repository}/{path}",
                {"Accept": accept},
                most=most,
                writer=writer,
                authorize=partial(self._access.authorization, source),
                method=method,
                patience=self._patience,
            )
        except HttpError as error:
            raise registry_error(str(source), error) from None
        # A registry redirects to the storage only if the blob is there.
        if answer.status == 200 or (method == "HEAD" and answer.status in _REDIRECTS):
            return answer
        raise _status_error(source, path, answer.status)


def _status_error(source: PullSpec, path: str, status: int) -> RegistryError:
    kind, _slash, reference = path.partition("/")
    what = "this manifest" if kind == "manifests" else f"the blob {reference}"
    if status in (401, 403):
        code, message = "registry-unauthorized", f"the registry denies access ({status})"
        hint = f"Set pull_secret or auth_file to credentials for {source.name}"
    elif status == 404:
        hint = "Correct the pull spec, or copy the image"
        code, message = "image-not-found", f"the registry does not have {what}"
    else:
        code, message, hint = "registry-error", f"the registry answers {status}", "Try again later"
    return _error(code, source, message, hint)


def _error(code: str, source: PullSpec, message: str, hint: str) -> RegistryError:
    return RegistryError([Problem("error", code, str(source), message, hint)])
