# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads images from their mirrors, as a node finds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .._problems import Problem, Problems, RegistryError
from .._registry.blob import StoredManifest, checked_blob
from .._registry.client import RegistryClient
from .._registry.configured_access import ConfiguredAccess
from .._registry.image_manifest import Descriptor, ImageManifest, parse_listed, parse_manifest, pulled_images
from .._registry.pull_spec import PullSpec

NOT_FOUND = "image-not-found"
LACKING = (NOT_FOUND, "wrong-digest")
"""What copying the image again corrects."""
UNREACHABLE = "registry-unreachable"


class MirrorReader:
    """Reads from one named mirror at a time. A registry that cannot be reached is asked only once.

    ``architecture`` is the architecture of the nodes in Go's spelling, or ``multi`` for all that a list has.
    """

    def __init__(self, access: ConfiguredAccess, architecture: str) -> None:
        self._access, self._architecture = access, architecture
        self._unreachable: dict[str, RegistryError] = {}
        self._blobs: set[tuple[str, str]] = set()

    def is_insecure(self, registry: str) -> bool:
        """Return whether the user names a registry whose certificate is not verified."""
        return self._access.http.is_insecure(registry)

    def mirrors_of(self, spec: PullSpec) -> tuple[PullSpec, ...]:
        """Return the mirrors of an image in their order, itself if its name is one in a mirror registry.

        Raises ``RegistryError``.
        """
        others = tuple(source for source in self._access.sources(spec) if source.name != spec.name)
        return others or ((spec,) if spec.registry in self._access.mirror_registries else ())

    def find(self, sources: Sequence[PullSpec], problems: Problems) -> tuple[PullSpec, StoredManifest | None]:
        """Return the first of ``sources`` that has the manifest of an image. Reports what the others answered.

        A node does the same, and reads the rest from nowhere else
        (containers/image:docker/docker_image_src.go newImageSource). Without a manifest, the image can be copied to the
        source: it answers that it lacks the image, unless none answers.
        """
        lacking: list[PullSpec] = []
        for source in sources:
            try:
                return source, self.manifest(source)
            except RegistryError as error:
                problems.extend(error.problems)
                lacking += [source for problem in error.problems if problem.code in LACKING]
        return (*lacking, *sources)[0], None

    def pulled_digests(self, found: PullSpec, manifest: StoredManifest) -> tuple[str, ...]:
        """Return the digests of what nodes pull: an image, or the ones in a list for their architecture.

        Raises ``RegistryError`` if the mirror lacks one of them, or a blob of it.
        """
        parsed = parse_manifest(manifest.data, str(found))
        if isinstance(parsed, ImageManifest):
            self._require_blobs(found, parsed)
            return (manifest.digest,)
        images = pulled_images(parsed, self._architecture, str(found))
        for image in images:
            source = found.with_digest(image.digest)
            self._require_blobs(source, parse_listed(self.manifest(source).data, str(source)))
        return tuple(image.digest for image in images)

    def _require_blobs(self, source: PullSpec, image: ImageManifest) -> None:
        for descriptor in filter(None, (image.config, *image.layers)):
            # Images of a release share their lower layers.
            if (source.name, descriptor.digest) not in self._blobs:
                with self._client(source) as client:
                    client.require_blob(descriptor)
                self._blobs.add((source.name, descriptor.digest))

    def manifest(self, source: PullSpec) -> StoredManifest:
        """Return the manifest of an image, checked against its digest. Raises ``RegistryError``."""
        with self._client(source) as client:
            return client.manifest(source.reference)

    def blob(self, source: PullSpec, digest: str, size: int) -> bytes:
        """Return a blob, checked against its digest. Raises ``RegistryError``."""
        with self._client(source) as client, checked_blob(client, Descriptor(digest, size)) as file:
            return file.read()

    @contextmanager
    def _client(self, source: PullSpec) -> Iterator[RegistryClient]:
        """The client of one mirror. Raises ``RegistryError``, at once if its registry did not answer before."""
        if source.registry in self._unreachable:
            raise self._unreachable[source.registry]
        try:
            yield RegistryClient(self._access, source, [source])
        except RegistryError as error:
            if any(problem.code == UNREACHABLE for problem in error.problems):
                # All images of a registry that is down would wait for the same timeouts, and have the same problem.
                first = error.problems[0]
                known = Problem("error", UNREACHABLE, source.registry, first.message, first.hint)
                self._unreachable[source.registry] = RegistryError([known])
                raise self._unreachable[source.registry] from None
            raise


class MirrorRepository:
    """The repository of a mirror, whose sigstore signatures are read."""

    def __init__(self, reader: MirrorReader, source: PullSpec) -> None:
        self._reader, self._source = reader, source

    def manifest_of_tag(self, tag: str) -> bytes | None:
        """Return the manifest with a tag, ``None`` if there is none. Raises ``RegistryError``."""
        try:
            return self._reader.manifest(self._source._replace(tag=tag, digest=None)).data
        except RegistryError as error:
            if {problem.code for problem in error.problems} == {NOT_FOUND}:
                return None
            raise

    def blob(self, digest: str, size: int) -> bytes:
        """Return a blob. Raises ``RegistryError``."""
        return self._reader.blob(self._source, digest, size)
