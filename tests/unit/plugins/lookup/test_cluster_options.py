# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of a host as an entry of the option clusters of install_config."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader

from ansible_collections.capability.openshift.plugins.lookup._cluster_options import OPTIONS, LookupModule
from ansible_collections.capability.openshift.plugins.modules.install_config import CLUSTER_SPEC
from ansible_collections.capability.openshift.tests.unit.plugins.lookup.templates import template

SECRET = "fakeword"


def entry(*prefixes: str, **variables: Any) -> dict[str, Any]:
    given = {"inventory_hostname": "berlin", **{name: template(value) for name, value in variables.items()}}
    (found,) = LookupModule(loader=DataLoader()).run(prefixes or ["install_config_"], variables=given)
    return found


def test_the_options_are_those_of_a_cluster():
    assert {"name", *OPTIONS} == set(CLUSTER_SPEC)


def test_the_options_that_are_set_are_read_with_their_templates():
    found = entry(
        install_config_path="clusters/{{ inventory_hostname }}.yaml",
        install_config_content={"baseDomain": "{{ domain }}", "controlPlane": {"replicas": "{{ number }}"}},
        install_config_solution=None,
        install_config_release="",
        install_config_backup=False,
        domain="example.com",
        number=3,
        install_config_result={"msg": "{{ nowhere }}"},
    )
    assert found == {
        "name": "berlin",
        "path": "clusters/berlin.yaml",
        "content": {"baseDomain": "example.com", "controlPlane": {"replicas": 3}},
        "release": "",
        "backup": False,
    }


def test_the_first_prefix_counts():
    variables = {"solution": "minimal", "install_config_solution": "ran_du", "install_config_topology": "sno"}
    assert entry("", "install_config_", **variables) == {"name": "berlin", "solution": "minimal", "topology": "sno"}
    assert entry(**variables) == {"name": "berlin", "solution": "ran_du", "topology": "sno"}


def test_a_hosted_cluster_has_no_file():
    found = entry(install_config_path="a.yaml", install_config_install_method="{{ 'hosted' }}")
    assert found == {"name": "berlin", "install_method": "hosted"}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{{ nowhere }}", "'nowhere' is undefined"),
        ({"pullSecret": SECRET, "baseDomain": "a.{{ nowhere }}.b"}, "'nowhere' is undefined"),
        ({"pullSecret": SECRET, "sshKey": ["{{ lookup('ansible.builtin.file', '/no') }}"]}, "a template in it fails"),
        ({"pullSecret": SECRET, "sshKey": "{{ 'fakeword' | no_such_filter }}"}, "a template in it fails"),
        ({"pullSecret": SECRET, "fips": "{{ 1 / 0 }}"}, "a template in it fails"),
    ],
)
def test_a_variable_that_cannot_be_read_is_an_error_of_the_cluster(value, reason):
    found = entry(install_config_content=value, install_config_solution="{{ missing }}")

    of_content, of_solution = found.pop("errors")
    assert found == {"name": "berlin", "path": None, "differs": False, "selection": None}
    assert of_content == (
        f"install_config_content: cannot be read: {reason}. "
        "Show more: ansible berlin -m ansible.builtin.debug -a var=install_config_content"
    )
    assert of_solution.startswith("install_config_solution: cannot be read: 'missing' is undefined. ")
    assert SECRET not in of_content
