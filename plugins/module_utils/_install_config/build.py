# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""An install-config written or edited: what was given and what is there, the choice, and the text that follows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from .._capability.inclusion import included_manifests
from .._data.install_rules import HOSTED, KNOWN_NAMES
from .._footprint.footprint import FootprintComparison, compare
from .._problems import CapabilityError, InvalidOptionError, Problem, Problems, has_errors, type_name
from .._release.loader import PLACEHOLDER_IMAGE, load_release
from .._release.release import Release, release_of_version
from .._version import minor_of
from .._yaml.head import parse_json_object
from .check import InstallCheck, block_of, check_installation, profile_of
from .document import Document, read_document, render_document, same_values
from .edit import edit_capabilities
from .file import InstallConfigFile, read_target
from .selection_source import InstallOptions

_FIELD, _SECRET = "capabilities", "pullSecret"
_Found = TypeVar("_Found")


class InstallRequest(NamedTuple):
    """What the user gave, unchecked: options of the module of the same names, ``None`` where one was left out."""

    path: str | None
    content: object
    capabilities: object
    solution: str | None
    solutions: object
    release: str | None
    openshift_version: str | None
    install_method: str | None
    compare_with: object


class InstallResult(NamedTuple):
    """What came out. ``after`` is the text that belongs at ``target``; both are ``None`` where nothing is written.

    ``version`` is that of the release, or what was said, as far as it is known.
    """

    installation: InstallCheck
    problems: tuple[Problem, ...]
    version: str | None = None
    target: InstallConfigFile | None = None
    before: str | None = None
    after: str | None = None
    comparison: FootprintComparison | None = None

    @property
    def failed(self) -> bool:
        """Tell whether something is wrong, so that nothing may be written."""
        return has_errors(self.problems)

    @property
    def changes_text(self) -> bool:
        """Tell whether what is there is not what belongs there."""
        return self.after is not None and self.after != self.before


class _Sources(NamedTuple):
    """Install-configs that were given or found. ``existing`` is what is at ``target``, ``content`` what was given."""

    target: InstallConfigFile | None
    existing: Document | None
    content: Document | None

    @property
    def document(self) -> Document | None:
        """The one that counts."""
        return self.content or self.existing

    @property
    def place(self) -> str:
        """Where it comes from."""
        return "content" if self.content is not None or self.target is None else self.target.path


def build_install_config(request: InstallRequest, hide: Callable[[Mapping[str, Any]], None]) -> InstallResult:
    """Check everything that was asked for, and make the text; write nothing, raise nothing.

    ``hide`` is called with each install-config as soon as it is read, because it holds secrets.
    """
    problems = Problems()
    sources = _read_sources(request, problems)
    for document in (sources.existing, sources.content):
        if document is not None:
            hide(document.data)
    problems += _combinations(request, sources.target)
    release = _attempt(lambda: _read_release(request, problems), problems)
    options = _options(request, sources)
    installation = check_installation(options, release or release_of_version(None))
    problems += _told(installation, request, sources, release)
    version = release.version if release is not None else None
    answer = InstallResult(installation, tuple(problems), version or request.openshift_version, sources.target)
    if answer.failed or release is None:
        return answer
    comparison = _compare(request, options, installation, release, problems)
    if sources.target is not None:
        before = sources.existing.text if sources.existing is not None else None
        after = _attempt(lambda: _text(request, sources.existing, sources.content, installation), problems)
        answer = answer._replace(before=before, after=after)
    return answer._replace(problems=tuple(problems), comparison=comparison)


def _read_sources(request: InstallRequest, problems: Problems) -> _Sources:
    target = _attempt(lambda: read_target(request.path or ""), problems) if request.path is not None else None
    existing = _existing(target, problems)
    content = _attempt(lambda: _read_content(request.content), problems) if request.content is not None else None
    return _Sources(target, existing, content)


def _options(request: InstallRequest, sources: _Sources) -> InstallOptions:
    document = sources.document
    return InstallOptions(
        document={} if document is None else document.data,
        place=sources.place,
        complete=sources.target is not None and document is not None and request.install_method != HOSTED,
        capabilities=request.capabilities,
        solution=request.solution,
        solutions=request.solutions,
        method=request.install_method,
    )


def _told(
    installation: InstallCheck, request: InstallRequest, sources: _Sources, release: Release | None
) -> Iterator[Problem]:
    """Yield the problems of the installation, but for what nobody can tell: what was not read is said elsewhere."""
    unreadable = sources.document is None and (request.content is not None or sources.target is not None)
    for problem in installation.problems:
        of_release = release is None and problem.where == "openshift_version"
        of_document = unreadable and problem.where == f"{sources.place}: platform"
        if not of_release and not of_document:
            yield problem
    target = sources.target
    if target is not None and target.is_open_to_others and _is_only_checked(request):
        message = f"can be read by others (mode {target.mode:04o}), and holds secrets"
        yield Problem("warning", "todo", target.path, message, "chmod 600")


def _attempt(read: Callable[[], _Found], problems: Problems) -> _Found | None:
    """Return what ``read`` returns; where it raises, report its problems and return ``None``."""
    try:
        return read()
    except CapabilityError as error:
        problems += error.problems
        return None


def _existing(target: InstallConfigFile | None, problems: Problems) -> Document | None:
    # An empty file is one that waits for content.
    if target is None or target.data is None or not target.data.strip():
        return None
    data, path = target.data, target.path
    return _attempt(lambda: read_document(data, path), problems)


def _read_content(content: object) -> Document:
    if isinstance(content, str):
        # What was read with another encoding than UTF-8 holds surrogates: read_document says so.
        return read_document(content.encode(errors="surrogatepass"), "content")
    if not isinstance(content, Mapping):
        message = f"is {type_name(content)}, expected an install-config, as a dict or as its text"
        raise InvalidOptionError([Problem("error", "todo", "content", message, "Write it as in the examples")])
    # Ansible turns a text that looks like JSON into what it says; the installer wants the text.
    secret = content.get(_SECRET)
    if isinstance(secret, Mapping):
        content = {**content, _SECRET: json.dumps(secret, separators=(",", ":"))}
    return read_document(render_document(content).encode(), "content")


def _combinations(request: InstallRequest, target: InstallConfigFile | None) -> list[Problem]:
    if request.path is not None and request.install_method == HOSTED:
        message = "is given for a hosted cluster, which has no install-config"
        return [Problem("error", "todo", "path", message, "Leave it out, and take hosted_cluster_spec from the result")]
    found = []
    if target is not None and not (target.data or b"").strip() and request.content is None:
        found_there = "does not exist" if target.data is None else "is empty"
        message = f"{found_there}, and there is no content to make it from"
        hint = "Give content, or the path of an install-config to edit"
        found.append(Problem("error", "todo", target.path, message, hint))
    if request.compare_with is not None and request.release is None:
        message = "needs a release, because what a selection costs is in its manifests"
        found.append(Problem("error", "todo", "compare_with", message, "Give release instead of openshift_version"))
    return found


def _read_release(request: InstallRequest, problems: Problems) -> Release:
    if request.release is not None:
        loaded = load_release(
            request.release,
            openshift_version=request.openshift_version,
            cluster_profile=profile_of(request.install_method),
            release_image=PLACEHOLDER_IMAGE,
        )
        problems += loaded.problems
        return loaded.release
    if request.openshift_version is None:
        message = "is needed: which rules and capabilities there are depends on the version"
        raise InvalidOptionError([Problem("error", "todo", "openshift_version", message, "Set it, or release")])
    return release_of_version(minor_of(request.openshift_version))


def _compare(
    request: InstallRequest,
    options: InstallOptions,
    installation: InstallCheck,
    release: Release,
    problems: Problems,
) -> FootprintComparison | None:
    if request.compare_with is None or installation.facts is None:
        return None
    against = check_installation(
        options._replace(capabilities=request.compare_with, solution=None, solutions=None), release
    )
    # What the other selection breaks is not the question, only what it means.
    broken = {item.problem for item in against.violations if item.rule is not KNOWN_NAMES}
    wrong = [item for item in against.problems if item.where.startswith(_FIELD) and item not in broken]
    errors = [item for item in wrong if item.severity == "error"]
    problems += [item._replace(where=item.where.replace(_FIELD, "compare_with", 1)) for item in errors]
    if errors or against.facts is None:
        return None
    here, there = (included_manifests(release.manifests, facts) for facts in (installation.facts, against.facts))
    return _attempt(lambda: compare(release, here, there, problems), problems)


def _is_only_checked(request: InstallRequest) -> bool:
    return request.content is None and request.capabilities is None and request.solution is None


def _text(
    request: InstallRequest, existing: Document | None, content: Document | None, installation: InstallCheck
) -> str | None:
    """Return what belongs into the file: what is there, edited, unless the content says something else."""
    if _is_only_checked(request):
        return None
    chosen = installation.chosen.selection if installation.chosen is not None else None
    block = None if chosen is None else block_of(chosen)
    if existing is not None and (content is None or _is_alike(existing, content, block is not None)):
        return existing.text if block is None else edit_capabilities(existing, block, request.path or "")
    if content is None:
        return None
    if isinstance(request.content, str):
        return content.text if block is None else edit_capabilities(content, block, "content")
    return render_document(content.data if block is None else {**content.data, _FIELD: block})


def _is_alike(existing: Document, content: Document, selected: bool) -> bool:
    """Tell whether two install-configs say the same, beside the block that is going to be edited."""
    without = (_FIELD,) if selected else ()
    return same_values(_meaning(existing, without), _meaning(content, without))


def _meaning(document: Document, without: tuple[str, ...]) -> dict[str, Any]:
    """Return what an install-config says; blanks in the JSON of its pull secret say nothing."""
    said = {field: value for field, value in document.data.items() if field not in without}
    secret = said.get(_SECRET)
    if isinstance(secret, str):
        said[_SECRET] = parse_json_object(secret.encode(errors="replace")) or secret
    return said
