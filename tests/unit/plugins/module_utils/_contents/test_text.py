# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.capability.openshift.plugins.module_utils._contents.exposure import Exposure, exposure_dict
from ansible_collections.capability.openshift.plugins.module_utils._contents.text import (
    ACCOUNTS,
    RESOURCES,
    exposure_lines,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.cluster_access import PERMISSIONS

Names = dict[str, tuple[str, ...]]


def exposed(secrets: Names, services: Names, *unknown: str) -> Exposure:
    accounts = {**{key: {} for key in PERMISSIONS}, "read_secrets": secrets}
    resources = {**{key: {} for key in RESOURCES}, "services": services}
    return Exposure(accounts, resources, frozenset(unknown))


ONE = exposed({"x/a": (), "x/b": ("Console",), "x/c": ("Console",)}, {"x/a": (), "x/b": ()})
OTHER = exposed({"x/a": (), "x/d": ("Build", "Console")}, {"x/a": (), "x/b": ("Storage",)})


def shown(before: Exposure, after: Exposure) -> list[str]:
    return [line.strip() for line in exposure_lines(exposure_dict(before, after))[1:]]


def test_each_permission_has_a_label():
    assert list(ACCOUNTS) == list(PERMISSIONS)


def test_lines_have_both_numbers_and_the_capabilities_that_make_the_difference():
    assert shown(ONE, OTHER) == [
        "Accounts that can read all Secrets: 3 -> 2 (Build+Console +1, Console -2)",
        "Services: 2 -> 2 (no capability -1, Storage +1)",
    ]


def test_equal_exposures_are_unchanged():
    assert shown(ONE, ONE) == ["unchanged"]


def test_roles_that_are_not_known_are_named():
    unknown = exposed({}, {}, "made-later", "elsewhere")

    (line,) = shown(unknown, exposed({}, {}))

    assert line.endswith(": elsewhere, made-later")
