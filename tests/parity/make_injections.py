#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make random manifests and clusters, and write what the CVO of each minor sends to the API server of the cluster.

Usage: python -m ansible_collections.capability.openshift.tests.parity.make_injections MINOR=CVO_CHECKOUT...

A checkout is one of openshift/cluster-version-operator, of the branch ``release-MINOR``. The program of
``go/injection`` is copied there, and removed afterwards.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.parity.go_program import run_in_checkout
from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS, Table, write

CONFIG_MAPS, WORKLOADS, CLUSTERS = 500, 400, 60
HEADS = [
    ("operator.openshift.io/v1alpha1", "GenericOperatorConfig"),
    ("config.openshift.io/v1", "GenericControllerConfig"),
]
CIPHERS = (
    "ECDHE-RSA-AES128-GCM-SHA256",
    "TLS_AES_128_GCM_SHA256",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "AES256-SHA256",
    "DHE-RSA-AES128-GCM-SHA256",
    "DES-CBC3-SHA",
    "TLS_AES_256_GCM_SHA384",
    "ecdhe-rsa-aes128-gcm-sha256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "AES128-SHA",
)
SERVING = (
    "servingInfo: {}\n",
    "servingInfo:\n",
    "servingInfo: null\n",
    "servingInfo: ~ # nothing yet\n",
    "servingInfo: []\n",
    "servingInfo: text\n",
    "servingInfo: 1\n",
    "servingInfo:\n- a\n",
    "servingInfo:\n  bindAddress: 0.0.0.0:8443\n",
    "servingInfo:\n    bindAddress: 0.0.0.0:8443\n    minTLSVersion: VersionTLS10\n",
    "servingInfo:\n  minTLSVersion: VersionTLS13\n  cipherSuites: [TLS_AES_128_GCM_SHA256]\n  bindNetwork: tcp\n",
    "servingInfo:\n  cipherSuites:\n  - TLS_AES_128_GCM_SHA256 # one\n  # two\n  minTLSVersion: VersionTLS13\n",
    "servingInfo:\n  cipherSuites: null\n  minTLSVersion:\n",
    "servingInfo: {minTLSVersion: VersionTLS12, cipherSuites: [], certFile: /a}\n",
    '"servingInfo":\n  "minTLSVersion": "VersionTLS12"\n',
    "servingInfo: &info\n  certFile: /a\nother: *info\n",
    "servingInfo:\n  minTLSVersion: a\n  minTLSVersion: b\n",
    "servingInfo:\n  a: 1\nservingInfo:\n  b: 2\n",
    "base: &base\n  certFile: /a\nservingInfo:\n  <<: *base\n",
    "servingInfo: !!map\n  certFile: /a\n",
    "servingInfo:\n  namedCertificates:\n  - names: [a, b]\n    keyFile: |\n      text\n",
)
MORE = (
    "leaderElection:\n  disable: true\n",
    "# a comment\n",
    "text: |\n  a\n  b\n",
    "folded: >-\n  a\n  b\n\n  c\n",
    "quoted: 'yes'\nplain: yes\nnumber: 012\n",
    "long: " + "word " * 40 + "\n",
    "list:\n- a\n-   b\n- - c\n",
    "empty: \n",
    "emoji: '\U0001f600 é'\n",
    'escaped: "a\\tb\\u00e9\\n"\n',
    "time: 2020-01-01\n",
    "big: 1e400\n",
    "? complex\n: value\n",
    "1: number\ntrue: boolean\n",
)
URLS = (
    "https://api-int.example.com:6443",
    "https://api-int.example.com",
    "https://api-int.example.com:",
    "https://[fd00::1]:6443",
    "https://[fd00::1]",
    "https://[fd00::1%25eth0]:6443",
    "https://fd00::1:6443",
    "https://192.0.2.1:6443/",
    "HTTPS://API-INT.example.com:6443/path?query",
    "https://user:pass@api-int.example.com:6443",
    "api-int.example.com:6443",
    "//api-int.example.com:6443",
    "https://api-int.example.com:port",
    "https://api int.example.com:6443",
    "https://:6443",
    "https://a:1:2",
    "https://%41pi.example.com:6443",
    "https://%zz:6443",
    "1https://a:6443",
    " https://api-int.example.com:6443",
    "https://api-int.example.com:6443\n",
    "https://api-int_.example.com:06443",
    "https://[api-int]:6443",
    "https://[fd00::1]6443",
    "https://a\\b:1",
    "not a url",
    "/path",
    "",
)


def random_cluster(chance: random.Random) -> dict[str, Any]:
    """Return the objects named cluster, by resource; some do not exist."""
    found: dict[str, Any] = {}
    if chance.random() < 0.9:
        values = ["", "http://proxy:3128", "http://user:p%40ss@proxy:3128", ".cluster.local,10.0.0.0/16"]
        fields = chance.sample(["httpProxy", "httpsProxy", "noProxy", "other"], chance.randint(0, 4))
        found["proxies"] = {
            "status": {field: chance.choice(values) for field in fields},
            "spec": {"httpProxy": "http://spec"},
        }
    if chance.random() < 0.9:
        status = {"apiServerURL": "https://api:6443", "apiServerInternalURI": chance.choice(URLS)}
        found["infrastructures"] = {"status": status if chance.random() < 0.95 else {}}
    if chance.random() < 0.9:
        found["apiservers"] = {"spec": {"tlsSecurityProfile": random_profile(chance)} if chance.random() < 0.9 else {}}
    heads = {"proxies": "Proxy", "infrastructures": "Infrastructure", "apiservers": "APIServer"}
    return {
        resource: {
            "apiVersion": "config.openshift.io/v1",
            "kind": heads[resource],
            "metadata": {"name": "cluster"},
            **body,
        }
        for resource, body in found.items()
    }


def random_profile(chance: random.Random) -> dict[str, Any] | None:
    """Return ``spec.tlsSecurityProfile`` of an APIServer."""
    kind = chance.choice(
        ["Old", "Intermediate", "Modern", "Custom", "Custom", "Custom", "", "intermediate", "Future", None]
    )
    if kind is None:
        return None
    profile: dict[str, Any] = {"type": kind}
    if chance.random() < 0.8:
        profile["custom"] = {}
        if chance.random() < 0.9:
            profile["custom"]["ciphers"] = chance.choices(CIPHERS, k=chance.randint(0, 5))
        if chance.random() < 0.9:
            profile["custom"]["minTLSVersion"] = chance.choice(["VersionTLS10", "VersionTLS12", "VersionTLS13", ""])
    return profile


def random_text(chance: random.Random) -> str:
    """Return a configuration file, or something else."""
    api_version, kind = chance.choice(HEADS)
    if chance.random() < 0.15:
        api_version = chance.choice(["operator.openshift.io/v1", "v1", "", "config.openshift.io/v1"])
    parts = chance.sample(MORE, chance.randint(0, 3))
    if chance.random() < 0.85:
        parts.append(chance.choice(SERVING))
    chance.shuffle(parts)
    head = [f"apiVersion: {api_version}\n", f"kind: {kind}\n"]
    at = chance.choice([0, len(parts)])
    parts[at:at] = head if chance.random() < 0.8 else head[::-1]
    text = "".join(parts)
    if chance.random() < 0.15:
        return altered(chance, text)
    return text


def altered(chance: random.Random, text: str) -> str:
    """Return a configuration file in another style, with more documents, or with mistakes."""
    return chance.choice(
        [
            text.rstrip("\n"),
            text.replace("\n", "\r\n"),
            f"---\n{text}",
            f"---\n{text}---\n",
            f"---\n{text}...\n",
            f"{text}---\nkind: Other\n",
            f"kind: Other\n---\n{text}",
            f"# first\n\n{text}\n\n# last\n",
            "".join(f"  {line}\n" for line in text.splitlines()),
            f"- {text}",
            f"%YAML 1.1\n---\n{text}",
            f"{text}\tkey: value\n",
            f"{text}: :\n",
            f"\ufeff{text}",
            f"{text}kind: Other\n",
            text.replace("kind: ", "kind: !!str "),
            text.replace("kind: ", 'kind: "').replace("Config\n", 'Config"\n'),
            json.dumps({"apiVersion": HEADS[0][0], "kind": HEADS[0][1]}),
            json.dumps(
                {"kind": HEADS[0][1], "apiVersion": HEADS[0][0], "servingInfo": {"bindAddress": ":1"}}, indent=4
            ),
            "{apiVersion: operator.openshift.io/v1alpha1, kind: GenericOperatorConfig}",
            "",
            "\n",
            "null",
            "text",
            "[1, 2]",
            "{",
        ]
    )


def config_map(chance: random.Random, number: int) -> dict[str, Any]:
    """Return a ConfigMap with configuration files."""
    annotations = {"a": "b"}
    if chance.random() < 0.92:
        annotations["config.openshift.io/inject-tls"] = (
            "true" if chance.random() < 0.94 else chance.choice(["True", "", "false"])
        )
    body: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", **metadata(number, annotations)}
    if chance.random() < 0.97:
        keys = chance.sample(["config.yaml", "operator-config.yaml", "other"], chance.choice([1, 1, 1, 2, 0]))
        body["data"] = {key: random_text(chance) for key in keys}
    return body


def workload(chance: random.Random, number: int) -> dict[str, Any]:
    """Return a Deployment or a DaemonSet."""
    names = ["main", "sidecar", "first", "cluster-version-operator"]
    annotations = {}
    if chance.random() < 0.8:
        listed = [
            name if chance.random() < 0.96 else chance.choice([" main", "", "other"])
            for name in chance.choices(names, k=chance.choice([1, 1, 1, 2, 3]))
        ]
        annotations["config.openshift.io/inject-proxy"] = ",".join(listed) if chance.random() < 0.97 else ""
    head = metadata(number, annotations)
    if chance.random() < 0.5:
        head = {
            "metadata": {
                **head["metadata"],
                "namespace": "openshift-cluster-version",
                "name": "cluster-version-operator",
            }
        }
        if chance.random() < 0.2:
            head["metadata"][chance.choice(["namespace", "name"])] = "other"
    pod = {"containers": containers(chance, names, 2)}
    if chance.random() < 0.5:
        pod["initContainers"] = containers(chance, names, 1)
    kind = "Deployment" if chance.random() < 0.75 else "DaemonSet"
    labels = {"app": "a"}
    template = {"metadata": {"labels": labels}, "spec": pod}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        **head,
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }


def containers(chance: random.Random, names: list[str], least: int) -> list[dict[str, Any]]:
    """Return containers with variables."""
    chosen = chance.sample(names, chance.randint(least, len(names)))
    return [container(chance, name) for name in chosen]


def container(chance: random.Random, name: str) -> dict[str, Any]:
    """Return a container, perhaps with variables."""
    body: dict[str, Any] = {"name": name, "image": "quay.io/a/b"}
    variables = ["HTTP_PROXY", "NO_PROXY", "http_proxy", "OTHER", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"]
    if chance.random() < 0.7:
        source = {"valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
        body["env"] = [
            {"name": variable, **chance.choice([{"value": "given"}, {"value": "given"}, {}, source])}
            for variable in chance.sample(variables, chance.randint(0, 4))
        ]
    return body


def metadata(number: int, annotations: dict[str, str]) -> dict[str, Any]:
    """Return the metadata of a manifest."""
    return {"metadata": {"namespace": "openshift-example", "name": f"n{number}", "annotations": annotations}}


def answer_of(manifest: dict[str, Any], created: dict[str, Any] | None) -> Any:
    """Return the files of a ConfigMap, or the variables of containers; ``None`` if the CVO refused."""
    if created is None:
        return None
    if manifest["kind"] == "ConfigMap":
        return created.get("data") or {}
    pod = created["spec"]["template"]["spec"]
    return [
        [[item["name"], item.get("env", [])] for item in pod.get(field, ())]
        for field in ("containers", "initContainers")
    ]


def answers(checkout: Path, given: dict[str, Any]) -> list[dict[str, Any] | None]:
    """Return the objects that the CVO of a checkout sends."""
    objects: list[dict[str, Any] | None] = run_in_checkout("injection", checkout, given)
    return objects


def main(arguments: list[str]) -> int:
    """Write the facts."""
    chance = random.Random(25)
    clusters = [random_cluster(chance) for _number in range(CLUSTERS)]
    manifests = [config_map(chance, number) for number in range(CONFIG_MAPS)]
    manifests += [workload(chance, number) for number in range(WORKLOADS)]
    numbers = [chance.randrange(CLUSTERS) for _manifest in manifests]
    pairs = list(zip(numbers, manifests, strict=True))
    given = {"clusters": clusters, "cases": [{"cluster": number, "manifest": manifest} for number, manifest in pairs]}
    checkouts = dict(argument.split("=", 1) for argument in arguments)
    columns = [answers(Path(path), given) for path in checkouts.values()]
    table = Table()
    rows = [
        [number, manifest, [table.add(answer_of(manifest, created)) for created in row]]
        for (number, manifest), row in zip(pairs, zip(*columns, strict=True), strict=True)
    ]
    facts = {"minors": list(checkouts), "clusters": clusters, "answers": table.rows(), "cases": rows}
    write(FACTS / "injection.json", facts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
