# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the module cluster_update: plans, stops before the first write if something is not accepted, requests, follows.

Every run decides from the cluster what is left to do, so a run that was stopped continues when it is run again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._capability.cluster_options import ClusterOptions
from .._cluster.cluster_properties import check_hosted
from .._cluster.cluster_version import CLUSTER_VERSION
from .._cluster.cluster_version_client import get_cluster_version
from .._cluster.running_cvo import unkept_status
from .._kubernetes.client import Client, Snapshot
from .._problems import CapabilityError, ClusterError, InvalidOptionError, Problem, Problems
from .._progress import Progress
from .._resources import Object, Target, as_text, mappings_in, nested
from .._update_plan.planner import PlanResult
from .._update_plan.request import PlanOptions, SharedOptions
from .._update_plan.result import all_problems
from .._update_plan.run import plan_cluster
from .._update_plan.update_reasons import ACK_REQUIRED, MISSING_ACKS, Unchecked, UpdateReason, condition_reasons
from .._update_plan.update_status import read_update_status
from .._update_plan.violations import capability_violations, refused_reasons
from .follow import OPERATORS, POOLS, follow_update, replacing_update, snapshots_to_follow
from .preflight import cvo_reasons, image_reasons, operator_reasons, pool_reasons
from .proof import Prediction, check_prediction
from .start import UpdateStart, read_start, start_of, with_start
from .target import TargetRelease, UpdatePhase, find_target, image_digest, update_phase
from .write import FieldChange, check_permissions, request_update

_REMOVED = "HyperShift removes spec.desiredUpdate of the ClusterVersion"
_HINTS = {"missing-feature-gates": "To filter by them, run update_plan with feature_gates"}
_HOSTED_HINT = "On the management cluster, set spec.release.image of its HostedCluster and of its NodePools"


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
        self.target: TargetRelease | None = None
        self.phase: UpdatePhase = "not_started"
        self.plan: PlanResult | None = None
        self.changes: list[FieldChange] = []
        self.prediction = Prediction()
        self._was_multi, self._is_multi = False, False

    def run(self, problems: Problems) -> None:
        """Do everything that is left to do. Raises ``CapabilityError``."""
        options, client = self._options, self._client
        check_hosted(client, _REMOVED, _HOSTED_HINT, problems)
        problems.raise_errors(ClusterError)
        obj = get_cluster_version(client)
        architecture = options.shared.source.architecture
        target = find_target(options.version, options.image, architecture, obj, problems)
        problems.raise_errors(InvalidOptionError)
        if target is None:
            raise AssertionError("a release that is not found is an error")
        target = with_start(target, obj)
        self._note(obj, target)
        snapshots = snapshots_to_follow(client, problems)
        if self.phase in ("partial", "completed"):
            start = self._plan_again(obj, target, problems)
        else:
            start = start_of(obj, target)
            preflight = (*image_reasons(target, obj), *_preflight(client, snapshots))
            plan = self._make_plan(_without_acceptance(obj, self.phase), start, target, preflight, problems)
            if target.replaced and self._was_multi:
                # The status of most clusters does not have the architecture.
                target, start, self.plan = TargetRelease(target.version, target.replaced), None, None
            else:
                target = target._replace(version=plan.plan.releases[-1])
                start = start._replace(is_multi=self._is_multi)
                is_ours = self.phase == "requested" and read_start(obj, target) is not None
                self._refuse_unaccepted(plan, target, start, problems, is_requested=is_ours)
                obj = self._request(plan, target, start, self.changes, problems, dry_run=self._check_mode)
        self._note(obj, target)
        is_followed = options.wait and not self._check_mode
        if self.phase == "requested" and not self.changes and not is_followed:
            problems += _rejections(obj, target)
        if is_followed and self.phase != "completed":
            version = as_text(nested(obj, "metadata", "resourceVersion"))
            snapshots = {**snapshots, CLUSTER_VERSION: Snapshot({CLUSTER_VERSION.key: obj}, version)}
            seconds, stuck = options.wait_seconds, options.stuck_seconds
            obj = follow_update(client, target, snapshots, seconds, stuck, self._progress, problems) or obj
            self._note(obj, target)
        if self.phase == "completed" and (other := replacing_update(obj, target)):
            message = f"the cluster runs {target.version}, but spec.desiredUpdate requests {other}"
            hint = "Decide which version the cluster is to run"
            problems.warning("replaced-update", str(CLUSTER_VERSION), message, hint)
        if self.phase == "completed" and self.plan is not None and start is not None:
            self.prediction = check_prediction(self.plan, start, obj, problems)
        problems.raise_errors(ClusterError)

    def _note(self, obj: Object, target: TargetRelease) -> None:
        self.phase = update_phase(obj, target)
        image = as_text(nested(obj, "status", "desired", "image"))
        self.target = target._replace(image=image) if self.phase in ("partial", "completed") else target

    def _make_plan(
        self,
        obj: Object,
        start: UpdateStart,
        target: TargetRelease,
        preflight: tuple[UpdateReason, ...],
        problems: Problems,
    ) -> PlanResult:
        """Plan from the ClusterVersion ``obj``. Raises ``CapabilityError``, also if that is no plan for ``target``."""
        path = self._options.path
        if path is None:
            path = (start.from_image, self._options.release or target.image or target.replaced)
        location = str(CLUSTER_VERSION)
        options = PlanOptions(ClusterOptions(), path, obj, location=location, preflight=preflight, settable=False)
        fleet = plan_cluster(options, self._options.shared, lambda: self._client, self._progress)
        plan, names = fleet.plans[0], dict(fleet.releases)
        name, multi = names[plan.plan.releases[-1]], {image_digest(item) or item for item in fleet.multi}
        # A directory can be of another image of the version.
        self._was_multi, self._is_multi = image_digest(start.from_image) in multi, (image_digest(name) or name) in multi
        if target.replaced or not image_digest(name):
            message = f"the release is a directory, so the signature of {target.image} was not verified"
            if target.replaced:
                message = "the cluster-version operator chooses the image, so its signature was not verified"
            verdict = plan.verdicts[0]
            verdict = verdict._replace(not_checked=(*verdict.not_checked, Unchecked("release-signature", message)))
            plan = plan._replace(verdicts=(verdict, *plan.verdicts[1:]))
        self.plan = plan
        problems += (item._replace(hint=_HINTS.get(item.code, item.hint)) for item in all_problems(fleet))
        self._check_releases(plan, name, start, target, problems)
        problems.raise_errors(InvalidOptionError)
        return plan

    def _check_releases(
        self, plan: PlanResult, name: str, start: UpdateStart, target: TargetRelease, problems: Problems
    ) -> None:
        """Report releases that are not the one of the cluster and of ``target``. ``name``: of the last one."""
        current, *_between, version = plan.plan.releases
        if current != start.from_version:
            message = f"begins with {current}, but the cluster runs or updates to {start.from_version}"
            problems.error("version-mismatch", "releases[0]", message, "Begin with the release that the cluster runs")
        where = "release" if self._options.path is None else "releases[1]"
        if len(plan.plan.releases) != 2:
            message = f"names {len(plan.plan.releases)} releases, expected the current one and the next one"
            problems.error("wrong-path", "releases", message, "Run one update after the other")
        elif target.version not in ("", version):
            message = f"is {version}, but the update is to {target.version}"
            problems.error("other-release", where, message, f"Set it to the release {target.version}")
        elif target.image and image_digest(name) not in ("", image_digest(target.image)):
            message = f"is the image {name}, but the update is to {target.image}"
            problems.error("other-release", where, message, "Set it to this image")
        elif (
            self._options.shared.source.architecture == "multi"
            and image_digest(name)
            and not (target.replaced or self._is_multi)
        ):
            message = f"is multi, but the image of {version} is for one architecture"
            hint = f"Migrate first: set version to {start.from_version}, or remove this option"
            problems.error("missing-architecture", "architecture", message, hint)

    def _refuse_unaccepted(
        self, plan: PlanResult, target: TargetRelease, start: UpdateStart, problems: Problems, *, is_requested: bool
    ) -> None:
        """Raise ``ClusterError`` if something is not accepted.

        If an earlier run has requested the update, and this one has nothing to write, these are warnings, because the
        CVO can begin at any time. A write, such as an acknowledgement, can be what it waits for.
        """
        shared, refused = self._options.shared, Problems()
        for reason in refused_reasons(plan.verdicts[0], shared.fail_on):
            hint = f"{reason.hint}, or accept {reason.name} in acceptances" if reason.name else reason.hint
            refused.error(reason.code, reason.source, reason.message, hint)
        for violation in capability_violations(plan, shared.forbidden_capabilities):
            hint = f"Accept {violation.name} in acceptances: an enabled capability can never be disabled"
            refused.error("unaccepted-capability", "acceptances", violation.message, hint)
        missing: list[FieldChange] = []
        if refused and is_requested:
            self._request(plan, target, start, missing, Problems(), dry_run=True)
        is_followed = is_requested and not missing
        problems += (item._replace(severity="warning") if is_followed else item for item in refused)
        problems.raise_errors(ClusterError)

    def _request(
        self,
        plan: PlanResult,
        target: TargetRelease,
        start: UpdateStart,
        changes: list[FieldChange],
        problems: Problems,
        *,
        dry_run: bool,
    ) -> Object:
        """Write what is missing, and return the ClusterVersion. Raises ``ClusterError``."""
        accepted = [reason for reason in plan.verdicts[0].reasons if reason.accepted is not None]
        needs_acks = any(reason.code in (ACK_REQUIRED, MISSING_ACKS) for reason in accepted)
        gates = {reason.name for reason in accepted if reason.code == ACK_REQUIRED} if needs_acks else None
        # Without risks, the code is the name of the reason.
        risks = {reason.name for reason in accepted if reason.code == "conditional-risk" != reason.name}
        check_permissions(self._client, gates)
        return request_update(self._client, target, start, gates, risks, changes, problems, dry_run=dry_run)

    def _plan_again(self, obj: Object, target: TargetRelease, problems: Problems) -> UpdateStart | None:
        """Repeat the plan of an update that has begun, and return what it started from; ``None`` if it is not known."""
        start = read_start(obj, target)
        if start is None:
            message = "the update was not requested by this module, so there is no prediction to compare"
            problems.info("no-prediction", str(CLUSTER_VERSION), message)
            return None
        try:
            plan = self._make_plan(start.cluster_version(obj), start, target, (), Problems())
        except CapabilityError as error:
            # The update goes on nevertheless, and following it is more important.
            found = (problem for problem in error.problems if problem.severity == "error")
            problems += (problem._replace(severity="warning") for problem in found)
            self.plan = None
        else:
            message = "the update has begun, so the reasons against it were not checked again"
            verdict = plan.verdicts[0]._replace(reasons=(), not_checked=(Unchecked("unused-status", message),))
            self.plan = plan._replace(verdicts=(verdict,))
        return start


def _preflight(client: Client, snapshots: Mapping[Target, Snapshot]) -> tuple[UpdateReason, ...]:
    pools = snapshots[POOLS].objects if POOLS in snapshots else {}
    operators = operator_reasons(snapshots[OPERATORS].objects)
    return (*operators, *pool_reasons(pools), *cvo_reasons(unkept_status(client, can_be_elsewhere=False)))


def _rejections(obj: Object, target: TargetRelease) -> Iterator[Problem]:
    """Yield why the CVO does not accept ``target``, which an earlier run requested. It tries again by itself."""
    for reason in condition_reasons(read_update_status(obj), target.version, hosted=False):
        if reason.code == "release-not-accepted" and reason.verdict == "blocked":
            yield Problem("warning", reason.code, reason.source, reason.message, reason.hint)


def _without_acceptance(cluster_version: Object, phase: UpdatePhase) -> Object:
    """Return what the plan starts from: while the update is requested, following it reports whether it is accepted."""
    if phase != "requested":
        return cluster_version
    status = nested(cluster_version, "status") or {}
    conditions = [item for item in mappings_in(status.get("conditions")) if item.get("type") != "ReleaseAccepted"]
    return {**cluster_version, "status": {**status, "conditions": conditions}}
