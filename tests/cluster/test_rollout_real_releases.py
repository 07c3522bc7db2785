# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Real releases on a cluster with controllers and nodes, where a stand-in plays the operators.

They are not part of the collection: CAPABILITY_RELEASES names a folder of extracted releases, one per minor.
`make test` rolls one of them out, and `make test-deep` updates from one to the next.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import (
    CAPABILITIES,
    forced_capabilities,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.tests.cluster.helpers import real_rollouts
from ansible_collections.capability.openshift.tests.cluster.helpers.exposures import Expected, allowed
from ansible_collections.capability.openshift.tests.cluster.helpers.real_rollouts import (
    FACTS,
    Index,
    Served,
    Wanted,
    ask,
    folder_of,
    lacks,
    of_capability,
    release_of,
    roll,
    wanted,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.rollout_runs import PART_OF, selected
from ansible_collections.capability.openshift.tests.cluster.helpers.support import AGENT, OBJECT, is_write
from ansible_collections.capability.openshift.tests.cluster.helpers.verifications import FINDINGS
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.openshift import CRDS, release_bodies
from ansible_collections.capability.openshift.tests.control_plane.operators import NAMESPACES
from ansible_collections.capability.openshift.tests.control_plane.programs import Log
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

RELEASES = ("4.13", "4.14", "4.18", "4.20")
__test__ = real_rollouts.are_there(*RELEASES)
"""Without releases these tests do not exist, because a skipped test fails the gate."""

_UPSTREAMS = (
    ".spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.upstreamResolvers.properties.upstreams"
)
DROPPED = {("CustomResourceDefinition", f"{_UPSTREAMS}.items.anyOf[1].optional")}
"""Fields that no schema declares, and that the API server drops without a warning."""

HOSTED = "ibm-cloud-managed"
CONDITION = "ImplicitlyEnabledCapabilities"


@pytest.fixture
def site(log: Log) -> Iterator[ControlPlane]:
    """A separate cluster, because deleting a whole release takes longer than starting another cluster."""
    with ControlPlane(controllers=True, log=log) as started:
        yield started


def _is_as_wanted(
    site: ControlPlane, version: str, target: Wanted, result: dict[str, Any], earlier: Collection[ResourceId] = ()
) -> Index:
    """Check that all objects exist with the content of their manifests and are available, and no others.

    Objects of an ``earlier`` release stay, even if this one has them for other clusters only.
    """
    served = Served(site.api)
    release = release_of(version)
    found = served.objects([*target.included.values(), *target.excluded.values()])
    missing = [str(key) for key, item in target.included.items() if item in served and key not in found]
    assert not missing, missing
    unserved = {key for key, item in target.included.items() if item not in served}
    failed = {ResourceId(item["group"], item["kind"], item["namespace"], item["name"]) for item in _unserved(result)}
    assert unserved == failed
    different = {
        (key.kind, field)
        for key, item in target.included.items()
        if key in found and not _is_older(item, result)
        for field in lacks(release, item, found[key])
    }
    assert different <= _left_out(result) | DROPPED
    excluded = {key for key in target.excluded if key in found and key.name not in NAMESPACES}
    left = sorted(str(key) for key in excluded - set(earlier) if _is_ours(found[key]))
    assert not left, left
    waiting = [
        str(key)
        for key, item in found.items()
        if key.kind == "Deployment" and key in target.included and not _is_available(item)
    ]
    assert not waiting, waiting
    return found


def _unserved(result: dict[str, Any]) -> list[dict[str, str]]:
    assert {item["state"] for item in result["failed_resources"]} <= {"skipped"}
    return list(result["failed_resources"])


def _left_out(result: dict[str, Any]) -> set[tuple[str, str]]:
    """The kinds and fields that the result reports as undeclared."""
    found = set()
    for problem in result["problems"]:
        _before, known, rest = problem["message"].partition("the API does not declare ")
        if known:
            fields, _of, kind = rest.removesuffix(", so the rollout drops it").rpartition(" of ")
            found |= {(kind, field) for field in fields.split(", ")}
    return found


def _is_older(manifest: Manifest, result: dict[str, Any]) -> bool:
    """Whether an object is create-only, and an earlier release created it."""
    made_once = (manifest.annotations or {}).get("release.openshift.io/create-only") == "true"
    return made_once and manifest.resource_id._asdict() not in result["created"]


def _is_ours(item: Any) -> bool:
    return PART_OF in (item["metadata"].get("labels") or {})


def _is_available(item: Any) -> bool:
    conditions = item.get("status", {}).get("conditions", ())
    return any(condition["type"] == "Available" and condition["status"] == "True" for condition in conditions)


def _members(found: Index) -> set[ResourceId]:
    return {key for key, item in found.items() if _is_ours(item)}


def _unchanged(site: ControlPlane, version: str, **options: Any) -> None:
    """Check that a second run has nothing to do."""
    mark = site.audit.mark()
    again = roll(site, version, **options)
    assert not again["changed"]
    assert not again["created"] + again["changed_resources"] + again["deleted"]
    assert [item for item in site.audit.requests(mark, user_agent=AGENT) if is_write(item)] == []


def _verified(site: ControlPlane, version: str, result: dict[str, Any], **options: Any) -> None:
    """Check that ``release_verify`` finds no difference, and cannot look for what the rollout could not create."""
    outcome = ask("release_verify", kubeconfig=site.kubeconfig, release=folder_of(version), **FACTS, **options)
    assert {key: outcome[key] for key in FINDINGS if outcome[key]} == {}
    unserved = [
        {item["where"] for item in run["problems"] if item["code"] == "unserved-kind"} for run in (outcome, result)
    ]
    assert unserved[0] == unserved[1]
    assert outcome["verified"] > 600


def _default(version: str) -> set[str]:
    """Return all capabilities of a minor that no feature gate hides."""
    return {item.name for item in CAPABILITIES if item.since <= _minor(version) and not item.gates}


def _minor(version: str) -> Minor:
    return Minor(*map(int, version.split(".")))


def test_a_release_is_rolled_out_and_is_as_its_plan(site: ControlPlane) -> None:
    version = RELEASES[-1]
    chosen = _default(version) - {"Console"}
    result = roll(site, version, capabilities=selected(*chosen))
    _is_as_wanted(site, version, wanted(version, chosen), result)
    _unchanged(site, version)
    _verified(site, version, result)
    assert Expected().add(version, result) == allowed(site.api)


@pytest.mark.deep
def test_default_selection_without_one_capability_then_with_it_then_of_the_next_releases(site: ControlPlane) -> None:
    expected = Expected()
    first, last = RELEASES[0], RELEASES[-1]
    everything = _default(first)
    chosen = everything - {"Console"}
    result = roll(site, first, capabilities=selected(*chosen))
    target = wanted(first, chosen)
    before = _members(_is_as_wanted(site, first, target, result))
    _unchanged(site, first)

    default = selected(baseline="vCurrent")
    more = roll(site, first, capabilities=default)
    now = wanted(first, everything)
    # Undeclared fields are reported when their manifest is applied.
    result = {**more, "problems": result["problems"] + more["problems"]}
    found = _is_as_wanted(site, first, now, result)
    added = _members(found) - before
    assert added
    assert added == {key for key in now.included if key not in target.included} & set(found)
    assert added <= of_capability(first, "Console")

    _unchanged(site, first)
    earlier: set[ResourceId] = set()
    for frm, to in pairwise(RELEASES):
        accounts = expected.add(frm, result)
        if to == last:
            assert accounts == allowed(site.api)
        earlier |= set(wanted(frm, _default(frm)).included)
        more = roll(site, to)
        assert more["mode"] == "update"
        result = {**more, "problems": result["problems"] + more["problems"]}
        _is_as_wanted(site, to, wanted(to, _default(to)), result, earlier)
        _unchanged(site, to)
    assert expected.add(last, result) == allowed(site.api)


@pytest.mark.deep
def test_a_hosted_control_plane_gets_its_own_manifests(site: ControlPlane) -> None:
    # The console's Deployment for this profile needs no capability, though its namespace and account do.
    chosen = {"Console", "Ingress", "NodeTuning"}
    # HyperShift provides these kinds: the release has them for self-managed clusters only.
    for body in release_bodies(release_of("4.18"), "CustomResourceDefinition"):
        plural, _dot, group = body["metadata"]["name"].partition(".")
        if plural in ("clusterversions", "clusteroperators"):
            site.api.apply(f"{CRDS}/{plural}.{group}", body)
            wait_for(lambda path=f"/apis/{group}/v1/{plural}": site.api.exists(path), f"{plural} to be served")  # type: ignore[misc]
    result = roll(site, "4.18", capabilities=selected(*chosen), cluster_profile=HOSTED)
    target = wanted("4.18", chosen, HOSTED)
    assert ResourceId("apps", "Deployment", "openshift-dns-operator", "dns-operator") in target.excluded
    found = _is_as_wanted(site, "4.18", target, result)
    _verified(site, "4.18", result)
    alone = set(wanted("4.18", chosen).included) - set(target.included)
    assert len(alone) > 100
    assert not alone & _members(found)
    own = [
        key for key, item in target.included.items() if "ibm-cloud-managed" in item.file and key.kind == "Deployment"
    ]
    assert own
    everywhere = {item.resource_id: item for item in wanted("4.18", chosen).included.values()}
    for key in own:
        selector = found[key]["spec"]["template"]["spec"].get("nodeSelector") or {}
        assert "node-role.kubernetes.io/master" not in selector
        body = release_of("4.18").read_body(everywhere[key])
        assert "node-role.kubernetes.io/master" in body["spec"]["template"]["spec"]["nodeSelector"]


def _expected_implicit(frm: str, to: str, moved: Collection[str]) -> list[str]:
    forced = forced_capabilities(_minor(frm), _minor(to))
    return sorted({*moved, *(item.capability for item in forced)})


def _updated(site: ControlPlane, frm: str, to: str, before: list[str], moved: list[str]) -> Any:
    """Update, check that it enables exactly what the plan predicts, and return the result."""
    enabled = site.api.get(OBJECT)["status"]["capabilities"]["enabledCapabilities"] or []
    assert set(enabled) == set(before)
    plan = ask(
        "update_plan",
        releases=[str(folder_of(frm)), str(folder_of(to))],
        cluster_version=site.api.get(OBJECT),
        feature_set="Default",
    )
    result = roll(site, to)
    new = _expected_implicit(frm, to, moved)
    assert result["mode"] == "update"
    assert result["capability_status"]["newly_implicitly_enabled_capabilities"] == new
    assert [item["name"] for item in plan["hops"][0]["implicitly_enabled"]] == new
    (condition,) = [item for item in site.api.get(OBJECT)["status"]["conditions"] if item["type"] == CONDITION]
    names = ", ".join(sorted({*before, *new}))
    expected = f"The following capabilities could not be disabled: {names}"
    assert condition["message"] == expected, condition
    assert (condition["status"], condition["reason"]) == ("True", "CapabilitiesImplicitlyEnabled")
    predicted = plan["condition"]
    assert {key: condition[key] for key in ("status", "reason", "message")} == {
        key: predicted[key] for key in ("status", "reason", "message")
    }
    return result


@pytest.mark.deep
def test_update_enables_capabilities_of_existing_resources(site: ControlPlane) -> None:
    expected = Expected()
    result = roll(site, "4.13", capabilities=selected())
    _is_as_wanted(site, "4.13", wanted("4.13", ()), result)
    expected.add("4.13", result)
    result = _updated(site, "4.13", "4.14", [], ["Build", "ImageRegistry", "MachineAPI"])
    expected.add("4.14", result)
    on = set(_expected_implicit("4.13", "4.14", ["Build", "ImageRegistry", "MachineAPI"]))
    found = _is_as_wanted(site, "4.14", wanted("4.14", on), result)
    before = {item.resource_id for item in release_of("4.13").manifests}
    for name in ("Console", "Storage"):
        new = of_capability("4.14", name) & set(wanted("4.14", {*on, name}).included) - before
        assert new
        assert not new & set(found)
    moved = ["CloudControllerManager", "CloudCredential", "Ingress", "OperatorLifecycleManager"]
    result = _updated(site, "4.14", "4.18", sorted(on), moved)
    earlier = set(wanted("4.14", on).included)
    _is_as_wanted(site, "4.18", wanted("4.18", {*on, *moved}), result, earlier)
    _unchanged(site, "4.18")
    assert expected.add("4.18", result) == allowed(site.api)
