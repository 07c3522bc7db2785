# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._cluster.capabilities import capability_metrics
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data

NAMES = sorted(item.name for item in capability_data.CAPABILITIES)
HEAD = (
    "# HELP cluster_version_capability Report currently enabled cluster capabilities.  "
    "0 is disabled, and 1 is enabled.\n"
    "# TYPE cluster_version_capability gauge\n"
)
LINE = re.compile(r'cluster_version_capability\{name="([^"]+)"\} ([01])')
names = st.sets(st.sampled_from([*NAMES, "Later"]))


def test_enabled_names_are_one_and_other_known_names_are_zero():
    text = capability_metrics(["Console", "Ingress"], ["Storage", "Console", "baremetal", "Ingress"])

    assert text == HEAD + (
        'cluster_version_capability{name="Console"} 1\n'
        'cluster_version_capability{name="Ingress"} 1\n'
        'cluster_version_capability{name="Storage"} 0\n'
        'cluster_version_capability{name="baremetal"} 0\n'
    )


@given(names, names)
def test_each_name_has_one_line_and_names_are_sorted(enabled, known):
    lines = capability_metrics(enabled, known).removeprefix(HEAD).splitlines()

    values = {match[1]: match[2] == "1" for line in lines if (match := LINE.fullmatch(line))}
    assert len(values) == len(lines)
    assert list(values) == sorted(enabled | known)
    assert {name for name, is_enabled in values.items() if is_enabled} == enabled
