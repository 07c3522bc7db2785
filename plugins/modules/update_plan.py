#!/usr/bin/python

# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: update_plan
short_description: What a path of updates turns on, and because of which resources
version_added: 0.1.0
author:
  - Contributors to the capability.openshift collection (@capability-openshift)
description:
  - Says, before an OpenShift cluster goes from one extracted release to the next, which capabilities the update turns
    on, because of which resources, and what the condition C(ImplicitlyEnabledCapabilities) of the cluster will be.
  - Compares releases as the cluster-version operator does. A resource that the cluster has, and whose manifest in the
    new release carries a capability that is off, turns that capability on. It can never be turned off again.
  - Plans one cluster, or with O(clusters) a fleet, in which equal questions are answered once.
  - Where O(kubeconfig), O(context), O(host), O(api_key), O(username) or O(client_cert) names a cluster, it is asked for
    what the other options do not say. It is read only. Environment variables C(K8S_AUTH_*) complete these options; they
    alone ask no cluster, and neither does an empty string.
  - Otherwise no cluster is needed, and no library for one.
  - Nothing is changed anywhere. With O(report), the plan is written to files.
extends_documentation_fragment:
  - kubernetes.core.k8s_auth_options
  - capability.openshift._attributes
  - capability.openshift._attributes.actiongroup_cluster
  - capability.openshift._cluster.facts
  - capability.openshift._cluster.inclusion
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - Shows the Markdown report. An HTML page is shown by its digest only.
  idempotent:
    support: full
options:
  releases:
    description:
      - The path, directories of extracted releases, the one that the cluster runs first.
      - A flat directory without C(release-metadata) is given as a dict with C(release), its directory, and
        C(openshift_version).
      - O(chdir) says where relative paths start from, here and in the other options.
      - Required, unless each of O(clusters) has its own.
    type: list
    elements: raw
  capabilities:
    description:
      - The selection that the plan starts from, as C(install-config.yaml) and C(ClusterVersion.spec) have it.
        Without it, O(cluster_version) and O(enabled_capabilities) it is what the cluster that is asked has, or the
        cluster default, V(vCurrent), where none is.
      - See the option C(capabilities) of M(capability.openshift.release_manifests) for its fields and spellings.
    type: dict
  cluster_version:
    description:
      - The ClusterVersion object of the cluster that the plan starts from, or the path of a file that holds it, YAML
        or JSON. A C(List) of one is accepted.
      - Left out, it is read from the cluster that is asked, unless O(capabilities), O(enabled_capabilities) or
        O(known_capabilities) is given.
      - What its status says to be on wins over what the capability sets say. Its C(spec.overrides) are used, unless
        O(overrides) are given.
      - Names that its version does not know are no error, because a rollback leaves them behind.
      - That it runs another minor than the first of O(releases) is a warning, and an error beside O(fail_on).
    type: raw
    aliases: [clusterVersion]
  enabled_capabilities:
    description:
      - The names that are on in the cluster that the plan starts from. They count as asked for by name.
    type: list
    elements: str
    aliases: [enabledCapabilities]
  known_capabilities:
    description:
      - The names that the cluster knows, beside O(enabled_capabilities). Left out, those that its version knows.
    type: list
    elements: str
    aliases: [knownCapabilities]
  overrides:
    description:
      - Entries of C(ClusterVersion.spec.overrides), dicts with C(kind), C(group), C(namespace), C(name) and
        C(unmanaged). While one is unmanaged, the cluster refuses updates, from 4.22 on those to another minor.
      - Left out, they are those of O(cluster_version). An empty list stands for none.
    type: list
    elements: dict
  live_resources:
    description:
      - The resources that are on the cluster, dicts with C(group), C(kind), C(namespace) and C(name), or the objects
        themselves as the API returns them.
      - With it, the new release is compared with the cluster instead of with the old release. A manifest that the
        selection leaves out and whose resource is on the cluster turns its capabilities on.
      - A resource that the old release deletes counts as being there, as it does for the cluster-version operator.
      - Left out, the cluster that is asked lists the names of those that can matter, which are those of the new
        releases that need a capability that is off. That takes one request for each kind, C(list) on all namespaces,
        and two that tell which kinds there are. A problem says how many were asked for.
    type: list
    elements: dict
  platform:
    description:
      - Platform of the cluster, such as V(aws) or V(baremetal), in any case. It narrows RV(hops[].credentials_requests)
        to those for that platform.
    type: str
  clusters:
    description:
      - The fleet form. A list of clusters, each a dict with C(name).
      - C(releases), C(live_resources), C(platform), C(cluster_profile), C(feature_set), C(feature_gates),
        C(exclude_identifier), C(overrides) and C(always_enabled_capabilities) mean what the options of these names
        mean, which stand in for each one that is left out.
      - C(capabilities), C(cluster_version), C(enabled_capabilities) and C(known_capabilities) mean the same, too. Where
        a cluster has one of these four, none of the options stands in.
      - The API's own spellings of the options are accepted here, too.
      - No cluster is asked for a fleet. To name one beside this option is an error.
    type: list
    elements: dict
  details:
    description:
      - Whether to list every resource. If not, each list of causes holds the first one only, RV(hops[].counts) stands
        for the other lists, and RV(hops[].implicitly_enabled[].count) for the causes.
      - The default is V(true) for one cluster and V(false) for O(clusters). O(report) has all details anyway.
    type: bool
  fail_on:
    description:
      - Names that the path must not turn on, in whatever way. The module fails, with the whole plan, if it does.
      - V(any) stands for each name that is turned on and that the selection does not ask for in the new release.
      - A name that was off counts as turned on, too, where the new release does not know it, because such a release
        creates what it brings.
    type: list
    elements: str
    default: []
  allow_downgrade:
    description:
      - Whether a release may be older than the one before it, or the same.
      - The plan then lists what would be left behind, and every component that would be created because the older
        release does not know its capability, or no capabilities at all (4.10 and older).
    type: bool
    default: false
  chdir:
    description:
      - Directory that relative paths start from, those in O(clusters) too.
      - Left out, it is the one in which Ansible runs the module, which for a local connection is that of the playbook.
    type: path
  report:
    description:
      - Where to write a report. A file that is there already and is no such report is an error.
      - A path that ends in C(.md) gets Markdown, one that ends in C(.html) a page that needs
        no network, and any other is a directory that gets C(update_plan.md) and C(update_plan.html).
    type: path
seealso:
  - module: capability.openshift.release_manifests
  - plugin: capability.openshift.implicitly_enabled_capabilities
    plugin_type: filter
requirements:
  - PyYAML
  - Jinja2 (for O(report))
  - rapidyaml (optional, makes reading three times faster)
  - kubernetes (to ask a cluster)
"""

EXAMPLES = r"""
- name: Say what two updates turn on, and write it down for the review
  capability.openshift.update_plan:
    releases:
      - /srv/releases/4.13.59
      - /srv/releases/4.14.42
      - /srv/releases/4.15.37
    capabilities:
      baselineCapabilitySet: None
      additionalEnabledCapabilities: [marketplace]
    platform: vsphere
    report: /srv/reviews/berlin
  register: plan

- name: Show why
  ansible.builtin.debug:
    msg: "{{ item.1.name }}: {{ item.1.resources | map(attribute='name') | join(', ') or item.1.source }}"
  loop: "{{ plan.hops | subelements('implicitly_enabled') }}"
  loop_control:
    label: "{{ item.0.from }} to {{ item.0.to }}"

- name: Stop a pipeline before the Console comes to a cluster without one
  capability.openshift.update_plan:
    releases: [/srv/releases/4.20.3, /srv/releases/4.21.0]
    cluster_version: /srv/sites/paris/clusterversion.yaml
    fail_on: [Console]

- name: Ask the cluster for its ClusterVersion and for the resources that can matter
  capability.openshift.update_plan:
    releases: [/srv/releases/4.20.3, /srv/releases/4.21.0]
    kubeconfig: /srv/sites/paris/kubeconfig

- name: Plan a fleet, with what each cluster says of itself
  capability.openshift.update_plan:
    releases: [/srv/releases/4.20.3, /srv/releases/4.21.0]
    clusters:
      - name: berlin
        cluster_version: /srv/sites/berlin/clusterversion.yaml
      - name: paris
        capabilities:
          baselineCapabilitySet: None
        platform: baremetal
    fail_on: [any]
    report: /srv/reviews/fleet.html
"""

RETURN = r"""
hops:
  description: The hops of the path, in their order.
  returned: success or O(fail_on), without O(clusters)
  type: list
  elements: dict
  contains:
    from:
      description: Version of the outgoing release.
      type: str
      returned: always
    to:
      description: Version of the incoming release.
      type: str
      returned: always
    downgrade:
      description: Whether the incoming release is not a later one.
      type: bool
      returned: always
    enabled_before:
      description: Names that are on before the hop, sorted.
      type: list
      elements: str
      returned: always
    enabled_after:
      description: Names that are on after the hop, once the incoming release has resolved the selection.
      type: list
      elements: str
      returned: always
    known_before:
      description: Names that the cluster knows before the hop.
      type: list
      elements: str
      returned: always
    known_after:
      description: Names that the cluster knows after the hop.
      type: list
      elements: str
      returned: always
    implicitly_enabled:
      description:
        - What the hop turns on implicitly, as the outgoing cluster-version operator computes it, and what the incoming
          one forces on.
      type: list
      elements: dict
      returned: always
      contains:
        name:
          description: The capability.
          type: str
          returned: always
        cause:
          description: V(manifest) if resources turn it on, V(forced) if it is turned on although no manifest says so.
          type: str
          returned: always
        requested:
          description: Whether the selection asks for it in the incoming release, so that it is not implicit there.
          type: bool
          returned: always
        source:
          description: Where a forced case comes from, empty otherwise.
          type: str
          returned: always
        count:
          description: How many resources turn it on.
          type: int
          returned: always
        resources:
          description: The resources that turn it on, in the order of the incoming release.
          type: list
          elements: dict
          returned: always
          contains:
            group:
              description: API group, empty for the core group.
              type: str
              returned: always
            kind:
              description: Kind.
              type: str
              returned: always
            namespace:
              description: Namespace, empty for a cluster-scoped resource.
              type: str
              returned: always
            name:
              description: Name.
              type: str
              returned: always
            from_file:
              description: File in the outgoing release, V(none) if it is only on the cluster.
              type: str
              returned: always
            to_file:
              description: File in the incoming release.
              type: str
              returned: always
            from_capabilities:
              description: Capabilities that the manifest needed.
              type: list
              elements: str
              returned: always
            to_capabilities:
              description: Capabilities that it needs now.
              type: list
              elements: str
              returned: always
            deleted:
              description: Whether the incoming release deletes the resource. It turns capabilities on all the same.
              type: bool
              returned: always
    newly_requested:
      description: Names that the selection asks for in the incoming release, and that were not on.
      type: list
      elements: str
      returned: always
    newly_known:
      description: Names that become known and stay off.
      type: list
      elements: str
      returned: always
    no_longer_optional:
      description:
        - Names that were off, and that the incoming release does not know, so that it creates what they bring.
      type: list
      elements: str
      returned: always
    not_in_fresh_install:
      description:
        - Names that are on here, and off in a fresh install of the incoming release with RV(capabilities).
      type: list
      elements: str
      returned: always
    blocked_by:
      description: Why the cluster refuses the update, dicts with C(reason), C(message) and C(hint).
      type: list
      elements: dict
      returned: always
    created_components:
      description:
        - Components that are created where RV(hops[].no_longer_optional) is not empty, dicts with C(component) and
          C(count) of resources.
      type: list
      elements: dict
      returned: always
    counts:
      description:
        - Lengths of RV(hops[].added), RV(hops[].removed), RV(hops[].deleted) and RV(hops[].credentials_requests).
      type: dict
      returned: always
    moved:
      description:
        - Names of the selection whose resources need other capabilities now, dicts with C(name) and
          C(resources) as in RV(hops[].implicitly_enabled[].resources).
      type: list
      elements: dict
      returned: with details
    added:
      description:
        - Resources that the hop applies and that were not applied before, dicts with C(group), C(kind), C(namespace),
          C(name), C(file) and C(capabilities).
      type: list
      elements: dict
      returned: with details
    removed:
      description: Resources that were applied and are no longer. Nobody deletes them.
      type: list
      elements: dict
      returned: with details
    deleted:
      description: Resources that the incoming release deletes and the outgoing one did not.
      type: list
      elements: dict
      returned: with details
    credentials_requests:
      description:
        - CredentialsRequests that the new state needs, on O(platform) if it is given.
        - C(new) tells those that were not there before.
        - C(provider) is the kind of provider, V(none) without O(platform).
      type: list
      elements: dict
      returned: with details
    left_behind:
      description: RV(hops[].removed) of a downgrade, empty otherwise.
      type: list
      elements: dict
      returned: with details
releases:
  description: Versions of the path.
  returned: success or O(fail_on), without O(clusters)
  type: list
  elements: str
  sample: [4.13.59, 4.14.42]
capabilities:
  description:
    - The selection that the plan started from, without exclusions, a dict with C(baseline_capability_set) (V(none) for
      the cluster default) and C(additional_enabled_capabilities).
  returned: success or O(fail_on), without O(clusters)
  type: dict
enabled_capabilities:
  description: Names that are on at the end of the path, sorted.
  returned: success or O(fail_on), without O(clusters)
  type: list
  elements: str
implicitly_enabled_capabilities:
  description: Those of them that the selection does not ask for in the last release.
  returned: success or O(fail_on), without O(clusters)
  type: list
  elements: str
known_capabilities:
  description: Names that the cluster knows at the end of the path.
  returned: success or O(fail_on), without O(clusters)
  type: list
  elements: str
condition:
  description:
    - The condition C(ImplicitlyEnabledCapabilities) that the cluster will show at the end of the path, a dict with
      C(type), C(status), C(reason) and C(message). V(none) where the last release has no capabilities.
  returned: success or O(fail_on), without O(clusters)
  type: dict
  sample:
    type: ImplicitlyEnabledCapabilities
    status: "True"
    reason: CapabilitiesImplicitlyEnabled
    message: "The following capabilities could not be disabled: Build, MachineAPI"
plans:
  description:
    - The distinct plans of a fleet, each with what is returned for one cluster, and C(problems) of its own.
  returned: success or O(fail_on), with O(clusters)
  type: list
  elements: dict
clusters:
  description: For each cluster of a fleet the position of its plan in RV(plans).
  returned: success or O(fail_on), with O(clusters)
  type: dict
  sample: {berlin: 0, paris: 1, rome: 0}
violations:
  description:
    - What the path turns on against O(fail_on), dicts with C(name), C(from), C(to), C(message) and C(clusters).
  returned: success or O(fail_on)
  type: list
  elements: dict
report:
  description: The files of the report.
  returned: when O(report) is given
  type: list
  elements: path
problems:
  description:
    - What is wrong or worth knowing. With O(clusters), what is so for all of them, and how many plans have more.
  returned: always
  type: list
  elements: dict
  contains:
    severity:
      description: V(error), V(warning) or V(info).
      type: str
      returned: always
    code:
      description: Identifier of the kind of problem, in kebab case. It stays the same if the message is reworded.
      type: str
      returned: always
    where:
      description: Release, file and field, or the option.
      type: str
      returned: always
    message:
      description: What was found, and what was expected.
      type: str
      returned: always
    hint:
      description: What to do about it, empty where nothing has to be done.
      type: str
      returned: always
"""

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.auth_options import (
    auth_spec,
    show_kubeconfig,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import (
    cluster_options,
    cluster_type_spec,
    inclusion_spec,
    selection_spec,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.deps import require_jinja2, require_yaml
from ansible_collections.capability.openshift.plugins.module_utils._module.files import absolute
from ansible_collections.capability.openshift.plugins.module_utils._module.result import (
    fail,
    problem_dicts,
    succeed,
    warn,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    CapabilityError,
    InvalidOptionError,
    Problem,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.live_resources import (
    read_live_resources,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.planner import FleetPlan
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.result import (
    PlanShapes,
    planning_result,
    shown_problems,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.run import (
    PlanSettings,
    plan_cluster,
    plan_fleet,
)
from ansible_collections.capability.openshift.plugins.module_utils._update_plan.start import PlanOptions

if TYPE_CHECKING:
    from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client

NAMES_A_CLUSTER = ("kubeconfig", "context", "host", "api_key", "username", "client_cert")
NO_RELEASES = Problem(
    "error", "todo", "releases", "is missing", "Give the path: directories of releases, current first"
)


def main() -> None:
    """Run the module."""
    module = AnsibleModule(
        argument_spec={
            **auth_spec(),
            **cluster_type_spec(),
            **selection_spec(),
            **inclusion_spec(),
            "overrides": {"type": "list", "elements": "dict"},
            "releases": {"type": "list", "elements": "raw"},
            "cluster_version": {"type": "raw", "aliases": ["clusterVersion"]},
            "live_resources": {"type": "list", "elements": "dict"},
            "platform": {"type": "str"},
            "clusters": {"type": "list", "elements": "dict"},
            "details": {"type": "bool"},
            "fail_on": {"type": "list", "elements": "str", "default": []},
            "allow_downgrade": {"type": "bool", "default": False},
            "chdir": {"type": "path"},
            "report": {"type": "path"},
        },
        supports_check_mode=True,
    )
    show_kubeconfig(module)  # also where everything is given, so that nobody connects
    require_yaml(module)
    if module.params["report"] is not None:
        require_jinja2(module)
    # Ansible takes a text with commas for a list, and leaves the blanks behind them.
    params = {**module.params, "fail_on": [name.strip() for name in module.params["fail_on"]]}
    try:
        planning = answer(params, cluster_to_ask(module))
        result = run(planning, params, module.check_mode, module._diff)
    except CapabilityError as error:
        fail(module, error)
    shown = shown_problems(planning, fleet=params["clusters"] is not None)
    if result["violations"]:
        warn(module, shown)
        lines = (f"- {item['message']}" for item in result["violations"])
        message = "\n".join(["The plan is against fail_on:", *lines])
        module.fail_json(msg=message, **result, problems=problem_dicts(shown))
    succeed(module, result, shown)


def cluster_to_ask(module: AnsibleModule) -> Callable[[], Client] | None:
    """Return how to connect to the cluster that the options name; ``None`` where they name none."""
    params = module.params
    if not any(params.get(option) for option in NAMES_A_CLUSTER):
        return None
    from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.connection import connect

    for option in ("kubeconfig", "ca_cert", "client_cert", "client_key"):
        if params[option] and isinstance(params[option], str):
            files = params[option].split(os.pathsep) if option == "kubeconfig" else [params[option]]
            params[option] = os.pathsep.join(absolute(file, params["chdir"] or "") for file in files)
    return partial(connect, module)


def answer(params: dict[str, Any], connect: Callable[[], Client] | None) -> FleetPlan:
    """Load the releases and plan. Raises ``CapabilityError``."""
    live = params["live_resources"]
    options = PlanOptions(
        cluster_options(params),
        params["cluster_version"],
        None if live is None else read_live_resources(live),
        params["platform"],
    )
    terms = PlanSettings(params["allow_downgrade"], params["fail_on"], params["chdir"] or "", connect)
    if params["clusters"] is not None:
        return plan_fleet(params["clusters"], params["releases"], options, terms)
    if params["releases"] is None:
        raise InvalidOptionError([NO_RELEASES])
    return plan_cluster(params["releases"], options, terms)


def run(planning: FleetPlan, params: dict[str, Any], check_mode: bool, diff_mode: bool) -> dict[str, Any]:
    """Return the result, and write the report where one was asked for. Raises ``CapabilityError``."""
    fleet = params["clusters"] is not None
    details = not fleet if params["details"] is None else params["details"]
    result = planning_result(planning, fleet=fleet, details=details, fail_on=params["fail_on"])
    if params["report"] is not None:
        # Templates and Jinja2 cost every run that writes no report.
        from ansible_collections.capability.openshift.plugins.module_utils._report.write import (
            report_diff,
            write_report,
        )

        path = params["report"] and absolute(params["report"], params["chdir"] or "")
        written = write_report(path, PlanShapes().report(planning), check_mode=check_mode)
        result |= {"changed": written.changed, "report": sorted(written.files)}
        if diff_mode:
            result["diff"] = report_diff(written.files)
    return result


if __name__ == "__main__":
    main()
