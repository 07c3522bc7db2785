# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the module returns of a rollout, and how it reports what the cluster refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import CapabilityStatus
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.api_errors import FieldConflict
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import CONFIG_MAPS, ResourceId
from ansible_collections.capability.openshift.plugins.module_utils._rollout.change_set import (
    ApplyResult,
    CapabilityResult,
    ChangeSet,
    Leftover,
    Rollout,
    refused,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout.refusals import Refusal
from ansible_collections.capability.openshift.plugins.module_utils._rollout.result import rollout_dict, rollout_problems
from ansible_collections.capability.openshift.tests.unit.builders.releases import DELETE, manifest
from ansible_collections.capability.openshift.tests.unit.builders.rolled_out import Site

CAPABILITIES = CapabilityResult(
    None, CapabilityStatus(frozenset("CBA"), frozenset("BA"), frozenset("B")), {"status": "True"}, frozenset("B"), False
)
WARNING = Problem("warning", "w", "", "w")


def result(
    name: str, action: Any = "unchanged", refusal: Refusal | None = None, level: str = "10", **fields: Any
) -> ApplyResult:
    group, kind = fields.pop("kind", ("", "ConfigMap"))
    resource = ResourceId(group, kind, fields.pop("namespace", "team"), name)
    item = Manifest(resource, "v1", {}, f"0000_{level}_part_{name}.yaml")
    return refused(item, refusal, **fields) if refusal else ApplyResult(item, action, **fields)


def rollout(*results: ApplyResult, leftovers: tuple[Leftover, ...] = (), **fields: Any) -> Rollout:
    changes = ChangeSet(results, fields.pop("not_applied", ()), (), fields.pop("refused_later", ()))
    base = Rollout("update", "4.20.3", None, CAPABILITIES, changes, leftovers, False, (WARNING,))
    return base._replace(**fields)


def test_each_result_is_listed_by_what_happened_and_counted_in_its_run_level() -> None:
    conflict = FieldConflict("kubectl", ".data.a")
    later = result("z", level="90").manifest
    results = (
        result("f", "failed", level="30", conflicts=(conflict,)),
        result("a", "created"),
        result("b", "changed"),
        result("c"),
        result("d", "deleted", level="30"),
        result("e", "absent"),
        result("g", "deleting"),
        result("h", refusal=Refusal.NAMESPACE_MISSING),
    )
    found = rollout_dict(rollout(*results, not_applied=(later,)), diff_mode=False)
    listed = {
        key: [item["name"] for item in found[key]]
        for key in ("created", "changed_resources", "unchanged_resources", "deleted", "failed_resources")
        if key in found
    }
    assert listed == {"created": ["a"], "changed_resources": ["b"], "deleted": ["d"], "failed_resources": ["f", "h"]}
    assert found["unchanged"] == [{"group": "", "kind": "ConfigMap", "namespace": "team", "name": "c"}]
    assert [(item["state"], item["file"]) for item in found["failed_resources"]] == [
        ("failed", "0000_30_part_f.yaml"),
        ("no_namespace", "0000_10_part_h.yaml"),
    ]
    assert [item["manager"] for item in found["conflicts"]] == ["kubectl"]
    none = dict.fromkeys(("created", "changed", "unchanged", "deleted", "deleting", "failed", "not_sent"), 0)
    counts = {"created": 1, "changed": 1, "unchanged": 2, "deleting": 1, "failed": 1}
    assert found["run_levels"] == [
        {**none, **counts, "run_level": "10", "manifests": 6},
        {**none, "deleted": 1, "failed": 1, "run_level": "30", "manifests": 2},
        {**none, "not_sent": 1, "run_level": "90", "manifests": 1},
    ]
    assert found["capability_status"] == {
        "enabled_capabilities": ["A", "B"],
        "known_capabilities": ["A", "B", "C"],
        "implicitly_enabled_capabilities": ["B"],
        "newly_implicitly_enabled_capabilities": ["B"],
        "condition": {"status": "True"},
    }
    assert (found["mode"], found["version"]) == ("update", "4.20.3")
    assert "diff" not in found


def test_changed_means_that_something_was_written() -> None:
    old = ResourceId("", "ConfigMap", "team", "old")

    def changed(value: Rollout) -> bool:
        return bool(rollout_dict(value, diff_mode=False)["changed"])

    kept = Leftover(old, pruned=False, finalizers=("a",))
    idle = rollout(result("a"), result("b", "absent"), result("c", "deleting"), leftovers=(kept,))
    assert not changed(idle)
    assert changed(rollout(result("a", "created")))
    assert changed(rollout(result("a", "deleting", deletion_sent=True)))
    assert changed(idle._replace(inventory_changed=True))
    assert changed(idle._replace(capabilities=CAPABILITIES._replace(changed=True)))
    assert changed(idle._replace(leftovers=(kept._replace(sent=True),)))
    shown = rollout_dict(idle, diff_mode=False)["leftovers"]
    assert shown == [{**old._asdict(), "pruned": False, "finalizers": ["a"]}]


def test_refusals_of_a_kind_or_namespace_are_reported_once() -> None:
    names = [f"n{number}" for number in range(7)]
    deployment = ("apps", "Deployment")
    denied = Problem("error", "x", "", "not on Fridays", "Ask")
    found = rollout_problems(
        rollout(
            *(result(name, refusal=Refusal.NAMESPACE_MISSING) for name in names),
            result("n0", refusal=Refusal.NAMESPACE_MISSING, namespace="other"),
            result("n1", refusal=Refusal.NAMESPACE_TERMINATING),
            result("d", refusal=Refusal.FORBIDDEN, kind=deployment, problems=(denied,)),
            result("e", refusal=Refusal.DENIED, kind=deployment, problems=(denied,)),
            result("f", refusal=Refusal.DENIED, kind=deployment, problems=(denied._replace(hint="Wait"),)),
            result("g", refusal=Refusal.KIND_NOT_SERVED, kind=("", "Other"), problems=(denied,)),
            result("i", refusal=Refusal.KIND_SKIPPED, kind=("", "Allowed"), problems=(denied,)),
            result("h", "failed", problems=(Problem("error", "own", "here", "wrong"),) * 2),
            refused_later=(result("n7", refusal=Refusal.NAMESPACE_MISSING),),
            not_applied=(result("z").manifest, result("y").manifest),
        )
    )
    shown = [(item.code, str(item.where), item.hint) for item in found if item.code not in ("w", "own")]
    assert {item.code for item in found if item.severity != "error"} == {"w", "unserved-kind"}
    missing = "Check the operator that creates the namespace, or create it"
    status = "Check the conditions in the status of the namespace, which name what prevents its deletion"
    unserved = (
        "Apply the definition of the kind first, or add the API version to allow_unserved if the cluster lacks it on "
        "purpose"
    )
    assert shown == [
        ("missing-namespace", "namespaces team", missing),
        ("missing-namespace", "namespaces other", missing),
        ("terminating-namespace", "namespaces team", status),
        ("forbidden-request", "Deployment (apps/v1)", "Ask"),
        ("denied-request", "Deployment (apps/v1)", "Ask"),
        ("denied-request", "Deployment (apps/v1)", "Wait"),
        ("unserved-kind", "Other", unserved),
        ("unserved-kind", "Allowed", ""),
        ("unapplied-manifests", "", "Correct the other errors, and run this again to resume"),
    ]
    assert [item.code for item in found].count("own") == 1
    by_code = {item.code: item.message for item in reversed(found)}
    assert by_code["missing-namespace"].endswith(
        ": ConfigMap team/n0, ConfigMap team/n1, ConfigMap team/n2, ConfigMap team/n3, ConfigMap team/n4 and 3 more"
    )
    assert by_code["denied-request"].endswith("(not on Fridays)")
    assert "Fridays" not in by_code["unserved-kind"]
    assert by_code["unapplied-manifests"] == "2 manifests not applied because of the other errors"


def test_diff_shows_what_a_rollout_wrote_without_server_fields_and_secrets(tmp_path: Path) -> None:
    site = Site(tmp_path)
    secret = "type: Opaque\ndata: {password: c2VjcmV0}\n"

    def release(data: str, secret: str, **annotations: str) -> tuple[str, ...]:
        return (
            manifest("team", kind="Namespace"),
            manifest("a", namespace="team", more=f"data: {{a: {data}}}\n"),
            manifest("same", namespace="team"),
            manifest("gone", namespace="team", annotations=annotations),
            manifest("s", kind="Secret", namespace="team", more=secret),
        )

    site.server.kinds.append(CONFIG_MAPS._replace(plural="secrets", kind="Secret"))
    first = rollout_dict(site.roll_out("4.20.3", *release("b", secret), diff_mode=True), diff_mode=True)["diff"]
    headers = [item["before_header"] for item in first]
    assert headers[0] == "clusterversions.config.openshift.io version"
    assert (first[0]["before"], '"None"' in first[0]["after"]) == ("", True)
    assert {item["before"] for item in first[1:]} == {""}
    site.server.objects[CONFIG_MAPS.path("a", "team")]["status"] = {"seen": "yes"}
    new = release("c", secret.replace("c2VjcmV0", "b3RoZXI="), **{DELETE: "true"})
    second = rollout_dict(site.roll_out("4.20.4", *new, diff_mode=True, reported=Problems()), diff_mode=True)["diff"]
    assert '"version": "4.20.4"' in second[0]["after"]
    (config,) = (item for item in second if item["before_header"].startswith("ConfigMap team/a "))
    assert config["before_header"] == "ConfigMap team/a (release-manifests/0000_11_part_1.yaml)"
    assert '"a": "b"' in config["before"]
    assert '"a": "c"' in config["after"]
    for field in ("uid", "resourceVersion", "managedFields", "generation", "creationTimestamp"):
        assert f'\n    "{field}"' not in config["before"] + config["after"]
    assert "seen" not in config["before"] + config["after"]
    (hidden,) = (item for item in second if item["before_header"].startswith("Secret "))
    assert hidden["before"] != hidden["after"]
    for text in (hidden["before"], hidden["after"]):
        assert "(hidden, sha256 " in text
        assert '"type": "Opaque"' in text
        assert '"name": "s"' in text
        assert "c2VjcmV0" not in text
        assert "b3RoZXI" not in text
    (gone,) = (item for item in second if item["before_header"].startswith("ConfigMap team/gone "))
    assert (bool(gone["before"]), gone["after"]) == (True, "")
    assert not [item for item in second if "/same" in item["before_header"]]
