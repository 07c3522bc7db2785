# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every module and playbook where only ansible-core and its dependencies are installed.

What works without another library works. Everything else ends with one sentence that names what to install.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.environment.bare import CHECKOUT, Bare

pytestmark = pytest.mark.deep

RELEASE = str(CHECKOUT / "examples" / "releases" / "4.21.0")
NEWER = str(CHECKOUT / "examples" / "releases" / "4.22.0")
SITES = str(CHECKOUT / "examples" / "sites")
IMAGE = f"127.0.0.1:1/ocp/release@sha256:{'a' * 64}"
NAMES_A_PACKAGE = re.compile(r"(pip install|ansible-galaxy collection install|Install the package) ?\w")
NAMES_A_FILE = re.compile("no file exists at .*/no kubeconfig")
LEAKED = re.compile(r"Traceback|Error: '|No module named|MODULE FAILURE|Unhandled exception|Module failed: '")

INSTALLATION = {
    "content": {
        "apiVersion": "v1",
        "baseDomain": "example.com",
        "platform": {"none": {}},
        "pullSecret": {"auths": {"quay.io": {"auth": "dTpw"}}},
    }
}

CLUSTER_MODULES: dict[str, dict[str, Any]] = {
    "capability_guard": {},
    "capability_usage_info": {"release": RELEASE},
    "cluster_capabilities": {"capabilities": {"baselineCapabilitySet": "v4.18"}},
    "cluster_capabilities_info": {},
    "cluster_update": {"version": "4.22.0"},
    "release_apply": {"release": RELEASE, "release_image": IMAGE},
    "release_verify": {"release": RELEASE, "release_image": IMAGE},
    "update_plan": {"releases": [RELEASE, NEWER]},
}
OTHER_MODULES: dict[str, dict[str, Any]] = {
    "addon_check": {"addons": [RELEASE], "release": RELEASE, "fail_on": "never"},
    "site_check": {"checkout": SITES, "fail_on": "never"},
    "install_config": {"capabilities": {"baselineCapabilitySet": "v4.18"}, "openshift_version": "4.20"},
    "release_info": {"release": RELEASE},
    "validate_arguments": {"playbook": "update_plan"},
    "release_lint": {"release": RELEASE, "fail_on": "never"},
    "release_manifests": {"release": RELEASE},
}
IMAGE_MODULES: dict[str, dict[str, Any]] = {
    "mirror_check": {"release": IMAGE},
    "release_info": {"release": IMAGE},
    "update_plan": {"releases": [RELEASE, IMAGE]},
    "release_apply": {"release": IMAGE, "kubeconfig": "missing"},
}
CLUSTER_PLAYBOOKS: dict[str, dict[str, Any]] = {
    "capability_usage_info": {"release": RELEASE},
    "release_apply": {"release": RELEASE},
    "cluster_capabilities": {"enable": "Console"},
    "capability_guard": {},
    "cluster_update": {"version": "4.22.0"},
    "update_plan": {"releases": [RELEASE, NEWER]},
    "release_verify": {"release": RELEASE},
}
OTHER_PLAYBOOKS: dict[str, dict[str, Any]] = {
    "addon_check": {"addons": RELEASE, "release": RELEASE, "fail_on": "never"},
    "site_check": {"checkout": SITES, "openshift_version": "4.20", "fail_on": "never"},
    "operator_check": {"checkout": RELEASE, "openshift_version": "4.21", "fail_on": "never"},
    "release_compare": {"release": NEWER, "previous_release": RELEASE},
    "release_manifests": {"release": RELEASE},
    "release_info": {"release": RELEASE},
    "release_lint": {"release": RELEASE, "fail_on": "never"},
    "install_config": {"capabilities": {"baselineCapabilitySet": "v4.18"}, "openshift_version": "4.20", **INSTALLATION},
}
IMAGE_PLAYBOOKS: dict[str, dict[str, Any]] = {"mirror_check": {"release": IMAGE}, "release_info": {"release": IMAGE}}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    return Bare(tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def results(bare: Bare) -> dict[str, dict[str, Any]]:
    """Return the result of each module, by its name and its case: one play has them all."""
    calls = {
        **{
            f"{name} {case}": (name, {**args, "kubeconfig": path})
            for name, args in CLUSTER_MODULES.items()
            for case, path in bare.kubeconfigs.items()
        },
        **{f"{name} works": (name, args) for name, args in OTHER_MODULES.items()},
        **{f"{name} image": (name, args) for name, args in IMAGE_MODULES.items()},
    }
    tasks = [
        {f"capability.openshift.{name}": args, "register": f"result_{number}", "ignore_errors": True}
        for number, (name, args) in enumerate(calls.values())
    ]
    kept = "{{ [" + ", ".join(f"result_{number}" for number in range(len(tasks))) + "] | to_json }}"
    tasks.append({"ansible.builtin.copy": {"content": kept, "dest": str(bare.folder / "results.json"), "mode": "0600"}})
    play = {"hosts": "localhost", "gather_facts": False, "tasks": tasks}
    (bare.folder / "modules.yml").write_text(json.dumps([play]), "utf-8")
    done = bare.play("modules.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(zip(calls, json.loads((bare.folder / "results.json").read_text("utf-8")), strict=True))


def test_every_module_and_playbook_is_here():
    modules = {path.stem for path in (CHECKOUT / "plugins" / "modules").glob("*.py")}
    assert modules == {*CLUSTER_MODULES, *OTHER_MODULES, *IMAGE_MODULES}
    playbooks = {path.name.partition(".")[0] for path in (CHECKOUT / "playbooks").glob("*.yml")}
    assert playbooks == {*CLUSTER_PLAYBOOKS, *OTHER_PLAYBOOKS, *IMAGE_PLAYBOOKS}


def test_each_module_has_its_documentation(bare):
    names = [f"capability.openshift.{path.stem}" for path in (CHECKOUT / "plugins" / "modules").glob("*.py")]
    done = bare.run("doc", "--json", *names)
    documented = json.loads(done.stdout)
    assert sorted(documented) == sorted(names)
    assert "impersonate_groups" in documented["capability.openshift.capability_guard"]["doc"]["options"]


def test_a_module_names_what_to_install(results):
    wrong = {}
    for name, result in results.items():
        message = str(result.get("msg", ""))
        if name.endswith(" works"):
            if result.get("failed"):
                wrong[name] = message
        elif name.endswith(" missing"):
            if not NAMES_A_FILE.search(message) or LEAKED.search(message):
                wrong[name] = message or str(result)
        elif LEAKED.search(message) or not NAMES_A_PACKAGE.search(message) or "\n" in message:
            wrong[name] = message or str(result)
    assert wrong == {}


@pytest.mark.parametrize(
    ("name", "case"),
    [
        *((name, case) for name in CLUSTER_PLAYBOOKS for case in ("valid", "missing")),
        *((name, "image") for name in IMAGE_PLAYBOOKS),
    ],
)
def test_a_playbook_names_what_to_install(bare, name, case):
    """A kubeconfig that is missing is named before a library."""
    cluster = {**CLUSTER_PLAYBOOKS.get(name, {}), "kubeconfig": bare.kubeconfigs.get(case)}
    done = bare.play(f"capability.openshift.{name}", IMAGE_PLAYBOOKS[name] if case == "image" else cluster)
    printed = done.stdout + done.stderr
    assert done.returncode != 0
    expected = NAMES_A_FILE if case == "missing" else NAMES_A_PACKAGE
    assert expected.search(printed), printed
    assert not LEAKED.search(printed), printed


@pytest.mark.parametrize("name", OTHER_PLAYBOOKS)
def test_a_playbook_without_a_cluster_needs_nothing_else(bare, name):
    done = bare.play(f"capability.openshift.{name}", OTHER_PLAYBOOKS[name])
    assert done.returncode == 0, done.stdout + done.stderr
