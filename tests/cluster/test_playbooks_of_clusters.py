# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbooks ask the cluster that is meant, as meant, and never one to which the user is logged in by chance.

In all tests the home directory has a kubeconfig that works: who falls back to it is seen in the audit log.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import FIELD_MANAGER
from ansible_collections.capability.openshift.tests.cluster.helpers.guard import BINDING, POLICY, is_guarded
from ansible_collections.capability.openshift.tests.cluster.helpers.support import selection
from ansible_collections.capability.openshift.tests.control_plane.audit import Request
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    EXAMPLE,
    capabilities_status,
    make_cluster_version,
)
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook

pytestmark = pytest.mark.deep

GUARD, ENABLE, PLAN = "capability_guard", "cluster_capabilities", "update_plan"
KNOWN = ["Build", "Console", "Ingress", "Insights", "Storage"]
RELEASES = [str(EXAMPLE), str(EXAMPLE.parent / "4.22.0")]
UNDEFINED = "{{ not_defined_anywhere }}"
UNREADABLE, EMPTY, NULL = "cannot be read: 'not_defined_anywhere' is undefined", "is set but empty", "is null"
REQUIRED = "kubeconfig: is required for"
GOOD = "{{ the_kubeconfig }}"
EVERYTHING = {"baselineCapabilitySet": "vCurrent"}

CLUSTERS: dict[str, tuple[dict[str, Any], str]] = {
    "undefined": ({"kubeconfig": UNDEFINED}, f"kubeconfig: {UNREADABLE}"),
    "undefined-part": ({"kubeconfig": f"/srv/{UNDEFINED}/kubeconfig"}, f"kubeconfig: {UNREADABLE}"),
    "undefined-context": ({"context": UNDEFINED}, f"context: {UNREADABLE}"),
    "undefined-host": ({"host": UNDEFINED}, f"host: {UNREADABLE}"),
    "undefined-in-dict": ({"kubeconfig": {"clusters": [UNDEFINED]}}, f"kubeconfig: {UNREADABLE}"),
    "empty": ({"kubeconfig": ""}, f"kubeconfig: {EMPTY}"),
    "blank": ({"kubeconfig": "  "}, f"kubeconfig: {EMPTY}"),
    "empty-list": ({"kubeconfig": " : "}, f"kubeconfig: {EMPTY}"),
    "null": ({"kubeconfig": None}, f"kubeconfig: {NULL}"),
    "no-dict": ({"kubeconfig": {}}, f"kubeconfig: {EMPTY}"),
    "default-empty": ({"kubeconfig": "{{ nope | default('') }}"}, f"kubeconfig: {EMPTY}"),
    "empty-context": ({"context": ""}, f"context: {EMPTY}"),
    "null-context": ({"context": None, "kubeconfig": GOOD}, f"context: {NULL}"),
}
"""Variables of a host that do not say which cluster it is, and the message."""

UNSET: dict[str, tuple[dict[str, Any], str]] = {
    "unset": ({}, REQUIRED),
    "omitted": ({"kubeconfig": "{{ nope | default(omit) }}"}, REQUIRED),
    "omitted-context": ({"context": "{{ nope | default(omit) }}"}, REQUIRED),
}
"""Variables of a host that select no cluster. A plan needs none."""

REQUESTS: dict[str, dict[str, tuple[dict[str, Any], str]]] = {
    GUARD: {
        "undefined-state": ({"state": UNDEFINED}, f"state: {UNREADABLE}"),
        "undefined-item": ({"allowed_capabilities": ["Console", UNDEFINED]}, f"allowed_capabilities: {UNREADABLE}"),
        "empty-limit": ({"allowed_capabilities": ""}, f"allowed_capabilities: {EMPTY}"),
        "null-limit": ({"allowed_capabilities": None}, f"allowed_capabilities: {NULL}"),
        "null-mode": ({"mode": None}, f"mode: {NULL}"),
    },
    ENABLE: {
        "undefined-enable": ({"enable": UNDEFINED}, f"enable: {UNREADABLE}"),
        "undefined-item": ({"enable": ["Console", UNDEFINED]}, f"enable: {UNREADABLE}"),
        "undefined-capabilities": ({"capabilities": UNDEFINED}, f"capabilities: {UNREADABLE}"),
        "undefined-set": ({"capabilities": {"baselineCapabilitySet": UNDEFINED}}, f"capabilities: {UNREADABLE}"),
        "undefined-release": ({"enable": "Console", "release": UNDEFINED}, f"release: {UNREADABLE}"),
        "empty-text": ({"enable": ""}, f"enable: {EMPTY}"),
        "null": ({"enable": None}, f"enable: {NULL}"),
        "dict": ({"enable": {"Console": True}}, "enable: is a map"),
        "both": ({"enable": "Console", "capabilities": EVERYTHING}, "enable: cannot be combined"),
    },
    PLAN: {
        "undefined-start": ({"cluster_version": UNDEFINED}, f"cluster_version: {UNREADABLE}"),
        "undefined-report": ({"report": UNDEFINED}, f"report: {UNREADABLE}"),
        "null-start": ({"capabilities": None}, f"capabilities: {NULL}"),
        "empty-start": ({"cluster_version": ""}, f"cluster_version: {EMPTY}"),
    },
}
"""Variables of a host whose cluster is clear, which do not say what is meant."""

PATH = json.dumps({"releases": RELEASES})
"""The path of releases for -e, which would end a text at the first blank of a folder."""

COMMON: dict[str, dict[str, Any]] = {GUARD: {"state": "absent"}, ENABLE: {}, PLAN: {"releases": RELEASES}}
"""What all hosts have that are refused: where one is not, it is seen."""


class Done(NamedTuple):
    """How a run ended."""

    code: int
    text: str

    def refusal(self, host: str) -> str:
        """Return the line that shows why a host failed, empty if it did not."""
        found = re.search(rf"(?m)^fatal: \[{re.escape(host)}\]: FAILED! => (.*)", self.text)
        return found.group(1) if found else ""


class Desk(NamedTuple):
    """A folder from which a user runs playbooks, and a cluster that is in the kubeconfig of the home directory."""

    plane: ControlPlane
    folder: Path

    def run(self, playbook: str, *arguments: str, **hosts: dict[str, Any]) -> Done:
        """Run a playbook from the folder, with ``hosts`` as the inventory if there are any."""
        if hosts:
            inventory = {"all": {"hosts": hosts, "vars": {"the_kubeconfig": str(self.plane.kubeconfig)}}}
            (self.folder / "hosts.json").write_text(json.dumps(inventory))
            arguments = ("-i", "hosts.json", "-e", "target_hosts=all", *arguments)
        return self.command("ansible-playbook", f"capability.openshift.{playbook}", *arguments)

    def command(self, program: str, *arguments: str) -> Done:
        """Run a command of ansible-playbook from the folder."""
        assert program == "ansible-playbook"
        env = {"HOME": str(self.folder / "home"), "ANSIBLE_FORKS": "4", "ANSIBLE_SHOW_CUSTOM_STATS": "true"}
        done = ansible_playbook(self.folder, *arguments, env=env)
        return Done(done.returncode, done.stdout + done.stderr)

    def requests(self, since: int) -> list[Request]:
        """Return what the collection asked the API server since a mark."""
        return self.plane.audit.requests(since, user_agent=FIELD_MANAGER)


@pytest.fixture
def desk(cluster: ControlPlane, tmp_path: Path) -> Iterator[Desk]:
    """Return a desk at a cluster with nothing but Ingress on. At the end there is no guard."""
    status = {**capabilities_status(["Ingress"], KNOWN), "desired": {"version": "4.21.0"}}
    make_cluster_version(cluster.api, {"capabilities": selection("Ingress")}, status)
    (tmp_path / "home" / ".kube").mkdir(parents=True)
    for copy in ("home/.kube/config", "kubeconfig"):
        shutil.copy(cluster.kubeconfig, tmp_path / copy)
    (tmp_path / "releases").symlink_to(EXAMPLE.parent)
    yield Desk(cluster, tmp_path)
    for path in (BINDING, POLICY):
        if cluster.api.exists(path):
            cluster.api.delete(path)
    wait_for(lambda: not is_guarded(cluster.api), "the guard to be gone")


@pytest.mark.parametrize("playbook", [GUARD, ENABLE, PLAN])
def test_only_the_cluster_that_is_named_is_asked(playbook: str, desk: Desk) -> None:
    cases = {
        **CLUSTERS,
        **({} if playbook == PLAN else UNSET),
        **{name: ({"kubeconfig": GOOD, **given}, message) for name, (given, message) in REQUESTS[playbook].items()},
    }
    mark = desk.plane.audit.mark()
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    done = desk.run(
        playbook, **{name: {**local, **COMMON[playbook], **given} for name, (given, _message) in cases.items()}
    )

    wrong = {
        name: done.refusal(name)[:300] for name, (_given, message) in cases.items() if message not in done.refusal(name)
    }
    assert wrong == {}, done.text
    assert desk.requests(mark) == []


@pytest.mark.parametrize(
    ("playbook", "more"),
    [(GUARD, ["-e", "state=absent"]), (ENABLE, ["-e", "enable=Console"]), (PLAN, ["-e", f"releases={RELEASES[0]}"])],
)
def test_an_empty_variable_of_the_shell_is_no_cluster(playbook: str, more: list[str], desk: Desk) -> None:
    mark = desk.plane.audit.mark()
    done = desk.run(playbook, "-e", "kubeconfig=", *more)

    assert f"kubeconfig: {EMPTY}" in done.refusal("localhost")
    assert desk.requests(mark) == []


def test_enabling_nothing_only_reads(desk: Desk) -> None:
    mark = desk.plane.audit.mark()
    done = desk.run(ENABLE, empty={"kubeconfig": GOOD, "enable": []})

    assert done.code == 0, done.text
    assert {request.verb for request in desk.requests(mark)} == {"get"}


def test_a_host_requests_the_selection_of_the_inventory(desk: Desk) -> None:
    requested = selection("Build", "Ingress")
    done = desk.run(ENABLE, "--check", named={"kubeconfig": GOOD, "capabilities": requested})

    assert "would request Build" in done.text, done.text


def test_a_wait_that_times_out_returns_what_was_requested(desk: Desk) -> None:
    done = desk.run(ENABLE, "-e", "wait=true", "-e", "wait_timeout=0", named={"kubeconfig": GOOD, "enable": ["Build"]})
    assert done.code == 2
    assert re.search(r'"named": \{\s*"changed": true', done.text), done.text


def test_roles_say_what_would_be_with_the_keyword_check_mode(desk: Desk) -> None:
    options = {"cluster_capabilities_enable": "Build", "release_apply_release": str(EXAMPLE)}
    options |= {"release_apply_only": "crds", "release_apply_allow_cvo_managed": "true"}
    roles = [f"capability.openshift.{role}" for role in (ENABLE, "release_apply")]
    play = {"hosts": "localhost", "gather_facts": False, "check_mode": True, "vars": options, "roles": roles}
    (desk.folder / "site.yml").write_text(json.dumps([play]))
    text = _text_of(desk.command("ansible-playbook", "site.yml"))
    assert "would request Build" in text
    assert "only CRDs, dry run" in text


def test_a_plan_without_the_cluster_of_the_inventory_asks_none(desk: Desk) -> None:
    mark = desk.plane.audit.mark()
    done = desk.run(PLAN, "-e", PATH, "-e", "{'kubeconfig': '{{ omit }}'}", one={"kubeconfig": GOOD})

    assert "4.21.0 -> 4.22.0" in done.text
    assert desk.requests(mark) == []


@pytest.mark.parametrize("playbook", [GUARD, ENABLE, PLAN])
def test_each_path_of_a_list_starts_from_the_shell(playbook: str, desk: Desk) -> None:
    mark = desk.plane.audit.mark()
    more = ["-e", PATH] if playbook == PLAN else []
    done = desk.run(playbook, "--check", "-e", f"kubeconfig=nowhere{os.pathsep}kubeconfig", *more)

    assert done.code == 0, done.text
    assert desk.requests(mark)


def test_a_dry_run_of_the_guard_says_what_would_be(desk: Desk) -> None:
    named = ("-e", "kubeconfig=kubeconfig")
    predicted, done = _text_of(desk.run(GUARD, *named, "--check")), _text_of(desk.run(GUARD, *named))
    assert "would be rejected" in predicted
    assert "Any capability could be added. The guard would be installed" in predicted
    assert "are rejected" in done
    assert "Any capability can be added. The guard was installed" in done
    assert "The guard would be removed" in _text_of(desk.run(GUARD, *named, "-e", "state=absent", "--check"))
    assert desk.plane.api.exists(POLICY)
    assert "The guard was removed" in _text_of(desk.run(GUARD, *named, "-e", "state=absent"))
    assert "The guard does not exist" in _text_of(desk.run(GUARD, *named, "-e", "state=absent", "--check"))


def _text_of(done: Done) -> str:
    assert done.code == 0, done.text
    return " ".join(done.text.split())
