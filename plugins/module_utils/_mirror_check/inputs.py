# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What releases and options say about a check: images, policies, and how signatures are verified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._capability.cluster_options import ClusterOptions, check_options, inclusion_context
from .._capability.inclusion import included_manifests
from .._data.signatures import RED_HAT_KEYS
from .._problems import Problems
from .._registry.pull_spec import PullSpec, parse_pull_spec
from .._release.manifest import Manifest
from .._release.release import Release
from .._release_image.http_store import HttpGet
from .._release_image.signature_verification import config_of_release
from .._release_image.verification_config import VerificationConfig, read_key_rings, signature_stores
from .._release_image.verifier import Verifier
from .check import MirrorRequest
from .image_policy import GROUP, KIND, ImagePolicy, read_image_policies
from .row import RELEASE

ALL = "all"


class MirrorOptions(NamedTuple):
    """Options of the module ``mirror_check``. ``signature_stores`` are URLs, paths and ConfigMaps.

    ``architecture`` has Go's spelling.
    """

    release_image: str | None
    images: str
    cluster_profile: str
    feature_set: str
    signature_keys: Sequence[str]
    signature_stores: Sequence[object]
    architecture: str


def mirror_request(
    target: Release | None, previous: Release | None, options: MirrorOptions, get: HttpGet, problems: Problems
) -> MirrorRequest:
    """Return what to check for ``target``, which is ``None`` if it cannot be read.

    ``previous`` is the release whose CVO updates to it. Without one, the target is installed. No component of a cluster
    verifies an OpenPGP signature then, so that is done only if keys or stores are given.
    """
    policies = tuple(_policies(release, options, problems) for release in (previous, target) if release is not None)
    request = MirrorRequest(_images(target, options, problems), policies)
    if target is not None and options.images != ALL:
        _warn_of_unchecked_signatures(target, request, problems)
    if previous is None and not options.signature_keys and not options.signature_stores:
        return request
    verifying = previous or target
    config = _verification_config(verifying, options, problems) if verifying else None
    stores = signature_stores("signature_stores", options.signature_stores, get, problems)
    rings = read_key_rings("signature_keys", options.signature_keys, problems)
    verifier = None
    if config is not None:
        verifier = config.verifier(get, rings, stores, None if previous is not None else RED_HAT_KEYS)
    elif rings and stores:
        verifier = Verifier(rings, stores)
    web = next((url for url in reversed(config.stores if config else ()) if url.startswith("https://")), "")
    # Before an installation, there is no cluster that signatures can be added to.
    return request._replace(requires_openpgp=True, verifier=verifier, store=web if previous else "")


def _warn_of_unchecked_signatures(target: Release, request: MirrorRequest, problems: Problems) -> None:
    specs = (parse_pull_spec(text, "image-references", Problems()) for text in target.images.values())
    covered = sum(bool(request.policies_of(spec)) for spec in specs if spec is not None)
    if covered:
        message = f"is release, and policies cover {covered} images of the release that are not checked"
        problems.warning("unchecked-signatures", "images", message, "Set it to all")


def _verification_config(release: Release, options: MirrorOptions, problems: Problems) -> VerificationConfig | None:
    found = Problems()
    config = config_of_release(release.shown_version, release.path, found)
    if config is None and options.signature_keys and options.signature_stores:
        # Everything that the release lacks is given.
        return None
    problems.extend(found)
    return config


def _policies(release: Release, options: MirrorOptions, problems: Problems) -> tuple[ImagePolicy, ...]:
    policies = (
        manifest
        for manifest in _included(release, options, problems)
        if manifest.resource_id.group_kind == (GROUP, KIND)
    )
    return read_image_policies(
        ((f"{release.shown_version}: {manifest.file}", release.read_body(manifest)) for manifest in policies), problems
    )


def _included(release: Release, options: MirrorOptions, problems: Problems) -> tuple[Manifest, ...]:
    given = ClusterOptions(cluster_profile=options.cluster_profile, feature_set=options.feature_set)
    own = Problems()
    context = inclusion_context(check_options(given, release.minor, own), release, own)
    problems += (problem for problem in own if problem not in problems)  # of the other release
    return included_manifests(release.manifests, context)


def _images(target: Release | None, options: MirrorOptions, problems: Problems) -> Mapping[str, PullSpec]:
    if not options.release_image:
        message = "is missing, and release is no pull spec that names it"
        problems.error("missing-release-image", "release_image", message, "Set it to NAME@sha256:DIGEST")
        return {}
    if target is not None and options.images == ALL and not target.images:
        message = "cannot be all, because the release has no image-references"
        problems.error("missing-image-references", "images", message, "Set release to a complete release")
    others = sorted(target.images.items()) if target and options.images == ALL else ()
    named = {RELEASE: options.release_image, **dict(others)}
    images = {}
    for name, text in named.items():
        where = "release_image" if name == RELEASE else f"image-references: {name}"
        spec = parse_pull_spec(text, where, problems)
        if spec is not None and spec.digest:
            images[name] = spec.with_digest(spec.digest)
        elif spec is not None:
            message = f"is {text}, expected a pull spec with a digest"
            problems.error("missing-digest", where, message, "Add @sha256:DIGEST")
    return images
