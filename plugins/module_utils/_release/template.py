# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Renders the CVO's own manifests, which are Go templates. Supports only the actions that occur in them.

Source: openshift/cluster-version-operator:pkg/payload/render.go manifestRenderConfig; Go's text/template.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

UNSET_RELEASE_IMAGE = "<unset>"

_STRING = r'"(?:[^"\\\n]|\\.)*"|`[^`]*`'
_ACTION = re.compile(
    rf"\{{\{{(?P<left>-(?=[ \t\r\n]))?(?P<body>(?:{_STRING}|(?!\}}\}}|[\"`]).)*?)(?P<right>(?<=[ \t\r\n])-)?\}}\}}",
    re.DOTALL,
)
_IMAGE_FIELD = r"\.Images\.(\w+)"
_IMAGE_INDEX = rf"index\s+\.Images\s+({_STRING})"
_BLANKS = " \t\r\n"


class TemplateError(Exception):
    """A template has an action that is not supported. ``line`` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message, self.line = message, line


class TemplateValues(NamedTuple):
    """The values of ``.ReleaseImage``, ``.ClusterProfile`` and ``.Images`` (name to pull spec)."""

    release_image: str
    cluster_profile: str
    images: Mapping[str, str]


def render(template: str, values: TemplateValues) -> str:
    """Render ``template``. Raises ``TemplateError``."""
    pieces: list[str] = []
    end = 0
    trim = False
    for match in _ACTION.finditer(template):
        text = template[end : match.start()]
        text = text.lstrip(_BLANKS) if trim else text
        pieces.append(text.rstrip(_BLANKS) if match.group("left") else text)
        pieces.append(_evaluate(match.group("body").strip(), values, template, match.start()))
        end, trim = match.end(), match.group("right") is not None
    rest = template[end:].lstrip(_BLANKS) if trim else template[end:]
    if "{{" in rest:
        raise TemplateError("an action is not closed", _line(template, end + rest.index("{{")))
    return "".join(pieces) + rest


def _evaluate(body: str, values: TemplateValues, template: str, at: int) -> str:
    if body == ".ReleaseImage":
        return values.release_image
    if body == ".ClusterProfile":
        return values.cluster_profile
    if re.fullmatch(r"/\*.*\*/", body, re.DOTALL):
        return ""
    if re.fullmatch(_STRING, body):
        return _unquote(body)
    field_match, index_match = re.fullmatch(_IMAGE_FIELD, body), re.fullmatch(_IMAGE_INDEX, body)
    name = field_match.group(1) if field_match else _unquote(index_match.group(1)) if index_match else None
    if name is not None and name in values.images:
        return values.images[name]
    if name is not None:
        raise TemplateError(f"image {name} is not in image-references", _line(template, at))
    known = ".ReleaseImage, .ClusterProfile, .Images or a string literal"
    raise TemplateError(f"{{{{ {body} }}}} is not supported, expected {known}", _line(template, at))


def _unquote(literal: str) -> str:
    if literal.startswith("`"):
        return literal[1:-1]
    # Go's escapes beyond JSON's (\a \v \x \') do not occur in releases; the CVO's templates escape quotes only.
    try:
        return str(json.loads(literal))
    except ValueError:
        return literal[1:-1]


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
