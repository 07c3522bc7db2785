#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: capability_usage_info
short_description: Show which clients use the APIs of a capability
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Reads the C(APIRequestCount) objects of a cluster, or of a file, and shows which clients send requests to the APIs
    of a capability. The objects contain the numbers of requests of the last 24 hours.
  - The APIs of a capability do not exist in a cluster without it. Before you install such a cluster, run the module on
    a cluster that has the capability. After the installation, run it on the new cluster to see which clients fail.
    Before 4.18, the API server also counts requests to APIs that do not exist.
  - The definitions in O(release) decide which APIs belong to which capability. The collection knows the APIs that
    aggregated API servers serve, which have no definition in a release. APIs of all cluster profiles and feature sets
    count.
  - From 4.18 on, the API server counts only requests for deprecated APIs. Such a version is an error.
  - Requires C(get) and C(list) on C(apirequestcounts), and C(get) on C(clusterversions).
extends_documentation_fragment:
  - capability.openshift._auth
  - capability.openshift._attributes
  - capability.openshift._attributes.playbook
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._attributes.info_module
  - capability.openshift._release
  - capability.openshift._release_image
  - capability.openshift._chdir
options:
  capability_names:
    description:
      - Capabilities to report. By default, all that have APIs in O(release).
    type: list
    elements: str
  request_counts:
    description:
      - File with C(APIRequestCount) objects in JSON or YAML, or directory that C(oc adm must-gather) wrote. Without it,
        the module reads the cluster.
      - "C(oc get apirequestcounts,clusterversion -o json) writes such a file. With the ClusterVersion, the result shows
        which of the APIs exist."
    type: path
notes:
  - The playbook also has the variables C(clients), the kinds of clients to list, and C(fail_if_used).
seealso:
  - module: capability.openshift.cluster_capabilities_info
requirements:
  - PyYAML
"""

EXAMPLES = r"""
- name: Find out which clients use the APIs of two capabilities
  capability.openshift.capability_usage_info:
    kubeconfig: /srv/sites/berlin/kubeconfig
    release: /srv/releases/4.15.37
    capability_names: [Build, DeploymentConfig]
  register: usage

- name: Fail if a client that does not belong to OpenShift needs them
  ansible.builtin.assert:
    that: usage.rows | selectattr('client', 'equalto', 'yours') | length == 0
    fail_msg: "{{ usage.rows | selectattr('client', 'equalto', 'yours') | map(attribute='username') | unique }}"

- name: Read what a customer has sent
  capability.openshift.capability_usage_info:
    release: /srv/releases/4.15.37
    request_counts: /srv/cases/0815/must-gather.local.1234
  register: usage

- name: Show clients that send requests to APIs that do not exist
  ansible.builtin.debug:
    msg: "{{ usage.rows | selectattr('capability', 'in', missing) }}"
  vars:
    missing: "{{ usage.capabilities | selectattr('enabled', 'false') | map(attribute='capability') }}"
"""

RETURN = r"""
rows:
  description:
    - The requests of one client for one version of an API. Sorted by capability, then by RV(rows[].client) in the order
      of its values, then by number of requests.
    - An API that needs several capabilities has rows for each of them.
  returned: success
  type: list
  elements: dict
  contains:
    capability:
      description: The capability that the API needs.
      type: str
      returned: always
      sample: Build
    client:
      description:
        - V(yours) is a client that belongs neither to OpenShift nor to the capability, such as a user, an add-on
          operator or an application. V(openshift) is a component of OpenShift. V(own) is a component of the capability
          itself.
        - V(lists_everything) is a client that lists the objects of every API, such as the garbage collector, the
          namespace controller, the cluster-version operator, or must-gather. It does not need the API.
      type: str
      returned: always
      sample: yours
    username:
      description: Name of the user or service account.
      type: str
      returned: always
      sample: system:serviceaccount:shop:deployer
    user_agent:
      description: User agent of the client.
      type: str
      returned: always
      sample: oc/4.15.0 (linux/amd64) kubernetes/d9b2d5d
    api:
      description: Resource, version and group of the API, which is the name of the C(APIRequestCount).
      type: str
      returned: always
      sample: builds.v1.build.openshift.io
    requests:
      description: Number of requests in the last 24 hours.
      type: int
      returned: always
    verbs:
      description: Number of requests by verb.
      type: dict
      returned: always
      sample: {get: 12, list: 3}
      contains:
        VERB:
          description: Number of requests with this verb.
          type: int
          returned: if there are any
capabilities:
  description: The reported capabilities, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    capability:
      description: Name of the capability.
      type: str
      returned: always
      sample: Build
    enabled:
      description:
        - Whether the cluster has enabled it, so its APIs exist. V(null) if that is not known. A cluster of a version
          without this capability can have its APIs.
      type: bool
      returned: always
    apis:
      description: Resources and groups of its APIs.
      type: list
      elements: str
      returned: always
      sample: [buildconfigs.build.openshift.io, builds.build.openshift.io, builds.config.openshift.io]
    requests:
      description: Number of requests by kind of client, with the values of RV(rows[].client).
      type: dict
      returned: always
      sample: {yours: 15, openshift: 240, own: 0, lists_everything: 1440}
      contains:
        CLIENT:
          description: Number of requests of clients of this kind.
          type: int
          returned: always
    unnamed:
      description:
        - Number of further requests, whose clients are not known. Per hour and node, the API server names only the
          C(spec.numberOfUsersToReport) clients with the most requests.
      type: int
      returned: always
problems:
  description:
    - As RV(capability.openshift.release_lint#module:problems).
    - Errors, warnings and notes about the release and the counts.
  returned: always
  type: list
  elements: dict
"""

from typing import Any

from ..module_utils._cluster.usage import capability_usage
from ..module_utils._kubernetes.auth_options import auth_spec
from ..module_utils._kubernetes.connection import connect
from ..module_utils._module.argspec import chdir_spec, release_source, release_spec
from ..module_utils._module.interface import Module
from ..module_utils._module.main import ModuleDefinition, run_module
from ..module_utils._problems import Problems
from ..module_utils._release_image.open_release import open_release


def run(module: Module, result: dict[str, Any], problems: Problems) -> None:
    """Assign the requests to capabilities. Raises ``CapabilityError``."""
    params = module.params
    opened = open_release(params["release"], release_source(params), problems)
    counts = connect(module) if params["request_counts"] is None else params["request_counts"]
    release = opened.load(problems, openshift_version=params["openshift_version"])
    usage = capability_usage(release, params["capability_names"], counts, problems)
    result.update(
        capabilities=usage.capabilities,
        rows=[{**row._asdict(), "verbs": dict(row.verbs)} for row in usage.rows],
    )


MODULE = ModuleDefinition(
    {
        **chdir_spec(),
        **auth_spec(),
        **release_spec(),
        "capability_names": {"type": "list", "elements": "str"},
        "request_counts": {"type": "path"},
    },
    run,
)


def main() -> None:
    """Run the module."""
    run_module(MODULE)


if __name__ == "__main__":
    main()
