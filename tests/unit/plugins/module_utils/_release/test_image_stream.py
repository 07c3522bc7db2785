# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The images that image-references names."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._release.release import (
    ImageStream,
    ImageStreamTag,
    parse_image_stream,
)


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
