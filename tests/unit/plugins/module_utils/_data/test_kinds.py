# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The zero values of Go types, by their types in OpenAPI, and the versions of kinds of Kubernetes."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.kinds import ZERO_VALUES, kubernetes_versions
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor


@pytest.mark.parametrize(
    ("group", "kind", "minor", "versions"),
    [
        ("apps", "Deployment", Minor(4, 11), {"v1"}),
        ("batch", "CronJob", Minor(4, 11), {"v1", "v1beta1"}),
        ("autoscaling", "HorizontalPodAutoscaler", Minor(4, 12), {"v1", "v2", "v2beta2"}),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema", Minor(4, 15), {"v1beta2", "v1beta3"}),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema", Minor(4, 18), {"v1", "v1beta3"}),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema", Minor(5, 0), {"v1"}),
        # Feature gates can enable versions of new kinds.
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", Minor(4, 20), None),
        ("policy", "PodSecurityPolicy", Minor(4, 12), None),
        ("apps", "Widget", Minor(4, 20), None),
        ("apps", "Deployment", None, None),
    ],
)
def test_versions_of_a_kind_of_kubernetes(group, kind, minor, versions):
    assert kubernetes_versions(group, kind, minor) == versions


def test_each_zero_value_has_the_type_of_its_name():
    types = {name: type(value) for name, value in ZERO_VALUES.items()}

    assert types == {"boolean": bool, "integer": int, "number": int, "string": str}
    assert not any(ZERO_VALUES.values())
