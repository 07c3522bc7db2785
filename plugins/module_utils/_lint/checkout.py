# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the manifests in the checkout of an operator's repository, and those of the merge base with its main branch."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from .._data.capabilities import BRANCHES, newest_minor
from .._problems import InvalidOptionError, Problem, Problems, Severity
from .._release.documents import read_manifest_file
from .._release.manifest import Manifest
from .._release.manifest_file import ManifestFile, with_scopes
from .._release.release import Release
from .merge_base import MergeBase, minor_of, read_merge_base
from .source import LintSource, read_source, scoped_as

# Defaults, which not every operator has.
_MANIFESTS = ("manifests", "install")
_OPERANDS = ("bindata",)


class OperatorCheckout(NamedTuple):
    """The manifests for the CVO (``source``), and those that the operator applies (``operands``).

    ``before`` are the files of the merge base, ``earlier`` its manifests, and ``previous`` those for the CVO. Without a
    merge base, its name ``base`` is empty, and ``previous`` is ``None``.
    """

    source: LintSource
    operands: LintSource
    base: str = ""
    before: Mapping[str, ManifestFile] = {}
    earlier: tuple[Manifest, ...] = ()
    previous: LintSource | None = None


def read_checkout(
    path: str,
    version: str | None,
    given: Sequence[str] | None,
    applied: Sequence[str] | None,
    base: str | None,
    released: Release | None,
    problems: Problems,
) -> OperatorCheckout:
    """Read the manifests below ``path``: ``given`` are the directories for the CVO, ``applied`` those of the operator.

    ``base`` is the branch that the checkout will be merged into, ``released`` a release to compare with. Raises
    ``InvalidOptionError`` without a manifest, and if there is no merge base with a given ``base``.
    """
    path = os.path.abspath(path)
    if not os.path.isdir(path):
        message, hint = f"is {path}, which is not a directory", "Set it to the repository of the operator"
        raise InvalidOptionError([Problem("error", "missing-directory", "checkout", message, hint)])
    given = _directories(path, "manifest_directories", _MANIFESTS if given is None else given)
    applied = _directories(path, "operand_directories", _OPERANDS if applied is None else applied)
    merge_base = read_merge_base(path, base, [*given, *applied])
    if merge_base.fault and base:
        hint = "Check that git can read the repository, and knows this branch or commit with its history"
        raise InvalidOptionError(
            [Problem("error", "no-merge-base", "base", f"is {base}, but {merge_base.fault}", hint)]
        )
    if version is None:
        version = _assumed_version(merge_base, problems)
    folders = tuple(name for name in given if os.path.isdir(os.path.join(path, name)))
    source = read_source(path, version, folders=folders, other=released)
    operands = read_source(path, version, folders=tuple(_below(path, applied)), other=released)
    operands = operands._replace(findings=_remarks(operands.findings))
    if not any((source.release.manifests, operands.release.manifests, source.findings, operands.findings)):
        _reject_empty(path, (*given, *applied))
    if not any(item.profiles for item in source.release.manifests):
        message = f"has no manifest with a cluster profile in {', '.join(given)}, so the CVO applies none"
        problems.info("not-in-release", "checkout", message)
        source = source._replace(findings=_remarks(source.findings))
    if merge_base.fault:
        hint = "Set base to the commit that it will be merged into, and fetch its history"
        hint = hint if merge_base.branches else ""
        problems.info("no-merge-base", "checkout", f"has no changes to show: {merge_base.fault}", hint)
        return OperatorCheckout(source, operands)
    checkout = OperatorCheckout(source, operands, f"{merge_base.branch} ({merge_base.commit[:9]})")
    return _with_merge_base(checkout, merge_base.texts, given, applied, released)


def _directories(path: str, option: str, names: Sequence[str]) -> tuple[str, ...]:
    """The directories that ``option`` names, relative to ``path``. Raises ``InvalidOptionError``."""
    directories = tuple(map(os.path.normpath, names))
    for name in directories:
        is_below = not os.path.isabs(name) and name.split(os.sep)[0] not in (os.curdir, os.pardir)
        if not is_below or (name not in (*_MANIFESTS, *_OPERANDS) and not os.path.isdir(os.path.join(path, name))):
            message, hint = f"contains {name}, which is no directory below {path}", "Correct it, or set checkout"
            raise InvalidOptionError([Problem("error", "missing-directory", option, message, hint)])
    return directories


def _assumed_version(merge_base: MergeBase, problems: Problems) -> str:
    """The minor of the branch to merge into, or else the newest one."""
    named = next((name for name in (merge_base.branch, *merge_base.branches) if minor_of(name)), "")
    version = str(minor_of(named) or newest_minor())
    reason = f"the minor of {named}" if named else "the newest known minor"
    message = f"is not set, so the manifests are checked for {version}, {reason}"
    severity: Severity = "info" if merge_base.branches else "warning"
    hint = "Set openshift_version to check them for another minor"
    problems.append(Problem(severity, "assumed-version", "openshift_version", message, hint))
    return version


def _reject_empty(path: str, directories: Sequence[str]) -> NoReturn:
    parent, name = os.path.split(path)
    hint = "Render them, and set manifest_directories to the directory of the result"
    if name in directories:
        hint = f"Set checkout to {parent}, which has the directory {name}"
    message = f"is {path}, which contains no manifests in {', '.join(directories)}"
    raise InvalidOptionError([Problem("error", "empty-checkout", "checkout", message, hint)])


def _with_merge_base(
    checkout: OperatorCheckout,
    texts: Mapping[str, bytes],
    given: Sequence[str],
    applied: Sequence[str],
    released: Release | None,
) -> OperatorCheckout:
    """``checkout`` with the manifests in ``texts``, the files of the merge base by their names."""
    source, operands = checkout.source, checkout.operands
    # Files in subdirectories are not for the CVO.
    below = tuple(f"{folder}/" for folder in applied)
    names = [name for name in texts if os.path.dirname(name) in given or name.startswith(below)]
    before = with_scopes({name: read_manifest_file(name, texts[name], Problems()) for name in names})
    unread = source.unread | operands.unread
    now = {item.object_id for item in (*source.release.manifests, *operands.release.manifests)}
    every = scoped_as((item for file in before.values() for item in file.manifests), released)
    earlier = tuple(item for item in every if item.file not in unread or item.object_id in now)
    manifests = tuple(item for item in earlier if os.path.dirname(item.file) in given)

    def read_body(manifest: Manifest) -> Any:
        return json.loads(before[manifest.file].read_json(manifest))

    # Users update from the minor before, so what it knew counts.
    minor = max((item for item in BRANCHES if source.release.minor and item < source.release.minor), default=None)
    release = source.release._replace(manifests=manifests, minor=minor or source.release.minor, read_body=read_body)
    return checkout._replace(before=before, earlier=earlier, previous=source._replace(release=release))


def _below(path: str, folders: Iterable[str]) -> Iterator[str]:
    for folder in folders:
        for directory, _names, _files in os.walk(os.path.join(path, folder)):
            yield os.path.relpath(directory, path)


def _remarks(findings: Iterable[Problem]) -> tuple[Problem, ...]:
    """Findings about files that the CVO does not read."""
    return tuple(found._replace(severity="info") for found in findings)
