# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Releases with one annotation taken away, as an author forgets it."""

from __future__ import annotations

import random

from ansible_collections.capability.openshift.plugins.module_utils._findings.finding import Finding
from ansible_collections.capability.openshift.plugins.module_utils._lint.lint import LintOptions, lint
from ansible_collections.capability.openshift.plugins.module_utils._lint.source import LintSource
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    CAPABILITY_ANNOTATION,
    Manifest,
)


def errors(source: LintSource, previous: LintSource | None = None) -> set[Finding]:
    """Return the errors of a release, whatever their lines are."""
    findings = lint(source, previous, LintOptions(), Problems()).findings
    return {finding._replace(line=0) for finding in findings if finding.severity == "error"}


def annotated(source: LintSource) -> list[Manifest]:
    """Return the manifests that need a capability and apply something."""
    return [item for item in source.release.manifests if item.capabilities and not item.deletes]


def sample(source: LintSource, number: int) -> list[Manifest]:
    """Return some of them, the same ones each time."""
    return random.Random(17).sample(annotated(source), number)


def without_annotation(source: LintSource, manifest: Manifest) -> LintSource:
    """Return the release without the capability annotation of ``manifest``."""
    release = source.release
    read_text = release.read_text
    assert read_text is not None
    place = (manifest.file, manifest.document)

    def is_same(other: Manifest) -> bool:
        return (other.file, other.document) == place

    def read(other: Manifest) -> bytes:
        text = read_text(manifest if is_same(other) else other)
        if not is_same(other):
            return text
        lines = text.splitlines(keepends=True)
        return b"".join(line for line in lines if CAPABILITY_ANNOTATION.encode() not in line)

    kept = {key: value for key, value in (manifest.annotations or {}).items() if key != CAPABILITY_ANNOTATION}
    manifests = tuple(item._replace(annotations=kept) if is_same(item) else item for item in release.manifests)
    changed = release._replace(manifests=manifests, read_text=read)
    return source._replace(release=changed, line_of=lambda manifest, text: 1)
