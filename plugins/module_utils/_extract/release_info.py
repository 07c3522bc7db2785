# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""What ``release_info`` does. Its module and its action plugin both run it."""

from __future__ import annotations

from typing import Any

from .._capability.cluster_options import ClusterOptions
from .._capability.inclusion import included_manifests
from .._capability.resolved_release import resolve_cluster
from .._footprint.release_changes import ComparedRelease, changes_dict, compare_releases
from .._footprint.summary import summarize_release, summary_dict
from .._module.argspec import (
    Spec,
    chdir_spec,
    cluster_type_spec,
    hosting_spec,
    inclusion_spec,
    overrides_spec,
    release_arguments,
    release_source,
    release_spec,
    selection_spec,
    with_opened_release,
)
from .._problems import Problems
from .._release.image_stream import ImageStream, parse_image_stream
from .._release.loader import PLACEHOLDER_IMAGE, LoadedRelease, load_release, read_image_references
from .._release_image.open_release import OpenedRelease, open_release


def release_info_spec() -> Spec:
    """The options."""
    return {
        **release_spec(),
        **chdir_spec(),
        **cluster_type_spec(),
        **hosting_spec(),
        **selection_spec(),
        **inclusion_spec(),
        **overrides_spec(),
        "images": {"type": "bool", "default": False},
        "changes_from": {"type": "path"},
    }


def run_release_info(params: dict[str, Any], problems: Problems) -> dict[str, Any]:
    """Summarize the release, and compare it with ``changes_from``. Raises ``CapabilityError``."""
    opened = open_release(params["release"], release_source(params))
    problems += opened.problems
    loaded = load_release(**release_arguments(with_opened_release(params, opened)))
    problems += loaded.problems
    options = ClusterOptions.from_params(params)
    stream = parse_image_stream(read_image_references(loaded))
    summary = summary_dict(summarize_release(loaded.release, options, problems))
    image = _image(opened, params["release_image"], stream)
    result: dict[str, Any] = {"changed": False, "release": {**summary, **image}}
    if params["images"]:
        result["release"]["images"] = [tag._asdict() for tag in stream.tags]
    if params["changes_from"] is not None:
        other = open_release(params["changes_from"], release_source(params), "changes_from")
        problems += other.problems
        pull_spec = other.pull_spec or PLACEHOLDER_IMAGE
        arguments = release_arguments(with_opened_release(params, other))
        before = load_release(**{**arguments, "openshift_version": None, "release_image": pull_spec})
        changes = compare_releases(_compared(before, options), _compared(loaded, options))
        result["changes"] = changes_dict(before.release, changes)
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


def _compared(loaded: LoadedRelease, options: ClusterOptions) -> ComparedRelease:
    context, _status = resolve_cluster(options, loaded.release, Problems())
    included = included_manifests(loaded.release.manifests, context)
    return ComparedRelease(loaded.release, loaded.files, parse_image_stream(read_image_references(loaded)), included)
