# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible import template
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader

from ansible_collections.capability.openshift.plugins.lookup._given import LookupModule

UNDEFINED = "{{ not_defined_anywhere }}"
DEFAULT = "the default"


def trusted(value: Any) -> Any:
    """Return a value whose strings are templates, which ansible-core 2.19 and newer need to be marked as such."""
    if isinstance(value, dict):
        return {key: trusted(item) for key, item in value.items()}
    if isinstance(value, list):
        return [trusted(item) for item in value]
    trust = getattr(template, "trust_as_template", None)
    return trust(value) if trust and isinstance(value, str) else value


def given(*options: str, variables: dict[str, Any], **arguments: Any) -> list[Any]:
    known = trusted(variables)
    lookup = LookupModule(loader=None, templar=template.Templar(loader=DataLoader(), variables=known))
    return lookup.run(list(options), known, **arguments)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, DEFAULT),
        ({"context": "common"}, "common"),
        ({"site_context": "own"}, "own"),
        ({"site_context": "own", "context": "common"}, "own"),
        ({"site_context": "own", "context": UNDEFINED}, "own"),
        ({"site_context": "", "context": "common"}, ""),
        ({"site_context": None, "context": "common"}, None),
        ({"other_context": "x", "contexts": "x", "my_site_context": "x"}, DEFAULT),
        ({"context": "{{ city }}", "city": "Berlin"}, "Berlin"),
        ({"context": {"names": ["{{ city }}"]}, "city": "Berlin"}, {"names": ["Berlin"]}),
        ({"context": []}, []),
        ({"context": ["one"]}, ["one"]),
        ({"context": ["one", "two"]}, ["one", "two"]),
        ({"context": False}, False),
    ],
)
def test_the_own_variable_of_a_role_comes_before_the_common_one(variables, expected):
    assert given("context", variables=variables, role="site", default=DEFAULT) == [expected]


@pytest.mark.parametrize("value", [UNDEFINED, f"/srv/{UNDEFINED}", {"clusters": [UNDEFINED]}, ["Console", UNDEFINED]])
@pytest.mark.parametrize("name", ["context", "site_context"])
@pytest.mark.parametrize("arguments", [{"default": DEFAULT}, {"empty": ["", None]}])
def test_a_variable_that_contains_an_undefined_one_is_an_error(name, value, arguments):
    with pytest.raises(AnsibleError, match="not_defined_anywhere"):
        given("context", variables={"context": "common", name: value}, role="site", **arguments)


def test_the_common_variable_can_be_excluded():
    variables = {"context": "common", "site_release": "own"}

    assert given("context", "release", variables=variables, role="site", common=False) == [None, "own"]


def test_without_a_role_a_name_is_that_of_the_variable():
    assert given("context", variables={"context": "common"}) == ["common"]


def test_a_variable_of_the_inventory_comes_last():
    variables = {"inventory_hostname": "berlin", "hostvars": {"berlin": {"site_mode": "audit"}}}

    assert given("mode", variables=variables, inventory="site_mode", default="enforce") == ["audit"]
    assert given("mode", variables={**variables, "mode": "warn"}, inventory="site_mode") == ["warn"]
    assert given("mode", variables=variables, inventory="site_other", default="enforce") == ["enforce"]


def test_an_omitted_value_counts_as_missing():
    # The value of omit up to ansible-core 2.18; newer ones have an object for it.
    variables = {"omit": "__omit_place_holder__", "context": "{{ omit }}"}

    assert given("context", variables=variables, default=DEFAULT) == [DEFAULT]
    assert given("context", variables=variables, empty=[""]) == []
    assert given("context", variables=variables, empty=[None]) == ["context"]


@pytest.mark.parametrize("value", [None, False, {}, [], "", "  ", " : ", "{{ '' }}"])
def test_empty_variables_are_named(value):
    names = given(
        "kubeconfig",
        "context",
        "release",
        variables={"site_kubeconfig": value, "kubeconfig": "set", "context": "set"},
        role="site",
        empty=[None, False, "", {}, []],
    )

    assert names == ["site_kubeconfig"]


def test_what_counts_as_empty_is_up_to_the_role():
    assert given("context", variables={"context": []}, empty=[None, ""]) == []
    assert given(variables={"context": ""}, empty=[None, ""]) == []
