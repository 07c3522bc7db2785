# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Messages about options of install_config, and about texts that Ansible has decoded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.build import (
    InstallConfigOptions,
    build_install_config,
    has_replicas,
    merge_content,
    with_topology,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    SelectionOptions,
)
from ansible_collections.capability.openshift.tests.unit.builders.install_configs import (
    COMMENTED,
    PULL_SECRET,
    selection,
    site,
)


def options_of(**options: Any) -> InstallConfigOptions:
    selection = {name: options.pop(name) for name in SelectionOptions._fields if name in options}
    return InstallConfigOptions(**options, selection=SelectionOptions(**selection))


def errors(**options: Any) -> list[tuple[str, ...]]:
    result = build_install_config(options_of(**options))
    return [tuple(problem.as_dict().values())[1:] for problem in result.problems if problem.severity == "error"]


@pytest.mark.parametrize(
    ("options", "code", "where", "message", "hint"),
    [
        (
            {"content": 7},
            "not-a-map",
            "content",
            "is a number, expected an install-config, as a dict or as text",
            "Write it as in the examples of the module",
        ),
        (
            {"path": "{folder}/a.yaml", "content": site(), "install_method": "hosted"},
            "conflicting-options",
            "path",
            "cannot be combined with install_method: hosted, because a hosted cluster has no install-config",
            "Remove path, and use the return value hosted_cluster_spec",
        ),
        (
            {"path": "{folder}/a.yaml", "solution": "ran_du"},
            "missing-content",
            "{folder}/a.yaml",
            "does not exist, and no content is given to create it from",
            "Set content, or the path of an install-config to edit",
        ),
        (
            {"path": "{folder}/empty.yaml", "solution": "ran_du"},
            "missing-content",
            "{folder}/empty.yaml",
            "is empty, and no content is given to create it from",
            "Set content, or the path of an install-config to edit",
        ),
        (
            {"capabilities": {}, "solution": "ran_du"},
            "conflicting-options",
            "solution",
            "cannot be combined with capabilities",
            "Set one of the two",
        ),
        (
            {"content": "apiVersion: v1", "topology": "sno"},
            "missing-content",
            "topology",
            "requires content as a dict: a text, or an existing file, is not completed",
            "Set content to a dict, or remove topology",
        ),
    ],
)
def test_message_and_hint(options, code, where, message, hint, tmp_path):
    (tmp_path / "empty.yaml").touch()
    options = {
        name: value.format(folder=tmp_path) if isinstance(value, str) else value for name, value in options.items()
    }

    assert errors(openshift_version="4.20", **options) == [(code, where.format(folder=tmp_path), message, hint)]


def test_a_hosted_cluster_has_neither_a_topology_nor_extra_manifests():
    given: dict[str, Any] = {"topology": "sno", "extra_manifests": ["/nope"], "content": site()}
    options = options_of(openshift_version="4.20", install_method="hosted", **given)
    message = "has no effect with install_method: hosted, because openshift-install installs no hosted cluster"
    assert [str(item) for item in build_install_config(options).problems] == [
        f"{option}: {message}. Set {option} only for other install methods"
        for option in ("topology", "extra_manifests")
    ]


def test_a_file_that_others_can_read_is_a_warning(tmp_path):
    path = tmp_path / "install-config of berlin.yaml"
    path.write_text(COMMENTED)
    path.chmod(0o644)
    options = options_of(path=str(path), openshift_version="4.20")

    (problem,) = build_install_config(options).problems

    assert tuple(problem.as_dict().values()) == (
        "warning",
        "exposed-file",
        str(path),
        "is open to other users (mode 0644), but contains secrets",
        f"Run chmod 600 '{path}'",
    )


def test_a_text_that_was_decoded_with_another_encoding_is_one_error():
    """A lookup returns such a text for a file in Latin-1. From ansible-core 2.19 on, Ansible itself rejects it."""
    text = COMMENTED.encode().replace(b"berlin", b"k\xf6ln").decode(errors="surrogateescape")

    assert [error[:2] for error in errors(content=text, openshift_version="4.20")] == [
        ("invalid-encoding", "content, line 4")
    ]
    parts = errors(content={"baseDomain": "k\udcf6ln"}, openshift_version="4.20")
    assert [error[:2] for error in parts] == [("invalid-encoding", "content")]


def test_white_space_in_the_pull_secret_is_no_other_content(tmp_path):
    path = tmp_path / "install-config.yaml"
    path.write_text(COMMENTED)
    content = site(pullSecret=json.dumps(json.loads(PULL_SECRET), indent=1))
    request = {"capabilities": selection("Ingress", "Console"), "openshift_version": "4.20"}
    file = build_install_config(options_of(path=str(path), content=content, **request)).file
    assert file is not None
    assert file.after is not None
    assert set(COMMENTED.splitlines()) < set(file.after.splitlines())


def test_a_selection_replaces_the_block_of_content_in_any_case(tmp_path):
    path = tmp_path / "install-config.yaml"
    content = {**site(), "CAPABILITIES": {"additionalEnabledCapabilities": ["Insights"]}}
    request = {"capabilities": selection("Ingress"), "openshift_version": "4.20"}
    for expected in (True, False):
        file = build_install_config(options_of(path=str(path), content=content, **request)).file
        assert file is not None
        assert file.after is not None
        assert "CAPABILITIES" not in file.after
        assert (file.write() is not None) is expected
        path.write_text(file.after)
        path.chmod(0o600)


SINGLE = {"controlPlane": {"name": "master", "replicas": 1}, "compute": [{"name": "worker", "replicas": 0}]}


@pytest.mark.parametrize(
    ("common", "own", "merged"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}, {"a": {"b": 1, "c": 3}}),
        ({"a": [1]}, {"a": [2]}, {"a": [2]}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ("a text", {"a": 1}, {"a": 1}),
        ({"a": 1}, "a text", "a text"),
        (None, {"a": 1}, {"a": 1}),
        ({"platform": {"none": {}}}, {"platform": {"vsphere": {"a": 1}}}, {"platform": {"vsphere": {"a": 1}}}),
        ({"platform": {"aws": {"a": 1}}}, {"platform": {"aws": {"b": 2}}}, {"platform": {"aws": {"a": 1, "b": 2}}}),
    ],
)
def test_maps_are_merged_and_all_else_is_replaced(common, own, merged):
    assert merge_content(common, own) == merged


@pytest.mark.parametrize(("topology", "replicas"), [("sno", (1, 0)), ("compact", (3, 0)), ("full", (3, 3))])
def test_a_topology_sets_the_replicas(topology, replicas):
    found = with_topology({"platform": {}}, topology)

    assert found["platform"] == {}
    assert (found["controlPlane"]["replicas"], found["compute"][0]["replicas"]) == replicas


@pytest.mark.parametrize(
    ("content", "completed"),
    [
        ({}, SINGLE),
        ({"controlPlane": None, "compute": []}, SINGLE),
        (
            {"controlPlane": {"name": "master", "fencing": {}}, "compute": [{"name": "worker", "platform": {}}]},
            {
                "controlPlane": {"name": "master", "fencing": {}, "replicas": 1},
                "compute": [{"name": "worker", "platform": {}, "replicas": 0}],
            },
        ),
        (
            {"ControlPlane": {"replicas": 3}, "COMPUTE": []},
            {"ControlPlane": {"replicas": 3}, "COMPUTE": SINGLE["compute"]},
        ),
        # numbers that are set, other pools, and what is not valid stay
        ({**SINGLE, "controlPlane": {"replicas": 3}}, {**SINGLE, "controlPlane": {"replicas": 3}}),
        ({**SINGLE, "compute": [{"name": "edge"}, 7]}, {**SINGLE, "compute": [{"name": "edge"}, 7]}),
        ({"controlPlane": "x", "compute": "y"}, {"controlPlane": "x", "compute": "y"}),
    ],
)
def test_a_topology_does_not_replace_what_is_set(content, completed):
    assert with_topology(content, "sno") == completed


@pytest.mark.parametrize(
    ("content", "decided"),
    [
        ({}, False),
        ({"controlPlane": {"name": "master"}, "compute": []}, False),
        ({"controlPlane": "x"}, False),
        ({"controlPlane": {"replicas": 1}}, True),
        ({"compute": [{"name": "worker"}]}, True),
        ({"ControlPlane": {"replicas": 1}}, True),
        # The installer rejects an arbiter with one control plane node.
        ({"arbiter": {"name": "arbiter", "replicas": 1}}, True),
    ],
)
def test_content_decides_about_nodes(content, decided):
    assert has_replicas(content) is decided
