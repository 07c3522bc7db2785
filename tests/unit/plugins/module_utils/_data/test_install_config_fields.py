# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.install_config_fields import fields_of, path_of


@pytest.mark.parametrize(
    ("parent", "field", "path"),
    [
        ("", "controlPlane", "compute"),
        ("", "arbiter", "compute"),
        ("", "compute", "compute"),
        ("", "networking", "networking"),
        ("compute", "platform", "compute.platform"),
        ("platform.aws", "defaultMachinePlatform", "compute.platform.aws"),
        ("platform.aws", "arbiter", "platform.aws.arbiter"),
    ],
)
def test_machine_pools_have_one_type(parent, field, path):
    assert path_of(parent, field) == path


def test_fields_are_found_in_any_case():
    fields = fields_of("")
    assert fields is not None
    assert (fields["basedomain"], fields_of("no.such.row")) == ("baseDomain", None)
