# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import ClusterError, Problem
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._rollout import journal as _journal
from ansible_collections.capability.openshift.plugins.module_utils._rollout.journal import (
    Journal,
    Progress,
    RolloutEvents,
)


def manifest(level: str, name: str) -> Manifest:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}
    found, problems = manifest_from_object(obj, f"0000_{level}_part_{name}.yaml" if level else f"{name}.yaml", 0)
    assert found is not None, problems
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def events(path: Path, event: str) -> list[dict[str, Any]]:
    return [line for line in lines(path) if line["event"] == event]


def no_space(*_arguments: Any) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_line_has_the_time_the_run_the_event_and_its_facts(tmp_path):
    journal = Journal(str(tmp_path / "j"))
    journal.note("start", total=3)

    (line,) = lines(tmp_path / "j")
    assert list(line) == ["time", "run", "event", "total"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])
    assert re.fullmatch("[0-9a-f]{8}", line["run"])
    assert (line["event"], line["total"]) == ("start", 3)


def test_a_line_is_in_the_file_before_the_journal_is_closed(tmp_path):
    journal = Journal(str(tmp_path / "j"))
    for number in range(3):
        journal.note("x", number=number)
        assert len(lines(tmp_path / "j")) == number + 1


def test_a_kill_loses_no_line(tmp_path):
    path = tmp_path / "j"
    code = (
        "import os, signal, sys\n"
        f"from {_journal.__name__} import Journal\n"
        "journal = Journal(sys.argv[1])\n"
        "journal.note('start', total=1)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)

    assert done.returncode == -signal.SIGKILL
    assert [line["event"] for line in lines(path)] == ["start"]


def test_the_file_is_for_its_owner_alone(tmp_path):
    before = os.umask(0)
    try:
        Journal(str(tmp_path / "j")).close()
    finally:
        os.umask(before)

    assert (tmp_path / "j").stat().st_mode & 0o777 == 0o600


def test_a_second_run_appends_and_has_another_name(tmp_path):
    for _run in range(2):
        journal = Journal(str(tmp_path / "j"))
        journal.note("start")
        journal.close()

    first, second = lines(tmp_path / "j")
    assert first["run"] != second["run"]


def test_what_a_full_disk_cut_off_spoils_no_other_line(tmp_path):
    (tmp_path / "j").write_text('{"event": "sta', "utf-8")
    journal = Journal(str(tmp_path / "j"))
    journal.note("start")
    journal.note("end")

    half, *whole = (tmp_path / "j").read_text("utf-8").splitlines()
    assert half == '{"event": "sta'
    assert [json.loads(line)["event"] for line in whole] == ["start", "end"]


def test_the_home_directory_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    Journal("~/j").note("start")

    assert len(lines(tmp_path / "j")) == 1


@pytest.mark.parametrize(("path", "said"), [("", "Is a directory"), ("none/j", "No such file or directory")])
def test_a_path_that_cannot_be_written_is_refused_in_words(tmp_path, path, said):
    with pytest.raises(ClusterError) as caught:
        Journal(f"{tmp_path}/{path}")

    (problem,) = caught.value.problems
    assert (problem.severity, problem.where) == ("error", "journal")
    assert problem.message == f"{tmp_path}/{path} cannot be written: {said}"
    assert problem.hint


@pytest.mark.parametrize("path", [None, ""])
def test_without_a_path_nothing_is_kept(path):
    journal = Journal(path)
    journal.note("start")
    journal.close()
    assert journal.problem is None


def test_a_disk_that_gets_full_ends_the_journal_and_not_the_rollout(tmp_path, monkeypatch):
    journal = Journal(str(tmp_path / "j"))
    journal.note("start")
    with monkeypatch.context() as patch:
        patch.setattr("os.write", no_space)
        journal.note("manifest")
    journal.note("end")
    journal.close()

    assert [line["event"] for line in lines(tmp_path / "j")] == ["start"]
    message = f"{tmp_path}/j could not be written to the end: No space left on device"
    assert journal.problem == Problem("warning", "todo", "journal", message, "The rollout went on without it")


def test_a_closed_journal_takes_nothing(tmp_path):
    journal = Journal(str(tmp_path / "j"))
    journal.close()
    journal.note("start")
    journal.close()

    assert lines(tmp_path / "j") == []


def test_what_must_not_be_read_is_taken_out(tmp_path):
    journal = Journal(str(tmp_path / "j"), lambda facts: dict.fromkeys(facts, "hidden"))
    journal.note("manifest", problems=["token abc"])

    assert lines(tmp_path / "j")[0]["problems"] == "hidden"


def test_lines_of_other_threads_stay_whole(tmp_path):
    journal = Journal(str(tmp_path / "j"))
    with ThreadPoolExecutor(8) as executor:
        for number in range(400):
            executor.submit(journal.note, "x", number=number, text="é\n" * 2000)

    assert sorted(line["number"] for line in lines(tmp_path / "j")) == list(range(400))


def test_half_a_character_can_be_written(tmp_path):
    Journal(str(tmp_path / "j")).note("x", text="\udce4")
    assert lines(tmp_path / "j")[0]["text"] == "\udce4"


def test_a_run_level_is_done_with_its_last_manifest_whatever_the_order():
    a, b, c = manifest("10", "a"), manifest("30", "b"), manifest("10", "c")
    progress = Progress([a, b, c])

    assert [progress.told(item) for item in (a, b, c)] == [None, "30", "10"]


def test_a_manifest_counts_once():
    a, b = manifest("10", "a"), manifest("10", "b")
    progress = Progress([a, b])

    assert [progress.told(item) for item in (a, a, b, b)] == [None, None, "10", None]
    assert (progress.done, progress.total) == (2, 2)


def test_a_manifest_that_nobody_spoke_of_does_not_count():
    progress = Progress([manifest("10", "a")])
    assert progress.told(manifest("20", "b")) is None
    assert progress.done == 0


def test_files_without_a_run_level_are_one_together():
    a, b = manifest("", "a"), manifest("", "b")
    progress = Progress([a, b])
    assert [progress.told(item) for item in (a, b)] == [None, ""]


@pytest.mark.parametrize(("done", "total", "percent"), [(0, 3, 0), (1, 3, 33), (2, 3, 66), (3, 3, 100), (199, 200, 99)])
def test_percent_is_rounded_down_so_that_100_means_all(done, total, percent):
    manifests = [manifest("10", str(number)) for number in range(total)]
    progress = Progress(manifests)
    for item in manifests[:done]:
        progress.told(item)

    assert progress.percent == percent


def test_a_rollout_of_nothing_is_done():
    assert Progress([]).percent == 100


def test_a_chronicle_tells_a_rollout_from_start_to_end(tmp_path):
    a, b = manifest("10", "a"), manifest("30", "b")
    chronicle = RolloutEvents(Journal(str(tmp_path / "j")), [a, b])
    chronicle.start("4.21.0", "install")
    chronicle.manifest(a, "created", [])
    chronicle.manifest(b, "failed", [Problem("error", "todo", "b", "is wrong", "Mend it")])
    chronicle.end([Problem("error", "todo", "wait", "is not ready")])

    told = lines(tmp_path / "j")
    assert [line["event"] for line in told] == ["start", "manifest", "run_level", "manifest", "run_level", "end"]
    facts = [{name: value for name, value in line.items() if name not in ("time", "run", "event")} for line in told]
    resource = {"group": "", "kind": "ConfigMap", "namespace": "default"}
    assert facts[0] == {"release": "4.21.0", "mode": "install", "total": 2}
    assert facts[1] == {"file": a.file, **resource, "name": "a", "state": "created", "problems": []}
    assert facts[2] == {"run_level": "10", "done": 1, "total": 2, "percent": 50}
    assert facts[3]["problems"] == [str(Problem("error", "todo", "b", "is wrong", "Mend it"))]
    assert facts[5] == {
        "done": 2,
        "total": 2,
        "percent": 100,
        "problems": [str(Problem("error", "todo", "wait", "is not ready"))],
    }


def test_numbers_grow_and_run_levels_follow_their_manifests_however_many_threads_tell(tmp_path):
    manifests = [manifest(f"{number % 7:02}", str(number)) for number in range(300)]
    chronicle = RolloutEvents(Journal(str(tmp_path / "j")), manifests)
    with ThreadPoolExecutor(8) as executor:
        list(executor.map(lambda item: chronicle.manifest(item, "created", []), manifests))

    levels = events(tmp_path / "j", "run_level")
    assert sorted(line["run_level"] for line in levels) == [f"{number:02}" for number in range(7)]
    assert [line["done"] for line in levels] == sorted(line["done"] for line in levels)
    told = 0
    for line in lines(tmp_path / "j"):
        told += line["event"] == "manifest"
        assert line["event"] == "manifest" or line["done"] == told


def test_waiting_is_noted_when_it_changes(tmp_path):
    chronicle = RolloutEvents(Journal(str(tmp_path / "j")), [])
    for left, resource, message in [(2, "a", "x"), (2, "a", "x"), (2, "a", "y"), (1, "b", "y"), (1, "b", "y")]:
        chronicle.waiting(left, resource, message)

    told = events(tmp_path / "j", "waiting")
    assert [(line["left"], line["resource"], line["message"]) for line in told] == [
        (2, "a", "x"),
        (2, "a", "y"),
        (1, "b", "y"),
    ]


def test_waiting_is_noted_anew_after_something_came_of_a_manifest(tmp_path):
    a = manifest("10", "a")
    chronicle = RolloutEvents(Journal(str(tmp_path / "j")), [a])
    chronicle.waiting(1, "x", "y")
    chronicle.manifest(a, "created", [])
    chronicle.waiting(1, "x", "y")

    assert len(events(tmp_path / "j", "waiting")) == 2
