# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Compares two releases for one cluster: their images, their included manifests, and permissions in the cloud."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from .._release.credentials_requests import RequestedCredentials, credentials_request, is_credentials_request
from .._release.image_stream import ImageStream, ImageStreamTag
from .._release.manifest import Manifest, manifest_dict
from .._release.manifest_file import ManifestFile
from .._release.release import Release
from .._resources import ResourceId
from .images import whole_names


class ComparedRelease(NamedTuple):
    """One of the two releases. ``included`` are the manifests that the cluster includes.

    ``image`` is the pull spec of the release image in the rendered templates.
    """

    release: Release
    files: Mapping[str, ManifestFile]
    stream: ImageStream
    included: tuple[Manifest, ...]
    image: str


class PermissionChange(NamedTuple):
    """A CredentialsRequest that differs. ``before`` or ``after`` is ``None`` if that release does not apply it."""

    before: RequestedCredentials | None
    after: RequestedCredentials | None


def compare_releases(before: ComparedRelease, after: ComparedRelease, known: Iterable[str]) -> dict[str, Any]:
    """Return the result ``changes`` of the module ``release_info``: what differs by the bodies of the manifests.

    ``known`` are the known capabilities of ``before``. Manifests that are ``removed`` are only in the old release, and
    the new one does not delete their resources. Those that are ``deleted`` delete a resource that the old release did
    not delete. Those that are ``changed`` differ in more than the pull specs of images and the version. Manifests are
    in the order of the release, images sorted by name.
    """
    old_tags = {tag.name: tag for tag in before.stream.tags}
    new_tags = {tag.name: tag for tag in after.stream.tags}
    old, new = _applied(before.included), _applied(after.included)
    both = old.keys() & new.keys()
    old_texts, new_texts = _texts(before, both), _texts(after, both)
    deleted_before, deleted_after = _deleted(before.included), _deleted(after.included)
    changed = [manifest for name, manifest in new.items() if name in both and old_texts[name] != new_texts[name]]
    no_longer = [manifest for name, manifest in old.items() if name not in new]
    added = [manifest for name, manifest in new.items() if name not in old]
    deleted = [item for name, item in deleted_after.items() if name not in deleted_before and name not in new]
    removed = [manifest for manifest in no_longer if manifest.object_id not in deleted_after]
    manifests = {"added": added, "removed": removed, "deleted": deleted, "changed": changed}
    return {
        "version": before.release.version,
        "known_capabilities": sorted(known),
        "images": {
            "added": [tag._asdict() for name, tag in new_tags.items() if name not in old_tags],
            "removed": [tag._asdict() for name, tag in old_tags.items() if name not in new_tags],
            "changed": [
                {"name": name, "before": _tag_dict(old_tags[name]), "after": _tag_dict(tag)}
                for name, tag in new_tags.items()
                if name in old_tags and old_tags[name] != tag
            ],
        },
        "manifests": {change: [manifest_dict(item) for item in items] for change, items in manifests.items()},
        "credentials_requests": [
            _permission_dict(change)
            for change in _permission_changes(before, after, old, new, (*no_longer, *added, *changed))
        ],
    }


def _applied(manifests: Iterable[Manifest]) -> dict[ResourceId, Manifest]:
    """The manifests that are applied. Of two for the same object, the later one counts, as on a cluster."""
    return {manifest.object_id: manifest for manifest in manifests if not manifest.deletes}


def _deleted(manifests: Iterable[Manifest]) -> dict[ResourceId, Manifest]:
    return {manifest.object_id: manifest for manifest in manifests if manifest.deletes}


def _texts(side: ComparedRelease, wanted: Iterable[ResourceId]) -> dict[ResourceId, bytes]:
    """The applied manifests as JSON, with names of images instead of their pull specs."""
    names = set(wanted)
    applied = {item.location for key, item in _applied(side.included).items() if key in names}
    neutral = _neutralizer(side)
    texts: dict[ResourceId, bytes] = {}
    for file in dict.fromkeys(location.source for location in applied):
        for manifest, body in side.files[file].read_all_json():
            if manifest.location in applied:
                texts[manifest.object_id] = neutral(body)
    return texts


def _neutralizer(side: ComparedRelease) -> Callable[[bytes], bytes]:
    """A function that replaces what differs in every release: pull specs, and the version as a whole word."""
    replacements = {tag.pull_spec.encode(): b"<image " + tag.name.encode() + b">" for tag in reversed(side.stream.tags)}
    replacements[side.image.encode()] = b"<release image>"
    if side.release.version:
        replacements[side.release.version.encode()] = b"<version>"
    pattern = whole_names(replacements, rb"[\w.-]")
    # The pattern needs 0.5 s for the bodies of a release, and few manifests contain any of these.
    signs = {text.partition(b"/")[0] for text in replacements}

    def neutral(text: bytes) -> bytes:
        if not any(sign in text for sign in signs):
            return text
        return pattern.sub(lambda match: replacements[match.group()], text)

    return neutral


def _permission_changes(
    before: ComparedRelease,
    after: ComparedRelease,
    old: Mapping[ResourceId, Manifest],
    new: Mapping[ResourceId, Manifest],
    differing: Iterable[Manifest],
) -> tuple[PermissionChange, ...]:
    changes: list[PermissionChange] = []
    for name in dict.fromkeys(item.object_id for item in differing if is_credentials_request(item)):
        change = PermissionChange(_request(before, old.get(name)), _request(after, new.get(name)))
        # A comment or a label changes no permission.
        if change.before is None or change.after is None or change.before[1:] != change.after[1:]:
            changes.append(change)
    return tuple(changes)


def _request(side: ComparedRelease, manifest: Manifest | None) -> RequestedCredentials | None:
    return None if manifest is None else credentials_request(manifest, side.release.read_body(manifest))


def _tag_dict(tag: ImageStreamTag) -> dict[str, str]:
    return {field: value for field, value in tag._asdict().items() if field != "name"}


def _permission_dict(change: PermissionChange) -> dict[str, Any]:
    before, after = change
    shown = after or before
    if shown is None:
        raise AssertionError("a change has a side")
    old, new = (frozenset(side.permissions) if side else frozenset[str]() for side in change)
    old_accounts, new_accounts = (frozenset(side.service_accounts) if side else frozenset[str]() for side in change)
    return {
        "namespace": shown.manifest.resource_id.namespace,
        "name": shown.manifest.resource_id.name,
        "provider": shown.provider,
        "change": "added" if before is None else "removed" if after is None else "changed",
        "permissions_added": sorted(new - old),
        "permissions_removed": sorted(old - new),
        "service_accounts_added": sorted(new_accounts - old_accounts),
        "service_accounts_removed": sorted(old_accounts - new_accounts),
        "secret_before": _secret(before),
        "secret_after": _secret(after),
    }


def _secret(request: RequestedCredentials | None) -> str | None:
    return f"{request.secret_namespace}/{request.secret_name}" if request else None
