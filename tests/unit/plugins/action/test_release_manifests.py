# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action decides in its own process what the module would decide, and runs the module in all other cases."""

from __future__ import annotations

import os
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_info, release_manifests
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_release
from ansible_collections.capability.openshift.tests.unit.run_action import MODULE, ActionTask

FILES = {
    "a.yaml": manifest("one"),
    "b.yaml": manifest("console", "Console"),
    "c.yaml": manifest("hosted", profile="ibm-cloud-managed"),
}
TEMPLATE = {"cvo.yaml": manifest("cvo", more="data: {image: '{{.ReleaseImage}}'}\n")}
PULL_SPEC = "registry.example/release@sha256:" + 64 * "1"
NOTHING = {"baselineCapabilitySet": "None"}


class Task(ActionTask):
    """A task with this action."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        super().__init__("release_manifests", folder, **changes)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of a release is kept here."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The directory of a playbook, with a release."""
    write_release(tmp_path / "play" / "release", FILES, cvo=TEMPLATE)
    return tmp_path / "play"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"capabilities": NOTHING, "decisions": True, "images": True},
        {"capabilities": NOTHING, "credentials_requests": "yes"},
        {"enabledCapabilities": ["Console"], "knownCapabilities": "Console,Storage"},
        {"release_image": PULL_SPEC, "feature_set": "TechPreviewNoUpgrade", "signature_keys": ["~/keys"]},
        {"overrides": [{"kind": "ConfigMap", "group": "", "name": "one", "namespace": "", "unmanaged": True}]},
        {"cluster_profile": "ibm-cloud-managed", "release_image": 7},
    ],
    ids=["defaults", "decisions", "requests", "aliases", "image", "overrides", "numbers"],
)
def test_the_result_is_that_of_the_module(folder, monkeypatch, call, options):
    args = {"release": str(folder / "release"), **options}
    here = Task(folder).run(monkeypatch, **args)
    module = call(release_manifests, **args).result
    for result in (here, module):
        result.pop("warnings", None)  # Inside this process, a module shows its warnings, or those of all tests.
    assert here == module


def test_warnings_are_shown_and_returned(folder, monkeypatch):
    (write_release(folder / "partial", FILES) / "manifests").rmdir()
    result = Task(folder).run(monkeypatch, release="partial")
    assert [problem["code"] for problem in result["problems"]] == ["missing-directory"]
    (warning,) = result["warnings"]
    assert result["problems"][0]["message"] in warning


def test_a_relative_path_starts_from_the_directory_of_the_playbook(folder, monkeypatch):
    write_release(folder.parent / "release", {}, cvo=TEMPLATE)
    monkeypatch.chdir(folder.parent)
    assert Task(folder).run(monkeypatch, release="release")["included"] == 3
    assert os.getcwd() == str(folder.parent)


def test_the_home_directory_and_variables_are_expanded(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("NAME", "lease")
    assert Task(folder).run(monkeypatch, release="~/re$NAME")["included"] == 3


@pytest.mark.parametrize("mode", ["check_mode", "diff"])
def test_modes_do_not_change_a_decision(folder, monkeypatch, mode):
    expected = Task(folder).run(monkeypatch, release="release")
    assert expected["changed"] is False
    assert Task(folder, **{mode: True}).run(monkeypatch, release="release") == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"transport": "ssh"},
        {"become": "a plugin"},
        {"async_val": 60},
        {"environment": [{}, {"XDG_CACHE_HOME": "/srv/cache"}]},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_the_module_runs_where_it_is_another_user_or_environment(folder, monkeypatch, changes):
    assert Task(folder, **changes).run(monkeypatch, release="release") == MODULE


OWN, OTHER = {"ansible_python_interpreter": sys.executable}, {"ansible_python_interpreter": "/usr/bin/another"}


@pytest.mark.parametrize(
    ("changes", "is_module"),
    [
        ({"variables": {}}, True),
        ({"variables": OTHER}, True),
        ({"variables": {**OWN, "ansible_delegated_vars": {"other": OTHER}}, "delegate_to": "other"}, True),
        ({"variables": {**OTHER, "ansible_delegated_vars": {"own": OWN}}, "delegate_to": "own"}, False),
    ],
    ids=["discovered", "set", "delegated to another", "delegated to that of Ansible"],
)
def test_the_module_runs_with_another_interpreter(folder, monkeypatch, changes, is_module):
    assert (Task(folder, **changes).run(monkeypatch, release="release") == MODULE) is is_module


@pytest.mark.parametrize(
    "args",
    [
        {"dest": "manifests"},
        {"release": "missing"},
        {"release": None},
        {"capabilities": {"baselineCapabilitySet": "v9"}},
        {"capabilities": "Console"},
        {"decisions": "perhaps"},
        {"relaese": "release"},
        {"_raw_params": "release"},
        {"enabled_capabilities": [], "enabledCapabilities": [], "known_capabilities": []},
        {"pull_secret": "{}"},
        {"overrides": [date(2026, 1, 1)]},
    ],
    ids=str,
)
def test_the_module_writes_reports_errors_and_hides_secrets(folder, monkeypatch, args):
    assert Task(folder).run(monkeypatch, **{"release": "release", **args}) == MODULE
    assert not (folder / "manifests").exists()


@pytest.mark.parametrize("error", [KeyError("ca_cert"), ModuleNotFoundError("No module named 'yaml'"), OSError()])
def test_the_module_runs_if_anything_fails_here(folder, monkeypatch, error):
    def fail(*_args, **_options):
        raise error

    monkeypatch.setattr(release_manifests, "run_release_manifests", fail)
    assert Task(folder).run(monkeypatch, release="release") == MODULE


@pytest.mark.parametrize("release", [PULL_SPEC, "oci-archive:release.tar"])
def test_a_registry_is_not_asked_twice(folder, monkeypatch, release):
    asked: list[Any] = []
    monkeypatch.setattr(
        release_manifests, "run_release_manifests", lambda options, *_problems, **_modes: asked.append(options)
    )
    assert Task(folder).run(monkeypatch, release=release) == MODULE
    assert asked == []


def test_the_module_runs_if_the_directory_of_the_playbook_is_gone(folder, monkeypatch):
    assert Task(folder / "gone").run(monkeypatch, release=str(folder / "release")) == MODULE


def test_a_working_directory_that_is_gone_is_no_error(folder, monkeypatch, tmp_path):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert Task(folder).run(monkeypatch, release=str(folder / "release")) == MODULE
    os.chdir(tmp_path)


@pytest.mark.parametrize("module", [release_info, release_manifests])
def test_the_action_passes_everything_on_that_an_option_can_ask_for(module):
    passed_on = {"type", "elements", "choices", "default", "required", "aliases", "no_log"}
    for name, option in module.MODULE.spec.items():
        assert set(option) <= passed_on, name
