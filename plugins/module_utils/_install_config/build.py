# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks all options of the module ``install_config``, and builds the text of the install-config to write."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from .._capability.solution import find_solution
from .._data.install_rules import HOSTED
from .._data.solutions import TOPOLOGIES
from .._problems import CapabilityError, InvalidOptionError, Problem, Problems, has_errors, type_name
from .._release.extra_manifests import read_extra_manifests
from .._release.loader import problems_for_users
from .._release.release import Release, read_minor, release_of_version
from .._release_image.open_release import open_release
from .._release_image.release_source import ReleaseSource
from .._resources import ResourceId, nested
from .._yaml.values import parse_json_object
from .check import InstallCheck, check_selection, profile_of, read_installation
from .document import Document, read_document, render_document, same_values
from .edit import edit_capabilities
from .file import FileWrite, InstallConfigFile, read_target
from .secrets import secret_values, without_secrets
from .selection_source import NO_SELECTION, InstallOptions, SelectionOptions

_FIELD, _SECRET = "capabilities", "pullSecret"
_ARBITER, _CONTROL_PLANE, _COMPUTE, _REPLICAS = "arbiter", "controlPlane", "compute", "replicas"
_Value = TypeVar("_Value")


class InstallConfigOptions(NamedTuple):
    """The options of the module, as given; ``None`` for an option that is not set."""

    path: str | None = None
    content: object = None
    selection: SelectionOptions = NO_SELECTION
    release: str | None = None
    openshift_version: str | None = None
    install_method: str | None = None
    topology: str | None = None
    extra_manifests: Sequence[str] | None = None
    source: ReleaseSource = ReleaseSource()

    @classmethod
    def from_params(cls, params: Mapping[str, Any], source: ReleaseSource) -> InstallConfigOptions:
        """The options of a task."""
        own = {name: params[name] for name in cls._fields if name not in ("selection", "source")}
        return cls(selection=SelectionOptions.from_params(params), source=source, **own)

    @property
    def checks_only(self) -> bool:
        """Whether the file is only checked, because neither content nor a selection is given."""
        return self.content is None and not self.selection.is_given


class EditedFile(NamedTuple):
    """An install-config on disk, and its text before and after. ``after`` is ``None`` if nothing is written."""

    target: InstallConfigFile
    before: str | None = None
    after: str | None = None

    def write(self) -> FileWrite | None:
        """The file to write, because of its text or its mode; ``None`` if nothing changes."""
        if self.after is None or (self.after == self.before and not self.target.is_open_to_others):
            return None
        return FileWrite(self.target, self.after.encode())


class InstallResult(NamedTuple):
    """The result of the checks, and the file to write; ``None`` without a path.

    ``version`` is the version of the release, or the given one; ``None`` if neither is known.
    """

    check: InstallCheck
    problems: tuple[Problem, ...]
    version: str | None = None
    file: EditedFile | None = None

    @property
    def failed(self) -> bool:
        """Whether there is an error, so nothing may be written."""
        return has_errors(self.problems)


class _Sources(NamedTuple):
    """The install-configs that were read: ``existing`` at ``target``, and the given ``content``."""

    target: InstallConfigFile | None
    existing: Document | None
    content: Document | None

    @property
    def document(self) -> Document | None:
        """The install-config to check. Content takes precedence."""
        return self.content or self.existing

    @property
    def name(self) -> str:
        """The file or option that contains the install-config to check."""
        return "content" if self.content is not None or self.target is None else self.target.path

    def secrets(self) -> set[str]:
        """The secrets in all of them."""
        return {value for item in (self.existing, self.content) if item for value in secret_values(item.data)}


class ReleaseReader:
    """Reads releases and other manifests, each of them once, even if many clusters install it."""

    def __init__(self) -> None:
        self._read: dict[tuple[str | None, ...], tuple[Release | None, tuple[Problem, ...]]] = {}
        self._provided: dict[tuple[str, ...], tuple[frozenset[ResourceId], tuple[Problem, ...]]] = {}

    def read(self, options: InstallConfigOptions, problems: Problems) -> Release | None:
        """Return the release of a cluster, ``None`` with problems if it cannot be read."""
        key = options.release, options.openshift_version, profile_of(options.install_method)
        if key not in self._read:
            found = Problems()
            release = _attempt(lambda: _read_release(options, found), found)
            self._read[key] = release, tuple(found)
        release, release_problems = self._read[key]
        problems += release_problems
        return release

    def read_extra_manifests(self, options: InstallConfigOptions, problems: Problems) -> frozenset[ResourceId]:
        """Return what the ``extra_manifests`` of a cluster create."""
        key = tuple(options.extra_manifests or ()) if options.install_method != HOSTED else ()
        if key not in self._provided:
            found = Problems()
            self._provided[key] = read_extra_manifests(key, "extra_manifests", found), tuple(found)
        resources, read_problems = self._provided[key]
        problems += read_problems
        return resources


def build_install_config(options: InstallConfigOptions, releases: ReleaseReader | None = None) -> InstallResult:
    """Check all options and build the text. Writes and raises nothing.

    No problem of the result quotes a secret. ``releases`` has the releases that other clusters install.
    """
    problems = Problems()
    completed = _with_topology(options, problems)
    sources = _read_sources(completed, problems)
    result = _built(completed, sources, releases or ReleaseReader(), problems)
    resolved = result.check.resolved
    if resolved is not None and completed is not options and options.topology is None:
        reasons = (*resolved.reasons, f"the solution {options.selection.solution} is a single node")
        result = result._replace(check=result.check._replace(resolved=resolved._replace(reasons=reasons)))
    secrets = sources.secrets()
    return result._replace(problems=tuple(without_secrets(problem, secrets) for problem in problems))


def _with_topology(options: InstallConfigOptions, problems: Problems) -> InstallConfigOptions:
    """Return ``options`` whose content has the replicas of the given topology, or of the topology of the solution."""
    content, topology = options.content, options.topology
    if options.install_method == HOSTED:
        return options
    if topology is None:
        given = options.selection
        solution = None if given.solution is None else find_solution(given.solution, Problems())
        if solution is None or not solution.topology:
            return options
        if not isinstance(content, Mapping) or has_replicas(content):
            return options
        topology = solution.topology
    if not isinstance(content, Mapping):
        message = "requires content as a dict: a text, or an existing file, is not completed"
        problems.error("missing-content", "topology", message, "Set content to a dict, or remove topology")
        return options
    completed = with_topology(content, topology)
    return options if completed == content else options._replace(content=completed)


def _built(
    options: InstallConfigOptions, sources: _Sources, releases: ReleaseReader, problems: Problems
) -> InstallResult:
    _check_combinations(options, sources.target, problems)
    release = releases.read(options, problems)
    provided = releases.read_extra_manifests(options, problems)
    install_options = _install_options(options, sources)._replace(provided=provided)
    installation = read_installation(install_options, release or release_of_version(None))
    check = check_selection(installation, options.selection)
    problems += _relevant(check, options, sources, release)
    _warn_if_readable_by_others(options, sources.target, problems)
    version = release.version if release is not None else None
    file = None if sources.target is None else EditedFile(sources.target)
    if file is not None and release is not None and not problems.has_errors:
        before = sources.existing.text if sources.existing is not None else None
        after = _attempt(lambda: _text(options, sources, check), problems)
        file = EditedFile(file.target, before, after)
    return InstallResult(check, (), version or options.openshift_version, file)


def _read_sources(options: InstallConfigOptions, problems: Problems) -> _Sources:
    target = _attempt(lambda: read_target(options.path or ""), problems) if options.path is not None else None
    existing = _read_existing(target, problems)
    content = _attempt(lambda: read_content(options.content), problems) if options.content is not None else None
    return _Sources(target, existing, content)


def _install_options(options: InstallConfigOptions, sources: _Sources) -> InstallOptions:
    document, target = sources.document, sources.target
    method = "agent" if target is not None and target.has_agent_config else None
    return InstallOptions(
        document={} if document is None else document.data,
        source=sources.name,
        complete=target is not None and document is not None and options.install_method != HOSTED,
        method=options.install_method or method,
    )


def _relevant(
    check: InstallCheck, options: InstallConfigOptions, sources: _Sources, release: Release | None
) -> Iterator[Problem]:
    """Yield the problems of a check, except consequences of an unreadable release or install-config."""
    unreadable = sources.document is None and (options.content is not None or sources.target is not None)
    for problem in check.problems:
        follows_from_release = release is None and problem.code == "missing-version"
        follows_from_document = unreadable and problem.code == "unchecked-rules"
        if not follows_from_release and not follows_from_document:
            yield problem


def _warn_if_readable_by_others(
    options: InstallConfigOptions, target: InstallConfigFile | None, problems: Problems
) -> None:
    if target is not None and target.is_open_to_others and options.checks_only:
        message = f"is open to other users (mode {target.mode:04o}), but contains secrets"
        problems.warning("exposed-file", target.path, message, f"Run chmod 600 {shlex.quote(target.path)}")


def _attempt(read: Callable[[], _Value], problems: Problems) -> _Value | None:
    """Return what ``read`` returns, or report the problems that it raises and return ``None``."""
    with problems.collect(CapabilityError):
        return read()
    return None


def _read_existing(target: InstallConfigFile | None, problems: Problems) -> Document | None:
    # An empty file counts as a file that does not exist yet.
    if target is None or target.data is None or not target.data.strip():
        return None
    data, path = target.data, target.path
    return _attempt(lambda: read_document(data, path), problems)


def _check_combinations(options: InstallConfigOptions, target: InstallConfigFile | None, problems: Problems) -> None:
    for option in ("topology", "extra_manifests") if options.install_method == HOSTED else ():
        if getattr(options, option):
            message = "has no effect with install_method: hosted, because openshift-install installs no hosted cluster"
            # In a fleet, all clusters can have the option in common.
            hint = f"Set {option} only for other install methods"
            problems.warning("conflicting-options", option, message, hint)
    if options.path is not None and options.install_method == HOSTED:
        message = "cannot be combined with install_method: hosted, because a hosted cluster has no install-config"
        hint = "Remove path, and use the return value hosted_cluster_spec"
        problems.error("conflicting-options", "path", message, hint)
        return
    if target is not None and not (target.data or b"").strip() and options.content is None:
        state = "does not exist" if target.data is None else "is empty"
        message = f"{state}, and no content is given to create it from"
        hint = "Set content, or the path of an install-config to edit"
        problems.error("missing-content", target.path, message, hint)


def _read_release(options: InstallConfigOptions, problems: Problems) -> Release | None:
    if options.release is None:
        if options.openshift_version is None:
            return release_of_version(None)
        minor = read_minor(options.openshift_version, "openshift_version", problems)
        return None if minor is None else release_of_version(minor)
    opened = open_release(options.release, options.source, problems)
    profile, found = profile_of(options.install_method), Problems()
    release = opened.load(found, openshift_version=options.openshift_version, cluster_profile=profile)
    problems += problems_for_users(found)
    return release


def _text(options: InstallConfigOptions, sources: _Sources, check: InstallCheck) -> str | None:
    """The text to write: the existing one, edited, unless the content differs from it."""
    existing, content, target = sources.existing, sources.content, sources.target
    if options.checks_only or target is None:
        return None
    selection = check.resolved.selection if check.resolved is not None else None
    block = None if selection is None else selection.to_api()
    if existing is not None and (content is None or _is_equivalent(existing, content, selected=block is not None)):
        return existing.text if block is None else edit_capabilities(existing, block, target.path)
    if content is None:
        return None
    if isinstance(options.content, str) and (block is None or not content.root.style):
        return content.text if block is None else edit_capabilities(content, block, "content")
    return render_document(content.data if block is None else {**_without_block(content.data), _FIELD: block})


def _is_equivalent(existing: Document, content: Document, *, selected: bool) -> bool:
    """Whether two install-configs have the same values, except the block that is going to be edited."""
    before, after = existing.data, content.data
    if selected:
        before, after = _without_block(before), _without_block(after)
    return same_values(_comparable(before), _comparable(after))


def _without_block(data: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an install-config without its selection, which the installer reads in any case."""
    return {field: value for field, value in data.items() if field.lower() != _FIELD}


def _comparable(data: Mapping[str, Any]) -> dict[str, Any]:
    """The values of an install-config. White space in the JSON of its pull secret is ignored."""
    values = dict(data)
    secret = values.get(_SECRET)
    if isinstance(secret, str):
        values[_SECRET] = parse_json_object(secret) or secret
    return values


def read_content(content: object) -> Document:
    """Read the option ``content``. Raises ``CapabilityError``, whose problems contain no values."""
    if isinstance(content, str):
        # Text that was decoded with another encoding than UTF-8 contains surrogates: read_document reports it.
        return read_document(content.encode(errors="surrogatepass"), "content")
    if not isinstance(content, Mapping):
        message = f"is {type_name(content)}, expected an install-config, as a dict or as text"
        hint = "Write it as in the examples of the module"
        raise InvalidOptionError([Problem("error", "not-a-map", "content", message, hint)])
    # Ansible converts a text that looks like JSON to a dict; the installer needs the text.
    secret = content.get(_SECRET)
    if isinstance(secret, Mapping):
        content = {**content, _SECRET: json.dumps(secret, separators=(",", ":"))}
    try:
        return read_document(render_document(content).encode(), "content")
    except UnicodeEncodeError:
        message, hint = "contains text that is not UTF-8", "Write text in UTF-8"
        raise InvalidOptionError([Problem("error", "invalid-encoding", "content", message, hint)]) from None


def merge_content(common: Any, own: Any) -> Any:
    """``own`` merged into ``common``: maps field by field. Of other values, ``own`` replaces ``common``.

    So does a ``platform`` that names another one, because a cluster or a pool has one platform.
    """
    if not isinstance(common, Mapping) or not isinstance(own, Mapping):
        return own
    merged = {field: merge_content(common.get(field), value) for field, value in own.items()}
    before, after = common.get("platform"), own.get("platform")
    if isinstance(before, Mapping) and isinstance(after, Mapping) and after and before.keys().isdisjoint(after):
        merged["platform"] = after
    return {**common, **merged}


def with_topology(content: Mapping[str, Any], topology: str) -> dict[str, Any]:
    """``content`` with the replicas of ``topology``, a key of ``TOPOLOGIES``, where it has none."""
    control_plane, compute = TOPOLOGIES[topology]
    result = dict(content)
    of_control_plane, of_compute = _key_of(content, _CONTROL_PLANE), _key_of(content, _COMPUTE)
    pool = content.get(of_control_plane) or {"name": "master"}
    if isinstance(pool, Mapping) and pool.get(_REPLICAS) is None:
        result[of_control_plane] = {**pool, _REPLICAS: control_plane}
    pools = content.get(of_compute) or [{"name": "worker"}]
    if isinstance(pools, list):
        result[of_compute] = [_with_replicas(pool, compute) for pool in pools]
    return result


def _key_of(content: Mapping[str, Any], field: str) -> str:
    """The key of ``field``, which the installer reads in any case."""
    return next((key for key in content if str(key).lower() == field.lower()), field)


def has_replicas(content: Mapping[str, Any]) -> bool:
    """Whether ``content`` decides about the number of nodes, at least of some. No single node has an arbiter."""
    replicas = nested(content, _key_of(content, _CONTROL_PLANE), _REPLICAS)
    return replicas is not None or any(content.get(_key_of(content, field)) for field in (_COMPUTE, _ARBITER))


def _with_replicas(pool: Any, replicas: int) -> Any:
    is_worker = isinstance(pool, Mapping) and pool.get("name") == "worker"
    return {**pool, _REPLICAS: replicas} if is_worker and pool.get(_REPLICAS) is None else pool
