# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of a host as an entry of the option clusters of install_config."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader

from ansible_collections.capability.openshift.plugins.lookup._cluster_options import LookupModule
from ansible_collections.capability.openshift.tests.unit.plugins.lookup.templates import template

SECRET = "fakeword"


def entry(prefix: str = "install_config_", **variables: Any) -> dict[str, Any]:
    given = {"inventory_hostname": "berlin", **{name: template(value) for name, value in variables.items()}}
    (found,) = LookupModule(loader=DataLoader()).run([prefix], variables=given)
    return found


def test_the_options_that_are_set_are_read_with_their_templates():
    found = entry(
        install_config_content={"baseDomain": "{{ domain }}", "controlPlane": {"replicas": "{{ number }}"}},
        install_config_solution="ran_du",
        install_config_name="paris",
        domain="example.com",
        number=3,
        install_config_result={"msg": "{{ nowhere }}"},
    )
    assert found == {
        "name": "berlin",
        "path": "clusters/berlin/install-config.yaml",
        "content": {"baseDomain": "example.com", "controlPlane": {"replicas": 3}},
        "solution": "ran_du",
    }


def test_a_playbook_has_no_prefix_and_does_not_ignore_one():
    variables = {"path": "{{ inventory_hostname }}.yaml", "install_config_path": "a.yaml"}
    assert entry("", **variables) == {"name": "berlin", "path": "berlin.yaml"}
    (error,) = entry("", **variables, install_config_solution="ran_du")["errors"]
    assert error.startswith("install_config_solution: ")


def test_a_misspelled_variable_of_the_role_is_not_ignored():
    (error,) = entry(install_config_soluton="ran_du", install_config_dir="/srv", install_config_auth_file="a")["errors"]
    assert error.startswith("install_config_soluton: ")


@pytest.mark.parametrize("value", [None, "", {"a": 1}])
def test_a_value_that_means_nothing_is_not_the_default(value):
    (error,) = entry(install_config_solution=value)["errors"]
    assert error.startswith("install_config_solution: ")


def test_a_hosted_cluster_has_no_file():
    found = entry(install_config_path="a.yaml", install_config_install_method="{{ 'hosted' }}")
    assert found == {"name": "berlin", "install_method": "hosted"}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{{ nowhere }}", "'nowhere' is undefined"),
        ({"pullSecret": SECRET, "baseDomain": "a.{{ nowhere }}.b"}, "'nowhere' is undefined"),
        ({"pullSecret": SECRET, "sshKey": ["{{ lookup('ansible.builtin.file', '/no') }}"]}, "its template fails"),
        ({"pullSecret": SECRET, "sshKey": "{{ 'fakeword' | no_such_filter }}"}, "its template fails"),
        ({"pullSecret": SECRET, "fips": "{{ 1 / 0 }}"}, "its template fails"),
    ],
)
def test_a_variable_that_cannot_be_read_is_an_error_of_the_cluster(value, reason):
    found = entry(install_config_content=value, install_config_solution="{{ missing }}")

    of_content, of_solution = found.pop("errors")
    assert found == {"name": "berlin", "path": None, "differs": False, "selection": None}
    assert of_content.startswith(f"install_config_content: cannot be read: {reason}. ")
    assert of_solution.startswith("install_config_solution: cannot be read: 'missing' is undefined. ")
    assert SECRET not in of_content
