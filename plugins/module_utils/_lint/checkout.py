# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the manifests in the checkout of an operator's repository, and those of the merge base with its main branch."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._data.capabilities import BRANCHES, newest_minor
from .._data.inclusion_rules import (
    CAPABILITY_ANNOTATION,
    DELETE_ANNOTATION,
    FEATURE_GATE_ANNOTATION,
    FEATURE_SET_ANNOTATION,
    PROFILE_ANNOTATION,
)
from .._data.version import Minor, find_minor
from .._files.git import GitError, git
from .._problems import InvalidOptionError, Problem, Problems, Severity
from .._release.documents import read_manifest_file
from .._release.manifest import Manifest, manifest_dict
from .._release.manifest_file import ManifestFile, with_scopes
from .._release.release import Release
from .._release.task_graph import component_of
from .._resources import CLUSTER_OPERATORS, ResourceId
from .source import LintSource, read_source, scoped_as

_REMOTES = ("upstream", "origin")
_MAIN = ("main", "master")
_RELEASE_BRANCH = re.compile(r"(?:^|/)release-(\d+\.\d+)$")
# Defaults, which not every operator has.
_MANIFESTS = ("manifests", "install")
_OPERANDS = ("bindata",)

_COLUMNS = {
    "capability": CAPABILITY_ANNOTATION,
    "feature_set": FEATURE_SET_ANNOTATION,
    "feature_gate": FEATURE_GATE_ANNOTATION,
    "delete": DELETE_ANNOTATION,
}
_SHOWN = ("file", "resource", "owner", "capability", "profiles", "feature_set", "feature_gate")


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

    def rows(self, release: Release | None) -> dict[str, Any]:
        """All manifests, their changes since the merge base, and how ``release`` differs from them."""
        own = self.source.release.manifests
        manifests = (*own, *self.operands.release.manifests)
        kind = CLUSTER_OPERATORS.group_kind
        operators = sorted({item.resource_id.name for item in own if item.resource_id.group_kind == kind})
        files = {**self.source.release.files, **self.operands.release.files}
        earlier, removed = _matched(self.earlier, manifests)
        released, _others = _matched(release.manifests if release else (), manifests)
        rows = []
        for index, (item, old, other) in enumerate(zip(manifests, earlier, released, strict=True)):
            changes = ["added"] if old is None and self.base else []
            if old is not None:
                changes += [f"file: {old.file} -> {item.file}"] * (old.file != item.file) + _differences(old, item)
                changes += ["content"] * (_content(self.before, old) != _content(files, item))
            is_own = index < len(own)
            in_release = _differences(item, other) if other else ["not there"] * (is_own and release is not None)
            owner = ", ".join(operators) if is_own else "the operator"
            rows.append(_row(item, owner, changes, in_release))
        gone = [_row(item, "", ["removed"], []) for item in removed]
        return {"resources": rows, "removed": gone, "merge_base": self.base}


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
    given = tuple(map(os.path.normpath, _MANIFESTS if given is None else given))
    applied = tuple(map(os.path.normpath, _OPERANDS if applied is None else applied))
    for option, folders in (("manifest_directories", given), ("operand_directories", applied)):
        for name in folders:
            is_below = not os.path.isabs(name) and name.split(os.sep)[0] not in (os.curdir, os.pardir)
            if not is_below or (name not in (*_MANIFESTS, *_OPERANDS) and not os.path.isdir(os.path.join(path, name))):
                message, hint = f"contains {name}, which is no directory below {path}", "Correct it, or set checkout"
                raise InvalidOptionError([Problem("error", "missing-directory", option, message, hint)])
    branches, texts, fault = list[str](), {}, ""
    try:
        branches = _branches(path)
        base, commit = _merge_base(path, base, branches)
        texts = _files_at(path, commit, [*given, *applied])
    except GitError as error:
        if base:
            hint = "Check that git can read the repository, and knows this branch or commit with its history"
            raise InvalidOptionError(
                [Problem("error", "no-merge-base", "base", f"is {base}, but {error}", hint)]
            ) from None
        fault = str(error)
    if version is None:
        named = next((name for name in (base or "", *branches) if _minor_of(name)), "")
        version = str(_minor_of(named) or newest_minor())
        reason = f"the minor of {named}" if named else "the newest known minor"
        message = f"is not set, so the manifests are checked for {version}, {reason}"
        severity: Severity = "info" if branches else "warning"
        hint = "Set openshift_version to check them for another minor"
        problems.append(Problem(severity, "assumed-version", "openshift_version", message, hint))
    source = read_source(
        path, version, folders=tuple(name for name in given if os.path.isdir(os.path.join(path, name))), other=released
    )
    operands = read_source(path, version, folders=tuple(_below(path, applied)), other=released)
    unread = source.unread | operands.unread
    operands = operands._replace(findings=_remarks(operands.findings))
    if not any((source.release.manifests, operands.release.manifests, source.findings, operands.findings)):
        parent, name = os.path.split(path)
        hint = "Render them, and set manifest_directories to the directory of the result"
        if name in (*given, *applied):
            hint = f"Set checkout to {parent}, which has the directory {name}"
        message = f"is {path}, which contains no manifests in {', '.join((*given, *applied))}"
        raise InvalidOptionError([Problem("error", "empty-checkout", "checkout", message, hint)])
    if not any(item.profiles for item in source.release.manifests):
        message = f"has no manifest with a cluster profile in {', '.join(given)}, so the CVO applies none"
        problems.info("not-in-release", "checkout", message)
        source = source._replace(findings=_remarks(source.findings))
    if fault:
        hint = "Set base to the commit that it will be merged into, and fetch its history" if branches else ""
        problems.info("no-merge-base", "checkout", f"has no changes to show: {fault}", hint)
        return OperatorCheckout(source, operands)
    # Files in subdirectories are not for the CVO.
    below = tuple(f"{folder}/" for folder in applied)
    names = [name for name in texts if os.path.dirname(name) in given or name.startswith(below)]
    before = with_scopes({name: read_manifest_file(name, texts[name], Problems()) for name in names})
    now = {item.object_id for item in (*source.release.manifests, *operands.release.manifests)}
    every = scoped_as((item for file in before.values() for item in file.manifests), released)
    earlier = tuple(item for item in every if item.file not in unread or item.object_id in now)
    manifests = tuple(item for item in earlier if os.path.dirname(item.file) in given)

    def read_body(manifest: Manifest) -> Any:
        return json.loads(before[manifest.file].read_json(manifest))

    # Users update from the minor before, so what it knew counts.
    minor = max((item for item in BRANCHES if source.release.minor and item < source.release.minor), default=None)
    release = source.release._replace(manifests=manifests, minor=minor or source.release.minor, read_body=read_body)
    return OperatorCheckout(
        source, operands, f"{base} ({commit[:9]})", before, earlier, source._replace(release=release)
    )


def _columns(manifest: Manifest) -> dict[str, str]:
    """The annotations that decide about ``manifest``, each as one text, empty if it has none."""
    given = manifest.annotations or {}
    return {"profiles": ", ".join(manifest.profiles), **{name: given.get(key, "") for name, key in _COLUMNS.items()}}


def _row(manifest: Manifest, owner: str, changes: list[str], in_release: list[str]) -> dict[str, Any]:
    owner = component_of(manifest.file) or owner
    row = {**manifest_dict(manifest), **_columns(manifest), "owner": owner}
    return {**row, "changes": changes, "in_release": in_release}


def _differences(before: Manifest, after: Manifest) -> list[str]:
    old, new = _columns(before), _columns(after)
    return [f"{name}: {old[name] or 'none'} -> {new[name] or 'none'}" for name in old if old[name] != new[name]]


def _matched(
    before: Iterable[Manifest], after: Sequence[Manifest]
) -> tuple[list[Manifest | None], tuple[Manifest, ...]]:
    """The counterpart of each manifest of ``after``, and the manifests of ``before`` that are none.

    Of several manifests of a resource, the one in that file counts, or else in a file of that name, which a release
    prefixes, or else the one with the fewest other annotations.
    """
    left: dict[ResourceId, list[Manifest]] = {}
    for item in before:
        left.setdefault(item.object_id, []).append(item)
    found: list[Manifest | None] = [None] * len(after)
    for name_of in (str, os.path.basename, lambda _file: ""):
        for index, item in enumerate(after):
            others, name = left.get(item.object_id, []), name_of(item.file)
            alike = [one for one in others if one.file.endswith(name)]
            if found[index] is None and alike:
                other = min(alike, key=lambda one: len(_differences(one, item)))
                others.remove(other)
                found[index] = other
    return found, tuple(item for items in left.values() for item in items)


def _minor_of(branch: str) -> Minor | None:
    """The minor of a branch ``release-X.Y``, ``None`` if it is not known, as that of a new one."""
    release = _RELEASE_BRANCH.search(branch)
    minor = find_minor(release[1]) if release else None
    return minor if minor in BRANCHES else None


def _branches(path: str) -> list[str]:
    """The branches ``release-X.Y``, oldest first, and main branches that HEAD belongs to, or else the current branch.

    CI often checks out a commit without its branch, and a topic has another name. So these are the branches that lack
    the fewest commits of HEAD. Empty if none is known.
    """
    current = git(path, "rev-parse", "--abbrev-ref", "HEAD").decode().strip()
    if _RELEASE_BRANCH.match(current):
        return [current]
    found: list[tuple[int, bool, Minor, str]] = []
    folders = ("refs/heads", *(f"refs/remotes/{remote}" for remote in _REMOTES))
    for name in git(path, "for-each-ref", "--format=%(refname)", *folders).decode().split():
        short = name.rpartition("/")[2]
        minor = _minor_of(short)
        if minor or short in _MAIN:
            missing = int(git(path, "rev-list", "--count", "HEAD", "--not", name))
            found.append((missing, minor is None, minor or min(BRANCHES), short))
    nearest = [short for missing, *_order, short in sorted(found) if missing == min(found)[0]]
    return list(dict.fromkeys(nearest)) or [current] * (current != "HEAD")  # which git shows without a branch


def _merge_base(path: str, given: str | None, branches: Sequence[str]) -> tuple[str, str]:
    """The merge base with ``given``, or else with the remote ``release-`` or main branch: its name, and the commit."""
    own = [] if set(_MAIN) & set(branches) else [name for name in branches[:1] if _RELEASE_BRANCH.search(name)]
    remote = [f"{remote}/{name}" for name in own for remote in _REMOTES]
    # The main branch of a fork can be old.
    remote += [f"{remote}/{name}" for remote in _REMOTES for name in ("HEAD", *_MAIN)]
    # A CI such as Prow merges into a main branch without a remote, which has the changes then.
    local = [name for name in _MAIN if name != git(path, "rev-parse", "--abbrev-ref", "HEAD").decode().strip()]
    for name in [given, *(f"{remote}/{given}" for remote in _REMOTES)] if given else [*remote, *local]:
        try:
            return name, git(path, "merge-base", "--end-of-options", "HEAD", name).decode().strip()
        except GitError:
            continue
    is_shallow = git(path, "rev-parse", "--is-shallow-repository").strip() == b"true"
    reason = "the clone is shallow, and lacks the" if is_shallow else "there is no"
    raise GitError(f"{reason} merge base with {given or 'a main branch'}")


def _files_at(path: str, commit: str, folders: Sequence[str]) -> dict[str, bytes]:
    names = git(path, "ls-tree", "--name-only", "-z", commit, "--", *folders).decode(errors="replace").split("\0")[:-1]
    if not names:
        return {}
    texts = {}
    with tarfile.open(fileobj=io.BytesIO(git(path, "archive", "--format=tar", commit, "--", *names))) as tar:
        for item in tar:
            if not item.name.endswith((".yaml", ".yml", ".json")):
                continue
            if item.issym():
                target = os.path.normpath(os.path.join(os.path.dirname(item.name), item.linkname))
                with contextlib.suppress(GitError):  # a link that leads nowhere
                    texts[item.name] = git(path, "cat-file", "blob", f"{commit}:./{target}")
            elif file := tar.extractfile(item):
                texts[item.name] = file.read()
    return texts


def _content(files: Mapping[str, ManifestFile], manifest: Manifest) -> Any:
    """The body of a manifest without the annotations whose changes are listed on their own."""
    body = json.loads(files[manifest.file].read_json(manifest))
    others = body["metadata"].pop("annotations", None)
    listed = (PROFILE_ANNOTATION, *_COLUMNS.values())
    if isinstance(others, dict):
        others = {key: value for key, value in others.items() if not key.startswith(listed)}
    return body, others or {}


def _below(path: str, folders: Iterable[str]) -> Iterator[str]:
    for folder in folders:
        for directory, _names, _files in os.walk(os.path.join(path, folder)):
            yield os.path.relpath(directory, path)


def _remarks(findings: Iterable[Problem]) -> tuple[Problem, ...]:
    """Findings about files that the CVO does not read."""
    return tuple(found._replace(severity="info") for found in findings)


def appendix(rows: Mapping[str, Any], *, has_release: bool) -> str:
    """Render ``rows`` of a checkout as Markdown. ``has_release``: whether it was compared with one."""
    return "\n".join([*_lines(rows, has_release=has_release), ""])


def _lines(rows: Mapping[str, Any], *, has_release: bool) -> Iterator[str]:
    resources = rows["resources"]
    if rows["merge_base"]:
        yield from _section(f"Changes since {rows['merge_base']}", "changes", (*resources, *rows["removed"]))
    if has_release:
        yield from _section("Different in the release", "in_release", resources)
    yield from ("", "### Manifests", "", _cells(_SHOWN), _cells(["---"] * len(_SHOWN)))
    for item in resources:
        cells = {**item, "resource": _resource(item)}
        yield _cells(str(cells[column]).replace("|", "\\|") for column in _SHOWN)


def _section(title: str, key: str, items: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    lines = [f"- `{item['file']}` {_resource(item)}: {'; '.join(item[key])}" for item in items if item[key]]
    yield from ("", f"### {title}", "", *(lines or ["None"]))


def _cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _resource(item: Mapping[str, Any]) -> str:
    return f"{item['kind']} {item['namespace'] + '/' if item['namespace'] else ''}{item['name']}"
