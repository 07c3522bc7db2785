# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The bodies of real releases are those that the libraries of the CVO read.

``facts/bodies.txt`` is printed by the Go program in ``go/``, which uses nothing of the collection. To make it again, or
to find the document behind a difference:

    cd tests/parity/go
    go run . "$CAPABILITY_RELEASES"/* > ../facts/bodies.txt
    go run . -documents "$CAPABILITY_RELEASES/4.18"
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS, digest
from ansible_collections.capability.openshift.tests.parity.support import (
    FACT_RELEASES,
    load,
    release_facts,
    release_folders,
)

ROWS = [line.split() for line in (FACTS / "bodies.txt").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("folder", release_folders())
def test_bodies_are_those_that_the_cvo_reads(folder: Path) -> None:
    names = [name for name in FACT_RELEASES if release_facts(name).digest == digest(folder)]
    expected = {component: (int(count), found) for name, component, count, found in ROWS if name in names}
    if not expected:
        pytest.skip(f"facts/bodies.txt does not have {folder.name}")
    lines: dict[str, list[str]] = {}
    loaded = load(folder)
    for name, file in loaded.files.items():
        bodies = (loaded.read_body(manifest) for manifest in file.manifests)
        lines.setdefault(component_of(name), []).extend(
            f"{name} {number} {sha256(canonical_json(body))}\n" for number, body in enumerate(bodies, 1)
        )
    assert {name: (len(found), sha256("".join(found))) for name, found in lines.items()} == expected


def component_of(file: str) -> str:
    name = file.rpartition("/")[2]
    found = re.match(r"\d{4}_\d\d_([^_.]+)", name)
    return found[1] if found else name


def canonical_json(value: object) -> str:
    """JSON as ``encoding/json`` of Go writes it, with sorted keys."""
    text = json.dumps(go_value(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def go_value(value: Any) -> Any:
    """``value`` with the numbers of JSON, which has no floats."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: go_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [go_value(item) for item in value]
    return value


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
