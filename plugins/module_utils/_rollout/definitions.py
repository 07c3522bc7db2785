# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applies only the CustomResourceDefinitions of a release, for a cluster that needs no more than the API of OpenShift.

It writes neither a ClusterVersion nor an inventory, so a later rollout is the first one. That rollout finds the
definitions on the cluster, as if its own records had been deleted.
"""

from __future__ import annotations

from .._capability.resolved_release import read_selection
from .._capability.selection import check_selection
from .._cluster.injected_config import InjectedConfig
from .._kubernetes.client import Client
from .._problems import InvalidOptionError, Problem, Problems
from .._progress import Progress
from .._release.release import Release
from .._release.task_graph import Mode, task_graph
from .apply import Applier
from .change_set import CapabilityResult, Rollout
from .cluster_state import ClusterState, RolloutContext, included_by_resource, read_release_context
from .desired_object import OwnershipMetadata
from .graph_runner import GraphRunner, RunListener, is_definition
from .inventory import applyset_id
from .inventory_store import find_members
from .options import RolloutOptions

_MODE: Mode = "install"


def apply_definitions(
    client: Client, state: ClusterState, release: Release, options: RolloutOptions, progress: Progress
) -> Rollout:
    """Apply the included definitions of ``release``, and wait until the API server serves their kinds.

    Raises ``CapabilityError`` if none can be applied. Failures of single definitions are in the result.
    """
    if state.inventory is not None:  # Its records would no longer be true.
        message = f"is crds, but the cluster has the inventory of a rollout of {state.inventory.version}"
        hint = "Remove the option: a rollout applies the definitions of its release, too"
        raise InvalidOptionError([Problem("error", "existing-rollout", "only", message, hint)])
    context = read_release_context(client, state, release, options)
    problems = Problems(context.problems)
    capabilities = _requested(context, problems)
    definitions = [item for item in included_by_resource(context, capabilities.status) if is_definition(item)]
    manifests = context.without_overridden(item for item in definitions if not item.deletes)
    if not manifests:
        message = "contains no CustomResourceDefinition for this cluster"
        hint = "Check cluster_profile, feature_set and capabilities"
        raise InvalidOptionError([*problems, Problem("error", "empty-release", "release", message, hint)])
    context = context._replace(members=find_members(client, state.kinds, {item.resource_id for item in manifests}))
    applier = Applier(client, context, options, _MODE, OwnershipMetadata(applyset_id(), "", InjectedConfig()))
    # It need not wait at a barrier: definitions are ready when they are established.
    listener = RunListener(manifests, progress)
    changes = GraphRunner(task_graph(manifests, _MODE), applier, state.kinds, options, listener).run()
    progress("")
    version = release.shown_version
    return Rollout(_MODE, version, None, capabilities, changes, (), inventory_changed=False, problems=problems.unique())


def _requested(context: RolloutContext, problems: Problems) -> CapabilityResult:
    """The capabilities whose definitions are applied: by the option, or else all. The cluster does not matter."""
    request, target = Problems(), context.target
    selection = read_selection(context.options, request)
    check_selection(selection, target.minor_data, target.gated, request)
    request.raise_errors(InvalidOptionError)
    problems += request
    return CapabilityResult(None, context.resolved.status(selection), None, frozenset(), changed=False)
