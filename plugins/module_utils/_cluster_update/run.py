# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module cluster_update: plans, stops before the first write if something is not accepted, requests, follows.

Every run decides from the cluster what is left to do, so a run that was stopped continues when it is run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._cluster.cluster_properties import INFRASTRUCTURE, is_control_plane_outside
from .._cluster.cluster_version import CLUSTER_VERSION
from .._cluster.cluster_version_client import get_cluster_version
from .._cluster.running_cvo import unkept_status
from .._kubernetes.client import Client, Snapshot
from .._problems import CapabilityError, ClusterError, InvalidOptionError, Problem, Problems
from .._progress import Progress
from .._registry.pull_spec import parse_pull_spec
from .._resources import Object, as_text, mappings_in, nested
from .._update_plan.plan_options import PlanOptions, SharedOptions
from .._update_plan.planner import FleetPlan
from .._update_plan.run import plan_cluster
from .._update_plan.update_reasons import VERDICTS, UpdateReason
from .._update_plan.violations import capability_violations
from .follow import OPERATORS, POOLS, follow_update, snapshots_to_follow
from .preflight import cvo_reasons, operator_reasons, pool_reasons
from .proof import Prediction, check_prediction
from .start import UpdateStart, read_start, start_of
from .target import TargetRelease, UpdatePhase, find_target, update_phase
from .write import FieldChange, check_permissions, request_update


class UpdateOptions(NamedTuple):
    """The options of the module. ``path``: the releases of the plan, ``None`` for the images of the cluster.

    ``release``: the second of them alone. ``shared``: what the plan needs besides.
    """

    version: str | None
    image: str | None
    path: Sequence[Any] | None
    release: str | None
    shared: SharedOptions
    wait: bool
    wait_seconds: float
    stuck_seconds: float


class UpdateRun:
    """A run of the module, and what it has found out and done so far."""

    def __init__(self, client: Client, options: UpdateOptions, progress: Progress, *, check_mode: bool) -> None:
        self._client, self._options, self._progress, self._check_mode = client, options, progress, check_mode
        self._start: UpdateStart | None = None
        self.target: TargetRelease | None = None
        self.phase: UpdatePhase = "not_started"
        self.plan: FleetPlan | None = None
        self.changes: tuple[FieldChange, ...] = ()
        self.prediction = Prediction()

    def run(self, problems: Problems) -> None:
        """Do everything that is left to do. Raises ``CapabilityError``."""
        self._refuse_hosted()
        cluster_version = get_cluster_version(self._client)
        target = find_target(
            self._options.version,
            self._options.image,
            self._options.shared.source.architecture,
            cluster_version,
            problems,
        )
        problems.raise_errors(InvalidOptionError)
        if target is None:
            raise AssertionError("a release that is not found is an error")
        self.target = target
        self.phase = update_phase(cluster_version, target)
        snapshots = snapshots_to_follow(self._client, problems)
        if self.phase in ("not_started", "requested"):
            self._start = start_of(cluster_version, target)
            operators, pools = (snapshots[kind].objects if kind in snapshots else {} for kind in (OPERATORS, POOLS))
            preflight = (
                *operator_reasons(operators),
                *pool_reasons(pools),
                *cvo_reasons(unkept_status(self._client)),
            )
            self._make_plan(_to_plan(cluster_version, self.phase), preflight, problems)
            self._refuse_unaccepted(problems)
            cluster_version = self._request(problems)
            self.phase = update_phase(cluster_version, self.target)
        else:
            self._continue(cluster_version, problems)
        if self._check_mode:
            return
        if self._options.wait and self.phase != "completed":
            seconds, stuck = self._options.wait_seconds, self._options.stuck_seconds
            version = as_text(nested(cluster_version, "metadata", "resourceVersion"))
            written = Snapshot({CLUSTER_VERSION.key: cluster_version}, version)
            snapshots = {**snapshots, CLUSTER_VERSION: written}
            last = follow_update(self._client, self.target, snapshots, seconds, stuck, self._progress, problems)
            cluster_version = last or cluster_version
            self.phase = update_phase(cluster_version, self.target)
        if self.phase == "completed":
            self._prove(cluster_version, problems)
        problems.raise_errors(ClusterError)

    def _refuse_hosted(self) -> None:
        if is_control_plane_outside(self._client.find_once(INFRASTRUCTURE)):
            message = "has an external control plane, so its cluster-version operator ignores the request of an update"
            hint = "On the management cluster, set spec.release.image of its HostedCluster and of its NodePools"
            raise ClusterError([Problem("error", "hosted-control-plane", str(INFRASTRUCTURE), message, hint)])

    def _make_plan(self, obj: Object, preflight: tuple[UpdateReason, ...], problems: Problems) -> None:
        """Plan from the ClusterVersion ``obj``. Raises ``CapabilityError``."""
        target, start, options = self.target, self._start, self._options
        if target is None or start is None:
            raise AssertionError("the target is found before the plan")
        path = options.path or (start.from_image, options.release or target.image)
        plan_options = PlanOptions(
            ClusterOptions(), path, obj, releases_where="releases", location=str(CLUSTER_VERSION), preflight=preflight
        )
        self.plan = plan_cluster(plan_options, options.shared, lambda: self._client, self._progress)
        self.target = self._checked_target(self.plan, target, start, problems)
        problems.raise_errors(InvalidOptionError)

    def _checked_target(
        self, plan: FleetPlan, target: TargetRelease, start: UpdateStart, problems: Problems
    ) -> TargetRelease:
        """Return ``target`` with its version. Report releases that are not the one of the cluster and of the target."""
        if len(plan.releases) != 2:
            message = f"names {len(plan.releases)} releases, expected the current one and the next one"
            problems.error("wrong-path", "releases", message, "Run one update after the other")
            return target
        (current, _name), (version, name) = plan.releases
        if current != start.from_version:
            message = f"begins with {current}, but the cluster runs {start.from_version}"
            problems.error("version-mismatch", "releases[0]", message, "Begin with the release that the cluster runs")
        where = "release" if self._options.path is None else "releases[1]"
        digests = {_digest(item) for item in (name, target.image)} - {""}
        if target.version not in ("", version):
            message = f"is {version}, but the update is to {target.version}"
            problems.error("other-release", where, message, f"Set it to the release {target.version}")
        elif len(digests) > 1:
            message = f"is the image {name}, but the update is to {target.image}"
            problems.error("other-release", where, message, "Set it to this image")
        return target._replace(version=version)

    def _refuse_unaccepted(self, problems: Problems) -> None:
        """Raise ``ClusterError`` if something against the update is not accepted."""
        shared = self._options.shared
        for result in () if self.plan is None else self.plan.plans:
            problems += (self.plan.problems if self.plan else ()) + result.problems
            for reason in result.verdicts[0].reasons:
                serious = shared.fail_on != "never" and VERDICTS.index(reason.verdict) >= VERDICTS.index(shared.fail_on)
                if serious and reason.accepted is None:
                    hint = f"{reason.hint}, or accept {reason.name} in acceptances" if reason.name else reason.hint
                    problems.error(reason.code, reason.source, reason.message, hint)
            for violation in capability_violations(result, shared.forbidden_capabilities):
                hint = f"Accept {violation.name} in acceptances: an enabled capability can never be disabled"
                problems.error("unaccepted-capability", "acceptances", violation.message, hint)
        problems.raise_errors(ClusterError)

    def _request(self, problems: Problems) -> Object:
        """Write what is missing, and return the ClusterVersion."""
        target, start = self.target, self._start
        if self.plan is None or target is None or start is None:
            raise AssertionError("nothing is requested without a plan")
        reasons = [reason for reason in self.plan.plans[0].verdicts[0].reasons if reason.accepted is not None]
        gates = {reason.name for reason in reasons if reason.code == "admin-ack-required"}
        risks = {reason.name for reason in reasons if reason.code == "conditional-risk"} - {"conditional-risk"}
        check_permissions(self._client, gates)
        requested = request_update(self._client, target, start, gates, risks, problems, dry_run=self._check_mode)
        self.changes = requested.changes
        return requested.obj

    def _continue(self, cluster_version: Object, problems: Problems) -> None:
        """Repeat the plan of an update that has begun, from what it started from."""
        if self.target is None:
            raise AssertionError("the target is found first")
        self._start = read_start(cluster_version, self.target)
        if self._start is None:
            message = "the update was not requested by this module, so there is no prediction to compare"
            problems.info("no-prediction", str(CLUSTER_VERSION), message)
            return
        found = Problems()
        try:
            self._make_plan(self._start.cluster_version(cluster_version), (), found)
        except CapabilityError as error:
            # The update goes on nevertheless, and following it is more important.
            problems += (problem._replace(severity="warning") for problem in error.problems)
            self.plan = None

    def _prove(self, cluster_version: Object, problems: Problems) -> None:
        if self.plan is not None and self._start is not None:
            plan = self.plan.plans[0]
            self.prediction = check_prediction(plan, self._start, cluster_version, self._client, problems)


def _to_plan(cluster_version: Object, phase: UpdatePhase) -> Object:
    """Return what the plan starts from: while the update is requested, following it reports whether it is accepted."""
    if phase != "requested":
        return cluster_version
    status = nested(cluster_version, "status") or {}
    conditions = [item for item in mappings_in(status.get("conditions")) if item.get("type") != "ReleaseAccepted"]
    return {**cluster_version, "status": {**status, "conditions": conditions}}


def _digest(name: str) -> str:
    """The digest in a pull spec; empty for a directory."""
    spec = parse_pull_spec(name, "", Problems()) if "@" in name else None
    return (spec.digest or "") if spec is not None else ""
