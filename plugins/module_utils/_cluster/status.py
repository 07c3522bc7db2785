# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this module util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""Reports the status of a ClusterVersion on a cluster without a CVO, as the CVO would."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from .._kubernetes.api_errors import ApiError
from .._kubernetes.client import Client
from .._problems import ClusterError, Problem, Problems
from .._unstructured import Object, nested
from .cluster_version import CLUSTER_VERSION
from .live import update_cluster_version
from .running_cvo import refuse_cvo
from .status_change import StatusInputs, find_capability_condition, next_status

_STATUS = CLUSTER_VERSION._replace(subresource="status")
_LOCATION = str(CLUSTER_VERSION)
_CAPABILITIES = "status.capabilities"


class StatusReport(NamedTuple):
    """The status before and after the report; after a dry run, as it would be."""

    changed: bool
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    problems: tuple[Problem, ...]


class UnknownToCrdError(ClusterError):
    """The CustomResourceDefinition of the cluster does not list the name of an enabled capability."""


def utc_now() -> datetime:
    """Return the time of this host."""
    return datetime.now(UTC)


def report_status(client: Client, inputs: StatusInputs, *, allow_cvo_managed: bool, dry_run: bool) -> StatusReport:
    """Write the status that the CVO would write to the ClusterVersion of a cluster. Raises ``ClusterError``.

    If another client changes the object at the same time, it is read again and the status is computed again. A cluster
    with a running CVO is an error, unless ``allow_cvo_managed``, which skips the check.
    """

    def propose(obj: Object) -> tuple[Object | None, StatusReport]:
        if not allow_cvo_managed:
            refuse_cvo(client, obj, "Let the operator write the status")
        problems = Problems()
        change = next_status(obj, inputs, client.server_time() or utc_now(), problems)
        report = StatusReport(change.changed, change.before, change.after, tuple(problems))
        return {"status": change.body} if change.changed else None, report

    try:
        before, after, report = update_cluster_version(client, _STATUS, propose, dry_run=dry_run)
    except ApiError as error:
        raise _explained(error, inputs) from None
    return report._replace(changed=before is not after, after=nested(after, "status") or {})


def status_dict(status: Mapping[str, Any]) -> dict[str, Any]:
    """Convert to the form that modules return."""
    return {"status": dict(status), "condition": find_capability_condition(status)}


def _explained(error: ApiError, inputs: StatusInputs) -> ClusterError:
    """The server's error. If it rejects names of capabilities, an error with the cause and a hint."""
    names = sorted({item.value for item in error.unsupported_values if item.field.startswith(f"{_CAPABILITIES}.")})
    if not names:
        return error
    message = f"cannot contain {', '.join(names)}: the CustomResourceDefinition of the cluster does not list it"
    later = [name for name in names if name not in inputs.minor_data.capabilities]
    hint = f"Apply the ClusterVersion CustomResourceDefinition of {inputs.version} for the feature set of the cluster"
    if later:
        hint = (
            f"Apply the ClusterVersion CustomResourceDefinition of the version that enabled {', '.join(later)}, "
            f"which is later than {inputs.version}: an enabled capability must stay enabled"
        )
    return UnknownToCrdError([Problem("error", "outdated-crd", f"{_LOCATION}, {_CAPABILITIES}", message, hint)])
