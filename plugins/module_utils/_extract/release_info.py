# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What ``release_info`` does. Its module and its action plugin both run it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._capability.inclusion import decide_all, included_manifests
from .._capability.resolved_release import resolve_cluster
from .._contents.comparison import ComparedSide, compare
from .._contents.release_summary import summarize_release
from .._module.argspec import (
    ReleaseOptions,
    Spec,
    chdir_spec,
    cluster_options_spec,
    release_spec,
)
from .._problems import InvalidOptionError, Problem, Problems, did_you_mean, nearest_name
from .._release.manifest import Manifest
from .._release.release import Release
from .._release.template import UNSET_RELEASE_IMAGE
from .._release_image.open_release import open_release
from .._release_image.opened_release import OpenedRelease
from .result import decision_dict

QUERY_OPTIONS = ("resource_kind", "resource_namespace", "resource_name")
"""The option of each field of a query."""

_ALL = "*"
_MOST_NAMES = 20
"""Names that a hint lists."""


class ResourceQuery(NamedTuple):
    """What the resource of a manifest has to have. ``None`` and ``*`` mean any. The case of a kind does not count."""

    kind: str | None = None
    namespace: str | None = None
    name: str | None = None

    def accepts(self, manifest: Manifest) -> bool:
        """Whether the resource of ``manifest`` has all of it."""
        resource = manifest.resource_id
        return (
            _is_met(self.kind and self.kind.lower(), resource.kind.lower())
            and _is_met(self.namespace, resource.namespace)
            and _is_met(self.name, resource.name)
        )


def release_info_spec() -> Spec:
    """The options."""
    return {
        **release_spec(),
        **chdir_spec(),
        **cluster_options_spec(),
        "images": {"type": "bool", "default": False},
        **{name: {"type": "str"} for name in QUERY_OPTIONS},
        "previous_release": {"type": "path"},
        "previous_capabilities": {"type": "dict"},
    }


class ReleaseInfoOptions(NamedTuple):
    """The options. ``images``: whether to return the images of the release. ``query``: which manifests to return.

    ``previous_release`` and ``previous_capabilities``: what the release and the selection are compared with.
    """

    release: ReleaseOptions
    cluster: ClusterOptions
    images: bool
    query: ResourceQuery
    previous_release: str | None
    previous_capabilities: Mapping[str, Any] | None

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> ReleaseInfoOptions:
        """The options of the module."""
        release, cluster = ReleaseOptions.from_params(params), ClusterOptions.from_params(params)
        query = ResourceQuery(*(params[name] for name in QUERY_OPTIONS))
        return cls(
            release, cluster, params["images"], query, params["previous_release"], params["previous_capabilities"]
        )


def run_release_info(options: ReleaseInfoOptions, problems: Problems) -> dict[str, Any]:
    """Summarize the release, and compare it with the previous release or selection. Raises ``CapabilityError``."""
    given = options.release
    opened = open_release(given.release, given.source, problems)
    release = given.load(opened, problems)
    summary = summarize_release(release, options.cluster, problems)
    image = _image(opened, given.release_image)
    result: dict[str, Any] = {"changed": False, "release": {**summary, **image}}
    if options.images:
        result["release"]["images"] = [tag._asdict() for tag in release.image_stream.tags]
    if any(options.query):
        context, _status = resolve_cluster(options.cluster, release, Problems())
        found = find_resources(options.query, release.manifests, problems)
        result["resources"] = [decision_dict(inclusion) for inclusion in decide_all(found, context)]
    if options.previous_release is not None or options.previous_capabilities is not None:
        after = _side(release, given.release_image or opened.pull_spec, options.cluster, problems)
        result["changes"] = compare(_previous(options, after, problems), after, problems)
    return result


def _previous(options: ReleaseInfoOptions, after: ComparedSide, problems: Problems) -> ComparedSide:
    """The side that ``after`` is compared with. Raises ``CapabilityError``."""
    release, image = after.release, after.image
    cluster, option = options.cluster, "capabilities"
    if options.previous_capabilities is not None:
        cluster = cluster._replace(
            capabilities=options.previous_capabilities,
            solution=None,
            enabled_capabilities=None,
            known_capabilities=None,
        )
        option = "previous_capabilities"
    if options.previous_release is not None:
        opened = open_release(options.previous_release, options.release.source, problems, "previous_release")
        release = options.release._replace(openshift_version=None, release_image=None).load(opened, Problems())
        image = opened.pull_spec
        if release.version is None:
            message, hint = "has no release-metadata, so its version is not known", "Name a whole release"
            raise InvalidOptionError([Problem("error", "missing-version", "previous_release", message, hint)])
    return _side(release, image, cluster, problems, option)


def _side(
    release: Release, image: str, cluster: ClusterOptions, problems: Problems, option: str = "capabilities"
) -> ComparedSide:
    """One side of a comparison. Reports what is wrong with its selection, which ``option`` contains, if it is new."""
    own = Problems()
    context, status = resolve_cluster(cluster, release, own, option)
    problems += [item for item in own if item.where.field.startswith(option) and item not in problems]
    return ComparedSide(release, status, included_manifests(release.manifests, context), image or UNSET_RELEASE_IMAGE)


def _image(opened: OpenedRelease, release_image: str | None) -> dict[str, Any]:
    """What is known of the release image. Of a directory, only the option ``release_image`` says something about it."""
    image = opened.image
    named = (release_image or "").partition("@")[2] or None
    return {
        "digest": image.digest if image else named,
        "pull_spec": opened.pull_spec or release_image,
        "architecture": (image.built_for if image else "") or None,
        "source": image.source if image else None,
        "signed_by": [signer._asdict() for signer in opened.signed_by],
    }


def find_resources(query: ResourceQuery, manifests: Sequence[Manifest], problems: Problems) -> tuple[Manifest, ...]:
    """Return the ``manifests`` that ``query`` accepts. Warns if there are none."""
    found = tuple(filter(query.accepts, manifests))
    if not found:
        problems += _explain(query, manifests)
    return found


def _is_met(wanted: str | None, value: str) -> bool:
    return wanted in (None, _ALL, value)


def _explain(query: ResourceQuery, manifests: Sequence[Manifest]) -> Iterator[Problem]:
    """Yield the parts of ``query`` that no manifest has, or one problem about all of them."""
    alone = (ResourceQuery(kind=query.kind), ResourceQuery(namespace=query.namespace), ResourceQuery(name=query.name))
    known = zip(*((item.resource_id[1:]) for item in manifests), strict=True) if manifests else ((), (), ())
    wrong = [
        Problem("warning", "unknown-resource", option, f"no manifest has {value!r}", _hint(value, {*names} - {""}))
        for option, value, part, names in zip(QUERY_OPTIONS, query, alone, known, strict=True)
        if value is not None and not any(map(part.accepts, manifests))
    ]
    message = f"no manifest has this {' and '.join(compress(QUERY_OPTIONS, query))}"
    yield from wrong or [Problem("warning", "unknown-resource", QUERY_OPTIONS[0], message, "Set fewer of them")]


def _hint(value: str, known: Collection[str]) -> str:
    if not {"*", "?"}.isdisjoint(value):
        return "Set a whole name, or * for all"
    if nearest_name(value, known) is None and len(known) > _MOST_NAMES:
        return "Set * to see all"
    return did_you_mean(value, known)
