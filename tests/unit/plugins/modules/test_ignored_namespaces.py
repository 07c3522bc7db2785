# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""An object of a cluster-scoped kind stays the same if only the namespace changes that the API ignores, as in 5.0."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_info, release_lint, update_plan
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files, write_release

RBAC = "rbac.authorization.k8s.io/v1"
SPEC = {"group": "example.com", "scope": "Cluster", "names": {"kind": "Rule", "plural": "rules"}}
NONE = {"baselineCapabilitySet": "None"}


def files(namespace: str, capability: str = "") -> dict[str, str | bytes]:
    rule = "rules: [{apiGroups: [''], resources: [secrets], verbs: ['*']}]\n"
    subject = "subjects: [{kind: ServiceAccount, namespace: inside, name: a}]\n"
    reference = f"roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}}\n{subject}"
    return {
        "a.yaml": manifest(
            "rules.example.com",
            kind="CustomResourceDefinition",
            api="apiextensions.k8s.io/v1",
            more=f"spec: {json.dumps(SPEC)}\n",
        ),
        "b.yaml": manifest("inside", kind="Namespace"),
        "c.yaml": manifest("reader", capability, kind="ClusterRole", api=RBAC, namespace=namespace, more=rule),
        "d.yaml": manifest("reader", kind="ClusterRoleBinding", api=RBAC, namespace=namespace, more=reference),
        "e.yaml": manifest("strict", kind="Rule", api="example.com/v1", namespace=namespace),
        "f.yaml": manifest("real", namespace="inside"),
    }


@pytest.fixture
def pair(tmp_path):
    """Two releases, of which the second one drops the ignored namespaces."""
    old = write_release(tmp_path / "old", files("inside"), "4.20.3")
    return old, write_release(tmp_path / "new", files(""), "4.21.0")


def test_lint_reports_no_leftover(call, pair):
    old, new = pair
    rules = {item["rule"] for item in call(release_lint, release=new, previous_release=old)["findings"]}
    assert "left-behind" not in rules


def test_the_directory_of_an_operator_need_not_define_the_kind(call, pair, tmp_path):
    write_files(tmp_path / "manifests", {"e.yaml": files("inside")["e.yaml"]})
    (row,) = call(release_lint, checkout=tmp_path, openshift_version="4.21", previous_release=pair[0])["resources"]
    assert row["in_release"] == []


def test_a_plan_neither_adds_nor_removes_it(call, pair):
    (hop,) = call(update_plan, releases=list(map(str, pair)))["hops"]
    assert (hop["added"], hop["removed"]) == ([], [])


def test_a_comparison_of_releases_contains_it_as_changed(call, pair):
    old, new = pair
    changes = call(release_info, release=new, previous_release=old)["changes"]["manifests"]
    assert changes.pop("before") == changes.pop("after")
    names: dict[str, Any] = {change: [item["kind"] for item in items] for change, items in changes.items()}
    # The text of the manifests differs, the objects do not.
    changed = ["ClusterRole", "ClusterRoleBinding", "Rule"]
    assert names == {"added": [], "removed": [], "deleted": [], "changed": changed}


def test_a_capability_that_it_gains_is_enabled_by_no_cvo(call, tmp_path):
    """The CVO compares namespaces too, so it finds no earlier manifest."""
    old = write_release(tmp_path / "old", files("inside"), "4.20.3")
    moved, kept = (write_release(tmp_path / name, files(name, "Console"), "4.21.0") for name in ("moved", "inside"))

    for new, rules, names in ((moved, set(), []), (kept, {"gains-capability"}, ["Console"])):
        found = {item["rule"] for item in call(release_lint, release=new, previous_release=old)["findings"]}
        assert found & {"gains-capability", "left-behind"} == rules
        (hop,) = call(update_plan, releases=[str(old), str(new)], capabilities=NONE)["hops"]
        assert [item["name"] for item in hop["implicitly_enabled"]] == names


def test_an_ignored_namespace_need_not_exist(call, tmp_path):
    """Neither does a binding in it lack the role that needs no capability."""
    contents = files("console", "Console")
    contents["b.yaml"] = manifest("console", "Console", kind="Namespace")
    del contents["f.yaml"], contents["c.yaml"]
    release = write_release(tmp_path, contents, "4.20.3")
    findings = call(release_lint, release=release)["findings"]
    assert not [item for item in findings if item["rule"].startswith("dangling-")]


def test_a_binding_without_a_role_in_an_ignored_namespace(call, tmp_path):
    release = write_release(tmp_path, files("inside", "Console"), "4.20.3")
    findings = call(release_lint, release=release)["findings"]
    assert "dangling-role" in {item["rule"] for item in findings}


@pytest.mark.parametrize("rule", ["manifest", "presence"])
def test_a_resource_of_the_cluster_is_found(call, pair, tmp_path, rule):
    """A cluster lists it without a namespace."""
    new = write_release(tmp_path / "excluding", files("inside", "Console"), "4.21.1")
    role = {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": "reader"}}
    (hop,) = call(update_plan, releases=[str(pair[1]), str(new)], capabilities=NONE, live_resources=[role], rule=rule)[
        "hops"
    ]
    enabled = [item["name"] for item in hop["implicitly_enabled"]]
    assert enabled == (["Console"] if rule == "presence" else [])
