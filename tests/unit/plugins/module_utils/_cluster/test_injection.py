# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the CVO injects into manifests: proxy variables, the address of the API server, and TLS settings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._cluster.injected_config import (
    INJECT_PROXY,
    INJECT_TLS,
    InjectedConfig,
    TlsSettings,
    config_kinds,
    tls_settings,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.injection import (
    inject,
    read_config,
    with_live_formatting,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.tls_profiles import TLS_INJECTIONS
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import ApiError
from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._resources import ApiResource, Target

PROXY = InjectedConfig({"httpProxy": "http://p:1", "httpsProxy": "", "noProxy": ".local"})
VARIABLES = [
    {"name": "HTTP_PROXY", "value": "http://p:1"},
    {"name": "HTTPS_PROXY", "value": ""},
    {"name": "NO_PROXY", "value": ".local"},
]
FIVE = Minor(5, 0)
CVO = {"name": "cluster-version-operator", "namespace": "openshift-cluster-version"}
TLS = InjectedConfig(tls=TlsSettings("VersionTLS12", ("TLS_A",)))
FILE = "apiVersion: operator.openshift.io/v1alpha1\nkind: GenericOperatorConfig\n"
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def body_of(
    kind: str, api: str = "apps/v1", annotations: dict[str, str] | None = None, **fields: Any
) -> dict[str, Any]:
    metadata = {"name": "a", "namespace": "b", "annotations": annotations or {}, **fields.pop("metadata", {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}


def workload(kind: str = "Deployment", inject_proxy: str = "main", **container: Any) -> dict[str, Any]:
    containers = [{"name": "main", **container}, {"name": "other"}]
    pod = {"containers": containers, "initContainers": [{"name": "first"}]}
    return body_of(kind, annotations={INJECT_PROXY: inject_proxy}, spec={"template": {"spec": pod}})


def cvo(env: Any = None, name: str = CVO["name"]) -> dict[str, Any]:
    spec = {"template": {"spec": {"containers": [{"name": name, "env": env}]}}}
    return body_of("Deployment", metadata=CVO, spec=spec)


def config_map(text: str = FILE, value: str = "true") -> dict[str, Any]:
    return body_of("ConfigMap", "v1", {INJECT_TLS: value}, data={"config.yaml": text})


def manifest_of(body: dict[str, Any]) -> Manifest:
    manifest = manifest_from_object(body, "a.yaml", 1, Problems())
    assert manifest is not None
    return manifest


def injected(body: dict[str, Any], config: InjectedConfig) -> tuple[dict[str, Any], list[Problem]]:
    problems = Problems()
    inject(manifest_of(body), body, config, problems)
    return body, problems


def env_of(body: dict[str, Any], field: str = "containers") -> list[Any]:
    return [item.get("env") for item in body["spec"]["template"]["spec"][field]]


# The proxy


def test_named_containers_get_all_three_variables() -> None:
    body, problems = injected(workload("DaemonSet", "main,first"), PROXY)
    assert (env_of(body), env_of(body, "initContainers"), problems) == ([VARIABLES, None], [VARIABLES], [])


def test_variables_replace_those_of_the_manifest() -> None:
    body, _problems = injected(workload(env=[{"name": "X"}, {"name": "NO_PROXY", "value": "old"}]), PROXY)
    assert env_of(body)[0] == [{"name": "X"}, VARIABLES[2], *VARIABLES[:2]]


@pytest.mark.parametrize("config", [InjectedConfig(), InjectedConfig({"readinessEndpoints": ["x"]})])
@pytest.mark.parametrize("name", ["main", "gone"])
def test_without_a_proxy_nothing_is_injected_and_nothing_is_wrong(config: InjectedConfig, name: str) -> None:
    body, problems = injected(workload(inject_proxy=name), config)
    assert (env_of(body), problems) == ([None, None], [])


@pytest.mark.parametrize("body", [workload("StatefulSet"), workload(inject_proxy="")], ids=["kind", "empty"])
def test_other_kinds_and_empty_annotations_get_no_proxy(body: dict[str, Any]) -> None:
    assert env_of(injected(body, PROXY)[0]) == [None, None]


def test_unknown_container_is_an_error() -> None:
    _body, (problem,) = injected(workload(inject_proxy="gone"), PROXY)
    assert (problem.severity, problem.code) == ("error", "unknown-container")
    assert problem.message == "names container 'gone', expected one of the pod template: main, other, first"


def test_environment_that_is_not_a_list_is_an_error() -> None:
    _body, (problem,) = injected(workload(env={"a": "b"}), PROXY)
    assert (problem.code, problem.message) == ("not-a-list", "is a map, expected a list")


# The address of the API server


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api-int.example:6443", {"PORT": "6443", "HOST": "api-int.example"}),
        ("https://api-int.example", {"PORT": "443", "HOST": "api-int.example"}),
        ("https://[fd00::1]:6443/x", {"PORT": "6443", "HOST": "fd00::1"}),
        ("https://[fd00::1]", {"PORT": "443", "HOST": "[fd00::1]"}),
        ("", {"PORT": "1", "HOST": "127.0.0.1"}),
        ("api-int.example", {"PORT": "1", "HOST": "127.0.0.1"}),
    ],
)
def test_the_cvo_gets_the_internal_address_of_the_api_server(url: str, expected: dict[str, str]) -> None:
    names = [f"KUBERNETES_SERVICE_{name}" for name in ("PORT", "HOST")]
    env = [{"name": names[0], "value": "1"}, {"name": names[1], "value": "127.0.0.1"}]
    body, problems = injected(cvo(env), InjectedConfig(api_server_url=url))
    assert env_of(body) == [[{"name": f"KUBERNETES_SERVICE_{name}", "value": expected[name]} for name in expected]]
    assert problems == []


def test_a_cvo_without_these_variables_gets_them() -> None:
    body, _problems = injected(cvo(), InjectedConfig(api_server_url="https://a:1"))
    assert [item["name"] for item in env_of(body)[0]] == ["KUBERNETES_SERVICE_PORT", "KUBERNETES_SERVICE_HOST"]


def test_an_invalid_url_is_an_error_of_the_cluster() -> None:
    _body, (problem,) = injected(cvo(), InjectedConfig(api_server_url="https://a:b:c"))
    assert (problem.code, str(problem.where)) == ("invalid-url", "infrastructures.config.openshift.io cluster")


def test_the_cvo_needs_its_container() -> None:
    _body, (problem,) = injected(cvo(name="x"), InjectedConfig(api_server_url="https://a:1"))
    assert problem.code == "unknown-container"


def test_other_deployments_do_not_get_it() -> None:
    assert env_of(injected(workload(), InjectedConfig(api_server_url="https://a:1"))[0]) == [None, None]


# TLS settings


def test_a_config_map_with_the_annotation_gets_the_settings() -> None:
    body, problems = injected(config_map(), TLS)
    expected = "servingInfo:\n  cipherSuites:\n  - TLS_A\n  minTLSVersion: VersionTLS12\n"
    assert (body["data"]["config.yaml"], problems) == (FILE + expected, [])


@pytest.mark.parametrize(
    ("body", "config"),
    [(config_map(value="True"), TLS), (config_map(), InjectedConfig()), ({**config_map(), "kind": "Secret"}, TLS)],
    ids=["annotation", "older-cvo", "kind"],
)
def test_nothing_else_does(body: dict[str, Any], config: InjectedConfig) -> None:
    assert injected(body, config)[0]["data"] == {"config.yaml": FILE}


def test_serving_info_that_is_not_a_map_is_an_error() -> None:
    _body, (problem,) = injected(config_map(f"{FILE}servingInfo: 1\n"), TLS)
    assert (problem.code, str(problem.where)) == ("not-a-map", "a.yaml, document 1, data[config.yaml].servingInfo")


def test_formatting_of_the_cvo_is_no_difference() -> None:
    manifest = manifest_of(config_map())
    desired = {"data": {"config.yaml": "a: [1]\n", "b": "b: 1\n"}}
    live = {"data": {"config.yaml": "a:\n  - 1\n", "b": "b: 2\n"}}
    expected = {"data": {"config.yaml": "a:\n  - 1\n", "b": "b: 1\n"}}
    assert with_live_formatting(manifest, desired, live) == expected
    assert with_live_formatting(manifest_of(config_map(value="no")), desired, live) is desired
    assert with_live_formatting(manifest, desired, {}) is desired


CUSTOM = {
    "minTLSVersion": "VersionTLS11",
    "ciphers": ["ECDHE-RSA-AES128-GCM-SHA256", "DHE-RSA-AES256-SHA", "AES128-SHA"],
}
NEWEST = TLS_INJECTIONS[-1]
INTERMEDIATE = tls_settings(None, NEWEST)
SUITES = (
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
)
"""What a CVO of 5.0 writes for the default profile."""


@pytest.mark.parametrize(
    ("profile", "version", "count"),
    [
        (None, "VersionTLS12", 9),
        ({"type": "Intermediate", "intermediate": {}}, "VersionTLS12", 9),
        ({"type": "Modern"}, "VersionTLS13", 3),
        ({"type": "Old"}, "VersionTLS10", 21),
        ({"type": "Unknown"}, "VersionTLS12", 9),
        ({"type": "Custom"}, "VersionTLS12", 9),
        ({"type": "Custom", "custom": CUSTOM}, "VersionTLS11", 2),
        ({"type": "Custom", "custom": {"ciphers": None}}, "", 0),
    ],
)
def test_settings_are_those_of_the_profile(profile: Any, version: str, count: int) -> None:
    settings = tls_settings(profile, NEWEST)
    assert (settings.min_tls_version, len(settings.cipher_suites)) == (version, count)
    assert len(set(settings.cipher_suites)) == count
    assert all(name.startswith("TLS_") for name in settings.cipher_suites)


@pytest.mark.parametrize(
    ("minor", "suites"),
    [
        (Minor(4, 21), None),
        (Minor(4, 22), tuple(sorted(SUITES))),
        (Minor(4, 23), SUITES),
        (FIVE, SUITES),
        (Minor(5, 1), SUITES),
    ],
)
def test_each_cvo_has_its_own_order_of_suites(minor: Minor, suites: tuple[str, ...] | None) -> None:
    tls = read(Cluster(APIServer=None), config_map(), minor=minor).config.tls
    assert (tls and tls.cipher_suites) == suites


# What is read


class Cluster:
    """A cluster with some configuration. An exception is raised instead of returned."""

    def __init__(self, **objects: Any) -> None:
        self.objects = objects

    def find(self, target: Target | str, kind: str = "") -> Any:
        if not isinstance(target, Target):
            return ApiResource(target, "v1", "", kind) if kind in self.objects else None
        found = self.objects[target.kind.kind]
        if isinstance(found, Exception):
            raise found
        return found

    find_once = find


def read(cluster: Cluster, *bodies: dict[str, Any], minor: Minor = FIVE) -> Any:
    client: Any = cluster
    return read_config(client, client, [manifest_of(body) for body in bodies], minor)


def test_only_what_manifests_request_is_read() -> None:
    requested = [[kind.kind for kind in config_kinds(manifest_of(body), FIVE)] for body in (workload(), cvo())]
    assert requested == [["Proxy"], ["Infrastructure"]]
    assert [kind.kind for kind in config_kinds(manifest_of(config_map()), FIVE)] == ["APIServer"]
    assert config_kinds(manifest_of(config_map()), Minor(4, 21)) == ()
    assert config_kinds(manifest_of(config_map()), None) == ()
    assert config_kinds(manifest_of(body_of("ConfigMap", "v1")), FIVE) == ()


def test_configuration_is_read() -> None:
    cluster = Cluster(
        Proxy={"status": {"httpProxy": "x"}},
        Infrastructure={"status": {"apiServerInternalURI": "https://a:1"}},
        APIServer={"spec": {"tlsSecurityProfile": {"type": "Modern"}}},
    )
    config = read(cluster, workload(), cvo(), config_map()).config
    assert config == InjectedConfig({"httpProxy": "x"}, "https://a:1", tls_settings({"type": "Modern"}, NEWEST))


def test_missing_configuration_is_empty_and_missing_tls_settings_are_the_default() -> None:
    assert read(Cluster(Proxy=None, APIServer=None), workload(), cvo(), config_map()).config == InjectedConfig(
        tls=INTERMEDIATE
    )
    assert read(Cluster(), config_map(), minor=Minor(4, 21)).config == InjectedConfig()


def test_unread_configuration_stops_only_manifests_that_request_it() -> None:
    reading = read(Cluster(Proxy=ApiError(403, "no", "get", "proxies")), workload(), cvo())
    reading.check([manifest_of(cvo())])
    assert reading.reasons(manifest_of(cvo())) == ()
    with pytest.raises(ClusterError) as error:
        reading.check([manifest_of(workload()), manifest_of(workload("DaemonSet"))])
    assert [problem.code for problem in error.value.problems] == ["forbidden-request"]


@pytest.mark.parametrize(
    ("body", "config"),
    [(workload(), PROXY), (cvo(), InjectedConfig(api_server_url="https://a:1")), (config_map(), TLS)],
)
def test_hash_changes_with_injected_values(body: dict[str, Any], config: InjectedConfig) -> None:
    manifest, other = manifest_of(body), manifest_of(body_of("ConfigMap", "v1"))
    assert config.values_for(manifest) != InjectedConfig().values_for(manifest) == ""
    assert config.values_for(other) == ""


# Arbitrary bodies


@given(ODD, ODD, ODD)
def test_no_body_raises_an_exception(containers: Any, env: Any, data: Any) -> None:
    config = InjectedConfig(PROXY.proxy, "https://a:1", TLS.tls)
    for body in (workload(env=env), cvo(env), {**config_map(), "data": data}):
        injected(body, config)
    for body in (workload(), cvo()):
        body["spec"]["template"]["spec"]["containers"] = containers
        injected(body, config)
