# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Manifests that do not come from a release: files, directories, and values of ConfigMaps."""

from __future__ import annotations

import os
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.extra_manifests import read_extra_manifests

NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: openshift-marketplace}\n"
ROLE = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: one, namespace: ns}\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: site}\ndata:\n"


def read(*paths):
    problems = Problems()
    found = read_extra_manifests(map(str, paths), "extra_manifests", problems)
    return sorted(map(str, found)), [(item.code, item.where.source or item.where.field) for item in problems]


def test_files_and_directories_with_all_files_below_them_are_read(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "a.yaml").write_text(f"{NAMESPACE}---\n{ROLE}")
    (tmp_path / "more" / "b.json").write_text('{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "two"}}')
    (tmp_path / "kustomization.yaml").write_text("kind: Kustomization\nresources: [a.yaml]\n")
    (tmp_path / "notes.txt").write_text("{")
    os.mkfifo(tmp_path / "pipe.yaml")
    role, namespace = "Role.rbac.authorization.k8s.io ns/one", "Namespace openshift-marketplace"
    assert read(tmp_path / "a.yaml") == ([namespace, role], [])
    assert read(tmp_path) == ([namespace, role, "Secret two"], [])


def test_the_values_of_a_config_map_are_manifests(tmp_path):
    values = {"ns.yaml": f"---\n{NAMESPACE}", "script": "#!/bin/sh\nexit 1\n", "one.yaml": ROLE}
    text = CONFIG_MAP + "".join(f"  {key}: |\n{textwrap.indent(value, '    ')}" for key, value in values.items())
    (tmp_path / "a.yaml").write_text(text)
    assert read(tmp_path / "a.yaml") == (
        ["ConfigMap site/extra", "Namespace openshift-marketplace", "Role.rbac.authorization.k8s.io ns/one"],
        [],
    )


def test_a_pipe_is_read_if_it_is_named(tmp_path):
    """As a shell does with ``<(helm template .)``."""
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor() as executor:
        executor.submit((tmp_path / "pipe").write_text, NAMESPACE)
        assert read(tmp_path / "pipe") == (["Namespace openshift-marketplace"], [])


@pytest.mark.parametrize(
    ("content", "code"),
    [("a: [", "invalid-yaml"), ("kind: Namespace\n", "missing-field"), ("kind: {{ .Values.kind }}\n", "invalid-yaml")],
)
def test_what_cannot_be_read_is_an_error(tmp_path, content, code):
    (tmp_path / "a.yaml").write_text(content)
    (tmp_path / "b.yaml").write_text(NAMESPACE)
    found, problems = read(tmp_path)
    assert found == ["Namespace openshift-marketplace"]
    assert problems[0] == (code, str(tmp_path / "a.yaml"))
    assert read(tmp_path / "none")[1] == [("missing-path", "extra_manifests[0]")]
