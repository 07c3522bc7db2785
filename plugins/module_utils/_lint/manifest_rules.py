# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules about single manifests: profiles, names and annotations."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from functools import cache

from .._data.bootstrap_resources import bootstrap_renderer
from .._data.capabilities import DEFAULT_CLUSTER_PROFILE, always_enabled_by_default
from .._data.inclusion_rules import (
    BOOTSTRAP_ANNOTATION,
    CAPABILITY_ANNOTATION,
    DELETE_ANNOTATION,
    EXCLUDE_ANNOTATION,
    FEATURE_GATE_ANNOTATION,
    FEATURE_SET_ANNOTATION,
    NAMED_ANNOTATIONS,
    PROFILE_ANNOTATION,
    inclusion_rules,
)
from .._data.kinds import POD_SPECS
from .._problems import Problem, did_you_mean, nearest_name
from .._release.manifest import Manifest
from .._release.release import Release
from .._resources import nested
from .rules import finding
from .source import LintSource

PROFILES = ("hypershift", "ibm-cloud-managed", "self-managed-high-availability", "single-node-developer")
"""The cluster profiles of all releases (openshift/enhancements:enhancements/update/cluster-profiles.md)."""

_KNOWN_KEYS = (
    *NAMED_ANNOTATIONS,
    BOOTSTRAP_ANNOTATION,
    "release.openshift.io/create-only",
    "release.openshift.io/verification-config-map",
    *(f"{PROFILE_ANNOTATION}{profile}" for profile in PROFILES),
)
_FAMILIES = ("release.openshift.io/", "capability.openshift.io/")
_COPIED_BY_HYPERSHIFT = "-hypershift"
"""In the name of a file of which HyperShift has its own copy. No CVO reads it."""


def manifests_without_profile(source: LintSource) -> Iterator[Problem]:
    """Manifests that no cluster gets. It is an error if their author meant them for the CVO.

    That is so if they have another annotation of releases, or if their Namespace comes from the release. Others are
    templates of operators, sources of kustomize or data of tests, so they are warnings.
    """
    namespaces = {
        item.resource_id.name
        for item in source.release.manifests
        if item.resource_id.group_kind == ("", "Namespace") and _names_profile(item)
    }
    for manifest in source.release.manifests:
        if _names_profile(manifest) or _COPIED_BY_HYPERSHIFT in manifest.file:
            continue
        unreadable = _unreadable_annotation(manifest, source.release)
        if unreadable:
            message = (
                f"has the annotation {unreadable}, whose value is not a string: the CVO then reads no annotation, so "
                "no cluster gets the manifest"
            )
            hint = "Quote the values of all annotations"
            yield finding("no-profile", source.location(manifest, unreadable), message, hint)
            continue
        is_meant = manifest.resource_id.namespace in namespaces or any(
            _is_release_annotation(key) for key in manifest.annotations or ()
        )
        message = "is in no cluster profile, so no cluster gets it"
        yield finding("no-profile", source.location(manifest), message, severity=None if is_meant else "warning")


def unknown_capabilities(source: LintSource, known: frozenset[str]) -> Iterator[Problem]:
    """Names of capabilities that do not exist, and annotations without a name."""
    for manifest in source.release.manifests:
        value = (manifest.annotations or {}).get(CAPABILITY_ANNOTATION)
        if value == "":
            message = "has an empty annotation, which requires no capability"
            hint = "Set a name, or remove the annotation"
            yield finding("unknown-capability", source.location(manifest, CAPABILITY_ANNOTATION), message, hint)
        for name in dict.fromkeys(manifest.capabilities):
            if name not in known:
                message = f"needs {name!r}, which is not a capability of the release, so no cluster gets it"
                where = source.location(manifest, CAPABILITY_ANNOTATION)
                yield finding("unknown-capability", where, message, _hint_for(name, known))


def misspelled_annotations(source: LintSource) -> Iterator[Problem]:
    """Annotations and values that the CVO ignores, unknown feature sets, and feature sets beside feature gates."""
    rules = inclusion_rules(source.release.minor)
    known = rules.feature_sets
    for manifest in source.release.manifests:
        annotations = manifest.annotations or {}
        if rules.reads_gates and {FEATURE_SET_ANNOTATION, FEATURE_GATE_ANNOTATION} <= annotations.keys():
            message = (
                f"has both {FEATURE_SET_ANNOTATION} and {FEATURE_GATE_ANNOTATION}, of which the CVO accepts only one, "
                "so no cluster gets the manifest"
            )
            where = source.location(manifest, FEATURE_GATE_ANNOTATION)
            yield finding("misspelled-annotation", where, message, "Remove one of them")
        for key, value in annotations.items():
            message, intended = f"has the annotation {key}, which the CVO ignores", _intended(key)
            if key.startswith((PROFILE_ANNOTATION, EXCLUDE_ANNOTATION)) and value.lower() == "true" != value:
                message, intended = f"has the value {value!r} in {key}, which the CVO ignores", '"true"'
            if intended:
                where = source.location(manifest, key)
                yield finding("misspelled-annotation", where, message, f"Write {intended}")
            sets = value.split(",") if key == FEATURE_SET_ANNOTATION and known else ()
            for name in (name for name in sets if name not in known):
                message = (
                    f"has the value {name!r} in {key}, which the CVO does not know, so no cluster gets the manifest"
                )
                where = source.location(manifest, key)
                yield finding("misspelled-annotation", where, message, did_you_mean(name, known))


def misplaced_annotations(source: LintSource) -> Iterator[Problem]:
    """Capability annotations that are labels, or in a Pod template. If the manifest is annotated, too, it is a note."""
    for manifest in source.release.manifests:
        is_annotated = CAPABILITY_ANNOTATION in (manifest.annotations or {})
        path = POD_SPECS.get(manifest.resource_id.kind, ())[:-1]
        if is_annotated and not path:
            continue
        body = source.release.read_body(manifest)
        is_in_template = path and nested(body, *path, "metadata", "annotations", CAPABILITY_ANNOTATION) is not None
        if is_annotated and is_in_template:
            message = f"has the annotation {CAPABILITY_ANNOTATION} in its Pod template, too, where the CVO ignores it"
            yield finding("annotated-pods", source.location(manifest, "template:"), message)
        elif is_annotated:
            continue
        elif nested(body, "metadata", "labels", CAPABILITY_ANNOTATION) is not None:
            message = f"has the label {CAPABILITY_ANNOTATION}, and no such annotation: the CVO reads no labels"
            yield finding("misplaced-annotation", source.location(manifest, CAPABILITY_ANNOTATION), message)
        elif is_in_template:
            message = f"has the annotation {CAPABILITY_ANNOTATION} only in its Pod template, where the CVO ignores it"
            yield finding("misplaced-annotation", source.location(manifest, CAPABILITY_ANNOTATION), message)


def invalid_deletions(source: LintSource) -> Iterator[Problem]:
    """Values of the deletion annotation that the CVO rejects."""
    for manifest in source.release.manifests:
        value = (manifest.annotations or {}).get(DELETE_ANNOTATION)
        if value is not None and value != "true":
            message = f"has the value {value!r} in {DELETE_ANNOTATION}, expected 'true': the CVO reports an error"
            yield finding("invalid-deletion", source.location(manifest, DELETE_ANNOTATION), message)


def rendered_manifests(source: LintSource) -> Iterator[Problem]:
    """Manifests with capabilities of resources that the bootstrap of an installation creates without them."""
    minor = source.release.minor
    always = always_enabled_by_default(minor, DEFAULT_CLUSTER_PROFILE)
    for manifest in source.release.manifests:
        names = " and ".join(name for name in manifest.capabilities if name not in always)
        annotations, resource = manifest.annotations or {}, manifest.resource_id
        if not names or manifest.deletes or DEFAULT_CLUSTER_PROFILE not in manifest.profiles:
            continue
        renderer = bootstrap_renderer(resource.kind, resource.name, minor) if minor else ""
        where = source.location(manifest, CAPABILITY_ANNOTATION)
        if annotations.get(BOOTSTRAP_ANNOTATION) == "true":
            message = f"needs {names}, and has {BOOTSTRAP_ANNOTATION}: the renderer of openshift/api rejects both"
            yield finding("rendered-anyway", where, message)
        elif renderer:
            message = f"needs {names}, but the bootstrap of every installation creates it ({renderer})"
            yield finding("rendered-anyway", where, message)


def _hint_for(name: str, known: frozenset[str]) -> str:
    """The hint about an unknown ``name``. Empty if the hint of the rule, about new capabilities, fits better."""
    if len(re.split(r"[\s,;]+", name)) > 1:
        return "Separate names with + only"
    if not name:
        return "Remove the extra +, or write the missing name"
    return did_you_mean(name, known) if nearest_name(name, known) else ""


def _names_profile(manifest: Manifest) -> bool:
    """Whether a profile is named, whatever its value: ``false`` and the marker of the config operator are answers."""
    return any(key.startswith(PROFILE_ANNOTATION) for key in manifest.annotations or ())


def _unreadable_annotation(manifest: Manifest, release: Release) -> str:
    """The first annotation that is not a string, if one is an annotation of releases. The CVO then reads none."""
    if manifest.annotations is not None:
        return ""
    annotations = nested(release.read_body(manifest), "metadata", "annotations")
    found = {str(key): value for key, value in annotations.items()} if isinstance(annotations, dict) else {}
    if not any(_is_release_annotation(key) for key in found):
        return ""
    return next((key for key, value in found.items() if value is not None and not isinstance(value, str)), "")


def _is_release_annotation(key: str) -> bool:
    return key.startswith((PROFILE_ANNOTATION, EXCLUDE_ANNOTATION, *_FAMILIES))


@cache
def _intended(key: str) -> str:
    """The annotation that ``key`` is meant to be; empty if it is known, or not similar to one."""
    if key in _KNOWN_KEYS or key.startswith(EXCLUDE_ANNOTATION):
        return ""
    if key.startswith(PROFILE_ANNOTATION):
        # A new profile has a new name.
        nearest = nearest_name(key.removeprefix(PROFILE_ANNOTATION), PROFILES)
        return f"{PROFILE_ANNOTATION}{nearest}" if nearest else ""
    if key.startswith("capability.openshift.io/"):
        return CAPABILITY_ANNOTATION
    domain, slash, name = key.partition("/")
    if "openshift" not in domain:
        return ""
    near = difflib.get_close_matches(key, _KNOWN_KEYS, n=1, cutoff=0.88)
    return near[0] if near and (not slash or _is_similar(domain, name, near[0])) else ""


def _is_similar(domain: str, name: str, known: str) -> bool:
    """Whether domain and name are similar each on its own: long domains alone would make any two names similar."""
    known_domain, _slash, known_name = known.partition("/")
    pairs: Iterable[tuple[str, str]] = ((domain, known_domain), (name, known_name))
    return all(difflib.SequenceMatcher(None, *pair).ratio() >= 0.75 for pair in pairs)
