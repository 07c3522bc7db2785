# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The capabilities of a cluster, a model of it: reading them, enabling them, and waiting until they are available."""

from __future__ import annotations

import re
from threading import Event, current_thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._capability.selection import Selection
from ansible_collections.capability.openshift.plugins.module_utils._cluster.capabilities import (
    capabilities_dict,
    capability_metrics,
    enable_capabilities,
    read_capabilities,
    snapshot_for_wait,
    wait_for_capabilities,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.cluster_version import (
    CLUSTER_VERSION,
    IMPLICITLY_ENABLED,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.spec_change import CapabilityRequest
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes import watch
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    ClusterError,
    InvalidOptionError,
    Problems,
)
from ansible_collections.capability.openshift.plugins.module_utils._progress import silent
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._resources import CLUSTER_OPERATORS, CLUSTER_VERSIONS
from ansible_collections.capability.openshift.tests.unit.builders.api_server import ApiServer, fault
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    CAPABILITY,
    cluster_version_crd,
    write_release,
)

PATH = CLUSTER_VERSION.path
VERSION = "4.20.3"
CONSOLE = CapabilityRequest(Selection("None", ("Console",)), append=True)


@pytest.fixture
def server() -> ApiServer:
    return ApiServer(CLUSTER_VERSIONS, CLUSTER_OPERATORS)


def test_the_capabilities_of_a_cluster_are_divided_by_what_spec_and_status_say(server):
    spec = {"capabilities": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Insights"]}}
    capabilities = {
        "enabledCapabilities": ["Console", "Build"],
        "knownCapabilities": ["Build", "Console", "Insights", "Storage"],
    }
    status = {"desired": {"version": "4.20.3"}, "capabilities": capabilities}
    server.put(CLUSTER_VERSIONS, "version", spec=spec, status=status)

    found = capabilities_dict(read_capabilities(server.client()))

    assert {name.removesuffix("_capabilities"): value for name, value in found.items() if name.endswith("ies")} == {
        "requested": ["Console", "Insights"],
        "enabled": ["Build", "Console"],
        "disabled": ["Insights", "Storage"],
        "known": ["Build", "Console", "Insights", "Storage"],
        "pending": ["Insights"],
        "implicitly_enabled": ["Build"],
    }
    assert (found["spec"], found["openshift_version"]) == (spec["capabilities"], "4.20.3")


@pytest.mark.parametrize("version", [None, "4.20.3", "4.20.4"])
def test_a_capability_is_enabled_with_the_release_of_the_cluster_only(server, version, tmp_path):
    capabilities = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}
    server.put(
        CLUSTER_VERSIONS,
        "version",
        spec={"capabilities": capabilities},
        status={"desired": {"version": "4.20.3"}, "capabilities": {"enabledCapabilities": ["Ingress"]}},
    )
    release = None
    if version is not None:
        crd = {"0000_00_a.yaml": cluster_version_crd(["Console", "Ingress"])}
        release = load_release(str(write_release(tmp_path, crd, version)), Problems())
    request = CapabilityRequest(Selection("None", ("Console",)), append=True)
    if version == "4.20.4":
        with pytest.raises(InvalidOptionError) as error:
            enable_capabilities(server.client(), request, release, dry_run=False)
        assert [item.code for item in error.value.problems if item.severity == "error"] == ["other-release"]
        return

    result = enable_capabilities(server.client(), request, release, dry_run=False)

    wanted = {**capabilities, "additionalEnabledCapabilities": ["Console", "Ingress"]}
    assert server.objects[PATH]["spec"]["capabilities"] == result.after.obj["spec"]["capabilities"] == wanted
    again = enable_capabilities(server.client(), request, release, dry_run=False)
    assert (result.change.changed, again.change.changed) == (True, False)


def report(server: ApiServer, *enabled: str, progressing: str = "False") -> None:
    """Write the status as a CVO does."""
    spec = server.objects[PATH]["spec"] if PATH in server.objects else {"capabilities": BASE}
    server.put(
        CLUSTER_VERSIONS,
        "version",
        spec=spec,
        status={
            "desired": {"version": VERSION},
            "capabilities": {"enabledCapabilities": list(enabled)},
            "conditions": [{"type": "Progressing", "status": progressing, "message": "working"}],
        },
    )


BASE = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress"]}


def operator(server: ApiServer, available: str, version: str = VERSION) -> None:
    conditions = [{"type": "Available", "status": available}, {"type": "Degraded", "status": "False"}]
    status = {"conditions": conditions, "versions": [{"name": "operator", "version": version}]}
    server.put(CLUSTER_OPERATORS, "console", metadata={"annotations": {CAPABILITY: "Console"}}, status=status)


@pytest.mark.parametrize(
    ("names", "progressing", "available", "version", "codes"),
    [
        (["Console"], "False", "True", VERSION, []),
        (["Console"], "False", None, VERSION, []),
        ([], "False", "True", VERSION, ["unavailable-capability", "missing-capability"]),
        (["Console"], "True", "True", VERSION, ["unavailable-capability", "unfinished-sync"]),
        (["Console"], "False", "False", VERSION, ["unavailable-capability", "unready-object"]),
        (["Console"], "False", "True", "4.20.2", ["unavailable-capability", "unready-object"]),
    ],
)
def test_the_wait_ends_when_status_and_operators_are_right(
    server: ApiServer,
    names: list[str],
    progressing: str,
    available: str | None,
    version: str,
    codes: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watch, "_PAUSE", 0.01)
    report(server, "Ingress")
    client, problems = server.client(), Problems()
    before = snapshot_for_wait(client)
    enabled = enable_capabilities(client, CONSOLE, None, dry_run=False)
    if available is not None:  # before the report: the events can reach the wait one after the other
        operator(server, available, version)
    report(server, "Ingress", *names, progressing=progressing)

    after = wait_for_capabilities(client, enabled, CONSOLE, None, before, 2 if codes else 60, silent, problems)

    assert [item.code for item in problems] == codes
    found: Any = capabilities_dict(after)["enabled_capabilities"]
    assert found == sorted(["Ingress", *names])


def report_condition(server: ApiServer, status: str, *enabled: str, observed: int = 1, **spec: str) -> None:
    """Write the status of a CVO that has applied the first generation of the spec, and what changes in that."""
    conditions = [{"type": "Progressing", "status": "False"}, {"type": IMPLICITLY_ENABLED, "status": status}]
    shown: dict[str, Any] = {"capabilities": {"enabledCapabilities": list(enabled)}, "conditions": conditions}
    old = server.objects[PATH]["spec"] if PATH in server.objects else {"capabilities": BASE}
    shown |= {"desired": {"version": VERSION}, "observedGeneration": observed}
    server.put(CLUSTER_VERSIONS, "version", spec={**old, **spec}, status=shown)


@pytest.mark.parametrize(
    ("enabled", "observed", "condition", "channel", "codes"),
    [
        (["Console"], 1, "False", "", []),
        (["Console"], 1, "True", "", ["unavailable-capability", "unfinished-sync"]),
        (["Console"], 0, "False", "", ["unavailable-capability", "unfinished-sync"]),
        ([], 1, "False", "", ["unavailable-capability", "unfinished-sync"]),
        (["Console"], 1, "False", "another", ["unavailable-capability", "unfinished-sync"]),
    ],
    ids=["processed", "not processed", "after another change", "of a new name", "before another change"],
)
def test_the_wait_for_what_is_applied_ends_with_the_condition(
    server: ApiServer,
    enabled: list[str],
    observed: int,
    condition: str,
    channel: str,
    codes: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The CVO reports the generation of such a change minutes later."""
    monkeypatch.setattr(watch, "_PAUSE", 0.01)
    report_condition(server, "True", "Ingress", *enabled, observed=observed, channel="")
    client, problems = server.client(), Problems()
    before = snapshot_for_wait(client)
    result = enable_capabilities(client, CONSOLE, None, dry_run=False)
    report_condition(server, condition, "Ingress", "Console", observed=observed, channel=channel)

    wait_for_capabilities(client, result, CONSOLE, None, before, 1 if codes else 60, silent, problems)

    assert [item.code for item in problems] == codes


@pytest.mark.parametrize("is_denied", [False, True])
def test_an_operator_whose_event_is_late_is_read_before_the_wait_ends(
    server: ApiServer, is_denied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_PAUSE", 0.01)
    report(server, "Ingress")
    client, problems, over = server.client(), Problems(), Event()
    before = snapshot_for_wait(client)
    enabled = enable_capabilities(client, CONSOLE, None, dry_run=False)
    operator(server, "False")
    report(server, "Ingress", "Console")
    watching = current_thread()

    def hold(_method: str, path: str) -> None:
        """Hold the watch, which runs in another thread, and deny the list."""
        if path == CLUSTER_OPERATORS.path() and current_thread() is not watching:
            over.wait()
        elif path == CLUSTER_OPERATORS.path() and is_denied:
            server.faults["GET", path] = [fault(403)]

    server.before = hold
    try:
        wait_for_capabilities(client, enabled, CONSOLE, None, before, 1, silent, problems)
    finally:
        over.set()

    cause = "forbidden-request" if is_denied else "unready-object"
    assert [item.code for item in problems] == ["unavailable-capability", cause]


def test_a_wait_without_access_says_that_the_state_is_unknown(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_PAUSE", 0.01)
    report(server, "Ingress")
    client, problems = server.client(), Problems()
    before = snapshot_for_wait(client)
    enabled = enable_capabilities(client, CONSOLE, None, dry_run=False)
    server.faults["GET", PATH.rpartition("/")[0]] = [fault(403)] * 20

    wait_for_capabilities(client, enabled, CONSOLE, None, before, 20, silent, problems)

    assert [item.code for item in problems][:1] == ["unknown-availability"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ('spec.capabilities.additionalEnabledCapabilities[0]: Unsupported value: "Console"', "outdated-crd"),
        ("spec.channel: Invalid value", "invalid-object"),
    ],
)
def test_a_name_that_the_definition_lacks_is_explained(server, message, code):
    status = {"desired": {"version": VERSION}, "capabilities": {"knownCapabilities": ["Console"]}}
    server.put(CLUSTER_VERSIONS, "version", spec={"capabilities": {"baselineCapabilitySet": "None"}}, status=status)
    field, _colon, text = f'{message}: supported values: "A"'.partition(": ")
    reason = "FieldValueNotSupported" if "Unsupported" in message else "FieldValueInvalid"
    server.faults["PATCH", PATH] = [fault(422, f"{field}: {text}", (reason, field, text))]
    with pytest.raises(ClusterError) as error:
        enable_capabilities(server.client(), CONSOLE, None, dry_run=False)

    assert [item.code for item in error.value.problems] == [code]
    assert ("cannot contain Console" in error.value.problems[0].message) == (code == "outdated-crd")
    assert ("after a rollback" in error.value.problems[0].hint) == (code == "outdated-crd")


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize(
    "block", [None, {"baselineCapabilitySet": "None"}, {"additionalEnabledCapabilities": ["Console"]}]
)
def test_a_request_that_a_webhook_removes_is_an_error(server, block, dry_run):
    spec = {"capabilities": {"baselineCapabilitySet": "None"}}
    server.put(CLUSTER_VERSIONS, "version", spec=spec, status={"desired": {"version": VERSION}})
    rewritten = {**server.objects[PATH], "spec": {"capabilities": block}}
    server.faults["PATCH", PATH] = [(200, rewritten)]
    with pytest.raises(ClusterError) as error:
        enable_capabilities(server.client(), CONSOLE, None, dry_run=dry_run)

    assert [item.code for item in error.value.problems] == ["rewritten-field"]


NAMES = sorted(item.name for item in capability_data.CAPABILITIES)
HEAD = (
    "# HELP cluster_version_capability Report currently enabled cluster capabilities.  "
    "0 is disabled, and 1 is enabled.\n"
    "# TYPE cluster_version_capability gauge\n"
)
LINE = re.compile(r'cluster_version_capability\{name="([^"]+)"\} ([01])')
names = st.sets(st.sampled_from([*NAMES, "Later"]))


def test_enabled_names_are_one_and_other_known_names_are_zero():
    text = capability_metrics(["Console", "Ingress"], ["Storage", "Console", "baremetal", "Ingress"])

    assert text == HEAD + (
        'cluster_version_capability{name="Console"} 1\n'
        'cluster_version_capability{name="Ingress"} 1\n'
        'cluster_version_capability{name="Storage"} 0\n'
        'cluster_version_capability{name="baremetal"} 0\n'
    )


@given(names, names)
def test_each_name_has_one_line_and_names_are_sorted(enabled, known):
    lines = capability_metrics(enabled, known).removeprefix(HEAD).splitlines()

    values = {match[1]: match[2] == "1" for line in lines if (match := LINE.fullmatch(line))}
    assert len(values) == len(lines)
    assert list(values) == sorted(enabled | known)
    assert {name for name, is_enabled in values.items() if is_enabled} == enabled
