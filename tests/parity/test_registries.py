# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An image is read from where CRI-O, podman and skopeo read it, in the same order.

The Go program in ``go/images`` writes ``facts/registries.json``. It has random registries.conf files with drop-ins, and
for each image the repositories that the client of the library tries. ``+`` marks those that it would also contact
without TLS, and null a configuration or a location with which it reads no image. To make it again:

    cd tests/parity/go/images
    go run -tags containers_image_openpgp . ../../facts
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.mirrors import (
    RegistryRule,
    is_insecure,
    merge_rules,
    pull_sources,
)
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import (
    PullSpec,
    parse_pull_spec,
    registry_of,
)
from ansible_collections.capability.openshift.plugins.module_utils._registry.registries_conf import read_registries_conf
from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS

GOLDEN = json.loads((FACTS / "registries.json").read_bytes())


class Answer(NamedTuple):
    """The names of sources, ``None`` for an error with its code."""

    sources: tuple[str, ...] | None
    code: str = ""


def read(folder: Path, files: Mapping[str, str]) -> tuple[tuple[RegistryRule, ...], Problems]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    problems = Problems()
    return merge_rules(read_registries_conf(str(folder), {}, problems)), problems


def find(rules: tuple[RegistryRule, ...], spec: PullSpec, problems: Problems) -> Answer:
    if problems.has_errors:
        return Answer(None, problems[0].code)
    try:
        return Answer(pull_sources(spec.name, rules, by_digest=spec.digest is not None))
    except RegistryError as error:
        code = error.problems[0].code
        return Answer(() if code == "blocked-registry" else None, code)


def purpose(files: Mapping[str, str], answer: Answer, expected: tuple[str, ...] | None) -> str:
    """Why an answer differs from the expected one on purpose; empty if it should not."""
    if expected is None:
        has_them = any("short-name-mode" in text or "unqualified-search" in text for text in files.values())
        return "wrong settings of short names have no effect here" if has_them else ""
    if answer.code == "unsupported-format":
        return "version 1 of the format is an error"
    if answer.code in ("invalid-location", "invalid-prefix"):
        return "a wrong location is always an error, and the library notices it when it reads an image from there"
    is_shorter = answer.sources is not None and answer.sources == expected[:-1]
    if is_shorter and any("blocked = true" in text for text in files.values()):
        return "a blocked prefix is not contacted, and the library contacts its location if that has another name"
    return ""


def test_images_are_read_from_the_same_places(tmp_path: Path) -> None:
    specs = [parse_pull_spec(image, "image", Problems()) for image in GOLDEN["images"]]
    wrong: list[tuple[object, ...]] = []
    reasons: Counter[str] = Counter()
    for number, (files, answers) in enumerate(GOLDEN["cases"]):
        rules, problems = read(tmp_path / str(number), files)
        for spec, at in zip(specs, answers, strict=True):
            assert spec
            tried = GOLDEN["answers"][at]
            expected = None if tried is None else tuple(dict.fromkeys(name.lstrip("+") for name in tried))
            answer = find(rules, spec, problems)
            if answer.sources != expected:
                reason = purpose(files, answer, expected)
                reasons[reason] += 1
                if not reason:
                    wrong.append((files, str(spec), answer, tried))
            elif insecure := [name for name in tried or () if name.startswith("+")]:
                wrong += [(files, name) for name in insecure if not is_insecure(registry_of(name[1:]), rules)]
    assert wrong == []
    assert len(reasons) == 4
    assert reasons.total() < 300
    assert len(GOLDEN["cases"]) * len(GOLDEN["images"]) == 5500
