# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._contents.contents import (
    RESOURCES,
    Contents,
    ContentsReader,
    contents_of,
)
from ansible_collections.capability.openshift.plugins.module_utils._contents.workloads import Requests
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems, ReleaseError
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    IMAGES,
    manifest,
    write_release,
)

RBAC = "rbac.authorization.k8s.io/v1"
ADMISSION = "admissionregistration.k8s.io/v1"
CLOUD = "cloudcredential.openshift.io/v1"


def of(**fields: Any) -> str:
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in fields.items())


def reader(name: str, capability: str = "", *, verb: str = "get", **options: Any) -> str:
    rules = [{"verbs": [verb], "apiGroups": [""], "resources": ["secrets"]}]
    return manifest(name, capability, kind="ClusterRole", api=RBAC, more=of(rules=rules), **options)


def binding(name: str, role: str, capability: str = "", *, namespace: str = "", **options: Any) -> str:
    reference = {"kind": "ClusterRole", "name": role}
    subject = {"kind": "ServiceAccount", "name": name, "namespace": "openshift-one"}
    kind = "RoleBinding" if namespace else "ClusterRoleBinding"
    more = of(roleRef=reference, subjects=[subject])
    return manifest(name, capability, kind=kind, api=RBAC, namespace=namespace, more=more, **options)


def workload(name: str, capability: str = "", kind: str = "Deployment", **pods: Any) -> str:
    spec = {"template": {"spec": {"containers": [], **pods}}}
    return manifest(name, capability, kind=kind, api="apps/v1", namespace="openshift-one", more=of(spec=spec))


def request(name: str, capability: str, **provider: Any) -> str:
    spec = {"providerSpec": provider}
    return manifest(
        name, capability, kind="CredentialsRequest", api=CLOUD, namespace="openshift-one", more=of(spec=spec)
    )


AWS = {"kind": "AWSProviderSpec", "statementEntries": [{"effect": "Allow", "action": ["s3:Get*"], "resource": "*"}]}


def applied(release: Release, *disabled: str) -> dict[ResourceId, Manifest]:
    kept = (item for item in release.manifests if not set(item.capabilities) & set(disabled) and not item.deletes)
    return {item.object_id: item for item in kept}


def read(release: Release, *disabled: str) -> Contents:
    problems = Problems()
    found = contents_of(ContentsReader(release, problems).read(applied(release, *disabled)))
    assert problems == []
    return found


@pytest.fixture
def expose(tmp_path: Path):
    """Return a function that returns what manifests bring, without those that need a disabled capability."""
    numbers = count()

    def run(*texts: str, disabled: Collection[str] = ()) -> Contents:
        folder = write_release(
            tmp_path / str(next(numbers)), {f"0000_{at:02}_x.yaml": text for at, text in enumerate(texts)}
        )
        return read(load_release(str(folder), Problems()), *disabled)

    return run


def test_accounts_are_those_of_bindings_and_service_accounts(expose):
    found = expose(
        reader("reader"),
        binding("bound", "reader", "Console"),
        binding("local", "reader", namespace="openshift-one"),
        manifest("alone", kind="ServiceAccount", namespace="openshift-two"),
        manifest(
            "all",
            kind="ClusterRoleBinding",
            api=RBAC,
            more=of(
                roleRef={"kind": "ClusterRole", "name": "cluster-admin"},
                subjects=[{"kind": "Group", "name": "system:serviceaccounts:openshift-two"}],
            ),
        ),
    )

    everything = {"Group system:serviceaccounts:openshift-two": (), "openshift-two/alone": ()}
    assert found.accounts["do_everything"] == everything
    assert found.accounts["read_secrets"] == {**everything, "openshift-one/bound": ("Console",)}
    assert found.unknown_roles == frozenset()


def test_what_a_disabled_capability_excludes_grants_nothing(expose):
    texts = reader("reader", "Storage"), binding("bound", "reader", "Console")

    assert expose(*texts).accounts["read_secrets"] == {"openshift-one/bound": ("Console", "Storage")}
    assert expose(*texts, disabled=["Console"]).accounts["read_secrets"] == {}
    without_role = expose(*texts, disabled=["Storage"])
    assert (without_role.accounts["read_secrets"], without_role.unknown_roles) == ({}, {"reader"})


def test_the_later_of_two_manifests_counts_and_one_that_deletes_does_not(expose):
    deleted = {DELETE: "true"}
    bound = binding("bound", "reader")

    assert expose(reader("reader"), reader("reader", verb="update"), bound).accounts["read_secrets"] == {}
    assert expose(reader("reader"), binding("bound", "reader", annotations=deleted)).accounts["read_secrets"] == {}
    assert expose(manifest("gone", kind="Namespace", annotations=deleted)).resources["namespaces"] == {}


def test_resources_are_named_with_their_capabilities(expose):
    found = expose(
        manifest("openshift-one", kind="Namespace"),
        manifest("one", kind="Namespace", api="example.org/v1"),
        manifest("metrics", "Console+Build", kind="Service", namespace="openshift-one"),
        # The API ignores its namespace.
        manifest("checks", kind="ValidatingWebhookConfiguration", api=ADMISSION, namespace="openshift-one"),
        manifest("changes", kind="MutatingWebhookConfiguration", api=ADMISSION),
        manifest("links.example.org", "Console", kind="CustomResourceDefinition", api="apiextensions.k8s.io/v1"),
        workload("host", "Storage", hostNetwork=True),
        workload("root", kind="DaemonSet", initContainers=[{"securityContext": {"privileged": True}}]),
        workload("plain", hostNetwork=False, containers=[{"securityContext": {"privileged": False}}, None]),
    )

    assert {kind: names for kind, names in found.resources.items() if names} == {
        "namespaces": {"openshift-one": ()},
        "services": {"openshift-one/metrics": ("Build", "Console")},
        "webhooks": {"checks": (), "changes": ()},
        "crds": {"links.example.org": ("Console",)},
        "deployments": {"openshift-one/host": ("Storage",), "openshift-one/plain": ()},
        "daemonsets": {"openshift-one/root": ()},
        "host_network_workloads": {"Deployment openshift-one/host": ("Storage",)},
        "privileged_workloads": {"DaemonSet openshift-one/root": ()},
    }
    assert set(found.resources) == set(RESOURCES)


def test_permissions_in_the_cloud_have_their_platform(expose):
    found = expose(
        request("aws", "Storage", **AWS),
        request("more", "Console+Storage", **AWS),
        request("gcp", "", kind="GCPProviderSpec", predefinedRoles=["roles/x"]),
        request("other", "", kind="MoonProviderSpec", permissions=["fly"]),
    )

    assert found.resources["credentials_requests"] == {
        "openshift-one/aws": ("Storage",),
        "openshift-one/more": ("Console", "Storage"),
        "openshift-one/gcp": (),
        "openshift-one/other": (),
    }
    # Of two requests, the one that needs fewer capabilities counts.
    assert found.resources["cloud_permissions"] == {
        "aws: Allow s3:Get* on *": ("Storage",),
        "gcp: role roles/x": (),
        "MoonProviderSpec: permission fly": (),
    }


MEBI = 2**20


def pods(*containers: dict[str, Any], replicas: int | None = None) -> str:
    spec: dict[str, Any] = {"template": {"spec": {"containers": list(containers)}}}
    return of(spec=spec if replicas is None else {**spec, "replicas": replicas})


def container(image: str, cpu: object = 0, memory: object = 0, env: str = "") -> dict[str, Any]:
    variables = [{"name": "IMAGE", "value": env}] if env else []
    return {"image": image, "env": variables, "resources": {"requests": {"cpu": cpu, "memory": memory}}}


def deployment(name: str, *containers: dict[str, Any], capability: str = "", replicas: int | None = None) -> str:
    more = pods(*containers, replicas=replicas)
    return manifest(name, capability, kind="Deployment", api="apps/v1", namespace="x", more=more)


def test_requests_are_those_of_all_replicas_and_images_have_their_names(expose):
    found = expose(
        deployment("base", container("base", "100m", "64Mi"), container("proxy", "0.01", "1Mi"), replicas=2),
        deployment("console", container("app", 1, "1Gi", env=IMAGES["console"]), capability="Console"),
        manifest("images", namespace="x", more='data: {images.json: \'{"a": "r/driver", "b": "r/b"}\'}\n'),
    )

    assert found.requests == Requests(1220, 2 * 65 * MEBI + 2**30)
    assert found.resources["images"] == {
        **dict.fromkeys(("base", "proxy", "r/driver", "r/b"), ()),
        **dict.fromkeys(("app", "console"), ("Console",)),
    }


def test_without_manifests_there_is_nothing(expose):
    found = expose(manifest("one"))

    assert (found.requests, found.unknown_roles) == (Requests(), frozenset())
    assert not any((*found.resources.values(), *found.accounts.values()))


def test_documents_of_one_file_are_distinguished(expose):
    found = expose("---\n".join(deployment(name, container(name, 1)) for name in ("a", "b")))

    assert (found.requests.cpu_millicores, set(found.resources["images"])) == (2000, {"a", "b"})


def test_a_body_is_read_once_for_all_selections_and_only_if_it_is_needed(tmp_path: Path) -> None:
    files = {
        "0000_10_a.yaml": deployment("a"),
        "0000_20_b.yaml": deployment("b", capability="Console"),
        "0000_30_c.yaml": manifest("c", kind="Namespace"),
        "0000_40_d.yaml": manifest("d", kind="Service", namespace="x"),
        "0000_50_e.yaml": manifest("e"),
    }
    release = load_release(str(write_release(tmp_path, files)), Problems())
    found: Counter[str] = Counter()

    def body(item: Manifest) -> Any:
        found[item.resource_id.name] += 1
        return release.read_body(item)

    reader = ContentsReader(release._replace(read_body=body), Problems())
    for disabled in ("Console", "Storage"):
        reader.read(applied(release, disabled))
    assert found == {"a": 1, "b": 1, "e": 1}


def test_a_quantity_that_is_no_quantity_is_reported_once_with_its_file(tmp_path: Path) -> None:
    text = deployment("one", container("a", "many", "1Ki"))
    release = load_release(str(write_release(tmp_path, {"0000_10_one.yaml": text})), Problems())
    problems = Problems()
    reader = ContentsReader(release, problems)
    found = [contents_of(reader.read(applied(release))) for _side in range(2)]
    assert [item.requests for item in found] == [Requests(0, 1024)] * 2
    (problem,) = problems
    assert (problem.severity, problem.code) == ("warning", "invalid-quantity")
    assert str(problem.where) == (
        "release-manifests/0000_10_one.yaml, document 1, containers[0].resources.requests.cpu"
    )


def test_a_body_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    release = load_release(str(write_release(tmp_path, {"0000_10_one.yaml": deployment("one")})), Problems())

    def body(item: Manifest) -> Any:
        raise ReleaseError([Problem("error", "todo", item.file, "cannot be parsed")])

    with pytest.raises(ReleaseError, match="cannot be parsed"):
        read(release._replace(read_body=body))
