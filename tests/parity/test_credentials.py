# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each repository has the credentials that CRI-O, podman and skopeo find for it.

The Go program in ``go/images`` writes ``facts/credentials.json``. It has random files with credentials, and for each
repository the value of ``Authorization: Basic`` and the identity token, or null for an error. To make it again:

    cd tests/parity/go/images
    go run -tags containers_image_openpgp . ../../facts
"""

from __future__ import annotations

import base64
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems, RegistryError
from ansible_collections.capability.openshift.plugins.module_utils._registry.credentials import (
    Credentials,
    read_credentials,
)
from ansible_collections.capability.openshift.plugins.module_utils._registry.token_server import basic_header
from ansible_collections.capability.openshift.tests.parity import make_facts

GOLDEN = make_facts.read("credentials.json")
PATHS = {
    "named": "auth.json",
    "runtime": "runtime/containers/auth.json",
    "config": "config/containers/auth.json",
    "docker": "docker/config.json",
}
NONE = ("", "")


class Answer(NamedTuple):
    """What is found for a repository: header and token, ``None`` for an error with its code."""

    found: tuple[str, str] | None
    code: str = ""


@pytest.fixture(scope="module", autouse=True)
def _helpers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("helpers")
    for name, text in GOLDEN["helpers"].items():
        program = folder / f"docker-credential-{name}"
        program.write_text(text, "utf-8")
        program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        yield


def find(credentials: Credentials, repository: str, problems: Problems) -> Answer:
    if problems.has_errors:
        return Answer(None, problems[0].code)
    try:
        found = credentials.find(repository)
    except RegistryError as error:
        return Answer(None, error.problems[0].code)
    if found is None:
        return Answer(NONE)
    is_named = found.username or found.password
    return Answer((basic_header(found).removeprefix("Basic ") if is_named else "", found.identity_token))


def read(home: Path, files: Mapping[str, str]) -> tuple[Credentials, Problems]:
    for place, text in files.items():
        path = home / PATHS[place]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    variables = {"HOME": "", "XDG_RUNTIME_DIR": "runtime", "XDG_CONFIG_HOME": "config", "DOCKER_CONFIG": "docker"}
    environ = {name: str(home / folder) for name, folder in variables.items()}
    problems = Problems()
    named = str(home / PATHS["named"]) if "named" in files else None
    return read_credentials(None, named, environ, problems), problems


def purpose(files: Mapping[str, str], answer: Answer, expected: tuple[str, str] | None) -> str:
    """Why an answer differs from the expected one on purpose; empty if it should not."""
    if answer.found and "docker-" in (answer.found[1] or decoded(answer.found[0])):
        return "Docker also reads identitytoken alone, username and password"
    if expected is None:
        return "the library reads no entry of a file that has a wrong type anywhere" if has_wrong_types(files) else ""
    if answer.code == "invalid-credentials":
        return "an entry without a colon is an error, and the library contacts the registry without credentials"
    if answer.code in ("invalid-auth-file", "not-a-map"):
        return "a file without any known field is an error"
    if answer.code == "credential-helper-failed":
        return "a helper that prints no user and secret is an error" if '"empty"' in "".join(files.values()) else ""
    return ""


def has_wrong_types(files: Mapping[str, str]) -> bool:
    wrong = ('"quay.io": 1', '"auth": 1', '"auths": []')
    return any(
        not text.startswith("{") or not text.endswith("}") or any(item in text for item in wrong)
        for text in files.values()
    )


def decoded(header: str) -> str:
    return base64.b64decode(header).decode("latin-1")


def test_each_repository_has_the_credentials_of_the_library(tmp_path: Path) -> None:
    wrong: list[tuple[object, ...]] = []
    reasons: Counter[str] = Counter()
    for number, (files, answers) in enumerate(GOLDEN["cases"]):
        credentials, problems = read(tmp_path / str(number), files)
        for repository, at in zip(GOLDEN["repositories"], answers, strict=True):
            expected = GOLDEN["answers"][at] and tuple(GOLDEN["answers"][at])
            answer = find(credentials, repository, problems)
            if answer.found != expected:
                reason = purpose(files, answer, expected)
                reasons[reason] += 1
                if not reason:
                    wrong.append((files, repository, answer, expected))
    assert wrong == []
    assert len(reasons) <= 5
    assert reasons.total() < 1000
    assert len(GOLDEN["cases"]) * len(GOLDEN["repositories"]) == 6000
