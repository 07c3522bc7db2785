# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The output of ansible-playbook with -vvvv contains no credentials for registries, even if a task fails."""

from __future__ import annotations

import base64
import json
import os
import stat
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.tests.control_plane.ports import free_port
from ansible_collections.capability.openshift.tests.registry.harness.registry import PASSWORD, USER
from ansible_collections.capability.openshift.tests.unit.builders.images import release_image
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

IMAGE = release_image(Path(__file__).parents[2] / "examples" / "releases" / "4.22.0")
WRONG, HELPED, PROXIED = "incorrect horse", "battery of the helper", "staple-of-the-proxy"


def auth(password: str) -> str:
    return base64.b64encode(f"{USER}:{password}".encode()).decode()


SECRETS = (
    *(secret for password in (PASSWORD, WRONG) for secret in (password, auth(password))),
    *(HELPED, PROXIED, "eyJ", "Bearer ", "Basic "),
)


def auths(host: str, password: str = PASSWORD) -> dict[str, object]:
    return {"auths": {host: {"auth": auth(password)}}}


@pytest.fixture(scope="module")
def output(registry, basic_registry, token_registry, registry_site, tmp_path_factory) -> str:
    """Run all tasks once, and return what is printed."""
    folder = tmp_path_factory.mktemp("secrets")
    registry.push("ocp/release", IMAGE)
    basic, token = basic_registry.host, token_registry.host
    helper = folder / "docker-credential-broken"
    helper.write_text(f"#!/bin/sh\necho '{HELPED}'; echo '{HELPED}' >&2; exit 1\n", "utf-8")
    helper.chmod(helper.stat().st_mode | stat.S_IXUSR)
    (folder / "auth.json").write_text(json.dumps(auths(token)), "utf-8")
    (folder / "helper.json").write_text(json.dumps({"credHelpers": {basic: "broken"}}), "utf-8")
    secrets = {
        "right": auths(basic),
        "wrong": json.dumps(auths(basic, WRONG)),
        "wrong_token": json.dumps(auths(token, WRONG)),
        "broken": json.dumps(auths(basic))[:-1],
        "odd": {"auths": {basic: {"auth": f"{PASSWORD}"}}},
    }
    (folder / "secrets.json").write_text(json.dumps(secrets), "utf-8")
    tasks = {
        "a dict": {"release": basic, "pull_secret": "{{ right }}"},
        "a wrong password": {"release": basic, "pull_secret": "{{ wrong }}"},
        "a wrong password for a token": {"release": token, "pull_secret": "{{ wrong_token }}"},
        "a file, for a token": {"release": token, "auth_file": str(folder / "auth.json")},
        "broken JSON": {"release": basic, "pull_secret": "{{ broken }}"},
        "not base64": {"release": basic, "pull_secret": "{{ odd }}"},
        "a helper that fails": {"release": basic, "auth_file": str(folder / "helper.json")},
        "a proxy that does not answer": {"release": "registry.invalid"},
    }
    common = {"ca_path": str(registry_site.ca), "release_cache": str(folder / "cache")}
    plays = [
        {
            "hosts": "localhost",
            "gather_facts": False,
            "vars_files": ["secrets.json"],
            "tasks": [
                {
                    "name": name,
                    "capability.openshift.release_info": {
                        **common,
                        **options,
                        "release": f"{options['release']}/ocp/release@{IMAGE.digest}",
                        "release_cache": str(folder / "cache" / str(number)),
                    },
                    "ignore_errors": True,
                    "register": f"result_{number}",
                }
                for number, (name, options) in enumerate(tasks.items())
            ],
        }
    ]
    (folder / "play.yml").write_text(json.dumps(plays), "utf-8")
    env = {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "ANSIBLE_PIPELINING": "true",
        "ANSIBLE_INJECT_INVOCATION": "true",
        "HTTPS_PROXY": f"http://user:{PROXIED}@127.0.0.1:{free_port()}",
    }
    done = ansible_playbook(folder, "-i", "localhost,", "-c", "local", "-vvvv", "--diff", "play.yml", env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_each_task_ends_as_it_should(output):
    assert output.count('"cluster_profiles"') == 2, output
    for code in (
        "registry-unauthorized",
        "invalid-json",
        "invalid-credentials",
        "credential-helper-failed",
        "registry-unreachable",
    ):
        assert f'"code": "{code}"' in output, code
    assert "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER" in output
    assert "cannot be reached: the proxy does not answer: " in output
    assert "Traceback" not in output


@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_is_shown(output, secret):
    assert secret not in output
