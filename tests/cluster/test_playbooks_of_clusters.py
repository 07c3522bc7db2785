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
EMPTY, NULL, NEITHER = "is set but empty", "is null", "has neither kubeconfig nor context"
GOOD = "{{ the_kubeconfig }}"
EVERYTHING = {"baselineCapabilitySet": "vCurrent"}
"""The selection of an installation, which is not requested when there is ``enable``."""

CLUSTERS: dict[str, tuple[dict[str, Any], str]] = {
    "undefined": ({"kubeconfig": UNDEFINED}, "not_defined_anywhere"),
    "undefined-part": ({"kubeconfig": f"/srv/{UNDEFINED}/kubeconfig"}, "not_defined_anywhere"),
    "undefined-context": ({"context": UNDEFINED}, "not_defined_anywhere"),
    "undefined-in-dict": ({"kubeconfig": {"clusters": [UNDEFINED]}}, "not_defined_anywhere"),
    "undefined-own": ({"OWN_kubeconfig": UNDEFINED, "kubeconfig": GOOD}, "not_defined_anywhere"),
    "empty": ({"kubeconfig": ""}, f"kubeconfig: {EMPTY}"),
    "blank": ({"kubeconfig": "  "}, f"kubeconfig: {EMPTY}"),
    "empty-list": ({"kubeconfig": " : "}, f"kubeconfig: {EMPTY}"),
    "null": ({"kubeconfig": None}, NEITHER),
    "no-dict": ({"kubeconfig": {}}, f"kubeconfig: {EMPTY}"),
    "default-empty": ({"kubeconfig": "{{ nope | default('') }}"}, f"kubeconfig: {EMPTY}"),
    "empty-context": ({"context": ""}, f"context: {EMPTY}"),
    "null-context": ({"context": None}, NEITHER),
    "both": ({"kubeconfig": "", "context": None}, NULL),
    "empty-own": ({"OWN_kubeconfig": "", "kubeconfig": GOOD}, f"kubeconfig: {EMPTY}"),
    "empty-own-context": ({"OWN_context": "", "kubeconfig": GOOD}, f"context: {EMPTY}"),
}
"""Variables of a host that do not say which cluster it is, and the message. OWN stands for the name of the role."""

UNNAMED = ("empty", "default-empty", "empty-context", "both", "empty-own")
"""Those of ``CLUSTERS`` that a playbook refuses itself, because an empty name is none. A plan needs no cluster."""

UNSET: dict[str, tuple[dict[str, Any], str]] = {
    "unset": ({}, NEITHER),
    "omitted": ({"kubeconfig": "{{ nope | default(omit) }}"}, NEITHER),
    "omitted-context": ({"context": "{{ nope | default(omit) }}"}, NEITHER),
}
"""Variables of a host that select no cluster. A plan needs none."""

REQUESTS: dict[str, dict[str, tuple[dict[str, Any], str]]] = {
    GUARD: {
        **{
            f"undefined-{name}": ({name: UNDEFINED}, "not_defined_anywhere")
            for name in ("allowed_capabilities", "state", "mode", "force_conflicts", "wait", "wait_timeout")
        },
        "undefined-own-limit": (
            {"capability_guard_allowed_capabilities": UNDEFINED, "allowed_capabilities": ["Console"]},
            "not_defined_anywhere",
        ),
        "undefined-item": ({"allowed_capabilities": ["Console", UNDEFINED]}, "not_defined_anywhere"),
        "empty-limit": ({"allowed_capabilities": ""}, "allowed_capabilities[0]"),
        "null-limit": ({"allowed_capabilities": None}, NULL),
        "empty-state": ({"state": ""}, "state"),
        "null-state": ({"state": None}, "state"),
        "null-mode": ({"mode": None}, "mode"),
        "null-wait": ({"wait": None}, "wait"),
    },
    ENABLE: {
        **{
            f"undefined-{name}": ({name: UNDEFINED}, "not_defined_anywhere")
            for name in ("enable", "wait", "wait_timeout", "keep_implicit", "capabilities", "release")
        },
        "undefined-item": ({"enable": ["Console", UNDEFINED]}, "not_defined_anywhere"),
        "undefined-set": ({"capabilities": {"baselineCapabilitySet": UNDEFINED}}, "not_defined_anywhere"),
        "empty-text": ({"enable": ""}, "enable must be a list of capabilities"),
        "commas": ({"enable": " , "}, "enable must be a list of capabilities"),
        "null": ({"enable": None}, "enable must be a list of capabilities"),
        "omitted": ({"enable": "{{ nope | default(omit) }}"}, "enable must be a list of capabilities"),
        "number": ({"enable": 5}, "enable must be a list of capabilities"),
        "dict": ({"enable": {"Console": True}}, "enable must be a list of capabilities"),
        "list-of-dicts": ({"enable": [{"Console": True}]}, "enable must be a list of capabilities"),
        "list-of-nulls": ({"enable": [None]}, "enable must be a list of capabilities"),
    },
    PLAN: {
        **{
            f"undefined-{name}": ({name: UNDEFINED}, "not_defined_anywhere")
            for name in (
                "allow_downgrade",
                "capabilities",
                "cluster_profile",
                "cluster_version",
                "enabled_capabilities",
                "fail_on",
                "feature_gates",
                "feature_set",
                "live_resources",
                "platform",
                "releases",
                "report",
                "update_plan_ask_cluster",
                "update_plan_details",
                "update_plan_overrides",
            )
        },
        "empty-start": ({"cluster_version": ""}, "cluster_version: '' is not a path"),
        "null-start": ({"update_plan_capabilities": None}, NULL),
    },
}
"""Variables of a host whose cluster is clear, which do not say what is meant."""

PATH = json.dumps({"releases": RELEASES})
"""The path of releases for -e, which would end a text at the first blank of a folder."""

COMMON: dict[str, dict[str, Any]] = {
    GUARD: {"state": "absent"},
    ENABLE: {"capabilities": EVERYTHING},
    PLAN: {"releases": RELEASES},
}
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
            arguments = ("-i", "hosts.json", "-e", f"{playbook}_hosts=all", *arguments)
        return self.command("ansible-playbook", f"capability.openshift.{playbook}", *arguments)

    def command(self, program: str, *arguments: str) -> Done:
        """Run a command of ansible-playbook from the folder."""
        assert program == "ansible-playbook"
        env = {"HOME": str(self.folder / "home"), "ANSIBLE_FORKS": "4"}
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


def refusal(playbook: str, name: str, message: str) -> str:
    """Return the message of one of ``CLUSTERS`` for ``playbook``."""
    if playbook == PLAN:  # It needs no cluster, so its role reports what is null.
        return NULL if message == NEITHER else message
    return NEITHER if name in UNNAMED else message


@pytest.mark.parametrize("playbook", [GUARD, ENABLE, PLAN])
def test_only_the_cluster_that_is_named_is_asked(playbook: str, desk: Desk) -> None:
    cases = {
        **{
            name: (
                {variable.replace("OWN", playbook): value for variable, value in given.items()},
                refusal(playbook, name, message),
            )
            for name, (given, message) in CLUSTERS.items()
        },
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
    done = desk.run(ENABLE, empty={"kubeconfig": GOOD, "enable": [], "capabilities": EVERYTHING})

    assert done.code == 0, done.text
    assert "no change, all capabilities are already requested" in done.text
    assert {request.verb for request in desk.requests(mark)} == {"get"}


def test_a_host_without_enable_asks_for_its_selection(desk: Desk) -> None:
    requested = selection("Build", "Ingress")
    done = desk.run(ENABLE, "--check", named={"kubeconfig": GOOD, "capabilities": requested})

    assert "would request Build" in done.text, done.text


def test_a_plan_without_the_cluster_of_others_is_requested(desk: Desk) -> None:
    mark = desk.plane.audit.mark()
    done = desk.run(PLAN, "-e", PATH, "-e", "kubeconfig=", "-e", "update_plan_ask_cluster=false")

    assert done.code == 0, done.text
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
    assert "would be rejected. Any capability could be added. The guard would be installed" in _text_of(
        desk.run(GUARD, *named, "--check")
    )
    assert "are rejected. Any capability can be added. The guard was installed" in _text_of(desk.run(GUARD, *named))
    assert "The guard would be removed" in _text_of(desk.run(GUARD, *named, "-e", "state=absent", "--check"))
    assert desk.plane.api.exists(POLICY)
    assert "The guard was removed" in _text_of(desk.run(GUARD, *named, "-e", "state=absent"))
    assert "The guard does not exist" in _text_of(desk.run(GUARD, *named, "-e", "state=absent", "--check"))


def test_what_an_inventory_says_of_the_role_counts_in_the_playbook(desk: Desk) -> None:
    host = {"kubeconfig": "{{ the_kubeconfig }}", "capability_guard_mode": "audit"}
    assert "would be only reported" in _text_of(desk.run(GUARD, "--check", one=host))
    assert "would be rejected" in _text_of(desk.run(GUARD, "--check", "-e", "mode=enforce", one=host))
    undefined = desk.run(GUARD, "--check", one={**host, "capability_guard_mode": UNDEFINED})
    assert "not_defined_anywhere" in undefined.refusal("one")


def _text_of(done: Done) -> str:
    assert done.code == 0, done.text
    return " ".join(done.text.split())
