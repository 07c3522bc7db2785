# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mirrors: the order of sources, and what mirror sets and install-configs say about them."""

from __future__ import annotations

import json

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.mirror_files import read_mirrors
from ansible_collections.capability.openshift.plugins.module_utils._registry.mirrors import (
    Mirror,
    RegistryRule,
    is_insecure,
    merge_rules,
    pull_sources,
)

OCP = "quay.io/openshift-release-dev/ocp-release"


def rule(prefix: str, *mirrors: str | Mirror, **fields) -> RegistryRule:
    made = tuple(Mirror(item) if isinstance(item, str) else item for item in mirrors)
    return RegistryRule(prefix, f"rule of {prefix}", mirrors=made, **fields)


def sources(name: str, *rules: RegistryRule, by_digest: bool = True) -> list[str]:
    """The sources; none if the registry is blocked."""
    found: list[str] = []
    with Problems().collect(RegistryError):
        found += pull_sources(name, merge_rules(rules), by_digest=by_digest)
    return found


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([], [OCP]),
        ([rule("quay.io", "m.lan")], ["m.lan/openshift-release-dev/ocp-release", OCP]),
        ([rule("quay.io", "m.lan"), rule("quay.io/openshift-release-dev", "n.lan/x")], ["n.lan/x/ocp-release", OCP]),
        ([rule(OCP, "n.lan/x/release", "m.lan/y"), rule("quay.io", "m.lan")], ["n.lan/x/release", "m.lan/y", OCP]),
        ([rule("quay.io/openshift", "m.lan")], [OCP]),
        ([rule("quay.io/openshift-release-dev/ocp", "m.lan")], [OCP]),
        ([rule("quay", "m.lan")], [OCP]),
        ([rule(OCP, "m.lan/x"), rule(OCP, "n.lan/x", "m.lan/x")], ["m.lan/x", "n.lan/x", OCP]),
        ([rule(OCP, OCP, "m.lan/x")], [OCP, "m.lan/x"]),
        ([rule("*.io", "m.lan/x")], ["m.lan/x/openshift-release-dev/ocp-release", OCP]),
        ([rule("*.io", "m.lan/x"), rule("quay.io", "n.lan")], ["n.lan/openshift-release-dev/ocp-release", OCP]),
        ([rule("*.quay.io", "m.lan/x")], [OCP]),
        ([rule(OCP, "m.lan/x", blocked=True)], ["m.lan/x"]),
        ([rule(OCP, blocked=True)], []),
        ([rule(OCP, "m.lan/x"), rule("m.lan", blocked=True)], [OCP]),
        ([rule(OCP, "m.lan/x"), rule("m.lan", blocked=True), rule("m.lan/x")], ["m.lan/x", OCP]),
        ([rule(OCP, "m.lan/x"), rule("quay.io", blocked=True)], ["m.lan/x", OCP]),
        ([rule(OCP, "m.lan/x"), rule(OCP, blocked=True)], ["m.lan/x"]),
        ([rule("quay.io", location="proxy.example/quay")], ["proxy.example/quay/openshift-release-dev/ocp-release"]),
        ([rule("quay.io", location="r.example"), rule("r.example", blocked=True)], []),
    ],
)
def test_the_longest_source_counts_and_mirrors_come_first(rules, expected):
    assert sources(OCP, *rules) == expected


def test_a_rule_without_a_port_holds_for_every_port():
    assert sources("quay.io/x", rule("quay.io:8443", "m.lan")) == ["quay.io/x"]
    assert sources("quay.io:8443/x", rule("quay.io", "m.lan")) == ["m.lan:8443/x", "quay.io:8443/x"]
    assert sources("quay.io:8443/x", rule("*.io", "m.lan")) == ["m.lan:8443/x", "quay.io:8443/x"]


@pytest.mark.parametrize(
    ("by_digest", "expected"), [(True, ["all.lan/x", "digest.lan/x", OCP]), (False, ["all.lan/x", "tag.lan/x", OCP])]
)
def test_mirrors_for_digests_and_for_tags(by_digest, expected):
    mirrors = Mirror("all.lan/x"), Mirror("digest.lan/x", pull="digest-only"), Mirror("tag.lan/x", pull="tag-only")
    assert sources(OCP, rule(OCP, *mirrors), by_digest=by_digest) == expected


def test_a_blocked_source_names_its_rule():
    rules = [rule(OCP, Mirror("m.lan/x", pull="digest-only"), blocked=True)]
    with pytest.raises(RegistryError) as error:
        pull_sources(OCP, rules, by_digest=False)
    assert str(error.value) == (
        f"{OCP}: must not be contacted (rule of {OCP}), and has no mirror for images that are named by tag. "
        f"Add a mirror of {OCP}"
    )


@pytest.mark.parametrize(
    ("registry", "insecure"),
    [
        ("m:5000", True),
        ("m", False),
        ("q.example", True),
        ("quay.io", False),
        ("x.w.example", True),
        ("w.example", False),
    ],
)
def test_a_registry_is_insecure_only_by_name(registry, insecure):
    rules = [
        rule("quay.io", Mirror("m:5000/path", insecure=True), Mirror("n")),
        rule("p.example", location="q.example", insecure=True),
        rule("*.w.example", insecure=True),
    ]
    assert is_insecure(registry, rules) is insecure


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
        (idms({"source": OCP, "mirrorSourcePolicy": "NeverContactSource"}), [], []),
    ],
)
def test_mirror_sets_and_install_configs(value, by_digest, by_tag):
    rules, problems = read(value)
    assert problems == []
    assert sources(OCP, *rules) == by_digest
    assert sources(OCP, *rules, by_digest=False) == by_tag


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, ("not-a-map", "mirrors[0]")),
        ({"kind": "CatalogSource"}, ("no-mirrors", "mirrors[0]")),
        ({"platform": {}}, ("no-mirrors", "mirrors[0]")),
        ({**idms(ENTRY), "apiVersion": "v1"}, ("no-mirrors", "mirrors[0]")),
        (idms(), ("no-mirrors", "mirrors[0]")),
        ({"kind": "List", "items": [1]}, ("not-a-map", "mirrors[0], items[0]")),
        (
            idms(3),
            ("not-a-map", "mirrors[0], ImageDigestMirrorSet ocp, spec.imageDigestMirrors[0]"),
        ),
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

    rules, problems = read(str(tmp_path))

    assert problems == []
    assert sources(OCP, *rules) == [*ENTRY["mirrors"], OCP]
    assert rules[0].where == f"{tmp_path}/idms-oc-mirror.yaml, document 2, ImageDigestMirrorSet ocp, " + (
        "spec.imageDigestMirrors[0]"
    )


@pytest.mark.parametrize("text", ["a: [", "a: &a [*a]\nb: *c\n", "\t- x: ["])
def test_a_file_that_is_not_yaml(tmp_path, text):
    path = tmp_path / "idms.yaml"
    path.write_text(text, "utf-8")
    assert read(str(path)) == ((), [("invalid-yaml", f"mirrors[0] ({path})")])


def test_a_file_without_mirrors(tmp_path):
    path = tmp_path / "empty.yaml"
    path.write_text("", "utf-8")
    assert read(str(path)) == ((), [("no-mirrors", f"mirrors[0] ({path})")])
