# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An image is read from where a node reads it, in the same order.

The Go program in ``go/images`` writes ``facts/mirror_sets.json``. It has random mirror sets with insecure registries,
of which the machine-config operator's own code makes a registries.conf, and the repositories that the client of CRI-O
then tries for each image. ``+`` marks those that it would also contact without TLS, and null mirror sets with which it
reads no image. To make it again:

    cd tests/parity/go/images
    go run -tags containers_image_openpgp . ../../facts
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.access_options import AccessOptions
from ansible_collections.capability.openshift.plugins.module_utils._registry.configured_access import configure_access
from ansible_collections.capability.openshift.plugins.module_utils._registry.mirror_files import read_mirrors
from ansible_collections.capability.openshift.plugins.module_utils._registry.mirrors import RegistryRule, pull_sources
from ansible_collections.capability.openshift.plugins.module_utils._registry.pull_spec import (
    PullSpec,
    parse_pull_spec,
    registry_of,
)
from ansible_collections.capability.openshift.tests.parity import make_facts

GOLDEN = make_facts.read("mirror_sets.json")
KINDS = {
    "IDMS": ("config.openshift.io/v1", "ImageDigestMirrorSet", "imageDigestMirrors"),
    "ITMS": ("config.openshift.io/v1", "ImageTagMirrorSet", "imageTagMirrors"),
    "ICSP": ("operator.openshift.io/v1alpha1", "ImageContentSourcePolicy", "repositoryDigestMirrors"),
}


class Answer(NamedTuple):
    """The names of sources, ``None`` for an error with its code."""

    sources: tuple[str, ...] | None
    code: str = ""


def mirror_set(kind: str, entries: list[Any]) -> dict[str, Any]:
    version, name, field = KINDS[kind]
    items = [
        {"source": source, "mirrors": mirrors} | ({"mirrorSourcePolicy": policy} if policy else {})
        for source, mirrors, policy in entries
    ]
    return {"apiVersion": version, "kind": name, "metadata": {"name": "set"}, "spec": {field: items}}


def find(rules: Sequence[RegistryRule], spec: PullSpec) -> Answer:
    try:
        return Answer(pull_sources(spec.name, rules, by_digest=spec.digest is not None))
    except RegistryError as error:
        code = error.problems[0].code
        return Answer(() if code == "blocked-registry" else None, code)


@cache
def insecure_by(names: tuple[str, ...]) -> Callable[[str], bool]:
    return configure_access(AccessOptions(insecure_registries=names), {"HOME": "/none"}, Problems()).http.is_insecure


def test_images_are_read_from_the_same_places() -> None:
    specs = [parse_pull_spec(image, "image", Problems()) for image in GOLDEN["images"]]
    wrong: list[tuple[object, ...]] = []
    for sets, _insecure, answers in GOLDEN["cases"]:
        problems = Problems()
        rules = read_mirrors([mirror_set(*item) for item in sets if item[1]], problems)
        assert problems == []
        for spec, at in zip(specs, answers, strict=True):
            assert spec
            tried = GOLDEN["answers"][at]
            expected = None if tried is None else tuple(dict.fromkeys(name.lstrip("+") for name in tried))
            answer = find(rules, spec)
            if answer.sources != expected:
                wrong.append((sets, str(spec), answer, tried))
    assert wrong == []
    assert len(GOLDEN["cases"]) * len(GOLDEN["images"]) == 5940


def test_only_what_a_node_contacts_without_tls_is_insecure() -> None:
    """Of a source without a port, a node does so for any port. Here, the name has to be the same."""
    for sets, insecure, answers in GOLDEN["cases"]:
        is_insecure = insecure_by(tuple(insecure))
        for name in {name for at in answers for name in GOLDEN["answers"][at] or ()}:
            registry = registry_of(name.lstrip("+"))
            is_any_port = name.startswith("+") and registry.partition(":")[0] in insecure
            assert is_insecure(registry) == name.startswith("+") or is_any_port, (sets, insecure, name)
