# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pull specs: the name of an image in a registry, as in ``ClusterVersion.spec.desiredUpdate.image``.

The grammar is that of distribution/reference:reference.go, without its short names: a pull spec of a release always
names its registry.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .._problems import Problems, shown

_LONGEST_NAME = 255
_PART = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = rf"(?:{_PART}(?:\.{_PART})*|\[[0-9a-fA-F:]+\])"
_REGISTRY = re.compile(rf"{_HOST}(?::[0-9]{{1,5}})?")
_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REPOSITORY = re.compile(rf"{_COMPONENT}(?:/{_COMPONENT})*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
DOCKER_HUB = "docker.io"
_HINT = "Set it to REGISTRY/REPOSITORY@sha256:DIGEST"


class PullSpec(NamedTuple):
    """The name of an image in a registry.

    ``registry`` is a host, with a port if the pull spec has one. If ``tag`` and ``digest`` are both set, the digest
    counts. At least one of them is set by ``parse_pull_spec``.
    """

    registry: str
    repository: str
    tag: str | None = None
    digest: str | None = None

    @property
    def name(self) -> str:
        """The pull spec without tag and digest, which mirrors and credentials are selected by."""
        return f"{self.registry}/{self.repository}"

    @property
    def reference(self) -> str:
        """What a request to a registry names: the digest, or else the tag."""
        return self.digest or self.tag or ""

    def with_digest(self, digest: str) -> PullSpec:
        """The same image by its ``digest``, without a tag: two names of one image would differ otherwise."""
        return self._replace(tag=None, digest=digest)

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.name}{tag}@{self.digest}" if self.digest else f"{self.name}{tag}"


def registry_of(name: str) -> str:
    """The host of a name, a namespace or a location, with its port if it has one."""
    return name.partition("/")[0]


def is_registry(text: str) -> bool:
    """Whether ``text`` is a host, with or without a port."""
    return _REGISTRY.fullmatch(text) is not None


def is_repository(name: str) -> bool:
    """Whether ``name`` is a registry and the path of a repository in it."""
    registry, _slash, repository = name.partition("/")
    is_valid = is_registry(registry) and _names_registry(registry) and _REPOSITORY.fullmatch(repository)
    return bool(is_valid) and len(name) <= _LONGEST_NAME


def is_digest(text: object) -> bool:
    """Whether ``text`` is ``sha256:`` and 64 hexadecimal digits in lower case."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def parse_pull_spec(text: str, where: str, problems: Problems) -> PullSpec | None:
    """Parse ``REGISTRY/REPOSITORY[:TAG][@DIGEST]``. Reports each part that is not valid, and then returns ``None``.

    ``where`` is the option or field for messages.
    """
    before = len(problems)
    name, at, digest = text.partition("@")
    registry, slash, path = name.partition("/")
    repository, colon, tag = path.partition(":")
    if "://" in text:
        scheme = f"{text.partition('://')[0]}://"
        message = f"begins with {shown(scheme)}, expected a pull spec without a scheme"
        hint = f"Remove {scheme}{', or download the file and name its path' if scheme.startswith('http') else ''}"
        problems.error("invalid-pull-spec", where, message, hint)
        return None
    if not slash or not is_registry(registry) or not _names_registry(registry):
        message = f"is {shown(text)}, expected a pull spec that begins with the host of a registry, such as quay.io/"
        problems.error("invalid-pull-spec", where, message, _HINT)
        return None
    if not is_repository(f"{registry}/{repository}"):
        message = f"names the repository {shown(repository)}, expected lower case letters, digits and . _ - /"
        problems.error("invalid-pull-spec", where, message, _HINT)
    if colon and not _TAG.fullmatch(tag):
        message = f"has the tag {shown(tag)}, expected up to 128 letters, digits and . _ -"
        problems.error("invalid-tag", where, message, "Correct the tag")
    if at and not is_digest(digest):
        message = f"has the digest {shown(digest)}, expected sha256: and 64 hexadecimal digits in lower case"
        problems.error("invalid-digest", where, message, "Copy the digest again")
    if not colon and not at:
        message = f"is {shown(text)}, which has neither a tag nor a digest"
        problems.error("missing-digest", where, message, "Add @sha256:DIGEST")
    if len(problems) > before:
        return None
    # As reference:normalize.go splitDockerDomain.
    registry = DOCKER_HUB if registry == "index.docker.io" else registry
    if registry == DOCKER_HUB and "/" not in repository:
        repository = f"library/{repository}"
    return PullSpec(registry, repository, tag or None, digest or None)


def _names_registry(first: str) -> bool:
    """Whether the first part of a name is a host, and not the first part of a path (reference:normalize.go)."""
    return first == "localhost" or "." in first or ":" in first or first != first.lower()
