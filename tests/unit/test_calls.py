# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a new user calls at first, varied and wrong, and how each call ends: with which problems, and never a traceback.

Playbooks are called up to their first task, which checks their variables, and modules through ``main``. What only a
process shows is in ``test_playbook_arguments.py``, and calls without libraries are in ``tests/environment``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import chdir
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from ansible.parsing.splitter import parse_kv

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_arguments import (
    check_names,
    check_set,
    check_values,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._playbook_variables import read_playbook
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files
from ansible_collections.capability.openshift.tests.unit.run_module import MODULES, Call

EXAMPLES = Path(__file__).parents[2] / "examples"
Faults = tuple[tuple[str, str], ...]

# The playbook, the texts behind -e, and the code and the name in each error. No error: the call runs.
PATH = "releases=old,new"
UNKNOWN, TYPE, CHOICE, MISSING = "unknown-variable", "wrong-type", "unknown-choice", "missing-variable"
EMPTY = "empty-option"
PLAYBOOK_CALLS: list[tuple[str, tuple[str, ...], Faults]] = [
    ("update_plan", (PATH, "cluster_versoin=cv.yaml"), ((UNKNOWN, "cluster_versoin"),)),
    ("update_plan", ("releases=old,new report=my review",), ((UNKNOWN, "-e"),)),
    ("update_plan", (PATH, "failon=blocked"), ((UNKNOWN, "failon"),)),
    ("update_plan", ("release=old,new",), ((UNKNOWN, "release"),)),
    ("update_plan", (PATH, "capabilities=Console"), ((TYPE, "capabilities"),)),
    ("update_plan", (PATH, '{"clusters": ["paris"]}'), ((TYPE, "clusters"),)),
    ("update_plan", (PATH, "report=review fail_on=risk"), ()),
    ("update_plan", (PATH, "report= platform="), ((EMPTY, "report"), (EMPTY, "platform"))),
    ("update_plan", (PATH, "update_plan_fail_on=risk"), ((UNKNOWN, "update_plan_fail_on"),)),
    ("update_plan", ("failon=risk", "capabilities=Console"), ((UNKNOWN, "failon"), (TYPE, "capabilities"))),
    ("cluster_capabilities", ("enabel=Console",), ((UNKNOWN, "enabel"),)),
    ("cluster_capabilities", ("enable=Console", "wait_timeout=10m"), ((TYPE, "wait_timeout"),)),
    ("cluster_capabilities", ("capabilities=Console",), ((TYPE, "capabilities"),)),
    ("cluster_capabilities", ("enable=Console,Storage wait=true",), ()),
    (
        "cluster_capabilities",
        ("enable=Console", '{"capabilities": {"baselineCapabilitySet": "None"}}'),
        (("conflicting-options", "enable"),),
    ),
    ("cluster_capabilities", ("disable=Console",), ((UNKNOWN, "disable"),)),
    ("capability_guard", ("mdoe=audit",), ((UNKNOWN, "mdoe"),)),
    ("capability_guard", ("mode=audti",), ((CHOICE, "mode"),)),
    ("capability_guard", ('{"allowed_capabilities": {"Console": true}}',), ((TYPE, "allowed_capabilities"),)),
    ("capability_guard", ("allowed_capabilities=Console,Storage mode=audit",), ()),
    ("site_check", ("stat=fixed",), ((UNKNOWN, "stat"),)),
    ("site_check", ("state=fix",), ((CHOICE, "state"),)),
    ("site_check", ("checkout=", "paths="), ((EMPTY, "checkout"), (EMPTY, "paths"))),
    ("site_check", ("checkout=sites solution=ran_du outputs=sarif:findings.sarif",), ()),
    ("release_apply", ("release=new", "failon=risk"), ((UNKNOWN, "failon"),)),
    ("release_apply", (), ((MISSING, "release"),)),
    ("release_apply", ("release=new", "fail_on=risk"), (("missing-option", "previous_release"),)),
    ("release_apply", ("release=new", "only=definitions"), ((CHOICE, "only"),)),
    ("release_apply", ("release=new", "previous_release="), ((EMPTY, "previous_release"),)),
    ("release_info", (), ((MISSING, "release"),)),
    ("release_info", ("relase=new",), ((UNKNOWN, "relase"), (MISSING, "release"))),
    ("release_info", ("release=new", "dest=outdir", "images=true", "previous_release=old"), ((UNKNOWN, "dest"),)),
    ("release_info", ("release=new", "capabilities=Console"), ((TYPE, "capabilities"),)),
    ("release_info", ("release=new", "resource_name=*"), ()),
    ("release_info", ("release=new", "resource_name="), ((EMPTY, "resource_name"),)),
    ("release_manifests", ("release=new", "destination=out"), ((UNKNOWN, "destination"),)),
    ("release_manifests", ("release=new dest=out images=true",), ()),
    ("release_compare", ("release=new",), ()),
    ("release_compare", ("release=new", "changes_from=old"), ((UNKNOWN, "changes_from"),)),
    ("release_verify", (), ((MISSING, "release"),)),
    ("release_lint", (), (("missing-option", "release or checkout"),)),
    ("release_lint", ("release=new", "component=console-operator"), ((UNKNOWN, "component"),)),
    ("release_lint", ("release=new", "fail_on=Error"), ((CHOICE, "fail_on"),)),
    ("operator_check", ("chekout=.",), ((UNKNOWN, "chekout"),)),
    ("operator_check", ('{"manifest_directories": {"a": 1}}',), ((TYPE, "manifest_directories"),)),
    ("operator_check", (), ()),
    ("addon_check", ("release=new",), ((MISSING, "addons"),)),
    ("addon_check", ("release=new", "addon=bundle"), ((UNKNOWN, "addon"), (MISSING, "addons"))),
    ("addon_check", ("release=new addons=bundle", "installer=helm3"), ((CHOICE, "installer"),)),
    ("capability_usage_info", ("release=new", '{"capabilities": {"a": 1}}'), ((UNKNOWN, "capabilities"),)),
    ("capability_usage_info", ("release=new", '{"capability_names": {"a": 1}}'), ((TYPE, "capability_names"),)),
    ("capability_usage_info", ("release=new", "clients=mine"), ((CHOICE, "clients"),)),
    ("mirror_check", ("images=all",), ((MISSING, "release"),)),
    ("mirror_check", ("release=new", "images=none"), ((CHOICE, "images"),)),
    ("install_config", ("solutoin=ran_du",), ((UNKNOWN, "solutoin"),)),
    ("install_config", ("write_valid=sure",), ((TYPE, "write_valid"),)),
]


class Files(NamedTuple):
    """The files that calls name, in ``folder``."""

    folder: Path

    @property
    def old(self) -> str:
        """The older example release."""
        return str(EXAMPLES / "releases" / "4.21.0")

    @property
    def new(self) -> str:
        """The newer example release."""
        return str(EXAMPLES / "releases" / "4.22.0")

    @property
    def sites(self) -> str:
        """The example sites."""
        return str(EXAMPLES / "sites")


NONE = {"baselineCapabilitySet": "None"}
OTHER_NAMES = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["console"]}
NO_OLM = {
    **NONE,
    "additionalEnabledCapabilities": ["marketplace", "Ingress", "CloudControllerManager", "CloudCredential"],
}
CONTENT: dict[str, Any] = {"platform": {"none": {}}}
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
FOLDER = "FOLDER"
"""Stands for the folder of the files, in options and in faults."""

# The module, its options, and the code and the location of each error. "OLD", "NEW" and "SITES" are the examples. A
# text instead of errors is what the message contains. No error: the call succeeds, without a warning.
MODULE_CALLS: list[tuple[str, dict[str, Any], Faults | str]] = [
    ("release_info", {"release": "NEW"}, ()),
    ("release_info", {"release": "/nope"}, (("missing-directory", "/nope"),)),
    ("release_info", {"release": ""}, (("empty-option", "release"),)),
    ("release_info", {"release": "FOLDER/many"}, (("wrong-directory", "FOLDER/many"),)),
    ("release_info", {"release": "NEW/manifests"}, (("wrong-directory", "NEW/manifests"),)),
    ("release_info", {"release": "FOLDER/operator"}, (("missing-directory", "FOLDER/operator"),)),
    ("release_info", {"release": "FOLDER/operator/manifests", "openshift_version": "4.21"}, ()),
    (
        "release_info",
        {"release": "FOLDER/operator/manifests", "openshift_version": "4.x"},
        (("invalid-version", "openshift_version"),),
    ),
    ("release_info", {"release": "FOLDER/secret.yaml"}, (("not-a-directory", "FOLDER/secret.yaml"),)),
    ("release_info", {"release": "FOLDER/empty"}, (("empty-release", "FOLDER/empty"),)),
    ("release_info", {"release": "4.20.3"}, (("invalid-pull-spec", "release"),)),
    ("release_info", {"release": "quay.io/ocp:4.20:x"}, (("invalid-tag", "release"),)),
    ("release_info", {"relase": "NEW"}, "missing required arguments: release"),
    ("release_info", {"release": "NEW", "relase": "NEW"}, "Unsupported parameters"),
    (
        "release_info",
        {"release": "NEW", "openshift_version": "4.20"},
        (("conflicting-version", "release-manifests/release-metadata, version"),),
    ),
    ("release_info", {"release": "NEW", "cluster_profile": "ibm"}, (("unknown-profile", "cluster_profile"),)),
    ("release_info", {"release": "NEW", "previous_release": "/nope"}, (("missing-directory", "/nope"),)),
    ("release_info", {"release": "NEW", "previous_release": ""}, (("empty-option", "previous_release"),)),
    (
        "release_info",
        {"release": "NEW", "previous_release": "FOLDER/operator/manifests"},
        (("missing-version", "previous_release"),),
    ),
    (
        "release_info",
        {"release": "NEW", "feature_set": "Techpreview", "capabilities": {"baselineCapabilitySet": "none"}},
        (("unknown-feature-set", "feature_set"), ("unknown-capability-set", "capabilities.baselineCapabilitySet")),
    ),
    (
        "release_info",
        {"release": "NEW", "capabilities": OTHER_NAMES},
        (("unknown-capability", "capabilities.additionalEnabledCapabilities[0]"),),
    ),
    (
        "release_info",
        {"release": "NEW", "capabilities": {"baseline": "None"}},
        (("unknown-field", "capabilities.baseline"),),
    ),
    (
        "release_info",
        {"release": "NEW", "capabilities": {**NONE, "additionalEnabledCapabilities": "Console"}},
        (("not-a-list", "capabilities.additionalEnabledCapabilities"),),
    ),
    ("release_manifests", {"release": "NEW", "dest": "NEW"}, (("inside-release", "NEW"),)),
    (
        "release_manifests",
        {"release": "NEW", "dest": "", "auth_file": "", "signature_keys": ["", "a.asc"]},
        (("empty-option", "signature_keys"), ("empty-option", "auth_file"), ("empty-option", "dest")),
    ),
    (
        "release_manifests",
        {"release": "NEW", "dest": "FOLDER/secret.yaml"},
        (("not-a-directory", "FOLDER/secret.yaml"),),
    ),
    ("release_manifests", {"release": "NEW", "platform": "azur"}, "value of platform must be one of"),
    ("update_plan", {"releases": ["OLD", "NEW"], "capabilities": NONE}, ()),
    (
        "update_plan",
        {"releases": ["OLD", "NEW"], "capabilities": NONE, "forbidden_capabilities": ["all"]},
        "enables Insights because of",
    ),
    ("update_plan", {"releases": ["NEW", "OLD"], "capabilities": NONE}, (("unexpected-downgrade", "releases[1]"),)),
    ("update_plan", {"releases": ["NEW"], "capabilities": NONE}, (("path-too-short", "releases"),)),
    (
        "update_plan",
        {"releases": ["OLD", "NEW"], "capabilities": NONE, "report": "out.txt"},
        (("invalid-path", "FOLDER/out.txt"),),
    ),
    (
        "update_plan",
        {"releases": ["OLD", "NEW"], "capabilities": NONE, "platform": "nonsense"},
        (("unknown-platform", "platform"),),
    ),
    ("update_plan", {"releases": ["OLD", "NEW"], "capabilities": NONE, "platform": "AWS"}, ()),
    (
        "update_plan",
        {"releases": ["OLD", "NEW"], "capabilities": NONE, "forbidden_capabilities": ["any"]},
        (("unknown-capability", "forbidden_capabilities[0]"),),
    ),
    (
        "update_plan",
        {"releases": ["OLD", "NEW"], "cluster_version": "nope.yaml"},
        (("unreadable-file", "cluster_version (nope.yaml)"),),
    ),
    ("update_plan", {"releases": ["OLD", "NEW"], "clusters": []}, (("empty-list", "clusters"),)),
    ("release_lint", {"release": "NEW", "previous_release": ""}, (("empty-option", "previous_release"),)),
    ("release_lint", {"checkout": ""}, (("empty-option", "checkout"),)),
    ("release_lint", {"release": "NEW"}, "1 error"),
    ("release_lint", {"release": "NEW", "components": ["nope"]}, (("unknown-component", "components"),)),
    ("release_lint", {"release": "NEW", "previous_release": "/nope"}, (("missing-directory", "/nope"),)),
    ("release_lint", {"release": "NEW", "update_baseline": True}, (("missing-option", "baseline"),)),
    ("release_lint", {"release": "NEW", "baseline": "FOLDER/nope.json"}, (("missing-file", "FOLDER/nope.json"),)),
    ("release_lint", {"release": "FOLDER/operator/manifests"}, (("missing-version", "openshift_version"),)),
    ("release_lint", {"release": "FOLDER/insights", "openshift_version": "4.20"}, "1 error"),
    ("release_lint", {"release": "FOLDER/mixed", "openshift_version": "4.20"}, "1 error"),
    ("release_lint", {"checkout": "FOLDER/empty"}, (("empty-checkout", "checkout"),)),
    ("release_lint", {"checkout": "FOLDER/nope"}, (("missing-directory", "checkout"),)),
    ("site_check", {"checkout": "SITES"}, "7 errors in 5 sites"),
    ("site_check", {"checkout": ""}, (("empty-option", "checkout"),)),
    ("site_check", {"checkout": "/"}, (("root-directory", "/"),)),
    ("site_check", {"checkout": "FOLDER/nope"}, (("missing-directory", "FOLDER/nope"),)),
    ("site_check", {"checkout": "FOLDER/empty"}, (("no-sites", "FOLDER/empty"),)),
    ("site_check", {"checkout": "SITES", "solution": "ran-du"}, (("unknown-solution", "solution"),)),
    ("site_check", {"checkout": "SITES", "paths": ["nope"]}, (("missing-path", "nope"),)),
    ("install_config", {}, (("missing-version", "openshift_version"),)),
    ("install_config", {"openshift_version": 4.2, "content": CONTENT}, (("unsupported-version", "openshift_version"),)),
    (
        "install_config",
        {"openshift_version": "4.20", "solution": "ran-du", "content": CONTENT},
        (("unknown-solution", "solution"),),
    ),
    (
        "install_config",
        {"openshift_version": "4.20", "path": "FOLDER/nope.yaml"},
        (("missing-content", "FOLDER/nope.yaml"),),
    ),
    (
        "install_config",
        {"openshift_version": "4.20", "capabilities": NO_OLM, "content": CONTENT},
        (("inst-marketplace-olm", "capabilities.additionalEnabledCapabilities"),),
    ),
    ("addon_check", {"addons": [], "release": "NEW"}, (("empty-list", "addons"),)),
    ("addon_check", {"addons": ["SITES", ""], "release": "NEW"}, (("empty-option", "addons"),)),
    ("addon_check", {"addons": ["/nope"], "release": "NEW"}, (("missing-path", "addons[0]"),)),
    ("addon_check", {"addons": ["FOLDER/empty"], "release": "NEW"}, (("no-objects", "addons[0]"),)),
    (
        "capability_usage_info",
        {"release": "NEW", "request_counts": "FOLDER/empty"},
        (("no-request-counts", "request_counts (FOLDER/empty)"),),
    ),
    (
        "capability_usage_info",
        {"release": "NEW", "request_counts": "FOLDER/secret.yaml"},
        (("no-request-counts", "request_counts (FOLDER/secret.yaml)"),),
    ),
    ("capability_guard", {"kubeconfig": ""}, (("empty-option", "kubeconfig"),)),
    ("capability_guard", {"kubeconfig": "FOLDER/broken.yaml"}, (("invalid-kubeconfig", "kubeconfig"),)),
    (
        "capability_guard",
        {"kubeconfig": "/nope", "allowed_capabilities": ["console"]},
        (("unknown-capability", "allowed_capabilities[0]"),),
    ),
    ("cluster_capabilities", {"kubeconfig": "/nope", "capabilities": NONE}, (("missing-file", "kubeconfig"),)),
    ("cluster_capabilities_info", {"kubeconfig": "FOLDER/secret.yaml"}, (("invalid-kubeconfig", "kubeconfig"),)),
    ("release_apply", {"kubeconfig": "", "release": "NEW", "capabilities": NONE}, (("empty-option", "kubeconfig"),)),
    ("release_verify", {"kubeconfig": "/nope", "release": "NEW"}, (("missing-file", "kubeconfig"),)),
    ("mirror_check", {"release": "NEW"}, (("missing-release-image", "release_image"),)),
    ("mirror_check", {"release": "127.0.0.1:1/a@sha256:12"}, (("invalid-digest", "release"),)),
    ("update_plan", {"releases": ["oci-archive:/nope", "NEW"]}, (("unreadable-image", "/nope"),)),
    ("release_info", {"release": "oci-archive:/nope"}, (("unreadable-image", "/nope"),)),
    ("release_info", {"release": "127.0.0.1:1/a:b", "auth_file": "/nope"}, (("unreadable-file", "auth_file (/nope)"),)),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the files."""
    folder = tmp_path_factory.mktemp("calls")
    for version in ("4.21.0", "4.22.0"):
        shutil.copytree(EXAMPLES / "releases" / version, folder / "many" / version)
    write_files(folder / "operator" / "manifests", {"0000_50_a_01.yaml": manifest("a", "Console")})
    write_files(folder / "insights", {"0000_50_insights_01.yaml": manifest("a", "insights")})
    write_files(folder / "mixed", {"a.yaml": "a: [\n", "b.yaml": "", "c.yaml": "kind: {{ .Kind }}\n"})
    (folder / "mixed" / "d.yaml").mkdir()
    write_files(folder, {"secret.yaml": SECRET, "broken.yaml": "a: [\n"})
    (folder / "empty").mkdir()
    return folder


def variables(texts: tuple[str, ...]) -> dict[str, Any]:
    """The extra variables of texts behind ``-e``, as Ansible reads them."""
    found: dict[str, Any] = {}
    for text in texts:
        found |= yaml.safe_load(text) if text.startswith("{") else parse_kv(text)
    return found


@pytest.mark.parametrize(("playbook", "texts", "faults"), PLAYBOOK_CALLS)
def test_a_call_of_a_playbook(playbook: str, texts: tuple[str, ...], faults: Faults) -> None:
    problems, given, known = Problems(), variables(texts), read_playbook(playbook)
    check_names(known, given, problems, has_other_variables=False)
    values = {name: value for name, value in given.items() if name in known.variables}
    check_values(known, values, given, problems)
    check_set(known, values, problems)
    assert tuple((item.code, str(item.where)) for item in problems) == faults
    # The message of an unknown choice lists all of them.
    assert all(item.hint or item.code == "unknown-choice" for item in problems)


@pytest.fixture
def placed(files: Path) -> Callable[[Any], Any]:
    """Replace the names of files in a value."""
    releases = EXAMPLES / "releases"
    names = {"NEW": releases / "4.22.0", "OLD": releases / "4.21.0", "SITES": EXAMPLES / "sites", FOLDER: files}

    def placed(value: Any) -> Any:
        text = json.dumps(value)
        for name, path in names.items():
            text = text.replace(f'"{name}', f'"{path}').replace(f"({name}", f"({path}")
        return json.loads(text)

    return placed


@pytest.mark.parametrize(("module", "options", "ends"), MODULE_CALLS)
def test_a_call_of_a_module(
    module: str, options: Mapping[str, Any], ends: Faults | str, call: Call, files: Path, placed: Callable[[Any], Any]
) -> None:
    with chdir(files):
        outcome = call(import_module(f"{MODULES}.{module}"), **placed(options))
    if isinstance(ends, str):
        assert ends in outcome.message
    elif ends:
        assert outcome.faults == [tuple(fault) for fault in placed(ends)]
        assert all(item["hint"] for item in outcome.errors)
    else:
        assert not outcome.failed
        assert [item for item in outcome.result.get("problems", ()) if item["severity"] == "warning"] == []
