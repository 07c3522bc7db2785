# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option with a version: what it accepts, and how it reports anything else."""

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.release import (
    ImageStream,
    ImageStreamTag,
    parse_image_stream,
    read_minor,
)


@pytest.mark.parametrize("value", ["4.20", "4.20.3", "4.20.0-rc.1"])
def test_a_version_has_a_minor(value):
    problems = Problems()

    assert read_minor(value, "here", problems) == Minor(4, 20)
    assert problems == []


@pytest.mark.parametrize(
    "value",
    ["", "4", "v4.20", "4.020", "4.20.", "4.20.x", "4.20.3-", " 4.20", "4.20\n", "\u0664.20", None, True, [], {}],
)
def test_other_values_are_reported_with_the_format(value):
    problems = Problems()

    assert read_minor(value, "here", problems) is None
    (problem,) = problems
    assert (problem.severity, problem.code, str(problem.where)) == ("error", "invalid-version", "here")
    assert problem.message.startswith(f"{value!r} is not")
    assert "4.20.3" in problem.hint


@pytest.mark.parametrize("value", [4.2, 4, 5.1])
def test_a_number_has_to_be_quoted(value):
    problems = Problems()
    read_minor(value, "openshift_version", problems)

    assert problems[0].message.startswith(f"{value!r} is a number")
    assert problems[0].hint == "Quote it, because YAML reads 4.20 without quotes as the number 4.2"


def tag(name: Any, spec: Any, **annotations: str) -> dict[str, Any]:
    names = {"commit": "io.openshift.build.commit.id", "source": "io.openshift.build.source-location"}
    shown = {names[key]: value for key, value in annotations.items()}
    return {"name": name, "from": {"kind": "DockerImage", "name": spec}, "annotations": shown}


def test_tags_are_sorted_and_have_their_commit_and_source() -> None:
    tags = [
        tag("b", "r/b@x", commit="1", source="https://git.example/b"),
        tag("a", "r/a@y"),
        tag("", "r/c"),
        tag("d", ""),
    ]
    stream = {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"tags": [*tags, "text"]}}
    expected = ImageStreamTag("a", "r/a@y"), ImageStreamTag("b", "r/b@x", "1", "https://git.example/b")
    assert parse_image_stream(stream) == ImageStream("2026-01-01T00:00:00Z", expected)


@pytest.mark.parametrize("stream", [{}, {"metadata": None, "spec": {"tags": None}}, {"spec": {"tags": [tag(1, 2)]}}])
def test_a_stream_without_tags_is_empty(stream: dict[str, Any]) -> None:
    assert parse_image_stream(stream) == ImageStream()
