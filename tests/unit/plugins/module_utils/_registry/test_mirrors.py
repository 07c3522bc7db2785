# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mirrors: the order of sources, and what mirror sets and install-configs say about them."""

from __future__ import annotations

import json
import os
from typing import Literal

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.mirror_files import read_mirrors
from ansible_collections.capability.openshift.plugins.module_utils._registry.mirrors import (
    MirrorSource,
    RegistryRule,
    merge_sources,
    pull_sources,
)

OCP = "quay.io/openshift-release-dev/ocp-release"


def entry(
    source: str, *mirrors: str, named_by: Literal["digest", "tag"] = "digest", never: bool = False
) -> MirrorSource:
    return MirrorSource(source, mirrors, named_by, never=never, where=f"entry of {source}")


def sources(name: str, *entries: MirrorSource, by_digest: bool = True) -> list[str]:
    """The sources; none if the registry is blocked."""
    return read_from(name, merge_sources(entries), by_digest=by_digest)


def read_from(name: str, rules: tuple[RegistryRule, ...], *, by_digest: bool = True) -> list[str]:
    found: list[str] = []
    with Problems().collect(RegistryError):
        found += pull_sources(name, rules, by_digest=by_digest)
    return found


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], [OCP]),
        ([entry("quay.io", "m.lan")], ["m.lan/openshift-release-dev/ocp-release", OCP]),
        ([entry("quay.io", "m.lan"), entry("quay.io/openshift-release-dev", "n.lan/x")], ["n.lan/x/ocp-release", OCP]),
        ([entry(OCP, "n.lan/x/release", "m.lan/y"), entry("quay.io", "m.lan")], ["n.lan/x/release", "m.lan/y", OCP]),
        ([entry("quay.io/openshift", "m.lan")], [OCP]),
        ([entry("quay.io/openshift-release-dev/ocp", "m.lan")], [OCP]),
        ([entry("quay", "m.lan")], [OCP]),
        ([entry("*.io", "m.lan/x")], ["m.lan/x/openshift-release-dev/ocp-release", OCP]),
        ([entry("*.io", "m.lan/x"), entry("quay.io", "n.lan")], ["n.lan/openshift-release-dev/ocp-release", OCP]),
        ([entry("*.quay.io", "m.lan/x")], [OCP]),
        ([entry(OCP, "m.lan/x", never=True)], ["m.lan/x"]),
        ([entry(OCP, "m.lan/x"), entry("m.lan", "n.lan", never=True)], [OCP]),
        ([entry(OCP, "m.lan/x"), entry("m.lan", "n.lan", never=True), entry("m.lan/x", "n.lan")], ["m.lan/x", OCP]),
        ([entry(OCP, "m.lan/x"), entry("quay.io", "n.lan", never=True)], ["m.lan/x", OCP]),
        ([entry(OCP, "m.lan/x"), entry(OCP, "n.lan/x", never=True)], ["m.lan/x", "n.lan/x"]),
    ],
)
def test_the_longest_source_counts_and_mirrors_come_first(entries, expected):
    assert sources(OCP, *entries) == expected


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        (["b", "a"], "abS"),
        (["bc", "ab"], "abcS"),
        (["ba", "ca"], "bcaS"),
        (["ab", "ba"], "abS"),
        (["b", "Sa"], "bSa"),
        (["aS", "b"], "abS"),
        (["aab"], "abS"),
        (["cb", "a"], "acbS"),
    ],
)
def test_the_mirrors_of_all_sets_are_in_one_order(lists, expected):
    """The order of each list is kept, and what has no order is sorted by name. S is the source."""
    location = {"a": "a.lan/x", "b": "b.lan/x", "c": "c.lan/x", "S": OCP}
    entries = [entry(OCP, *(location[letter] for letter in letters)) for letters in lists]
    for given in (entries, entries[::-1]):
        assert sources(OCP, *given) == [location[letter] for letter in expected]


def test_an_entry_without_a_mirror_has_no_effect_nor_has_its_policy():
    """Nodes ignore it (E2): images come from the mirrors of a shorter source, or from the source itself."""
    parent = entry("quay.io", "m.lan")
    for given in ((), (OCP,)):
        assert sources(OCP, entry(OCP, *given), parent) == sources(OCP, parent)
        assert sources(OCP, entry(OCP, *given, never=True)) == [OCP]


def test_a_rule_without_a_port_holds_for_every_port():
    assert sources("quay.io/x", entry("quay.io:8443", "m.lan")) == ["quay.io/x"]
    assert sources("quay.io:8443/x", entry("quay.io", "m.lan")) == ["m.lan:8443/x", "quay.io:8443/x"]
    assert sources("quay.io:8443/x", entry("*.io", "m.lan")) == ["m.lan:8443/x", "quay.io:8443/x"]


@pytest.mark.parametrize(("by_digest", "expected"), [(True, ["digest.lan/x", OCP]), (False, ["tag.lan/x", OCP])])
def test_mirrors_for_digests_and_for_tags(by_digest, expected):
    entries = entry(OCP, "digest.lan/x"), entry(OCP, "tag.lan/x", named_by="tag")
    assert sources(OCP, *entries, by_digest=by_digest) == expected


def test_a_blocked_source_names_its_entry():
    with pytest.raises(RegistryError) as error:
        pull_sources(OCP, merge_sources([entry(OCP, "m.lan/x", never=True)]), by_digest=False)
    assert str(error.value) == (
        f"{OCP}: must not be contacted (entry of {OCP}), and has no mirror for images that are named by tag. "
        f"Name the image by its digest, or add a mirror of {OCP}"
    )


def idms(*entries, kind="ImageDigestMirrorSet", field="imageDigestMirrors", api="config.openshift.io/v1"):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "ocp"}, "spec": {field: list(entries)}}


def itms(*entries):
    return idms(*entries, kind="ImageTagMirrorSet", field="imageTagMirrors")


def icsp(*entries):
    api = "operator.openshift.io/v1alpha1"
    return idms(*entries, kind="ImageContentSourcePolicy", field="repositoryDigestMirrors", api=api)


ENTRY = {"source": OCP, "mirrors": ["m.example:8443/ocp/release", "n.example/release"]}
NEVER = {**ENTRY, "mirrorSourcePolicy": "NeverContactSource"}


def read(*values):
    problems = Problems()
    rules = read_mirrors(values, problems)
    return rules, [(problem.code, str(problem.where)) for problem in problems]


@pytest.mark.parametrize(
    ("value", "by_digest", "by_tag"),
    [
        (idms(ENTRY), [*ENTRY["mirrors"], OCP], [OCP]),
        (icsp(ENTRY), [*ENTRY["mirrors"], OCP], [OCP]),
        (itms(ENTRY), [OCP], [*ENTRY["mirrors"], OCP]),
        ({"kind": "List", "items": [idms(ENTRY), itms(ENTRY)]}, [*ENTRY["mirrors"], OCP], [*ENTRY["mirrors"], OCP]),
        ({"kind": "ImageDigestMirrorSetList", "items": [idms(NEVER)]}, ENTRY["mirrors"], []),
        (idms(NEVER), ENTRY["mirrors"], []),
        (idms({**ENTRY, "mirrorSourcePolicy": "AllowContactingSource"}), [*ENTRY["mirrors"], OCP], [OCP]),
        ({"imageDigestSources": [ENTRY], "pullSecret": "x"}, [*ENTRY["mirrors"], OCP], [OCP]),
        ({"imageDigestSources": [{**ENTRY, "sourcePolicy": "NeverContactSource"}]}, ENTRY["mirrors"], []),
        ({"imageContentSources": [ENTRY]}, [*ENTRY["mirrors"], OCP], [OCP]),
        ({"kind": "InstallConfig", "imageDigestSources": [ENTRY]}, [*ENTRY["mirrors"], OCP], [OCP]),
        ({"imageDigestSources": [ENTRY], "imageContentSources": None}, [*ENTRY["mirrors"], OCP], [OCP]),
        (idms({"source": OCP, "mirrorSourcePolicy": "NeverContactSource"}), [OCP], [OCP]),
    ],
)
def test_mirror_sets_and_install_configs(value, by_digest, by_tag):
    rules, problems = read(value)
    assert problems == []
    assert read_from(OCP, rules) == by_digest
    assert read_from(OCP, rules, by_digest=False) == by_tag


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, ("not-a-map", "mirrors[0]")),
        ({"kind": "CatalogSource"}, ("no-mirrors", "mirrors")),
        ({"platform": {}}, ("no-mirrors", "mirrors")),
        ({**idms(ENTRY), "apiVersion": "v1"}, ("no-mirrors", "mirrors")),
        (idms(), ("no-mirrors", "mirrors")),
        ({"kind": "List", "items": [1]}, ("not-a-map", "mirrors[0], items[0]")),
        (idms(3), ("not-a-map", "mirrors[0], ImageDigestMirrorSet ocp, spec.imageDigestMirrors[0]")),
        (
            {**idms(), "spec": {"imageDigestMirrors": {}}},
            ("not-a-list", "mirrors[0], ImageDigestMirrorSet ocp, spec.imageDigestMirrors"),
        ),
        (
            idms({**ENTRY, "source": "https://quay.io"}),
            ("invalid-source", "mirrors[0], ImageDigestMirrorSet ocp, spec.imageDigestMirrors[0].source"),
        ),
        (
            idms({**ENTRY, "mirrors": "m"}),
            ("not-a-list", "mirrors[0], ImageDigestMirrorSet ocp, spec.imageDigestMirrors[0].mirrors"),
        ),
        (
            idms({**ENTRY, "mirrors": ["m", f"{OCP}@sha256:0"]}),
            ("invalid-mirror", "mirrors[0], ImageDigestMirrorSet ocp, spec.imageDigestMirrors[0].mirrors[1]"),
        ),
        (
            idms({**ENTRY, "mirrorSourcePolicy": "Never"}),
            (
                "invalid-source-policy",
                "mirrors[0], ImageDigestMirrorSet ocp, spec.imageDigestMirrors[0].mirrorSourcePolicy",
            ),
        ),
        (
            idms({**NEVER, "mirrors": [OCP]}),
            (
                "invalid-source-policy",
                "mirrors[0], ImageDigestMirrorSet ocp, spec.imageDigestMirrors[0].mirrorSourcePolicy",
            ),
        ),
        ({"imageDigestSources": [ENTRY], "imageContentSources": [ENTRY]}, ("conflicting-mirrors", "mirrors[0]")),
        ("/no/such/file.yaml", ("unreadable-file", "mirrors[0] (/no/such/file.yaml)")),
        ("", ("invalid-path", "mirrors[0]")),
    ],
)
def test_mirrors_that_are_not_valid(value, expected):
    _rules, problems = read(value)
    assert problems == [expected]


def test_two_policies_for_one_source():
    problems = Problems()
    read_mirrors([idms(ENTRY), itms(NEVER)], problems)
    assert [problem.code for problem in problems] == ["conflicting-source-policy"]
    assert [str(problem) for problem in problems] == [
        f"source {OCP}: has NeverContactSource in mirrors[1], ImageTagMirrorSet ocp, spec.imageTagMirrors[0] and "
        "AllowContactingSource in mirrors[0], ImageDigestMirrorSet ocp, spec.imageDigestMirrors[0], expected the same "
        "policy. Set one policy for the source"
    ]


def test_files_of_oc_mirror(tmp_path):
    """Its cluster-resources have other objects too, and several documents in a file."""
    (tmp_path / "cs-redhat.yaml").write_text(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\n", "utf-8"
    )
    (tmp_path / "idms-oc-mirror.yaml").write_text(
        f"---\n# first\n{json.dumps(idms())}\n---\n{json.dumps(idms(ENTRY))}\n---\n", "utf-8"
    )
    (tmp_path / "notes.txt").write_text("no YAML: [", "utf-8")
    os.mkfifo(tmp_path / "pipe.yaml")

    rules, problems = read(str(tmp_path))

    assert problems == []
    assert read_from(OCP, rules) == [*ENTRY["mirrors"], OCP]
    assert rules[0].where == f"{tmp_path}/idms-oc-mirror.yaml, document 2, ImageDigestMirrorSet ocp, " + (
        "spec.imageDigestMirrors[0]"
    )


@pytest.mark.parametrize("text", ["a: [", "a: &a [*a]\nb: *c\n", "\t- x: ["])
def test_a_file_that_is_not_yaml(tmp_path, text):
    path = tmp_path / "idms.yaml"
    path.write_text(text, "utf-8")
    assert read(str(path)) == ((), [("invalid-yaml", f"mirrors[0] ({path})")])


@pytest.mark.parametrize("path", ["~/idms.yaml", "$HOME/idms.yaml"])
def test_a_path_is_that_of_a_shell(tmp_path, monkeypatch, path):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "idms.yaml").write_text(json.dumps(idms(ENTRY)), "utf-8")
    assert len(read(path)[0]) == 1


def test_a_file_without_mirrors(tmp_path):
    path = tmp_path / "empty.yaml"
    path.write_text("", "utf-8")
    assert read(str(path)) == ((), [("no-mirrors", "mirrors")])
    none = {"kind": "List", "items": []}  # a cluster can have sets of only one kind
    assert read(none, str(path), idms(ENTRY))[1] == []
