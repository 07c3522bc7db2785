# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What ``cluster_capabilities`` writes: capabilities are added, and none is removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data.version import minor_of
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import Client
from ansible_collections.capability.openshift.tests.cluster.helpers.support import (
    OBJECT,
    PROPERTIES,
    VERSION,
    Site,
    crd_of,
    is_write,
    read,
    releases,
    selection,
    verbs,
)
from ansible_collections.capability.openshift.tests.control_plane.cvo import StatusWriter
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE, set_cluster_version_status
from ansible_collections.capability.openshift.tests.control_plane.operators import Operator, Operators
from ansible_collections.capability.openshift.tests.control_plane.users import Rule, certificate_user

CONDITION = {
    "type": "ImplicitlyEnabledCapabilities",
    "status": "True",
    "reason": "CapabilitiesImplicitlyEnabled",
    "message": "The following capabilities could not be disabled: Build",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}


# End to end


@pytest.mark.parametrize("release", releases())
def test_end_to_end(site: Site, release: Path) -> None:
    """Read, dry run, request, wait and request again, with the kinds and operators of a release."""
    version = read(release).version
    assert version is not None
    data = capability_data.data_of(minor_of(version))
    assert data is not None
    console = Operator("console", {"operator": version}, ("Console",))
    api, mark = site.plane.api, site.plane.audit.mark
    with crd_of(api, release):
        site.make(selection("Insights"), ["Insights"], known=data.capabilities, version=version)
        assert site.info()["disabled_capabilities"] == sorted(data.capabilities - {"Insights"})
        with site.untouched():
            tried = site.enable("Console", check=True, diff=True)
        begin = mark()
        with StatusWriter(site.plane.kubeconfig, version), Operators(site.plane.kubeconfig, [console], namespaces=()):
            done = site.enable("Console", diff=True, release=release, wait=True, wait_timeout=600)
        assert not done.failed, done.result
        assert verbs(site.requests(begin))[:7] == ["list", "list", "get", *PROPERTIES, "patch"]
        assert site.spec == selection("Console", "Insights") == done["spec"] == tried["spec"]
        assert done["enabled_capabilities"] == ["Console", "Insights"]
        assert (done["pending_capabilities"], tried["pending_capabilities"]) == ([], ["Console"])
        assert (done["changed"], done["added_capabilities"]) == (True, ["Console"])
        assert (tried["changed"], tried["added_capabilities"], tried["diff"]) == (True, ["Console"], done["diff"])
        with site.untouched():
            assert not site.enable("Console", wait=True, wait_timeout=600)["changed"]
            refused = site.ask(selection("Console"))
        assert refused.faults == [("removed-capability", "capabilities")]
        assert "Insights (listed)" in refused.message
        everything = site.ask({"baselineCapabilitySet": "vCurrent"})
        assert everything["spec"] == selection(baseline="vCurrent")
        assert set(everything["requested_capabilities"]) == data.capabilities


def test_the_spec_of_a_hosted_cluster_is_not_written(site: Site, tmp_path: Path) -> None:
    """HyperShift would overwrite it."""
    site.make(selection("Console"), ["Console"])
    path = "/apis/config.openshift.io/v1/infrastructures/cluster"
    cluster = {"apiVersion": "config.openshift.io/v1", "kind": "Infrastructure", "metadata": {"name": "cluster"}}
    site.plane.api.apply(path, {**cluster, "spec": {}})
    site.plane.api.patch(f"{path}/status", {"status": {"controlPlaneTopology": "External"}})
    for check in (True, False):
        with site.untouched():
            assert site.enable("Storage", check=check).faults == [
                ("hosted-control-plane", "infrastructures.config.openshift.io cluster")
            ]
    assert not site.enable("Console")["changed"]


def test_a_user_who_may_not_read_whether_a_cluster_is_hosted_gets_a_warning(site: Site) -> None:
    site.make(selection("Console"), ["Console"])
    rule: Rule = {"apiGroups": ["config.openshift.io"], "resources": ["clusterversions"], "verbs": ["get", "patch"]}
    user = certificate_user(site.plane, "enabler", [rule])
    outcome = site.enable("Storage", kubeconfig=user.kubeconfig)
    assert outcome["changed"]
    assert outcome.problem("HyperShift")["severity"] == "warning"


# What is written


def test_a_patch_has_the_version_that_was_read(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """It always has set and list, because the rules of the CRD need both."""
    bodies: list[dict[str, Any]] = []
    real = Client.merge

    def merge(client: Client, target: Any, body: Any, **options: Any) -> Any:
        bodies.append(body)
        return real(client, target, body, **options)

    monkeypatch.setattr(Client, "merge", merge)
    site.make({"baselineCapabilitySet": "None"}, [])
    version = site.plane.api.get(OBJECT)["metadata"]["resourceVersion"]
    assert site.enable("Console")["changed"]
    assert bodies == [{"metadata": {"resourceVersion": version}, "spec": {"capabilities": selection("Console")}}]
    assert site.plane.api.get(OBJECT)["spec"]["clusterID"]


def test_requests_are_few(site: Site) -> None:
    """One request without a change, three with a change: HyperShift must not overwrite it."""
    site.make(selection("Console"), ["Console"])
    mark = site.plane.audit.mark()
    assert not site.enable("Console")["changed"]
    assert verbs(site.requests(mark)) == ["get"]
    mark = site.plane.audit.mark()
    site.info()
    assert verbs(site.requests(mark)) == ["get"]
    mark = site.plane.audit.mark()
    assert site.enable("Storage")["changed"]
    assert verbs(site.requests(mark)) == ["get", "get", "patch"]
    assert [request.code for request in site.requests(mark)] == [200, 404, 200]


def test_an_unknown_version_needs_one_more_request(site: Site) -> None:
    site.make(selection("Console"), ["Console"], version="7.1.0")
    mark = site.plane.audit.mark()
    outcome = site.info()
    assert [request.uri.rpartition("/")[2] for request in site.requests(mark)] == [
        "version",
        "clusterversions.config.openshift.io",
    ]
    assert "7.1.0" in outcome.problem("unknown-version")["message"]
    mark = site.plane.audit.mark()
    assert site.enable("Storage")["changed"]
    assert len(site.requests(mark)) <= 4


def test_the_crd_decides_about_a_name_that_only_the_cluster_knows(site: Site) -> None:
    """The collection does not have Build in 4.13."""
    site.make(selection("Console"), ["Console"], version="4.13.9")
    mark = site.plane.audit.mark()
    outcome = site.enable("Build")
    assert verbs(site.requests(mark)) == ["get", "get", "get", "patch"]
    assert site.spec == selection("Build", "Console")
    assert {(item["severity"], item["code"]) for item in outcome["problems"]} >= {("warning", "different-capabilities")}


# Additions


def test_a_cluster_without_status_is_supported(site: Site) -> None:
    """A new cluster has none."""
    site.make(selection("Console"))
    outcome = site.enable("Storage")
    assert (outcome["changed"], site.spec) == (True, selection("Console", "Storage"))
    assert (outcome["enabled_capabilities"], outcome["openshift_version"]) == ([], None)
    assert outcome["pending_capabilities"] == ["Console", "Storage"]


# Implicitly enabled names


def test_implicit_names_stay_and_are_no_error(site: Site) -> None:
    """A playbook from before the update, without Build, still works."""
    site.make(selection("Console"), ["Build", "Console"], conditions=[CONDITION])
    with site.untouched():
        outcome = site.ask(selection("Console"))
    assert (outcome["changed"], outcome["implicitly_enabled_capabilities"]) == (False, ["Build"])
    assert outcome["condition"] == CONDITION
    assert site.ask(selection("Console", "Storage"))["implicitly_enabled_capabilities"] == ["Build"]
    assert site.names == {"Console", "Storage"}


def test_implicit_names_can_be_requested(site: Site) -> None:
    site.make(selection("Console"), ["Build", "Console", "Insights"])
    with site.untouched():
        tried = site.ask(keep_implicit=True, check=True)
    outcome = site.ask(keep_implicit=True)
    assert site.spec == selection("Build", "Console", "Insights") == outcome["spec"] == tried["spec"]
    assert outcome["added_capabilities"] == ["Build", "Insights"]
    assert outcome["implicitly_enabled_capabilities"] == []
    with site.untouched():
        again = site.ask(keep_implicit=True)
    assert (again["changed"], again["added_capabilities"]) == (False, [])


# Check mode and diff


def test_check_mode_is_a_dry_run_of_the_server(site: Site) -> None:
    site.make(selection("Console"), ["Console"])
    mark = site.plane.audit.mark()
    with site.untouched():
        tried = site.enable("Storage", check=True, diff=True)
    assert verbs(site.requests(mark)) == ["get", "get", "dry-patch"]
    done = site.enable("Storage", diff=True)
    same = set(done.result) - {"invocation", "warnings"}
    assert {name: tried[name] for name in same} == {name: done[name] for name in same}
    diff = done["diff"]
    assert diff["before"] == selection("Console")
    assert diff["after"] == selection("Console", "Storage")


def test_check_mode_includes_admission(site: Site) -> None:
    """The server rejects a name that its CRD does not list, in check mode, too."""
    with crd_of(site.plane.api, EXAMPLE, without="Storage"):
        site.make(selection("Console"))
        status = {"desired": {"version": VERSION}, "capabilities": {"enabledCapabilities": ["Console"]}}
        set_cluster_version_status(site.plane.api, status)
        before = site.plane.api.get(OBJECT)
        tried = site.enable("Storage", check=True)
        assert site.enable("Storage").message == tried.message
        assert site.plane.api.get(OBJECT) == before
    assert tried.faults == [("outdated-crd", "clusterversions.config.openshift.io version")]
    assert "cannot contain Storage" in tried.message


def test_other_fields_of_the_object_do_not_change(site: Site) -> None:
    site.make(selection("Console"), ["Console"])
    api = site.plane.api
    api.patch(OBJECT, {"spec": {"channel": "stable-4.21", "overrides": []}, "metadata": {"labels": {"team": "a"}}})
    before = api.get(OBJECT)
    mark = site.plane.audit.mark()
    site.enable("Storage")
    after = api.get(OBJECT)
    assert len([request for request in site.requests(mark) if is_write(request)]) == 1
    for item in (before, after):
        item["spec"].pop("capabilities")
        for field in ("resourceVersion", "generation", "managedFields"):
            item["metadata"].pop(field)
    assert before == after
