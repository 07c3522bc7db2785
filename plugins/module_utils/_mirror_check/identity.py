# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of images, and whether the name in a sigstore signature is accepted for an image.

Source: containers/image:signature/policy_reference_match.go, containers/image:docker/reference
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .._problems import Problems

MATCH_DIGEST_OR_EXACT = "MatchRepoDigestOrExact"
MATCH_REPOSITORY = "MatchRepository"
EXACT_REPOSITORY = "ExactRepository"
REMAP_IDENTITY = "RemapIdentity"

_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_REFERENCE = re.compile(
    rf"(?P<name>(?:(?P<host>{_HOST})/)?{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?:@(?P<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?",
    re.ASCII,
)


class ImageName(NamedTuple):
    """The parts of a pull spec. ``repository`` includes the host; ``tag`` and ``digest`` are empty if not given."""

    repository: str
    tag: str
    digest: str

    def __str__(self) -> str:
        tag, digest = self.tag and f":{self.tag}", self.digest and f"@{self.digest}"
        return f"{self.repository}{tag}{digest}"


class SignedIdentity(NamedTuple):
    """``signedIdentity`` of an image policy. Its other fields are empty if ``match_policy`` does not use them."""

    match_policy: str = MATCH_DIGEST_OR_EXACT
    repository: str = ""
    prefix: str = ""
    signed_prefix: str = ""


def parse_image_name(text: str) -> ImageName | None:
    """Split a pull spec; ``None`` if it is not valid. A short name is one of docker.io, as for every client."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        return None
    host, name = match["host"] or "", match["name"]
    if not _is_host(host):
        name = f"docker.io/{name}" if "/" in name else f"docker.io/library/{name}"
    elif host == "docker.io" and name.count("/") == 1:
        name = name.replace("/", "/library/")
    return ImageName(name, match["tag"] or "", match["digest"] or "")


def _is_host(text: str) -> bool:
    return text == "localhost" or any(mark in text for mark in ".:") or text != text.lower()


def accepts_identity(where: str, image: ImageName, signed: str, rule: SignedIdentity, problems: Problems) -> bool:
    """Return whether a signature that names the image ``signed`` counts for ``image``."""
    name = parse_image_name(signed)
    if name is not None and _matches(image, name, rule):
        return True
    message = f"is a signature of {signed!r}, which {rule.match_policy} does not accept for {image}"
    hint = "Copy the signature of this image, and do not sign it under the name of the mirror"
    problems.error("sigstore-identity", where, message, hint)
    return False


def _matches(image: ImageName, signed: ImageName, rule: SignedIdentity) -> bool:
    if rule.match_policy == MATCH_REPOSITORY:
        return signed.repository == image.repository
    if rule.match_policy == EXACT_REPOSITORY:
        expected = parse_image_name(rule.repository)
        return expected is not None and signed.repository == expected.repository
    return _matches_digest_or_exact(_remap(image, rule) if rule.match_policy == REMAP_IDENTITY else image, signed)


def _remap(image: ImageName, rule: SignedIdentity) -> ImageName:
    if not rule.prefix or not f"{image.repository}/".startswith(f"{rule.prefix}/"):
        return image
    return image._replace(repository=rule.signed_prefix + image.repository.removeprefix(rule.prefix))


def _matches_digest_or_exact(image: ImageName, signed: ImageName) -> bool:
    if not signed.tag and not signed.digest:
        return False
    if image.tag:
        return signed == image
    return bool(image.digest) and signed.repository == image.repository
