# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Releases without one annotation, as if its author had forgotten it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import CAPABILITY_ANNOTATION
from ansible_collections.capability.openshift.plugins.module_utils._lint.lint import LintOptions, lint
from ansible_collections.capability.openshift.plugins.module_utils._lint.source import LintSource
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest

_LOSSES = ("loses-capability", "deletion-loses-capability")


class Trial(NamedTuple):
    """What a lint finds if the annotation of ``manifest`` is missing. ``against``: if it knows the previous release."""

    manifest: Manifest
    alone: frozenset[Problem]
    against: frozenset[Problem]


def errors(source: LintSource, previous: LintSource | None = None) -> set[Problem]:
    """Return the errors of a release, whatever their lines are."""
    return {finding for finding in _serious(source, previous) if finding.severity == "error"}


def trials(source: LintSource, number: int) -> Iterator[Trial]:
    """Take away ``number`` annotations, one at a time. The previous release is the unchanged one.

    Only errors count as found without it. With it, warnings about the manifest count, too: one that deletes its
    resource usually breaks nothing without its annotation.
    """
    known = _serious(source, source)
    annotated = [item for item in source.release.manifests if item.capabilities]
    # Each call takes the same ones.
    for manifest in random.Random(17).sample(annotated, min(number, len(annotated))):
        new = _serious(without_annotation(source, manifest), source) - known
        losses = {finding for finding in new if finding.code in _LOSSES}
        alone = {finding for finding in new - losses if finding.severity == "error"}
        against = {finding for finding in losses if finding.where.field == str(manifest.resource_id)}
        yield Trial(manifest, frozenset(alone), frozenset(against))


def _serious(source: LintSource, previous: LintSource | None) -> set[Problem]:
    findings = lint(source, previous, LintOptions(), Problems())
    return {
        finding._replace(where=finding.where._replace(line=0)) for finding in findings if finding.severity != "info"
    }


def without_annotation(source: LintSource, manifest: Manifest) -> LintSource:
    """Return the release without the capability annotation of ``manifest``."""
    release = source.release
    place = (manifest.file, manifest.document)

    def is_same(other: Manifest) -> bool:
        return (other.file, other.document) == place

    def read(other: Manifest) -> Any:
        body = release.read_body(manifest if is_same(other) else other)
        if is_same(other):
            del body["metadata"]["annotations"][CAPABILITY_ANNOTATION]
        return body

    kept = {key: value for key, value in (manifest.annotations or {}).items() if key != CAPABILITY_ANNOTATION}
    manifests = tuple(item._replace(annotations=kept) if is_same(item) else item for item in release.manifests)
    changed = release._replace(manifests=manifests, read_body=read)
    return source._replace(release=changed)
