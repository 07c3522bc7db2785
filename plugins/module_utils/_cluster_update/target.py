# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The release that a cluster is to run, among those that its ClusterVersion lists, and how far the update to it is.

Source of the rules: openshift/cluster-version-operator:lib/validation/validation.go, pkg/cvo/updatepayload.go
findUpdateFromConfig.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from .._cluster.cluster_version import CLUSTER_VERSION
from .._data.version import Minor, find_minor, is_semantic_version
from .._problems import Problems, shown
from .._registry.pull_spec import parse_pull_spec
from .._resources import Object, as_text, mappings_in, nested

UpdatePhase = Literal["not_started", "requested", "partial", "completed"]
"""Before the spec requests the update, until the CVO begins it, and then the state of its entry in the history."""

_ARCHITECTURE_SINCE = Minor(4, 13)
"""openshift/api release-4.13:config/v1/types_cluster_version.go Update."""

MULTI = "Multi"
"""The architecture of an image for several ones, in a ClusterVersion."""

_OF_CLUSTER = (("status", "desired"), ("spec", "desiredUpdate"))
"""What a cluster runs or updates to, and what is requested."""

# What the operator would answer.
_SEVERAL_IMAGES = "there are multiple possible payloads for this version, specify the exact image"
_NOT_AVAILABLE = "when image is empty the update must be an available update"


class TargetRelease(NamedTuple):
    """The release that a cluster is to run. ``version`` is empty if only its image is known.

    ``replaced``: the image for one architecture that a migration to several ones replaces by another image of the same
    version. ``image`` is then empty, because the CVO looks it up when the migration is requested.
    """

    version: str
    image: str
    replaced: str = ""


class _ListedRelease(NamedTuple):
    version: str
    image: str
    architecture: str


def find_target(
    version: str | None, image: str | None, architecture: str, cluster_version: Object, problems: Problems
) -> TargetRelease | None:
    """Return the release that the options name; ``None`` if an error is reported.

    ``architecture`` chooses among images of the same version.
    """
    if version is not None and not is_semantic_version(version):
        message = f"is {shown(version)}, expected a semantic version (1.2.3[-...]), as the cluster-version operator"
        problems.error("invalid-version", "version", message, "Write X.Y.Z")
        return None
    listed = tuple(dict.fromkeys(_named(cluster_version)))
    if image is None:
        current = nested(cluster_version, "status", "desired")
        is_running = nested(current, "version") == version
        if is_running and architecture == "multi":
            minor = find_minor(version)
            if minor is not None and minor < _ARCHITECTURE_SINCE:
                message = f"is multi, but the API server of {minor} does not know spec.desiredUpdate.architecture"
                hint = f"Update to {_ARCHITECTURE_SINCE} first, or set image to the one for several architectures"
                problems.error("missing-architecture", "architecture", message, hint)
                return None
            return TargetRelease(version or "", "", as_text(nested(current, "image")))
        return _find_version(version or "", architecture, listed, cluster_version, problems)
    spec = parse_pull_spec(image, "image", problems)
    if spec is None:
        return None
    if not spec.digest:
        message = f"{shown(image)} has no digest, so the cluster-version operator cannot verify it"
        problems.error("no-digest", "image", message, "Write REGISTRY/REPOSITORY@sha256:DIGEST")
        return None
    versions = {release.version for release in listed if image_digest(release.image) == spec.digest}
    if version is not None and versions and version not in versions:
        message = f"is {version}, but the image is {' and '.join(sorted(versions))}"
        problems.error("other-release", "version", message, "Correct one of them, or remove version")
        return None
    # The CVO keeps the name that was requested.
    named = (as_text(nested(cluster_version, *path, "image")) for path in _OF_CLUSTER)
    same = [name for name in named if image_digest(name) == spec.digest]
    return TargetRelease(version or next(iter(sorted(versions)), ""), same[0] if same else image)


def _find_version(
    version: str, architecture: str, listed: tuple[_ListedRelease, ...], obj: Object, problems: Problems
) -> TargetRelease | None:
    """The CVO accepts a request of an earlier version of the cluster ``obj``, and ignores it."""
    every = [release for release in listed if release.version == version]
    # The CVO does not count what the spec requests, which counts here only if the status has no release of the version.
    counted = {_identity(release) for release in _named({"status": obj.get("status")})}
    every = found = [release for release in every if _identity(release) in counted] or every
    if len(_images(found)) > 1:
        is_multi = architecture == "multi"
        found = [release for release in found if release.architecture and (release.architecture == MULTI) == is_multi]
    images = _images(found)
    if len(images) == 1:
        return TargetRelease(version, images[0])
    if every:
        names = ", ".join(_images(every))
        message = f"{version} has several images: {names}. The operator would answer: {_SEVERAL_IMAGES}"
        problems.error("several-images", "version", message, "Set image to one of them")
    else:
        past = [item for item in mappings_in(nested(obj, "status", "history")) if item.get("version") == version]
        answer = "ignore the request" if past else f"answer: {_NOT_AVAILABLE}"
        message = f"{CLUSTER_VERSION} does not list {version}. The operator would {answer}"
        hint = "Choose a version that oc adm upgrade lists, check spec.channel, or set image"
        hint += f" to the one that the cluster had, {past[0].get('image')}" if past else ""
        problems.error("unavailable-update", "version", message, hint)
    return None


def _images(releases: Sequence[_ListedRelease]) -> list[str]:
    """The images of ``releases``, each once. What the cluster runs or requests comes first, so its name counts."""
    first = {_identity(release): release.image for release in reversed(releases)}
    return sorted(first.values())


def _identity(release: _ListedRelease) -> tuple[str, str]:
    """What two names of one release have in common."""
    return release.version, image_digest(release.image) or release.image


def image_digest(image: str) -> str:
    """The digest in ``image``, by which clients and the CVO compare images; empty if it has none, as a directory.

    Source: openshift/oc:pkg/cli/admin/upgrade/upgrade.go targetMatch.
    """
    spec = parse_pull_spec(image, "", Problems()) if "@" in image else None
    return (spec.digest or "") if spec is not None else ""


def _named(cluster_version: Object) -> Iterator[_ListedRelease]:
    """Yield the releases of the cluster: what it runs, the requested one, and the updates that the status lists."""
    named = (nested(cluster_version, *path) for path in _OF_CLUSTER)
    for release in (*named, *listed_updates(cluster_version)):
        version, image, architecture = (as_text(nested(release, name)) for name in _ListedRelease._fields)
        if version and image:
            yield _ListedRelease(version, image, architecture)


def listed_updates(cluster_version: Object) -> Iterator[Any]:
    """Yield the updates that the status lists, conditional ones last."""
    status = nested(cluster_version, "status")
    yield from mappings_in(nested(status, "availableUpdates"))
    yield from (nested(item, "release") for item in mappings_in(nested(status, "conditionalUpdates")))


def update_phase(cluster_version: Object, target: TargetRelease) -> UpdatePhase:
    """Return how far the update to the image of ``target`` is."""
    latest = next(iter(mappings_in(nested(cluster_version, "status", "history"))), {})
    version, image = (nested(cluster_version, "status", "desired", field) for field in ("version", "image"))
    is_target = version == target.version and image != target.replaced if target.replaced else image == target.image
    if is_target and image == latest.get("image"):
        return "completed" if latest.get("state") == "Completed" else "partial"
    return "requested" if requests(cluster_version, target) else "not_started"


def requests(cluster_version: Object, target: TargetRelease) -> bool:
    """Whether the spec requests ``target``, by its image or by its version alone."""
    desired = nested(cluster_version, "spec", "desiredUpdate")
    image = as_text(nested(desired, "image"))
    if target.replaced:  # whatever the version is
        return not image and nested(desired, "architecture") == MULTI
    return image == target.image if image else bool(target.version) and nested(desired, "version") == target.version
