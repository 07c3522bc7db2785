# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import errno
import json
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problem, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout import journal as _journal
from ansible_collections.capability.openshift.plugins.module_utils._rollout.journal import (
    Journal,
    RolloutEvents,
)


def manifest(level: str, name: str) -> Manifest:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}
    file = f"0000_{level}_part_{name}.yaml" if level else f"{name}.yaml"
    read = manifest_from_object(obj, file, 0, Problems())
    assert read is not None
    return read


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def events(path: Path, event: str) -> list[dict[str, Any]]:
    return [line for line in lines(path) if line["event"] == event]


def no_space(*_arguments: Any) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_line_has_the_time_the_run_the_event_and_its_values(tmp_path):
    journal = Journal(str(tmp_path / "j"))
    journal.write("start", total=3)

    (line,) = lines(tmp_path / "j")
    assert list(line) == ["time", "run", "event", "total"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])
    assert re.fullmatch("[0-9a-f]{8}", line["run"])
    assert (line["event"], line["total"]) == ("start", 3)


def test_a_kill_loses_no_line(tmp_path):
    path = tmp_path / "j"
    code = (
        "import os, signal, sys\n"
        f"from {_journal.__name__} import Journal\n"
        "journal = Journal(sys.argv[1])\n"
        "journal.write('start', total=1)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)

    assert done.returncode == -signal.SIGKILL
    assert [line["event"] for line in lines(path)] == ["start"]


def test_a_line_that_a_full_disk_cut_off_spoils_no_other_line(tmp_path):
    (tmp_path / "j").write_text('{"event": "sta', "utf-8")
    journal = Journal(str(tmp_path / "j"))
    journal.write("start")
    journal.write("end")

    half, *whole = (tmp_path / "j").read_text("utf-8").splitlines()
    assert half == '{"event": "sta'
    assert [json.loads(line)["event"] for line in whole] == ["start", "end"]


def test_a_disk_that_gets_full_ends_the_journal_and_not_the_rollout(tmp_path, monkeypatch):
    journal = Journal(str(tmp_path / "j"))
    journal.write("start")
    with monkeypatch.context() as patch:
        patch.setattr("os.write", no_space)
        journal.write("manifest")
    journal.write("end")
    journal.close()

    assert [line["event"] for line in lines(tmp_path / "j")] == ["start"]
    message = f"{tmp_path}/j is incomplete, because it can no longer be written: No space left on device"
    hint = "Read the result of the task instead"
    assert journal.problem == Problem("warning", "unwritable-file", "journal", message, hint)


def test_a_journal_that_cannot_be_opened_is_an_error(tmp_path):
    with pytest.raises(ClusterError) as error:
        Journal(str(tmp_path))
    message = f"{tmp_path} cannot be written: Is a directory"
    expected = Problem("error", "unwritable-file", "journal", message, "Set a path that can be written")
    assert error.value.problems == (expected,)


def test_a_closed_journal_drops_lines(tmp_path):
    journal = Journal(str(tmp_path / "j"))
    journal.close()
    journal.write("start")
    journal.close()

    assert lines(tmp_path / "j") == []


def test_lines_of_other_threads_stay_whole(tmp_path):
    journal = Journal(str(tmp_path / "j"))
    with ThreadPoolExecutor(8) as executor:
        for number in range(400):
            executor.submit(journal.write, "x", number=number, text="é\n" * 2000)

    assert sorted(line["number"] for line in lines(tmp_path / "j")) == list(range(400))


def test_a_lone_surrogate_can_be_written(tmp_path):
    Journal(str(tmp_path / "j")).write("x", text="\udce4")
    assert lines(tmp_path / "j")[0]["text"] == "\udce4"


def test_events_of_a_rollout_from_start_to_end(tmp_path):
    a, b = manifest("10", "a"), manifest("30", "b")
    rollout = RolloutEvents(Journal(str(tmp_path / "j")), [a, b])
    rollout.start("4.21.0", "install")
    rollout.manifest(a, "created", [])
    rollout.manifest(b, "failed", [Problem("error", "invalid-object", "b", "is wrong", "Correct it")])
    rollout.end([Problem("error", "unready-object", "wait", "is not ready")])

    written = lines(tmp_path / "j")
    assert [line["event"] for line in written] == ["start", "manifest", "run_level", "manifest", "run_level", "end"]
    values = [{name: value for name, value in line.items() if name not in ("time", "run", "event")} for line in written]
    resource = {"group": "", "kind": "ConfigMap", "namespace": "default"}
    assert values[0] == {"release": "4.21.0", "mode": "install", "total": 2}
    assert values[1] == {"file": a.file, **resource, "name": "a", "state": "created", "problems": []}
    assert values[2] == {"run_level": "10", "done": 1, "total": 2, "percent": 50}
    assert values[3]["problems"] == [str(Problem("error", "invalid-object", "b", "is wrong", "Correct it"))]
    assert values[5] == {
        "done": 2,
        "total": 2,
        "percent": 100,
        "problems": [str(Problem("error", "unready-object", "wait", "is not ready"))],
    }


def test_numbers_grow_and_run_levels_follow_their_manifests_with_many_threads(tmp_path):
    manifests = [manifest(f"{number % 7:02}", str(number)) for number in range(300)]
    rollout = RolloutEvents(Journal(str(tmp_path / "j")), manifests)
    with ThreadPoolExecutor(8) as executor:
        list(executor.map(lambda item: rollout.manifest(item, "created", []), manifests))

    levels = events(tmp_path / "j", "run_level")
    assert sorted(line["run_level"] for line in levels) == [f"{number:02}" for number in range(7)]
    assert [line["done"] for line in levels] == sorted(line["done"] for line in levels)
    assert [line["percent"] for line in levels] == [100 * line["done"] // 300 for line in levels]
    processed = 0
    for line in lines(tmp_path / "j"):
        processed += line["event"] == "manifest"
        assert line["event"] == "manifest" or line["done"] == processed


def test_waiting_is_written_if_it_changes(tmp_path):
    rollout = RolloutEvents(Journal(str(tmp_path / "j")), [])
    for left, resource, message in [(2, "a", "x"), (2, "a", "x"), (2, "a", "y"), (1, "b", "y"), (1, "b", "y")]:
        rollout.waiting(left, resource, message)

    waits = events(tmp_path / "j", "waiting")
    assert [(line["left"], line["resource"], line["message"]) for line in waits] == [
        (2, "a", "x"),
        (2, "a", "y"),
        (1, "b", "y"),
    ]


def test_waiting_is_written_again_after_a_manifest(tmp_path):
    a = manifest("10", "a")
    rollout = RolloutEvents(Journal(str(tmp_path / "j")), [a])
    rollout.waiting(1, "x", "y")
    rollout.manifest(a, "created", [])
    rollout.waiting(1, "x", "y")

    assert len(events(tmp_path / "j", "waiting")) == 2


def test_a_rollout_of_nothing_is_done(tmp_path):
    RolloutEvents(Journal(str(tmp_path / "j")), []).end([])

    assert lines(tmp_path / "j")[0]["percent"] == 100


def test_the_last_manifest_and_the_wait_are_shown_with_or_without_a_file(tmp_path):
    for path in (None, str(tmp_path / "j")):
        shown: list[str] = []
        journal = Journal(path, progress=shown.append)
        recorder = RolloutEvents(journal, [manifest("10", "a"), manifest("", "b"), manifest("10", "c")])
        recorder.start("4.21.0", "install")
        recorder.manifest(manifest("10", "a"), "created", ())
        recorder.manifest(manifest("", "b"), "created", ())
        recorder.waiting(3, "deployments.apps x", "2 of 3 replicas")
        recorder.waiting(3, "deployments.apps x", "2 of 3 replicas")
        recorder.waiting(1, "namespaces y", "")
        recorder.manifest(manifest("10", "c"), "created", ())
        recorder.end(())
        assert shown == [
            "run level 10: 1 of 3, 33 %",
            "files without a run level: 2 of 3, 66 %",
            "waiting for 3: deployments.apps x (2 of 3 replicas)",
            "waiting for 1: namespaces y",
            "run level 10: 3 of 3, 100 %",
            "",
        ]


def test_what_is_shown_has_no_secret():
    shown: list[str] = []
    journal = Journal(None, lambda value: json.loads(json.dumps(value).replace("open sesame", "***")), shown.append)
    journal.waiting(1, "clusteroperators console", "the password is open sesame")
    assert shown == ["waiting for 1: clusteroperators console (the password is ***)"]
