# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.capability.openshift.plugins.filter._release_name import _release_name


def test_paths_start_from_the_directory_and_pull_specs_stay(tmp_path):
    folder = str(tmp_path)

    assert _release_name("releases/4.20.3", folder) == f"{folder}/releases/4.20.3"
    assert _release_name("oc-mirror:mirror", folder) == f"oc-mirror:{folder}/mirror"
    assert _release_name("quay.io/ocp/release:4.20.3", folder) == "quay.io/ocp/release:4.20.3"


def test_without_a_directory_or_a_name_nothing_changes(tmp_path):
    assert _release_name("releases/4.20.3") == "releases/4.20.3"
    assert _release_name("", str(tmp_path)) == ""


def test_what_is_no_name():
    with pytest.raises(AnsibleFilterError, match="Set it to a directory or a pull spec"):
        _release_name({"release": "a"}, "/srv")
