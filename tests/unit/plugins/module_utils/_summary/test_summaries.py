# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lines of text that playbooks and the command show of a result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils import _summary
from ansible_collections.capability.openshift.plugins.module_utils._data.consequences import consequences_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import plural
from ansible_collections.capability.openshift.plugins.module_utils._summary.lines import summary_lines
from ansible_collections.capability.openshift.plugins.module_utils._summary.words import listed, sorted_names

MODULES = sorted(
    path.stem
    for path in Path(next(iter(_summary.__path__))).glob("*.py")
    if path.stem not in ("changes", "lines", "words", "__init__")
)
ERROR = {"severity": "error", "code": "x", "where": "path", "message": "is wrong", "hint": "Correct it"}
WARNING = {**ERROR, "severity": "warning"}
SELECTION = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Ingress"]}


@pytest.mark.parametrize("module", MODULES)
def test_a_module_that_failed_before_it_had_a_result_has_no_lines(module: str) -> None:
    assert summary_lines(module, {"changed": False, "failed": True, "msg": "x", "problems": [ERROR]}, {}) == []


def test_words() -> None:
    assert [plural(number, "error") for number in (0, 1, 2)] == ["0 errors", "1 error", "2 errors"]
    assert (listed(["a", "b"]), listed([])) == ("a, b", "none")
    assert sorted_names(["b", "C", "a"]) == ["a", "b", "C"]


# Findings


@pytest.mark.parametrize(
    ("options", "last"),
    [({}, "Corrected files: a.yaml, b.yaml"), ({"check_mode": True}, "Files to correct: a.yaml, b.yaml")],
)
def test_site_check_names_what_it_corrects(options: dict[str, Any], last: str) -> None:
    result = {"text": "a finding\n1 error in 2 sites\n", "fixed_files": ["a.yaml", "b.yaml"], "sites": []}
    assert summary_lines("site_check", result, options) == ["a finding", "1 error in 2 sites", last]
    assert summary_lines("site_check", {**result, "fixed_files": []}, options)[-1] == "1 error in 2 sites"


def test_corrected_sites_that_may_be_installed() -> None:
    sites = [{"kind": "ClusterInstance", "fixed": True}]
    lines = summary_lines("site_check", {"text": "", "fixed_files": ["a.yaml"], "sites": sites}, {})
    assert lines[1:] == [
        "The siteconfig operator rejects a changed ClusterInstance whose cluster is already installed."
    ]


def test_release_lint_shows_its_findings() -> None:
    assert summary_lines("release_lint", {"text": "a finding\n1 error\n"}, {}) == ["a finding", "1 error"]


def addon(number: int, error: int = 0, name: str = "") -> dict[str, Any]:
    needs = ["Console"] if error else []
    row = {"path": f"addon-{number:02}", "name": name, "installer": "olm", "error": error, "review": 0, "fine": 3}
    return {**row, "needs": needs}


def test_addon_check_shows_add_ons_with_errors_first_and_what_repairs_them() -> None:
    result = {
        "text": "1 error in 4 objects\n",
        "every_selection": False,
        "version": "4.20.3",
        "enabled_capabilities": [],
        "addons": [addon(1), addon(2, error=4, name="widgets.v1")],
        "repairs": [{"capabilities": ["Console", "Ingress"], "objects": 1, "manifests": 92}],
    }
    lines = summary_lines("addon_check", result, {})
    assert lines[:2] == ["1 error in 4 objects", "Checked for 4.20.3 with no capability."]
    assert [line.split() for line in lines[3:6]] == [
        ["ADD-ON", "INSTALLER", "ERROR", "REVIEW", "FINE", "NEEDS"],
        ["addon-02", "olm", "4", "0", "3", "widgets.v1:", "Console"],
        ["addon-01", "olm", "0", "0", "3", "nothing"],
    ]
    assert lines[7] == "Console and Ingress would repair 1 object, and permanently add 92 manifests."


def test_addon_check_names_an_add_on_that_is_the_whole_directory() -> None:
    result = {
        "text": "",
        "every_selection": True,
        "version": "4.20.3",
        "addons": [{**addon(1), "path": ""}],
        "repairs": [],
    }
    assert [line.split()[0] for line in summary_lines("addon_check", result, {}) if " olm " in line] == ["."]


def test_addon_check_counts_add_ons_that_it_does_not_show() -> None:
    many = {
        "text": "",
        "every_selection": True,
        "version": "4.20",
        "addons": list(map(addon, range(53))),
        "repairs": [],
    }
    assert summary_lines("addon_check", {**many, "addons": [], "repairs": []}, {})[-1] == "No object was checked."
    lines = summary_lines("addon_check", many, {})
    assert (lines[0], lines[-1]) == ("Checked for every selection of 4.20.", "and 3 more")


# Releases


MANIFESTS: dict[str, Any] = {
    "version": None,
    "included": 2,
    "excluded": 1,
    "enabled_capabilities": [],
    "changed": True,
    "deletions": 4,
    "credentials_requests": None,
}


def test_release_manifests_shows_the_directory_and_what_is_not_written() -> None:
    head = ["Release of unknown version: 2 manifests included, 1 excluded", "Enabled capabilities: none"]
    assert summary_lines("release_manifests", MANIFESTS, {}) == head
    lines = summary_lines("release_manifests", MANIFESTS, {"dest": "/x", "platform": "aws"})
    others = ["Left out: 4 manifests with the delete annotation", "CredentialsRequests: only for aws"]
    assert lines[2:] == ["Directory /x: changed", *others]
    assert summary_lines("release_manifests", MANIFESTS, {"dest": "/x", "check_mode": True})[2] == (
        "Directory /x: would change"
    )
    same = summary_lines("release_manifests", {**MANIFESTS, "changed": False, "deletions": 0}, {"dest": "/x"})
    assert same[2:] == ["Directory /x: nothing to change"]


def test_release_manifests_lists_requests_and_images() -> None:
    request = {"name": "a", "platform": "aws", "secret_namespace": "n", "secret_name": "s"}
    images = {
        "included": [{"name": "cli", "pull_spec": "r/cli@x"}, {"name": "", "pull_spec": "r/y"}],
        "excluded": [{}],
        "unreferenced": [],
    }
    result = {**MANIFESTS, "credentials_requests": [request], "images": images}
    lines = summary_lines("release_manifests", result, {})
    assert lines[4].split() == ["a", "aws", "n/s"]
    assert lines[6:] == ["Images: 2 needed, 1 only by excluded manifests, 0 by no manifest", "cli  r/cli@x", "r/y"]


def test_release_info_counts_only_what_is_included() -> None:
    contents = {"manifests": 5, "crds": ["a", "b"], "cluster_operators": ["console"]}
    capabilities = dict.fromkeys(("Console", "Ingress", "New"), contents)
    release = {
        "version": "4.20.3",
        "manifests": 20,
        "included": 10,
        "included_without_capability": 5,
        "capabilities": capabilities,
        "known_capabilities": ["Console", "Ingress"],
        "enabled_capabilities": ["Console"],
    }
    lines = summary_lines("release_info", {"release": release}, {})
    assert lines[0] == "Release 4.20.3: 20 manifests, 10 included, 10 excluded"
    assert [line.split() for line in lines[3:]] == [
        ["Console", "enabled", "5", "5", "2", "console"],
        ["Ingress", "disabled", "5", "0", "2", "console"],
        ["New", "unknown", "5", "0", "2", "console"],
        ["(no", "capability)", "5", "5"],
    ]
    # A release without capabilities excludes nothing because of them.
    old = {**release, "known_capabilities": [], "enabled_capabilities": []}
    assert summary_lines("release_info", {"release": old}, {})[3].split()[1:4] == ["unknown", "5", "5"]
    # Three times five manifests that need a capability, of the five that need any.
    assert summary_lines("release_info", {"release": old}, {})[-1] == (
        "A manifest that needs several capabilities counts for each of them."
    )


def test_release_info_shows_what_resources_require() -> None:
    resource = {"kind": "Role", "namespace": "n", "name": "r", "capabilities": [], "file": "b.yaml"}
    reasons = [{"rule": "a", "message": "not here"}, {"rule": "b", "message": "nor there"}]
    found = [
        {**resource, "included": True, "reasons": []},
        {**resource, "capabilities": ["B", "A"], "file": "a.yaml", "included": False, "reasons": reasons},
    ]
    decisions = [
        "",
        "excluded  B + A            Role n/r (a.yaml)",
        "          not here; nor there",
        "included  (no capability)  Role n/r (b.yaml)",
    ]
    required = ["2 manifests", "Required capabilities: A, B", *decisions]
    images = [{"name": "cli", "pull_spec": "r/cli@x"}]
    result = {"release": {"images": images}, "resources": found}
    assert summary_lines("release_info", result, {}) == [*required, "", "cli  r/cli@x"]
    assert summary_lines("release_info", {"release": {}, "resources": []}, {}) == ["0 manifests"]
    assert summary_lines("release_manifests", {**MANIFESTS, "decisions": found}, {})[2:] == decisions


# Mirrors and updates


def image(number: int, *, ready: bool) -> dict[str, Any]:
    about = {"name": f"image-{number}", "image": f"r/x{number}", "in_mirror": ready, "openpgp": "ok", "sigstore": ""}
    return {**about, "ready": ready, "problems": [] if ready else [ERROR], "commands": ["skopeo copy a b"]}


def test_mirror_check_shows_only_images_that_are_not_ready() -> None:
    result = {"ready": False, "images": [image(1, ready=True), image(2, ready=False)]}
    lines = summary_lines("mirror_check", result, {})
    assert lines[0] == "not ready for an installation: 1 of 2 images are ready"
    assert lines[3].split() == ["image-2", "no", "ok"]
    assert lines[5:] == ["image image-2: r/x2", "  path: is wrong. Correct it", "  $ skopeo copy a b"]
    unread = {**image(1, ready=False), "in_mirror": None}
    assert summary_lines("mirror_check", {"ready": False, "images": [unread]}, {})[3].split()[1] == "unknown"
    many = {"ready": False, "images": [image(number, ready=False) for number in range(52)]}
    assert summary_lines("mirror_check", many, {})[-1].startswith("and 2 more, see problems and commands ")
    nothing = summary_lines("mirror_check", {"ready": True, "images": []}, {})
    assert nothing == ["ready for an installation: 0 of 0 images are ready"]


@pytest.mark.parametrize(
    ("ready", "accepted", "first", "second"),
    [
        (True, True, "The CVO of 4.13.0 accepts", "acknowledge ack-1: text"),
        (False, False, "The CVO of 4.13.0 does not accept", "acknowledge when the mirror is ready ack-1: text"),
    ],
)
def test_mirror_check_shows_gates(ready: bool, accepted: bool, first: str, second: str) -> None:
    gate = {"gate": "ack-1", "text": "text", "command": "oc patch"}
    update = {"from_version": "4.13.0", "to_version": "4.14.0", "accepted": accepted, "acknowledge": [gate]}
    lines = summary_lines("mirror_check", {"ready": ready, "images": [], "update_check": update}, {})
    verdict = "ready" if ready else "not ready"
    assert lines[0] == f"{verdict} for the update from 4.13.0 to 4.14.0: 0 of 0 images are ready"
    assert lines[2] == f"{first} the signature of the release image"
    assert lines[3:] == [second, "  $ oc patch"]


def test_mirror_check_of_an_update_to_a_release_that_cannot_be_read() -> None:
    update = {"from_version": "4.13.0", "to_version": None, "accepted": None, "acknowledge": None}
    lines = summary_lines("mirror_check", {"ready": False, "images": [], "update_check": update}, {})
    assert lines[0] == "not ready for the update from 4.13.0: 0 of 0 images are ready"
    assert lines[2:] == ["It is not known whether the CVO of 4.13.0 accepts the signature of the release image"]


# Selections


CHECKED = {
    "openshift_version": "4.20",
    "platform": "none",
    "install_method": "upi",
    "changed": True,
    "path": "/x/install-config.yaml",
    "capabilities": SELECTION,
    "explanation": ["Ingress is required"],
    "enabled_capabilities": ["Console", "Ingress", "Other"],
    "known_capabilities": ["Console", "Ingress", "Other", "Storage"],
    "install_config_overrides": json.dumps({"capabilities": SELECTION}),
    "hosted_cluster_spec": {"capabilities": {"disabled": ["Console", "Insights"], "enabled": ["baremetal"]}},
    "problems": [WARNING, {**WARNING, "severity": "info"}],
}


@pytest.mark.parametrize(
    ("change", "options", "state"),
    [({}, {}, "written"), ({}, {"check_mode": True}, "would be written"), ({"changed": False}, {}, "unchanged")],
)
def test_install_config_shows_the_file(change: dict[str, Any], options: dict[str, Any], state: str) -> None:
    lines = summary_lines("install_config", {**CHECKED, **change}, options)
    assert lines == [
        f"/x/install-config.yaml: {state}",
        "OpenShift 4.20, platform none, install method upi",
        "selection: capability set None, with Console, Ingress",
        "reason: Ingress is required",
        "enabled: 3 of 4 capabilities: Console, Ingress, Other",
        f"without Storage: {consequences_of(['Storage'])[0].text}",
        "info: path: is wrong. Correct it",
    ]


BLOCK = f"install-config.yaml: capabilities: {json.dumps(SELECTION)}"
OVERRIDES = f"installConfigOverrides: '{CHECKED['install_config_overrides']}'"
WITHOUT_FILE = {key: value for key, value in CHECKED.items() if key != "path"}


@pytest.mark.parametrize(
    ("method", "options", "first", "form"),
    [
        ("ipi", {"solution": "headless"}, "solution headless: valid", BLOCK),
        ("upi", {}, "selection: valid", BLOCK),
        ("agent", {}, "selection: valid", BLOCK),
        ("assisted", {}, "selection: valid", OVERRIDES),
    ],
)
def test_install_config_without_a_file_shows_what_to_paste(method, options, first, form) -> None:
    lines = summary_lines("install_config", {**WITHOUT_FILE, "install_method": method}, options)
    assert lines[:4] == [
        first,
        f"OpenShift 4.20, platform none, install method {method}",
        "selection: capability set None, with Console, Ingress",
        form,
    ]


def test_install_config_says_first_that_not_all_rules_were_checked() -> None:
    partial = {**WITHOUT_FILE, "problems": [{**WARNING, "code": "unchecked-rules"}]}
    assert summary_lines("install_config", partial, {})[0] == "selection: valid, but not all rules were checked"


def test_install_config_of_a_hosted_cluster_shows_its_spec_and_the_flags_of_hcp() -> None:
    hosted = {**WITHOUT_FILE, "install_method": "hosted"}
    lines = summary_lines("install_config", hosted, {"solution": "managed_service"})
    assert lines[0] == "solution managed_service: valid"
    assert lines[2:4] == [
        'HostedCluster: spec.capabilities: {"disabled": ["Console", "Insights"], "enabled": ["baremetal"]}',
        "hcp create cluster: --enable-cluster-capabilities=baremetal --disable-cluster-capabilities=Console,Insights",
    ]
    lines = summary_lines("install_config", {**hosted, "hosted_cluster_spec": {}}, {})
    assert lines[2] == "HostedCluster: no spec.capabilities, because nothing differs from the default of HyperShift"
    assert not any(line.startswith(("hcp", "selection: c")) for line in lines)


def test_install_config_of_the_default_has_nothing_to_paste() -> None:
    lines = summary_lines("install_config", {**WITHOUT_FILE, "capabilities": {}}, {})
    assert lines[2:4] == ["selection: none, which is the cluster default (vCurrent)", "reason: Ingress is required"]


def test_warnings_are_shown_where_the_module_ends_and_notes_unless_the_text_is_short() -> None:
    assert summary_lines("release_lint", {"text": "a\n", "problems": [WARNING, ERROR]}, {}) == ["a"]
    notes = {"text": "a\n", "problems": [{**WARNING, "severity": "info"}]}
    assert summary_lines("release_lint", notes, {}) == ["a", "info: path: is wrong. Correct it"]
    assert summary_lines("release_lint", notes, {"full": False}) == ["a"]


def test_install_config_with_errors_suggests_a_selection() -> None:
    result = {**CHECKED, "openshift_version": None, "platform": None, "problems": [ERROR, WARNING]}
    lines = summary_lines("install_config", {**result, "suggested_capabilities": SELECTION}, {"path": "ic.yaml"})
    assert lines == [
        "/x/install-config.yaml: not written, 1 error",
        "OpenShift of unknown version, platform unknown, install method upi",
        "",
        "error: path: is wrong. Correct it",
        "This selection is valid, apart from rules that depend on the platform: capability set None, with Console, "
        "Ingress",
    ]
    on_none = {**result, "platform": "none", "suggested_capabilities": SELECTION}
    assert summary_lines("install_config", on_none, {})[-1].startswith("This selection is valid: ")
    without = {**WITHOUT_FILE, "problems": [ERROR]}
    assert summary_lines("install_config", without, {"solution": "a"})[0] == "solution a: not valid, 1 error"


def test_install_config_of_a_fleet_of_one_is_shown_in_detail() -> None:
    row = {"name": "berlin", "selection": 0, "errors": [], "path": "/x/install-config.yaml", "differs": True}
    result = {"clusters": [row], "selections": [WITHOUT_FILE], "problems": CHECKED["problems"], "changed": True}
    assert summary_lines("install_config", result, {}) == summary_lines("install_config", CHECKED, {})
    unreadable = {**row, "selection": None, "path": None, "differs": False, "errors": ["content: cannot be read"]}
    assert summary_lines("install_config", {**result, "clusters": [unreadable], "problems": []}, {}) == [
        *("berlin: not valid, 1 error", "", "error: content: cannot be read")
    ]


@pytest.mark.parametrize(
    ("valid", "invalid", "options", "verdict"),
    [
        (2, 0, {}, "2 of 2 clusters are valid."),
        (0, 2, {}, "None of 2 clusters is valid. Nothing was written."),
        (1, 1, {}, "1 of 2 clusters is valid. Nothing was written. To write the valid ones, set write_valid."),
        (2, 1, {}, "2 of 3 clusters are valid. Nothing was written. To write the valid ones, set write_valid."),
        (1, 1, {"write_valid": True}, "1 of 2 clusters is valid. Files that changed were written."),
        (
            *(2, 1, {"write_valid": True, "check_mode": True}),
            "2 of 3 clusters are valid. Files that changed would be written.",
        ),
    ],
)
def test_install_config_of_a_fleet(valid: int, invalid: int, options: dict[str, Any], verdict: str) -> None:
    good = {"name": "good", "selection": 0, "errors": [], "path": "/x", "differs": True}
    bad = {"name": "bad", "selection": None, "errors": ["one\nmore", "two"], "path": None, "differs": False}
    result = {"clusters": [good] * valid + [bad] * invalid, "selections": [CHECKED]}
    lines = summary_lines("install_config", result, options)
    assert lines[-1] == verdict
    assert lines[0].split() == ["CLUSTER", "VERSION", "PLATFORM", "METHOD", "SELECTION", "ENABLED", "FILE", "STATE"]
    table = [line.split() for line in lines[1 : 1 + valid + invalid]]
    row = ["good", "4.20", "none", "upi", "None", "+", "Console,", "Ingress", "3/4", "changes", "OK"]
    assert table == [row] * valid + [["bad", "2", "errors"]] * invalid
    assert lines[1 + valid + invalid : -2] == ["", "bad:", "  - one", "    more", "  - two"] * invalid


@pytest.mark.parametrize(("fields", "shown"), [({}, "the default"), ({"disabled": ["Console"]}, "disabled: Console")])
def test_install_config_of_a_fleet_of_hosted_clusters(fields: dict[str, Any], shown: str) -> None:
    row = {"name": "a", "selection": 0, "errors": [], "path": None, "differs": False}
    selection = {**CHECKED, "install_method": "hosted", "hosted_cluster_spec": {"capabilities": fields}}
    clusters = [row, {**row, "errors": ["wrong"]}]
    lines = summary_lines("install_config", {"clusters": clusters, "selections": [selection]}, {"write_valid": True})
    assert f" hosted  {shown} " in lines[1]
    assert lines[-1] == "1 of 2 clusters is valid. Nothing was written."  # they have no files


# Clusters

STATE = {
    "changed": False,
    "openshift_version": "4.21.0",
    "spec": {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress", "Console"]},
    "requested_capabilities": ["Console", "Ingress"],
    "enabled_capabilities": ["Ingress", "Insights"],
    "known_capabilities": ["Build", "Console", "Ingress", "Insights"],
    "disabled_capabilities": ["Build", "Console"],
    "pending_capabilities": ["Console"],
    "implicitly_enabled_capabilities": ["Insights"],
}
CONTENTS = {"manifests": 5, "crds": ["a.b"], "cluster_operators": ["console"], "namespaces": ["openshift-console"]}


def test_cluster_capabilities_shows_lists_of_what_is_requested_enabled_and_disabled() -> None:
    request = {"changed": True, "added_capabilities": ["Console"]}
    release = {"version": "4.20.3", "capabilities": {"Console": CONTENTS}}
    options = {"check_mode": True, "full": False, "release": release}
    assert summary_lines("cluster_capabilities", {**STATE, **request}, options) == [
        "OpenShift 4.21.0: would request Console",
        "selection: capability set None, with Console, Ingress",
        "requested before: Ingress",
        "requested after: Console, Ingress",
        "enabled: Ingress, Insights",
        "requested but not yet enabled: Console",
        "enabled without being requested: Insights",
        "disabled: Build",
        "the release has the version 4.20.3, but the cluster runs 4.21.0",
        "Console contains 5 manifests, 1 CRD (a.b), ClusterOperator console, in openshift-console",
    ]


def test_cluster_capabilities_shows_a_table_with_full() -> None:
    release = {"version": "4.21.0", "capabilities": {"Console": CONTENTS}}
    lines = summary_lines("cluster_capabilities", STATE, {"full": True, "release": release})
    assert lines[0] == "OpenShift 4.21.0: this run requests nothing"
    assert [line.split() for line in lines[lines.index("") + 1 :]] == [
        ["CAPABILITY", "STATE", "MANIFESTS", "CRDS", "CLUSTEROPERATORS"],
        ["Build", "disabled"],
        ["Console", "pending", "5", "1", "console"],
        ["Ingress", "enabled"],
        ["Insights", "enabled,", "not", "requested"],
    ]
    for check_mode, state in ((True, "would be requested"), (False, "pending")):
        request = {**STATE, "changed": True, "added_capabilities": ["Console"]}
        lines = summary_lines("cluster_capabilities", request, {"full": True, "check_mode": check_mode})
        assert f"Console     {state}" in lines


@pytest.mark.parametrize(
    ("change", "check_mode", "outcome"),
    [
        ({"changed": False, "added_capabilities": []}, False, "no change, all capabilities are already requested"),
        ({"changed": True, "added_capabilities": ["Build"]}, False, "now requests Build"),
        (
            {"changed": True, "added_capabilities": []},
            True,
            "the selection would be rewritten, with the same names",
        ),
    ],
)
def test_cluster_capabilities_says_what_became_of_a_request(
    change: dict[str, Any], check_mode: bool, outcome: str
) -> None:
    first, *_others = summary_lines("cluster_capabilities", {**STATE, **change}, {"check_mode": check_mode})
    assert first == f"OpenShift 4.21.0: {outcome}"


@pytest.mark.parametrize(
    ("change", "check_mode", "lines"),
    [
        ({}, False, ["The guard is unchanged."]),
        ({"changed": True}, True, ["The guard would be installed or changed."]),
        ({"changed": True, "state": "absent"}, False, ["The guard was removed."]),
        ({"state": "absent"}, False, ["The guard does not exist."]),
    ],
)
def test_capability_guard_says_whether_it_changed(change: dict[str, Any], check_mode: bool, lines: list[str]) -> None:
    result = {"changed": False, "state": "present", "mode": "audit", "allowed_capabilities": ["Console"], **change}
    result["verified"] = False
    shown = summary_lines("capability_guard", result, {"check_mode": check_mode})
    assert shown[-1].endswith(lines[0])
    if result["state"] == "present":
        effect, could = ("would be", "could") if check_mode else ("are", "can")
        assert shown[0] == f"Writes that drop a capability {effect} only reported."
        assert shown[1].startswith(f"Only Console {could} be added without a report.")
        first, _second = summary_lines("capability_guard", {**result, "mode": "enforce"}, {"check_mode": check_mode})
        assert (
            first
            == f"Writes that drop a capability {effect} rejected{'' if check_mode else ', which was not verified'}."
        )


def level(name: str, **numbers: int) -> dict[str, Any]:
    parts = dict.fromkeys(("created", "changed", "unchanged", "deleted", "deleting", "failed", "not_sent"), 0)
    counts = {**parts, **numbers}
    return {"run_level": name, "manifests": sum(counts.values()), **counts}


def rollout(*levels: dict[str, Any], **change: Any) -> dict[str, Any]:
    status = {
        "enabled_capabilities": ["Insights", "Console"],
        "newly_implicitly_enabled_capabilities": ["Insights"],
        "implicitly_enabled_capabilities": ["Insights"],
    }
    empty: dict[str, Any] = {"conflicts": [], "leftovers": [], "failed_resources": []}
    return {**empty, "mode": "update", "changed": True, "run_levels": levels, "capability_status": status, **change}


def test_release_apply_shows_a_table_that_adds_up() -> None:
    states = [{"state": state} for state in ("skipped", "failed", "skipped")]
    result = rollout(
        level("10", created=2, deleting=1, not_sent=4), level("", unchanged=3, failed=1), failed_resources=states
    )
    lines = summary_lines("release_apply", result, {"release": "4.22.0"})
    assert lines[0] == (
        "4.22.0, mode update: 2 created, 0 changed, 0 deleted, 1 still being deleted, 3 unchanged, 1 failed, "
        "4 not applied"
    )
    rows = [line.split() for line in lines[3 : lines.index("", 3)]]
    assert [row[0] for row in rows] == ["10", "none", "all"]
    for _name, total, *parts in rows:
        assert int(total) == sum(map(int, parts))
    assert lines[lines.index("", 3) + 1 :] == [
        "enabled: Console, Insights",
        "enabled by this update, permanently: Insights",
        "enabled without being requested: Insights",
        "skipped, because the cluster does not serve their kind: 2",
    ]


def test_release_apply_names_conflicts_and_leftovers() -> None:
    item = {"kind": "ConfigMap", "namespace": "a", "name": "b"}
    conflict = {**item, "field": ".data.x", "manager": "kubectl"}
    leftovers = [{**item, "pruned": True, "finalizers": []}, {**item, "pruned": False, "finalizers": ["x/y"]}]
    result = rollout(level("10", unchanged=1), changed=False, conflicts=[conflict], leftovers=leftovers)
    lines = summary_lines("release_apply", result, {"release": "r"})
    assert lines[0] == "r, mode update: nothing to change"
    assert lines[-3:] == [
        "conflict: ConfigMap a/b, .data.x is owned by kubectl",
        "leftover, deleted: ConfigMap a/b",
        "leftover: ConfigMap a/b, being deleted, waits for x/y",
    ]
    predicted = summary_lines("release_apply", result, {"release": "r", "only": "crds", "check_mode": True})
    assert predicted[0] == "r, only CRDs, dry run: nothing to change"
    assert predicted[-2:] == ["leftover, would be deleted: ConfigMap a/b", "leftover: ConfigMap a/b"]
    assert "definitions of: Console, Insights" in predicted


def test_release_verify_shows_each_difference() -> None:
    item, fields = {"kind": "ConfigMap", "namespace": "a", "name": "b"}, {"field": ".d", "actual": 1, "expected": "1"}
    result = {
        "verified": 7,
        "capability_status": {"enabled_capabilities": []},
        "missing": [{**item, "reason": "does not exist"}] * 52,
        "unexpected": [{**item, "reasons": [{"message": "x"}, {"message": "y"}]}],
        "different": [{**item, "fields": [fields, {**fields, "actual": '["é"... (250 characters)'}], "more_fields": 2}],
        "unready": [{**item, "namespace": "", "message": "is not available"}],
        "problems": [ERROR, WARNING],
    }
    lines = summary_lines("release_verify", result, {})
    assert lines[0] == "7 resources checked, enabled capabilities: none"
    assert [line.split() for line in lines[2:6]] == [
        ["missing", "52"],
        ["unexpected", "1"],
        ["different", "1"],
        ["unready", "1"],
    ]
    assert lines[8] == "- ConfigMap a/b: does not exist"
    assert "- and 2 more" in lines
    assert "- ConfigMap a/b: x; y" in lines
    long = '.d is ["é"... (250 characters), expected "1" and 2 more'
    assert f'- ConfigMap a/b: .d is 1, expected "1"; {long}' in lines
    assert lines[-2:] == ["- ConfigMap b: is not available", "error: path: is wrong. Correct it"]


# An operator

FINDING = {"rule": "dangling-definition", "severity": "warning", "message": "needs nothing", "hint": "Add Monitoring"}


def test_release_lint_shows_each_cause_of_a_checkout_once() -> None:
    others = [{**FINDING, "path": "", "line": 0, "resource": f"ServiceMonitor s/{number}"} for number in range(66)]
    own = {**FINDING, "rule": "left-behind", "path": "manifests/a.yaml", "line": 3, "resource": "ConfigMap one"}
    row = {
        "kind": "ConfigMap",
        "namespace": "",
        "name": "one",
        "file": "manifests/a.yaml",
        "changes": [],
        "in_release": [],
    }
    changed = {**row, "changes": ["capability: none -> Console", "content"]}
    result = {
        "version": "4.22",
        "findings": [*others, {**own, "hint": ""}],
        "resources": [changed, {**row, "in_release": ["not there"]}],
        "removed": [{**row, "changes": ["removed"]}],
        "merge_base": "main (a1)",
        "text": "long\n67 warnings in 2 manifests\n",
    }
    assert summary_lines("release_lint", result, {}) == [
        "2 manifests for OpenShift 4.22",
        "",
        "warning [dangling-definition] 66 resources: needs nothing",
        "    ServiceMonitor s/0",
        "    ServiceMonitor s/1",
        "    ServiceMonitor s/2",
        "    and 63 more",
        "    Add Monitoring.",
        "",
        "warning [left-behind] needs nothing",
        "    manifests/a.yaml:3: ConfigMap one",
        "",
        "Changes since main (a1):",
        "  manifests/a.yaml ConfigMap one: capability: none -> Console; content",
        "  manifests/a.yaml ConfigMap one: removed",
        "",
        "Different in the release:",
        "  manifests/a.yaml ConfigMap one: not there",
        "",
        "67 warnings in 2 manifests",
    ]
    unlike = [{**own, "message": f"needs {name}", "resource": name, "hint": "Did you mean X?"} for name in "AB"]
    unread = {**own, "rule": "invalid-manifest", "line": 0, "resource": "", "hint": ""}
    assert summary_lines("release_lint", {**result, "findings": [*unlike, unread, unread]}, {})[2:10] == [
        "warning [left-behind] 2 resources",
        "    manifests/a.yaml:3: A: needs A",
        "    manifests/a.yaml:3: B: needs B",
        "    Did you mean X?",
        "",
        "warning [invalid-manifest] 2 files: needs nothing",
        *["    manifests/a.yaml"] * 2,
    ]
    same = summary_lines("release_lint", {**result, "resources": [changed] * 25}, {})
    start = same.index("  capability: none -> Console; content: 25 manifests")
    assert same[start + 1 : start + 5] == [*["    manifests/a.yaml ConfigMap one"] * 3, "    and 22 more"]
    none = summary_lines("release_lint", {**result, "resources": [], "removed": []}, {})
    assert none[-3:] == ["Changes since main (a1): none", "", "67 warnings in 2 manifests"]
    many = [{**row, "changes": [f"file: {number}"]} for number in range(25)]
    assert "  and 6 more" in summary_lines("release_lint", {**result, "resources": many}, {})


# Updates

REASON = {
    "verdict": "risk",
    "message": "Boots are slow",
    "name": "SlowBoots",
    "reason": "X",
    "hint": "Wait",
    "accepted": None,
}
PLAN = {
    "verdict": "go",
    "from": "4.21.0",
    "to": "4.22.0",
    "newly_enabled": ["Console"],
    "reasons": [],
    "accepted": [],
    "not_checked": [],
}
UPDATE = {"version": "4.22.0", "image": "a@b", "state": "completed"}
PROVED = {"capabilities": "not_checked", "condition": "different"}


def update_lines(options: dict[str, Any] | None = None, **result: Any) -> list[str]:
    given = {"changed": True, "desired_update": UPDATE, "plan": PLAN, "prediction": PROVED}
    return summary_lines("cluster_update", {**given, **result}, options or {})


def test_an_update_is_shown_with_its_plan_and_the_proof() -> None:
    assert update_lines() == [
        "update to 4.22.0: completed",
        "plan: go: 4.21.0 -> 4.22.0 enables Console",
        "prediction: capabilities not checked, condition different",
    ]


@pytest.mark.parametrize(("options", "shown"), [({}, []), ({"fail_on": "risk"}, ["2 problems were found:", "- Wait"])])
def test_the_command_shows_what_failed_an_update(options: dict[str, Any], shown: list[str]) -> None:
    """A playbook shows it in another task."""
    assert update_lines(options, msg="2 problems were found:\n- Wait")[3:] == shown


@pytest.mark.parametrize(
    ("state", "options", "shown"),
    [
        ("not_started", {}, "not requested"),
        ("requested", {}, "requested, and not begun yet"),
        ("requested", {"check_mode": True}, "would be requested"),
        ("partial", {}, "under way"),
    ],
)
def test_an_update_that_is_not_completed_has_no_proof(state: str, options: dict[str, Any], shown: str) -> None:
    lines = update_lines(options, desired_update={**UPDATE, "state": state}, plan=None)
    assert lines == [f"update to 4.22.0: {shown}"]


def test_reasons_show_what_to_do_or_why_they_are_accepted() -> None:
    accepted = {**REASON, "accepted": {"name": "SlowBoots", "reason": "no boots", "expires": "2027-03-01"}}
    unchecked = [{"code": "promql", "message": "PromQL was not evaluated"}]
    plan = {**PLAN, "newly_enabled": [], "reasons": [REASON, accepted], "not_checked": unchecked}
    assert update_lines(plan=plan)[1:5] == [
        "plan: go: 4.21.0 -> 4.22.0 enables nothing",
        "  risk: Boots are slow (SlowBoots). Wait",
        "  accepted until 2027-03-01: Boots are slow (SlowBoots). Accepted because: no boots",
        "  not checked: PromQL was not evaluated",
    ]


def test_an_update_shows_which_capabilities_are_accepted_why_and_until_when() -> None:
    wanted = {"name": "Console", "reason": "operators want it", "expires": None}
    entries = [{**wanted, "expires": "2027-03-01"}, {**wanted, "name": "SlowBoots"}]
    for entry, state in ((wanted, "accepted"), (entries[0], "accepted until 2027-03-01")):
        lines = update_lines(plan={**PLAN, "accepted": [entry, entries[1]]})
        assert lines[2:-1] == [f"  {state}: enables Console. Accepted because: operators want it"]
