# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Update plans for tests, in the shape that the report takes, written from short descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

VERDICTS = ["go", "acknowledge", "risk", "blocked"]
OLD = ["baremetal", "Console", "Insights", "marketplace", "openshift-samples", "Storage"]
NEW = ["Build", "DeploymentConfig", "ImageRegistry", "MachineAPI"]
NEWEST = ["CloudCredential", "Ingress", "OperatorLifecycleManager"]

BLOCKED: dict[str, Any] = {
    "verdict": "blocked",
    "code": "feature-set",
    "reason": "FeatureSet",
    "source": "feature set TechPreviewNoUpgrade",
    "message": "feature set TechPreviewNoUpgrade blocks updates to another minor version, and is permanent",
    "hint": "Replace it with a new cluster of the new minor version",
    "name": "",
    "accepted": None,
}
ACKNOWLEDGE: dict[str, Any] = {
    "verdict": "acknowledge",
    "code": "admin-ack-required",
    "reason": "AdminAckRequired",
    "source": "ConfigMap openshift-config-managed/admin-gates of 4.14.0",
    "message": "ack-4.14-kube-1.28-api-removals-in-4.15: Kubernetes 1.28 removes several APIs",
    "hint": "Check what it describes, then acknowledge it",
    "name": "ack-4.14-kube-1.28-api-removals-in-4.15",
    "accepted": None,
}
NOT_CHECKED = {"code": "cluster-state", "message": "no conditions of a ClusterVersion are known"}
GOES_BACK: dict[str, Any] = {
    "verdict": "blocked",
    "code": "downgrade",
    "reason": "LowDesiredVersion",
    "source": "the versions 4.11.0 and 4.10.0",
    "message": "the cluster refuses a downgrade from 4.11.0",
    "hint": "Stay on 4.11.0, or install a cluster of 4.10.0",
    "name": "",
    "accepted": None,
}


def acceptance(name: str, reason: str = "no one waits for it", expires: str | None = "2027-03-01") -> dict[str, Any]:
    """Return what accepts ``name``."""
    return {"name": name, "reason": reason, "expires": expires}


ACCEPTED: dict[str, Any] = {
    **ACKNOWLEDGE,
    "accepted": acceptance("ack-4.14-kube-1.28-api-removals-in-4.15", "no client since June"),
}


def moved(
    name: str,
    before: Sequence[str] = (),
    after: Sequence[str] = ("MachineAPI",),
    *,
    kind: str = "Deployment",
    group: str = "apps",
    namespace: str = "openshift-machine-api",
    deleted: bool = False,
    new: bool = False,
) -> dict[str, Any]:
    """Return a resource whose annotation changed; ``new`` is one that the first release does not have."""
    file = f"release-manifests/0000_30_{name}_11_{kind.lower()}.yaml"
    return {
        "group": group,
        "kind": kind,
        "namespace": namespace,
        "name": name,
        "from_file": None if new else file,
        "to_file": file,
        "from_capabilities": list(before),
        "to_capabilities": list(after),
        "deleted": deleted,
    }


def resource(
    name: str, capabilities: Sequence[str] = (), *, kind: str = "ConfigMap", namespace: str = "openshift-config"
) -> dict[str, Any]:
    """Return a resource that is added or removed."""
    file = f"release-manifests/0000_50_{name}_01_{kind.lower()}.yaml"
    return {
        "group": "",
        "kind": kind,
        "namespace": namespace,
        "name": name,
        "file": file,
        "capabilities": list(capabilities),
    }


def credentials(name: str, *, new: bool = False) -> dict[str, Any]:
    """Return a CredentialsRequest."""
    request = resource(name, kind="CredentialsRequest", namespace="openshift-cloud-credential-operator")
    return {**request, "group": "cloudcredential.openshift.io", "new": new}


def by_manifest(name: str, resources: Sequence[Mapping[str, Any]], *, requested: bool = False) -> dict[str, Any]:
    """Return a capability that resources enable."""
    count = len(resources)
    entry = {"name": name, "cause": "manifest", "requested": requested, "source": "", "count": count}
    return {**entry, "resources": list(resources)}


def forced(name: str, source: str = "openshift/cluster-version-operator#981") -> dict[str, Any]:
    """Return a capability that the cluster-version operator always enables."""
    return {"name": name, "cause": "forced", "requested": False, "source": source, "count": 0, "resources": []}


def hop(start: str, end: str, **values: Any) -> dict[str, Any]:
    """Return a hop with ``values``, which must not contradict each other."""
    names = [
        *("enabled_before", "enabled_after", "known_before", "known_after", "implicitly_enabled", "newly_requested"),
        *("newly_known", "no_longer_optional", "not_in_fresh_install", "moved", "added", "removed", "deleted"),
        *("credentials_requests", "reasons", "not_checked"),
    ]
    assert set(values) <= {*names, "downgrade", "accepted"}, values
    accepted = [item["accepted"] for item in values.get("reasons", ()) if item["accepted"]]
    step: dict[str, Any] = {"from": start, "to": end, "downgrade": False, "accepted": accepted}
    step |= {**{name: [] for name in names}, **values}
    counted = (item["verdict"] for item in step["reasons"] if not item["accepted"])
    step["verdict"] = max(counted, key=VERDICTS.index, default="go")
    implicit = {entry["name"] for entry in step["implicitly_enabled"]}
    grown = set(step["enabled_after"]) - set(step["enabled_before"])
    step["newly_enabled"] = sorted(grown | implicit | set(step["no_longer_optional"]))
    before, after = set(step["enabled_before"]), set(step["enabled_after"])
    entries = {entry["name"]: entry for entry in step["implicitly_enabled"]}
    assert after - before >= entries.keys()
    assert set(step["newly_requested"]) <= after - before
    assert {name for name, entry in entries.items() if entry["requested"]} <= set(step["newly_requested"])
    assert set(step["newly_known"]) <= set(step["known_after"]) - set(step["known_before"]) - after
    assert set(step["no_longer_optional"]) <= set(step["known_before"]) - before - set(step["known_after"])
    return step


def plan(*hops: Mapping[str, Any], clusters: Sequence[str] = (), **values: Any) -> dict[str, Any]:
    """Return the plan of these hops. Its end is that of the last one, unless ``values`` contain another."""
    entries = [entry for step in hops for entry in step["implicitly_enabled"]]
    implicit = sorted({entry["name"] for entry in entries if not entry["requested"]})
    reason = "CapabilitiesImplicitlyEnabled" if implicit else "AsExpected"
    message = f"The following capabilities could not be disabled: {', '.join(implicit)}"
    return {
        "clusters": list(clusters),
        "platform": "vsphere",
        "cluster_profile": "self-managed-high-availability",
        "feature_set": "",
        "verdict": max((step["verdict"] for step in hops), key=VERDICTS.index),
        "accepted": [item for step in hops for item in step["accepted"]],
        "newly_enabled": sorted({name for step in hops for name in step["newly_enabled"]}),
        "cluster_checked": not hops[0]["not_checked"],
        "releases": [hops[0]["from"], *(step["to"] for step in hops)],
        "capabilities": {"baseline_capability_set": "None", "additional_enabled_capabilities": ["Console"]},
        "hops": list(hops),
        "enabled_capabilities": hops[-1]["enabled_after"],
        "implicitly_enabled_capabilities": implicit,
        "known_capabilities": hops[-1]["known_after"],
        "condition": {
            "type": "ImplicitlyEnabledCapabilities",
            "status": str(bool(implicit)),
            "reason": reason,
            "message": message if implicit else "Capabilities match configured spec",
        },
        **values,
    }


def report(*plans: Mapping[str, Any], problems: Sequence[Mapping[str, str]] = ()) -> dict[str, Any]:
    """Return the report of these plans."""
    versions = dict.fromkeys(version for plan in plans for version in plan["releases"])
    origin = {
        "date": "2026-02-03",
        "cluster": "paris-x7k2p, ID 1-2-3",
        "releases": [{"version": version, "name": f"/srv/releases/{version}"} for version in versions],
        "collection": "1.2.3",
    }
    return {"plans": list(plans), **tables(plans), "problems": list(problems), "origin": origin}


def tables(plans: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the reasons and the required acceptances of ``plans``."""
    rows: dict[str, dict[str, Any]] = {}
    left = set()
    for found in plans:
        for item in (item for step in found["hops"] for item in step["reasons"]):
            row = {key: item[key] for key in ("name", "verdict", "code", "reason", "message")}
            row = rows.setdefault(item["name"] or item["reason"], {**row, "clusters": [], "accepted": []})
            row["clusters"] += found["clusters"]
            row["accepted"] += found["clusters"] if item["accepted"] else []
            left |= set() if item["accepted"] else {item["name"]}
    needed = [row for row in rows.values() if row["name"] in left - {""}]
    required = [{key: row[key] for key in ("name", "message", "clusters")} for row in needed]
    return {"reasons": list(rows.values()), "required_acceptances": required}


def problem(severity: str, where: str, message: str, hint: str = "", code: str = "other") -> dict[str, str]:
    """Return a problem as modules return it."""
    return {"severity": severity, "code": code, "where": where, "message": message, "hint": hint}


PROBLEMS = [
    problem("warning", "/srv/releases/4.18.0", "no feature gates are known", "Name them in feature_gates"),
    problem("info", "release_image", "is not given, so manifests that name it contain <unset>"),
]


def machine_api(count: int = 42) -> list[dict[str, Any]]:
    """Return ``count`` resources that move into MachineAPI, which is not requested."""
    kinds = [("Deployment", "apps"), ("ClusterRole", "rbac.authorization.k8s.io"), ("ServiceAccount", ""), ("Role", "")]
    found = []
    for number in range(count):
        kind, group = kinds[number % len(kinds)]
        name, namespace = f"machine-api-operator-{number:02}", "" if kind == "ClusterRole" else "openshift-machine-api"
        found.append(moved(name, kind=kind, group=group, namespace=namespace))
    return found


def first_hop(**values: Any) -> dict[str, Any]:
    """Return an update to 4.14 that enables a capability for every possible reason."""
    enabled = [by_manifest("MachineAPI", machine_api()), forced("DeploymentConfig")]
    enabled += [by_manifest("ImageRegistry", [moved("image-registry", (), ["ImageRegistry"])], requested=True)]
    filled = {
        "enabled_before": ["baremetal", "Console"],
        "enabled_after": ["baremetal", "Console", "DeploymentConfig", "ImageRegistry", "MachineAPI"],
        "known_before": OLD,
        "known_after": OLD + NEW,
        "implicitly_enabled": enabled,
        "newly_requested": ["ImageRegistry"],
        "newly_known": ["Build"],
        "not_in_fresh_install": ["DeploymentConfig", "MachineAPI"],
        "moved": [
            {"name": "baremetal", "resources": [moved("cluster-baremetal", ["baremetal"], ["baremetal", "MachineAPI"])]}
        ],
        "added": [resource(f"added-{number}", ["Console"] if number % 3 else []) for number in range(12)],
        "removed": [resource("console-plugin", ["Console"])],
        "credentials_requests": [credentials("aws-ebs"), credentials("aws-machine", new=True), credentials("any")],
        "reasons": [BLOCKED],
        "not_checked": [NOT_CHECKED],
    }
    return hop("4.13.0", "4.14.0", **{**filled, **values})


def second_hop(**values: Any) -> dict[str, Any]:
    """Return an update to 4.18 that requests one more."""
    before = ["baremetal", "Console", "DeploymentConfig", "ImageRegistry", "MachineAPI"]
    filled = {
        "enabled_before": before,
        "enabled_after": [*before, "CloudCredential", "Ingress"],
        "known_before": OLD + NEW,
        "known_after": OLD + NEW + NEWEST,
        "implicitly_enabled": [forced("Ingress", "started with --always-enable-capabilities=Ingress")],
        "newly_requested": ["CloudCredential"],
        "newly_known": ["OperatorLifecycleManager"],
        "deleted": [resource("old-dashboard")],
        "reasons": [ACKNOWLEDGE],
    }
    return hop("4.14.0", "4.18.0", **{**filled, **values})


def one_cluster() -> dict[str, Any]:
    """Return the report of one cluster, with every section that an update can have."""
    return report(plan(first_hop(), second_hop()), problems=PROBLEMS)


def fleet(plans: int = 3, clusters: int = 2) -> dict[str, Any]:
    """Return the report of a fleet whose plans have the same causes."""
    result = []
    for number in range(plans):
        names = [f"site-{number:04}-{place:03}" for place in range(clusters)]
        first = first_hop(newly_known=[f"Build{number}"], known_after=[*OLD, *NEW, f"Build{number}"])
        result.append(plan(first, second_hop(), clusters=names))
    return report(*result, problems=PROBLEMS)


def long_path(hops: int = 10) -> dict[str, Any]:
    """Return the report of a path of many hops, each of which enables one capability."""
    names = OLD + NEW
    result = []
    for number in range(hops):
        on, off = names[:number], names[number]
        result.append(
            hop(
                f"4.{number + 11}.0",
                f"4.{number + 12}.0",
                enabled_before=on,
                enabled_after=[*on, off],
                known_before=names,
                known_after=names,
                implicitly_enabled=[by_manifest(off, machine_api(number + 1))],
            )
        )
    return report(plan(*result))


def downgrade() -> dict[str, Any]:
    """Return the report of a downgrade to a release without capabilities."""
    step = hop(
        "4.11.0",
        "4.10.0",
        downgrade=True,
        enabled_before=["Console"],
        enabled_after=["Console"],
        known_before=OLD,
        no_longer_optional=[name for name in OLD if name != "Console"],
        added=[{**resource(f"i{number}"), "file": "0000_50_insights_01.yaml"} for number in range(12)]
        + [resource("marketplace")],
        removed=[resource("left")],
        reasons=[GOES_BACK],
    )
    return report(plan(step, condition=None))


def with_text(value: Any, text: str) -> Any:
    """Return ``value`` with ``text`` after each string in it; keys, and strings that are empty, are left alone."""
    if isinstance(value, str):
        return value and value + text
    if isinstance(value, dict):
        kept = ("cause", "severity", "code", "verdict")
        changed = {key: item if key in kept else with_text(item, text) for key, item in value.items()}
        # The component follows from the end of the path.
        return {**changed, "file": f"{text}/{value['file']}"} if "file" in value else changed
    return [with_text(item, text) for item in value] if isinstance(value, list) else value
