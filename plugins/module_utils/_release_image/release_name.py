# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the option ``release`` can name: a directory, or an image in a registry or in an archive."""

from __future__ import annotations

import os
import re
from typing import Literal, NamedTuple, cast

from .._files.files import absolute
from .._problems import Problems, shown
from .._registry.pull_spec import PullSpec, is_digest, parse_pull_spec

Kind = Literal["directory", "registry", "oci-archive", "oc-mirror"]
_TRANSPORT = re.compile(r"(oci-archive|oc-mirror):(.*)", re.DOTALL)
_PORT = re.compile(r"[^:]:[0-9]+$")
_TAG = re.compile(r"[^:/]:[\w][\w.-]*$|@")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+[\w.+-]*")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://")


class ReleaseName(NamedTuple):
    """The name of a release. ``text`` is as given.

    An image in a registry has a ``spec``. All others have a ``path``, and archives a ``reference``: the name or digest
    of an image, empty for the only one.
    """

    kind: Kind
    text: str
    path: str = ""
    reference: str = ""
    spec: PullSpec | None = None

    @property
    def digest(self) -> str:
        """The digest that the name contains, empty if it has none."""
        digest = self.spec.digest if self.spec else self.reference
        return digest if digest is not None and is_digest(digest) else ""


def is_directory_name(text: str) -> bool:
    """Whether ``text`` names a directory: one that exists, or a name that is not that of an image."""
    if os.path.isdir(os.path.expanduser(text)):
        return True
    return not (_TRANSPORT.fullmatch(text) or _URL.match(text) or _is_like_pull_spec(text))


def parse_release_name(text: str, where: str, problems: Problems) -> ReleaseName | None:
    """Parse the name of a release; reports problems and returns ``None`` for one that is not valid."""
    if is_directory_name(text):
        return ReleaseName("directory", text, os.path.expanduser(text))
    if _VERSION.fullmatch(text):
        hint = f"Add registry, repository and architecture: quay.io/openshift-release-dev/ocp-release:{text}-x86_64"
        problems.error("invalid-pull-spec", where, f"is {shown(text)}, expected a directory or a pull spec", hint)
        return None
    match = _TRANSPORT.fullmatch(text)
    if match is None:
        spec = parse_pull_spec(text, where, problems)
        return None if spec is None else ReleaseName("registry", text, spec=spec)
    kind, rest = cast("Kind", match[1]), match[2]
    path, mark, reference = rest.partition("@sha256:") if kind == "oc-mirror" else rest.partition(":")
    reference = f"sha256:{reference}" if kind == "oc-mirror" and mark else reference
    if not path:
        message = f"is {shown(text)}, expected a path after {kind}:"
        problems.error("invalid-path", where, message, f"Write {kind}:PATH")
        return None
    if kind == "oc-mirror" and mark and not is_digest(reference):
        message = f"has the digest {shown(reference)}, expected sha256: and 64 hexadecimal digits in lower case"
        problems.error("invalid-digest", where, message, "Copy the digest again")
        return None
    return ReleaseName(kind, text, os.path.abspath(os.path.expanduser(path)), reference)


def absolute_release_name(text: str) -> str:
    """Return the name with an absolute path; the names of images in registries are unchanged."""
    text = text.strip()
    path = absolute(text)
    if os.path.isdir(path) or is_directory_name(text):
        return path
    match = _TRANSPORT.fullmatch(text)
    if match is None or not match[2]:
        return text
    return f"{match[1]}:{absolute(match[2])}"


def _is_like_pull_spec(text: str) -> bool:
    """Whether a name that is no directory here is meant as a pull spec, which can lack its registry or its tag."""
    first, slash, _rest = text.partition("/")
    is_host = slash and (first == "localhost" or "." in first or _PORT.search(first))
    return not text.startswith((".", "~", "/")) and bool(is_host or _TAG.search(text) or _VERSION.fullmatch(text))
