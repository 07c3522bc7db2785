# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the bootstrap creates, compared with what the renderers of each branch write (tests/unit/data/bootstrap.json).

The file lists the resources in the files that the images of openshift/cluster-config-operator (up to 4.14) and
openshift/api contain for the bootstrap, filtered as their renderers do, and in those of cluster-ingress-operator.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.bootstrap_resources import (
    BOOTSTRAP_OBJECTS,
    BOOTSTRAP_RESOURCES,
    bootstrap_renderer,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import BRANCHES, CAPABILITIES
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import STANDALONE
from ansible_collections.capability.openshift.plugins.module_utils._data.platforms import PLATFORMS
from ansible_collections.capability.openshift.tests.unit.builders.installations import MINORS, minor_data_of

READ = json.loads((Path(__file__).parents[3] / "data" / "bootstrap.json").read_text("utf-8"))


@pytest.mark.parametrize("minor", MINORS)
def test_the_table_has_what_the_branches_of_a_minor_render(minor):
    read = READ[minor]
    version = minor_data_of(minor).minor
    found = {
        f"{item.kind} {item.name}"
        for item in BOOTSTRAP_RESOURCES
        if bootstrap_renderer(item.kind, item.name, version) and ("ingress_from" in read or not item.renderer)
    }
    assert sorted(found) == read["resources"]


def test_the_source_of_a_row_is_that_of_its_minor():
    def renderer(minor, name="apiservers.config.openshift.io"):
        return bootstrap_renderer("CustomResourceDefinition", name, minor_data_of(minor).minor).partition(":")[0]

    assert renderer("4.14") == "openshift/cluster-config-operator"
    assert renderer("4.15") == renderer("4.16") == "openshift/api"
    assert renderer("4.20", "ingresscontrollers.operator.openshift.io") == "openshift/cluster-ingress-operator"
    assert bootstrap_renderer("ConfigMap", "apiservers.config.openshift.io", minor_data_of("4.20").minor) == ""


@pytest.mark.parametrize("item", BOOTSTRAP_OBJECTS, ids=lambda item: item.capability)
def test_each_row_names_what_exists(item):
    assert item.capability in {capability.name for capability in CAPABILITIES if capability.since <= item.since}
    assert item.since in BRANCHES
    assert set(item.methods) <= set(STANDALONE)
    assert set(item.platforms) <= set(PLATFORMS)
    assert item.source.startswith("openshift/")
