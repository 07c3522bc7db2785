# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A kubeconfig and the variables of proxies select what they select for kubectl.

``make_connections.py`` writes ``facts/connections.json``: random questions, and the answers of client-go and of the
library of Go, null for an error.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from ansible_collections.capability.openshift.plugins.module_utils._http.error import HttpError
from ansible_collections.capability.openshift.plugins.module_utils._http.proxy import find_proxy
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.kubeconfig import (
    Pem,
    connection_config,
    read_entry,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.tests.parity import make_facts

PORTS = {"http": 80, "https": 443}
GOLDEN = make_facts.read("connections.json")


def connection(folder: Path, files: Mapping[str, str], paths: list[str], context: str) -> dict[str, Any]:
    """What the collection connects to, in the form of the answers."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    problems = Problems()
    entry = read_entry(os.pathsep.join(str(folder / path) for path in paths), context or None, problems)
    config = None if problems.has_errors else connection_config({}, entry, problems)
    if config is None:
        return {"error": problems[0].code}

    def relative(path: str) -> str:
        return os.path.normpath(path).removeprefix(f"{folder}/") if path else ""

    def pem(value: Pem | None) -> str:
        return f"data {value.decode()}" if isinstance(value, bytes) else relative(value or "")

    answer: dict[str, Any] = {
        "server": config.server,
        "insecure": not config.is_verified,
        "authority": pem(config.authority),
        "certificate": pem(config.certificate),
        "key": pem(config.key),
        "token": "" if config.token_file else config.token,
        "token_file": relative(config.token_file),
        "server_name": config.server_name,
        "proxy": config.proxy,
        "as": dict(config.impersonation).get("Impersonate-User", ""),
        "groups": [value for name, value in config.impersonation if name == "Impersonate-Group"],
        "program": relative(entry.user.content().get("exec", {}).get("command", "")),
    }
    return {name: value for name, value in answer.items() if value}


def purpose(answer: Mapping[str, Any], expected: Mapping[str, Any]) -> str:
    """Why only one of two answers is an error, empty if it should not be so."""
    if "error" in answer:
        return "a context with a user that is not in the file, or an entry without a name"
    reasons = {
        "both specified": "a CA or certificate twice: the data count, as in the library of Python",
        "duplicate name": "a name twice in a file: the first entry counts",
        "error loading config file": "an entry with a wrong type that is not selected",
    }
    return next((reason for text, reason in reasons.items() if text in expected["error"]), "")


def proxy(url: str, environment: Mapping[str, str]) -> str | None:
    """The URL of the proxy, empty for a direct connection, ``None`` for an error."""
    try:
        found = find_proxy(url, environment)
    except HttpError:
        return None
    if found is None:
        return ""
    scheme, address = found.url.split("://")
    user = ":".join(quote(part, safe="") for part in found.user_password.split(":")).removesuffix(":")
    return f"{scheme}://{user}{'@' if user else ''}{address}"


def with_port(url: str) -> str:
    """The URL of a proxy with the default port, without a path."""
    parts = urlsplit(url)
    port = "" if not url or parts.port else f":{PORTS[parts.scheme]}"
    return f"{parts.scheme}://{parts.netloc}{port}" if url else ""


def test_a_kubeconfig_selects_what_it_selects_for_kubectl(tmp_path: Path) -> None:
    wrong: list[tuple[object, ...]] = []
    reasons: Counter[str] = Counter()
    for number, (*question, expected) in enumerate(GOLDEN["kubeconfigs"]):
        answer = connection(tmp_path / str(number), *question)
        if answer == expected or ("error" in answer and "error" in expected):
            reasons["equal"] += 1
        elif ("error" in answer) != ("error" in expected) and (reason := purpose(answer, expected)):
            reasons[reason] += 1
        else:
            wrong.append((question, answer, expected))
    assert wrong == []
    assert len(reasons) <= 5
    assert reasons["equal"] > 200


def test_the_variables_select_a_proxy_as_for_kubectl() -> None:
    wrong, rejected = [], 0
    for environment, url, expected in GOLDEN["proxies"]:
        answer = proxy(url, environment)
        # A proxy without a host, or with a port that is no number, is an error here. Go fails later.
        if answer is None and ("://:" in expected or "http://http://" in expected):
            rejected += 1
        elif answer != with_port(expected):
            wrong.append((environment, url, answer, expected))
    assert wrong == []
    assert rejected < 200
