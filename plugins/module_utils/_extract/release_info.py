# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What ``release_info`` does. Its module and its action plugin both run it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions, check_options
from .._capability.inclusion import included_manifests
from .._capability.resolved_release import resolve_cluster, resolve_release
from .._contents.exposure import exposure, exposure_dict
from .._contents.parts import PartReader
from .._contents.release_changes import ComparedRelease, compare_releases
from .._contents.release_summary import summarize_release
from .._module.argspec import (
    ReleaseOptions,
    Spec,
    chdir_spec,
    cluster_options_spec,
    release_spec,
)
from .._problems import Problems
from .._release.image_stream import ImageStream
from .._release.loader import LoadedRelease
from .._release.release import Release
from .._release.template import UNSET_RELEASE_IMAGE
from .._release_image.open_release import OpenedRelease, open_release


def release_info_spec() -> Spec:
    """The options."""
    return {
        **release_spec(),
        **chdir_spec(),
        **cluster_options_spec(),
        "images": {"type": "bool", "default": False},
        "changes_from": {"type": "path"},
    }


class ReleaseInfoOptions(NamedTuple):
    """The options. ``images``: whether to return the images of the release. ``changes_from``: another release."""

    release: ReleaseOptions
    cluster: ClusterOptions
    images: bool
    changes_from: str | None

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> ReleaseInfoOptions:
        """The options of the module."""
        release, cluster = ReleaseOptions.from_params(params), ClusterOptions.from_params(params)
        return cls(release, cluster, params["images"], params["changes_from"])


def run_release_info(options: ReleaseInfoOptions, problems: Problems) -> dict[str, Any]:
    """Summarize the release, and compare it with ``changes_from``. Raises ``CapabilityError``."""
    given = options.release
    opened = open_release(given.release, given.source)
    problems += opened.problems
    loaded = given.load(opened, problems)
    stream = loaded.image_stream
    summary = summarize_release(loaded.release, options.cluster, problems)
    image = _image(opened, given.release_image, stream)
    result: dict[str, Any] = {"changed": False, "release": {**summary, **image}}
    if options.images:
        result["release"]["images"] = [tag._asdict() for tag in stream.tags]
    if options.changes_from is not None:
        other = open_release(options.changes_from, given.source, "changes_from")
        problems += other.problems
        before = given._replace(openshift_version=None, release_image=None).load(other, Problems())
        sides = (
            _compared(before, other.pull_spec, options.cluster),
            _compared(loaded, given.release_image or opened.pull_spec, options.cluster),
        )
        exposures = (exposure(PartReader(side.release).parts(side.included)) for side in sides)
        changes = compare_releases(*sides, _known(before.release, options.cluster))
        result["changes"] = {**changes, "exposure": exposure_dict(*exposures)}
    return result


def _image(opened: OpenedRelease, release_image: str | None, stream: ImageStream) -> dict[str, Any]:
    """What is known of the release image. Of a directory, only the option ``release_image`` says something about it."""
    image = opened.image
    named = (release_image or "").partition("@")[2] or None
    return {
        "digest": image.digest if image else named,
        "pull_spec": opened.pull_spec or release_image,
        "architecture": (image.built_for if image else "") or None,
        "created": (image.created if image else "") or stream.created or None,
        "source": image.source if image else None,
        "bytes_read": image.bytes if image else None,
        "signed_by": [signer._asdict() for signer in opened.signed_by],
    }


def _known(release: Release, options: ClusterOptions) -> frozenset[str]:
    resolved = resolve_release(check_options(options, release.minor, Problems()), release, Problems())
    return resolved.known if resolved else frozenset()


def _compared(loaded: LoadedRelease, image: str, options: ClusterOptions) -> ComparedRelease:
    context, _status = resolve_cluster(options, loaded.release, Problems())
    included = included_manifests(loaded.release.manifests, context)
    return ComparedRelease(loaded.release, loaded.files, loaded.image_stream, included, image or UNSET_RELEASE_IMAGE)
