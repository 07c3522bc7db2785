#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make random kubeconfigs and variables of proxies, and write what kubectl connects to with them.

Usage: python -m ansible_collections.capability.openshift.tests.parity.make_connections [SEED [FILE]]

It runs the program in ``go/connections``.
"""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS, write

PROGRAM = FACTS.parent / "go" / "connections"
SEED, KUBECONFIGS, PROXIES = 25, 300, 1500
PATHS = ("home/config", "home/work/config", "home/work/deep/other")
NAMES = ("a", "b", "c")
NOT_READ = ("", "null", "{}", "[]", "text", "{", "clusters: {}", "contexts: [{name: a}]", "users: null")
NAMED_HOSTS = ("api.example.com", "api.site.example.com", "example.com")
HOSTS = (*NAMED_HOSTS, "192.0.2.1", "[2001:db8::1]", "localhost", "127.0.0.9")
EXCLUDED = (
    "", "*", "example.com", ".example.com", "*.example.com", "site.example.com", "Example.COM", "api", "ple.com",
    "example.com:443", "example.com:8443", ".example.com:8443", "api.example.com:", "192.0.2.1", "192.0.2.1:443",
    "192.0.2.0/24", "192.0.2.7/30", "192.0.2.0/33", "192.0.2.0/255.255.255.0", "2001:db8::1", "[2001:db8::1]",
    "[2001:db8::1]:443", "2001:db8::/32", "2001:DB8:0::1", "::ffff:192.0.2.1", "localhost", ".", "*.", ":443", " ",
    "a b",
)  # fmt: skip
PROXY_URLS = (
    "", "proxy:3128", "http://proxy:3128", "http://proxy", "https://proxy", "https://user:p%40ss@proxy:3128/", "proxy",
    "http://[2001:db8::2]:3128", "http://user@proxy:3128", "http://:3128", "http://", "http://proxy:port", "HTTP://proxy:1",
    "http://proxy:3128/path", "192.0.2.9:3128",
)  # fmt: skip


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def some(chance: random.Random, share: int, **fields: Any) -> dict[str, Any]:
    """Return each of the fields in ``share`` of 100 cases."""
    return {name.replace("_", "-"): value for name, value in fields.items() if chance.randrange(100) < share}


def cluster(chance: random.Random) -> dict[str, Any]:
    path = chance.choice(("ca.crt", "../ca.crt", "tls/ca.crt", "/etc/passwd"))
    address = f"{chance.choice(HOSTS)}:{chance.choice((443, 6443))}{chance.choice(('', '', '/', '/k8s'))}"
    fields: dict[str, Any] = {"server": f"https://{address}"}
    fields |= some(chance, 40, certificate_authority=path)
    fields |= some(chance, 30, certificate_authority_data=chance.choice((*[encoded("CA")] * 28, "", "?")))
    fields |= some(chance, 15, insecure_skip_tls_verify=chance.choice((True, True, *[False] * 24, None, "true")))
    fields |= some(chance, 20, tls_server_name="inner.example.com", proxy_url="http://proxy:3128")
    if chance.randrange(100) == 0:
        fields["server"] = chance.choice((None, 5, []))
    return fields


def user(chance: random.Random) -> dict[str, Any]:
    fields = some(chance, 40, token=chance.choice(("secret", "secret\n", "", None)))
    fields |= {"tokenFile": chance.choice(("token", "/etc/passwd", ""))} if chance.randrange(100) < 20 else {}
    if chance.randrange(100) < 40:
        fields |= {"client-certificate": "tls.crt", "client-key": "../tls.key"}
    elif chance.randrange(100) < 30:
        fields |= {"client-certificate-data": encoded("certificate"), "client-key-data": encoded("key")}
    fields |= {"as": "admin"} if chance.randrange(100) < 15 else {}
    fields |= some(chance, 5, as_groups=chance.choice((*[["one", "two"]] * 8, [], "one")))
    if chance.randrange(100) < 10:
        command = chance.choice(("oc", "bin/login", "./login", "/usr/bin/login"))
        version = "client.authentication.k8s.io/v1"
        fields["exec"] = {"apiVersion": version, "command": command, "interactiveMode": "Never"}
    return fields


def kubeconfig(chance: random.Random) -> str:
    if chance.randrange(100) < 3:
        return chance.choice(NOT_READ)
    content: dict[str, Any] = {}
    for kind, make in (("cluster", cluster), ("user", user)):
        names = chance.sample(NAMES, chance.choice((0, 1, 2, 3, 3, 3)))
        content[f"{kind}s"] = [{"name": name, kind: make(chance)} for name in names] or [None, []][chance.randrange(2)]
    content["contexts"] = [
        {"name": name, "context": {"cluster": chance.choice(NAMES)} | some(chance, 85, user=chance.choice(NAMES))}
        for name in chance.sample(NAMES, chance.choice((1, 3, 3)))
    ]
    content |= some(chance, 90, current_context=chance.choice((*NAMES * 4, "d", "", None)))
    content |= some(chance, 80, apiVersion="v1", kind="Config", preferences={}, other=1)
    entries = content[chance.choice(("clusters", "users", "contexts"))]
    if entries and chance.randrange(100) < 4:
        entries.append(chance.choice((entries[0], {}, {"name": "c"}, {"name": 5}, "text", None)))
    return json.dumps(content)


def question(chance: random.Random) -> dict[str, Any]:
    existing = chance.sample(PATHS, chance.choice((1, 1, 2, 2, 3)))
    paths = [*existing, *chance.sample(("missing", "home/missing"), chance.randrange(2))]
    chance.shuffle(paths)
    context = chance.choice((*NAMES * 3, "d")) if chance.randrange(100) < 30 else ""
    return {"files": {path: kubeconfig(chance) for path in existing}, "paths": paths, "context": context}


def proxy(chance: random.Random) -> dict[str, Any]:
    names = chance.sample(("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"), chance.randrange(1, 4))
    environment = {name: chance.choice(PROXY_URLS) for name in names}
    for name in chance.sample(("NO_PROXY", "no_proxy"), chance.randrange(3)):
        environment[name] = chance.choice((",", ", ")).join(chance.choices(EXCLUDED, k=chance.randrange(1, 3)))
    port = chance.choice(("", "", ":443", ":8443", ":80"))
    return {"environment": environment, "url": f"{chance.choice(('https', 'http'))}://{chance.choice(HOSTS)}{port}/v2/"}


def main(arguments: list[str]) -> int:
    chance = random.Random(int(arguments[0]) if arguments else SEED)
    kubeconfigs = [question(chance) for number in range(KUBECONFIGS)]
    proxies = [proxy(chance) for number in range(PROXIES)]
    given = json.dumps({"kubeconfigs": kubeconfigs, "proxies": proxies})
    done = subprocess.run(["go", "run", "."], cwd=PROGRAM, input=given, stdout=subprocess.PIPE, text=True, check=True)
    answers = json.loads(done.stdout)
    facts = {
        name: [[*item.values(), found] for item, found in zip(questions, answers[name.title()], strict=True)]
        for name, questions in (("kubeconfigs", kubeconfigs), ("proxies", proxies))
    }
    write(Path(arguments[1]) if len(arguments) > 1 else FACTS / "connections.json", facts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
