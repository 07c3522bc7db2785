# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A release on the disk: its directory, and the image that it was read from."""

from __future__ import annotations

from typing import NamedTuple

from .._data.capabilities import DEFAULT_CLUSTER_PROFILE
from .._problems import Problems
from .._release.loader import PLACEHOLDER_IMAGE, load_release
from .._release.release import Release


class ReleaseImage(NamedTuple):
    """A release image, as the cache records it.

    ``digest`` belongs to the name, which can be a list, and ``manifest_digest`` to the image in it. ``source`` is where
    it was read from. ``architecture`` is the requested one, and ``built_for`` the one in its configuration.
    """

    digest: str
    manifest_digest: str
    architecture: str
    source: str
    built_for: str = ""


class Signer(NamedTuple):
    """Who signed: a key of ``key_ring``, with its ``fingerprint`` and ``user``. ``source`` has the signature."""

    key_ring: str
    fingerprint: str
    user: str
    source: str


class OpenedRelease(NamedTuple):
    """The directory of a release: of an extracted one, or of one in the cache, with the layout of the release image.

    ``image`` and ``pull_spec`` are ``None`` and empty if it was not named by an image. ``pull_spec`` is by digest, and
    also empty if no registry is known: an archive does not contain the name of its image. ``signed_by``: whose OpenPGP
    signatures were verified. ``index_directory`` is where ``load`` keeps its index.
    """

    directory: str
    image: ReleaseImage | None = None
    index_directory: str = ""
    pull_spec: str = ""
    signed_by: tuple[Signer, ...] = ()

    @property
    def digest(self) -> str:
        """The digest of the image, empty for a directory that was not named by one."""
        return self.image.digest if self.image else ""

    def load(
        self,
        problems: Problems,
        *,
        openshift_version: str | None = None,
        cluster_profile: str = DEFAULT_CLUSTER_PROFILE,
        release_image: str | None = PLACEHOLDER_IMAGE,
    ) -> Release:
        """Load the release. Set ``release_image`` if the result shows it. Raises ``ReleaseError``."""
        return load_release(
            self.directory,
            problems,
            openshift_version=openshift_version,
            cluster_profile=cluster_profile,
            release_image=release_image,
            index_directory=self.index_directory,
        )
