# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests an update: first acknowledges the accepted gates, then changes the ClusterVersion, each only if it differs.

The request never has ``force``. It replaces ``spec.desiredUpdate`` of an earlier update, also its accepted risks, which
have neither a reason nor an end there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from .._cluster.admin_acks import ADMIN_ACKS, acknowledged
from .._cluster.cluster_properties import FEATURE_GATE, enabled_gates
from .._cluster.cluster_version import CLUSTER_VERSION
from .._cluster.cluster_version_client import update_cluster_version
from .._kubernetes.client import FIELD_MANAGER, Client
from .._problems import ClusterError, Problem, Problems
from .._resources import CONFIG_MAPS, Object, applied_fields, as_text, mappings_in, nested, target_for
from .start import ANNOTATION, UpdateStart, start_of
from .target import MULTI, TargetRelease, update_phase

_ACCEPT_RISKS = "ClusterUpdateAcceptRisks"
_ACKS = target_for(CONFIG_MAPS, ADMIN_ACKS)


class FieldChange(NamedTuple):
    """A changed field of an object, and its value before and after. Before an object existed, that is no text."""

    what: str
    before: Mapping[str, Any] | str
    after: Mapping[str, Any]


def check_permissions(client: Client, gates: Collection[str] | None) -> None:
    """Raise ``ClusterError`` with all that the user may not do. ``gates``: as in ``request_update``.

    The apply of an object that does not exist needs both permissions.
    """
    problems = Problems()
    requests = [("patch", CLUSTER_VERSION)]
    if gates is not None:
        requests[:0] = [("patch", _ACKS), *([] if client.find(_ACKS) else [("create", _ACKS)])]
    for verb, target in requests:
        with problems.collect(ClusterError):
            client.check_access(verb, target)
    problems.raise_errors(ClusterError)


def request_update(
    client: Client,
    target: TargetRelease,
    start: UpdateStart,
    gates: Collection[str] | None,
    risks: Collection[str],
    changes: list[FieldChange],
    problems: Problems,
    *,
    dry_run: bool,
) -> Object:
    """Acknowledge ``gates``, accept ``risks``, and request the update to ``target``. Raises ``ClusterError``.

    Returns the ClusterVersion. ``changes`` gets what is written, in this order, also before an error.
    ``gates``: ``None`` if the update does not need the ConfigMap that acknowledges them.
    If another client requests another update since ``start`` was read, nothing is requested.
    """
    if risks or gates is not None:
        # Of a request that would be denied, no gate is acknowledged. And it shows whether the server keeps the risks.
        _before, after = _change(client, target, start, risks, dry_run=True)
        if risks and not _reads_risks(client, after, start):
            message = f"the API server does not know the field acceptRisks, or the feature gate {_ACCEPT_RISKS} is "
            message += "disabled, so the risks are accepted in this run only"
            problems.info("unknown-accept-risks", f"{CLUSTER_VERSION}: spec.desiredUpdate.acceptRisks", message)
            risks = ()
    changes += _acknowledge(client, gates, dry_run=dry_run)
    before, after = _change(client, target, start, risks, dry_run=dry_run)
    for field, value in (("spec.desiredUpdate", _request_of), ("metadata.annotations", _annotation_of)):
        if value(before) != value(after):
            changes.append(FieldChange(f"{CLUSTER_VERSION}, {field}", value(before), value(after)))
    return after


def _reads_risks(client: Client, tried: Object, start: UpdateStart) -> bool:
    """Whether the CVO reads the accepted risks that ``tried`` kept. Without the feature gate, it rejects them.

    Source: openshift/cluster-version-operator:lib/validation/validation.go ValidateClusterVersion.
    """
    if not nested(tried, "spec", "desiredUpdate", "acceptRisks"):
        return False
    return _ACCEPT_RISKS in enabled_gates(client.find(FEATURE_GATE) or {}).get(start.from_version, ())


def _acknowledge(client: Client, gates: Collection[str] | None, *, dry_run: bool) -> tuple[FieldChange, ...]:
    """Add ``gates`` to the ConfigMap, unless it has them. What this collection acknowledged earlier stays there.

    The CVO needs the ConfigMap even if no gate applies.
    """
    if gates is None:
        return ()
    found = client.find(_ACKS)
    before = nested(found, "data") or {}
    if found is not None and acknowledged(before).issuperset(gates):
        return ()
    own = {name: before[name] for name in sorted(_applied(found)) if name in before}
    data = {**own, **dict.fromkeys(sorted(gates), "true")}
    metadata = {"name": ADMIN_ACKS.name, "namespace": ADMIN_ACKS.namespace}
    body = {"apiVersion": CONFIG_MAPS.api_version, "kind": CONFIG_MAPS.kind, "metadata": metadata, "data": data}
    after = client.apply(_ACKS, body, dry_run=dry_run).object
    return (FieldChange(f"{_ACKS}, data", before if found else "", nested(after, "data") or {}),)


def _applied(config_map: Object | None) -> set[str]:
    """The keys that this collection applied earlier: an apply without them would remove them."""
    fields = nested(applied_fields(nested(config_map, "metadata"), FIELD_MANAGER), "f:data") or {}
    return {key.removeprefix("f:") for key in fields if key.startswith("f:")}


def _change(
    client: Client, target: TargetRelease, start: UpdateStart, risks: Collection[str], *, dry_run: bool
) -> tuple[Object, Object]:
    """Request the update, and return the ClusterVersion before and after: the same object if it was not written."""

    def propose(obj: Object) -> tuple[Object | None, None]:
        if update_phase(obj, target) in ("partial", "completed"):
            return None, None  # another run requested the same update
        _check_unchanged(obj, start)
        current = nested(obj, "spec", "desiredUpdate") or {}
        wanted: dict[str, Any] = {"version": target.version}
        wanted |= {"architecture": MULTI} if target.replaced else {"image": target.image}
        wanted |= {"acceptRisks": [{"name": name} for name in sorted(risks)]} if risks else {}
        annotation = start.annotation()
        is_annotated = nested(obj, "metadata", "annotations", ANNOTATION) == annotation
        now, then = _effective(current), _effective(wanted)
        if is_annotated and now == then:
            return None, None
        if now not in (_effective(start.requested), then):
            raise _concurrent()
        # Null removes a field in a merge, also one that an earlier update left there.
        request = {**dict.fromkeys(current), **wanted}
        metadata = {"annotations": {ANNOTATION: annotation}}
        return {"metadata": metadata, "spec": {"desiredUpdate": request}}, None

    before, after, _proposal = update_cluster_version(client, CLUSTER_VERSION, propose, dry_run=dry_run)
    return before, after


def _check_unchanged(obj: Object, start: UpdateStart) -> None:
    """Raise ``ClusterError`` if the cluster no longer runs what the plan started from."""
    now = start_of(obj, TargetRelease("", start.image))
    if (now.from_image, now.selection) != (start.from_image, start.selection):
        raise _concurrent()


def _concurrent() -> ClusterError:
    message = "another client changed what the plan started from: the release, spec.capabilities or spec.desiredUpdate"
    hint = "Run this again to plan again"
    return ClusterError([Problem("error", "concurrent-update", str(CLUSTER_VERSION), message, hint)])


def _effective(request: Mapping[str, Any]) -> dict[str, Any]:
    """``request`` without empty fields. The order of risks has no meaning."""
    compared = {**request, "acceptRisks": sorted(_accepted_risks(request))}
    return {name: value for name, value in compared.items() if value}


def _accepted_risks(request: Mapping[str, Any]) -> list[str]:
    return [as_text(item.get("name")) for item in mappings_in(request.get("acceptRisks"))]


def _request_of(obj: Object) -> Mapping[str, Any]:
    return nested(obj, "spec", "desiredUpdate") or {}


def _annotation_of(obj: Object) -> Mapping[str, Any]:
    annotations = nested(obj, "metadata", "annotations") or {}
    return {name: value for name, value in annotations.items() if name == ANNOTATION}
