# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which manifests of a release are cluster-scoped, so that the API ignores their namespaces."""

from __future__ import annotations

import json
from time import time

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release import index
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.tests.unit.builders.releases import DELETE, manifest, write_release

RBAC, SECURITY, CRDS = "rbac.authorization.k8s.io/v1", "security.openshift.io/v1", "apiextensions.k8s.io/v1"


def definition(kind: str, group: str, scope: str) -> str:
    spec = {"group": group, "scope": scope, "names": {"kind": kind, "plural": f"{kind.lower()}s"}}
    name, more = f"{kind.lower()}s.{group}", f"spec: {json.dumps(spec)}\n"
    return manifest(name, kind="CustomResourceDefinition", api=CRDS, more=more)


FILES = {
    "a.yaml": manifest("role", kind="ClusterRole", api=RBAC, namespace="one"),
    "b.yaml": manifest("role", kind="Role", api=RBAC, namespace="one"),
    "c.yaml": manifest("client", kind="OAuthClient", api="oauth.openshift.io/v1", namespace="one"),
    "d.yaml": manifest("rule", kind="Rule", api="example.com/v1", namespace="one"),
    "e.yaml": manifest("thing", kind="Thing", api="example.com/v1", namespace="one"),
    # The kind has the name of one of Kubernetes.
    "f.yaml": manifest("node", kind="Node", api="example.com/v1", namespace="one"),
    # The definition is in a later file than its resource.
    "g.yaml": definition("Rule", "example.com", "Cluster"),
    "h.yaml": definition("Thing", "example.com", "Namespaced"),
    # A deletion needs no spec.
    "i.yaml": manifest("gone.example.com", kind="CustomResourceDefinition", api=CRDS, annotations={DELETE: "true"}),
}


def test_the_api_ignores_the_namespace_of_a_cluster_scoped_kind(tmp_path, monkeypatch):
    later = time() + 60
    monkeypatch.setattr(index, "time", lambda: later)
    path = write_release(tmp_path / "release", FILES)

    for _read in ("from the files", "from the index"):
        release = load_release(str(path), Problems(), index_directory=str(tmp_path / "cache"))
        assert {item.resource_id.namespace for item in release.manifests[:6]} == {"one"}
        found = {item.resource_id.kind: item.object_id.namespace for item in release.manifests[:6]}
        assert found == {"ClusterRole": "", "Role": "one", "OAuthClient": "", "Rule": "", "Thing": "one", "Node": "one"}
    assert list((tmp_path / "cache").iterdir())
