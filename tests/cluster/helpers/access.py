# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a user may do on the control plane of the tests."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.capability.openshift.tests.control_plane.api import Api, ApiError

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
READ_CLUSTER_VERSIONS = {"apiGroups": ["config.openshift.io"], "resources": ["clusterversions"], "verbs": ["get"]}


def status_of(kubeconfig: Path, path: str) -> int:
    api = Api(kubeconfig)
    try:
        api.get(path)
    except ApiError as error:
        return error.status
    finally:
        api.close()
    return 200
