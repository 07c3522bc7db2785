# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares what two releases, or two selections of a release, bring to a cluster.

Only manifests of the release are counted. Operands that operators create later (the Pods of the console, routers, a
registry) have no manifest, so disabling a capability saves at least what is counted here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .._capability.inclusion import CapabilityStatus
from .._problems import Problems
from .._release.credentials_requests import RequestedCredentials, credentials_request, is_credentials_request
from .._release.manifest import Manifest, manifest_dict
from .._release.release import ImageStream, ImageStreamTag, Release
from .._resources import ResourceId
from .contents import Contents, ContentsReader, Needed, contents_of
from .images import whole_names


class ComparedSide(NamedTuple):
    """A release for a cluster with a selection. ``included``: the manifests that the cluster includes.

    ``image`` is the pull spec of the release image in the rendered templates.
    """

    release: Release
    status: CapabilityStatus
    included: tuple[Manifest, ...]
    image: str

    @property
    def applied(self) -> dict[ResourceId, Manifest]:
        """The manifests that are applied. Of two for the same object, the later one counts, as on a cluster."""
        return {manifest.object_id: manifest for manifest in self.included if not manifest.deletes}

    @property
    def deleted(self) -> dict[ResourceId, Manifest]:
        """The manifests that delete their resource."""
        return {manifest.object_id: manifest for manifest in self.included if manifest.deletes}


def compare(before: ComparedSide, after: ComparedSide, problems: Problems) -> dict[str, Any]:
    """Return the result ``changes`` of the module ``release_info``. Raises ``ReleaseError``.

    Bodies of manifests decide what is added, removed or changed. ``problems`` gets the problems of workloads.
    """
    reader = ContentsReader(after.release, problems)
    is_one_release = before.release is after.release
    other = reader if is_one_release else ContentsReader(before.release, Problems())
    old, new = contents_of(other.read(before.applied)), contents_of(reader.read(after.applied))
    changed = () if is_one_release else _changed(before, after)
    return {
        "previous_version": before.release.version,
        "known_capabilities": _names(before.status.known, after.status.known),
        "enabled_capabilities": _names(before.status.enabled, after.status.enabled),
        "manifests": _manifests(before, after, changed),
        "images": _images(before.release.image_stream, after.release.image_stream),
        "credentials_requests": _credentials(before, after, changed),
        **_contents(old, new),
    }


def _names(before: frozenset[str], after: frozenset[str]) -> dict[str, list[str]]:
    return {"added": sorted(after - before), "removed": sorted(before - after)}


def _manifests(before: ComparedSide, after: ComparedSide, changed: Iterable[Manifest]) -> dict[str, Any]:
    old, new = before.applied, after.applied
    not_deleted_now = {*before.deleted, *new}
    lists = {
        "added": (manifest for resource, manifest in new.items() if resource not in old),
        "removed": (manifest for resource, manifest in old.items() if resource not in new),
        "deleted": (manifest for resource, manifest in after.deleted.items() if resource not in not_deleted_now),
        "changed": changed,
    }
    return {
        "before": len(old),
        "after": len(new),
        **{name: [manifest_dict(manifest) for manifest in manifests] for name, manifests in lists.items()},
    }


def _images(before: ImageStream, after: ImageStream) -> dict[str, Any]:
    old, new = ({tag.name: tag for tag in stream.tags} for stream in (before, after))
    return {
        "added": [tag._asdict() for name, tag in new.items() if name not in old],
        "removed": [tag._asdict() for name, tag in old.items() if name not in new],
        "changed": [
            {"name": name, "before": _tag_dict(old[name]), "after": _tag_dict(tag)}
            for name, tag in new.items()
            if name in old and old[name] != tag
        ],
    }


def _tag_dict(tag: ImageStreamTag) -> dict[str, str]:
    return {field: value for field, value in tag._asdict().items() if field != "name"}


def _contents(before: Contents, after: Contents) -> dict[str, Any]:
    return {
        "resources": {kind: _compared(names, after.resources[kind]) for kind, names in before.resources.items()},
        "accounts": {kind: _compared(names, after.accounts[kind]) for kind, names in before.accounts.items()},
        "unknown_roles": sorted(before.unknown_roles | after.unknown_roles),
        "cpu_millicores": {"before": before.requests.cpu_millicores, "after": after.requests.cpu_millicores},
        "memory_bytes": {"before": before.requests.memory_bytes, "after": after.requests.memory_bytes},
    }


def _compared(before: Needed, after: Needed) -> dict[str, Any]:
    """Compare names, in total and of each group that needs the same capabilities.

    A name that needs other capabilities than before is removed from one group, and added to another.
    """
    old, new = set(before.items()), set(after.items())
    parts = {"added": new - old, "removed": old - new, "unchanged": old & new}
    return {
        "before": len(before),
        "after": len(after),
        **_names(frozenset(before), frozenset(after)),
        "by_capabilities": [
            {
                "capabilities": list(group),
                **{part: sorted(name for name, needed in found if needed == group) for part, found in parts.items()},
            }
            for group in sorted({*before.values(), *after.values()})
        ],
    }


def _changed(before: ComparedSide, after: ComparedSide) -> tuple[Manifest, ...]:
    """Return the manifests that differ in more than the pull specs of images and the version."""
    both = before.applied.keys() & after.applied.keys()
    old, new = _texts(before, both), _texts(after, both)
    return tuple(
        item for resource, item in after.applied.items() if resource in both and old[resource] != new[resource]
    )


def _texts(side: ComparedSide, wanted: Iterable[ResourceId]) -> dict[ResourceId, bytes]:
    """The applied manifests as JSON, with names of images instead of their pull specs."""
    names = set(wanted)
    locations = {item.location for resource, item in side.applied.items() if resource in names}
    neutral = _neutralizer(side)
    texts: dict[ResourceId, bytes] = {}
    for file in dict.fromkeys(location.source for location in locations):
        for manifest, body in side.release.files[file].read_all_json():
            if manifest.location in locations:
                texts[manifest.object_id] = neutral(body)
    return texts


def _neutralizer(side: ComparedSide) -> Callable[[bytes], bytes]:
    """A function that replaces what differs in every release: pull specs, and the version as a whole word."""
    tags = reversed(side.release.image_stream.tags)
    replacements = {tag.pull_spec.encode(): b"<image " + tag.name.encode() + b">" for tag in tags}
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


def _credentials(before: ComparedSide, after: ComparedSide, changed: Iterable[Manifest]) -> list[dict[str, Any]]:
    """Return the CredentialsRequests that differ. A comment or a label changes no permission."""
    old, new = (
        {resource: item for resource, item in side.applied.items() if is_credentials_request(item)}
        for side in (before, after)
    )
    removed = (resource for resource in old if resource not in new)
    added = (resource for resource in new if resource not in old)
    both = (item.object_id for item in changed if item.object_id in new)
    changes = (
        (_request(before, old.get(resource)), _request(after, new.get(resource)))
        for resource in (*removed, *added, *both)
    )
    return [
        _credentials_dict(first, last)
        for first, last in changes
        if first is None or last is None or first[1:] != last[1:]
    ]


def _request(side: ComparedSide, manifest: Manifest | None) -> RequestedCredentials | None:
    return None if manifest is None else credentials_request(manifest, side.release.read_body(manifest))


def _credentials_dict(before: RequestedCredentials | None, after: RequestedCredentials | None) -> dict[str, Any]:
    shown = after or before
    if shown is None:
        raise AssertionError("a change has a side")
    permissions = (frozenset(side.permissions) if side else frozenset[str]() for side in (before, after))
    accounts = (frozenset(side.service_accounts) if side else frozenset[str]() for side in (before, after))
    return {
        "namespace": shown.manifest.object_id.namespace,
        "name": shown.manifest.object_id.name,
        "platform": shown.platform,
        "permissions": _names(*permissions),
        "service_accounts": _names(*accounts),
        "secret": {"before": _secret(before), "after": _secret(after)},
    }


def _secret(request: RequestedCredentials | None) -> str | None:
    return f"{request.secret_namespace}/{request.secret_name}" if request else None
