# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a lint reads: a release or a directory of manifests, and the files in it that cannot be checked."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .._problems import Location, Problem, Problems
from .._release.directory import METADATA, RELEASE_MANIFESTS, SUFFIXES, UNPRINTABLE_NAME
from .._release.loader import PLACEHOLDER_IMAGE, load_release
from .._release.manifest import Manifest
from .._release.release import CVO_MANIFESTS, Release
from .._release.task_graph import component_of
from .._yaml.libyaml import load_documents
from .._yaml.template import is_template
from .._yaml.values import YamlError
from .rules import finding

LARGEST_FILE = 16 << 20
"""Bytes of the largest file that is read. The largest file of a real release has 2 MB."""

_TOOL_FILES = ("kustomization.yaml", "kustomization.yml", "Chart.yaml", "values.yaml", "values.schema.json")


class LintSource(NamedTuple):
    """A release to check, without the manifests that are templates, and the files in which it was found.

    ``findings`` are the findings of files that cannot be checked.
    """

    release: Release
    findings: tuple[Problem, ...]

    @property
    def unread(self) -> frozenset[str]:
        """The files that cannot be read. What was in them may still exist."""
        found = (item for item in self.findings if item.severity == "error" or item.code != "invalid-manifest")
        return frozenset(item.where.source for item in found)

    @property
    def is_complete(self) -> bool:
        """Whether it has the layout of a release image, so what it lacks does not exist."""
        return any(os.path.basename(folder) == RELEASE_MANIFESTS for folder in self.release.directories)

    @property
    def is_part(self) -> bool:
        """Whether it contains only some operators, because it has no metadata of a release."""
        return not any(os.path.isfile(os.path.join(folder, METADATA)) for folder in self.release.directories)

    @property
    def lacks_cvo(self) -> bool:
        """Whether it is a release without the CVO's own manifests, as ``oc adm release extract`` writes it."""
        return not (self.is_part or os.path.join(self.release.path, CVO_MANIFESTS) in self.release.directories)

    @property
    def main_file(self) -> str:
        """The file for findings about what no file contains: the metadata of a release, or else the first manifest."""
        metadata = f"{RELEASE_MANIFESTS}/{METADATA}"
        return metadata if self.is_complete else next(iter(self.release.files), metadata)

    def location(self, manifest: Manifest, text: str = "") -> Location:
        """The location of ``manifest``, with the line of the first occurrence of ``text`` in it."""
        file = self.release.files[manifest.file]
        span = file.spans[[item.document for item in file.manifests].index(manifest.document)]
        data = self.release.read_file(manifest.file)
        at = data.find(text.encode(errors="replace"), span.content, span.end) if text else -1
        if at < 0:
            at = next((found for key in (b"apiVersion", b"kind") if (found := data.find(key, span.content)) >= 0), 0)
        line = data.count(b"\n", 0, max(at, span.content)) + 1
        return Location(manifest.file, line=line, field=str(manifest.resource_id))

    def others(self, release: Release) -> tuple[Manifest, ...]:
        """The manifests of the other components of ``release``."""
        own = {item.object_id for item in self.release.manifests}
        components = {component_of(item.file) for item in release.manifests if item.object_id in own}
        return tuple(
            item
            for item in release.manifests
            if item.object_id not in own and component_of(item.file) not in components
        )

    def within(self, release: Release) -> tuple[LintSource, tuple[Manifest, ...]]:
        """The source together with the other components of ``release``, and the manifests of these."""
        own, others = {item.object_id for item in self.release.manifests}, self.others(release)

        def read_body(manifest: Manifest) -> Any:
            return (self.release if manifest.object_id in own else release).read_body(manifest)

        both = self.release._replace(manifests=(*self.release.manifests, *others), read_body=read_body)
        return self._replace(release=both), others


def read_source(
    path: str,
    openshift_version: str | None,
    index_directory: str = "",
    folders: tuple[str, ...] | None = None,
    version_option: str = "openshift_version",
    other: Release | None = None,
    outputs: Iterable[str] = (),
) -> LintSource:
    """Read the release or the directory ``path``. Raises ``ReleaseError`` if nothing of it can be read.

    ``index_directory`` is where the index of a release is kept, as for ``load_release``. A repository has none, because
    its files change from one run to the next. ``folders`` are the directories of a repository that are read. ``other``
    is the release that it is compared with. ``outputs`` are the paths of files that a check writes.
    """
    path = os.path.abspath(path) if path else path  # the loader reports an empty one
    is_release = folders is None and os.path.isdir(os.path.join(path, RELEASE_MANIFESTS))
    searched = (CVO_MANIFESTS, RELEASE_MANIFESTS) if is_release else ("",)
    skipped = tuple(_files_to_skip(path, searched if folders is None else folders, of_tools=not is_release))
    problems = Problems()
    release = load_release(
        path,
        problems,
        openshift_version=openshift_version,
        version_option=version_option,
        release_image=PLACEHOLDER_IMAGE,
        index_directory=index_directory if is_release else "",
        keep_going=True,
        skip={*(skip.where.source for skip in skipped), *(os.path.relpath(name, path) for name in outputs)},
        folders=folders,
    )
    findings = list(skipped)
    failed = {problem.where.source for problem in problems if problem.severity == "error"}
    # The CVO fails to read a release with a template, except those in manifests/, which it renders.
    templates = {file for file in failed if file and not is_release and _is_template(path, file)}
    message = "is a template, so it was passed over"
    findings += [finding("template", Location(file), message) for file in sorted(templates)]
    for problem in problems:
        file, line, field = problem.where.source, problem.where.line, problem.where.field
        # No file has a name that was escaped.
        is_file = os.path.lexists(os.path.join(path, file)) or problem.code == UNPRINTABLE_NAME
        if file not in templates and is_file and not os.path.isabs(file):
            message = f"{field} {problem.message}" if field else problem.message
            where = Location(file, line=line)
            findings.append(problem._replace(code="invalid-manifest", where=where, message=message))
    manifests = scoped_as((item for item in release.manifests if item.file not in templates), other)
    return LintSource(release._replace(manifests=manifests), tuple(findings))


def scoped_as(manifests: Iterable[Manifest], other: Release | None) -> tuple[Manifest, ...]:
    """``manifests`` with the scopes of kinds in ``other``: the directory of an operator defines few of its kinds."""
    kinds = {item.resource_id.group_kind for item in other.manifests if item.cluster_scoped} if other else ()
    return tuple(
        item._replace(cluster_scoped=True) if item.resource_id.group_kind in kinds else item for item in manifests
    )


def _files_to_skip(path: str, folders: Iterable[str], *, of_tools: bool) -> Iterator[Problem]:
    """Yield a finding for each file that must not be read, and ``of_tools`` for those of other tools."""
    root = os.path.realpath(path)
    for directory in folders:
        folder = os.path.join(path, directory)
        names = sorted(os.listdir(folder)) if os.access(folder, os.R_OK | os.X_OK) and os.path.isdir(folder) else []
        for name in names:
            file = f"{directory}/{name}" if directory else name
            if not name.endswith(SUFFIXES):
                continue
            real = os.path.realpath(os.path.join(folder, name))
            if os.path.commonpath([root, real]) != root:
                message = f"is a link to {real}, which is outside of the directory"
                yield finding("link-outside", Location(file), message)
                continue
            try:
                status = os.stat(real)
            except OSError:
                continue  # the loader reports it
            if of_tools and name in _TOOL_FILES:
                yield finding("template", Location(file), "belongs to Helm or Kustomize, so it was passed over")
            elif stat.S_ISREG(status.st_mode) and status.st_size > LARGEST_FILE:
                message = f"has {status.st_size >> 20} MB, expected at most {LARGEST_FILE >> 20}; it was not read"
                yield finding("invalid-manifest", Location(file), message)


def _is_template(path: str, file: str) -> bool:
    """Whether a file is no YAML, and can be it when it is rendered."""
    name, data = os.path.join(path, file), b""
    if os.path.isfile(name):  # a pipe would block
        with contextlib.suppress(OSError), open(name, "rb") as handle:
            data = handle.read()
    try:
        load_documents(data)
    except YamlError:
        return is_template(data.decode(errors="replace"), lambda text: load_documents(text.encode()))
    return False
