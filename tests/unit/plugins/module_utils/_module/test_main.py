# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""How a module runs and ends, whatever it does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._module import main
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import chdir_spec
from ansible_collections.capability.openshift.plugins.module_utils._module.main import ModuleDefinition
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError


@pytest.fixture
def end(call):
    """Run a module whose options are ``chdir``, ``one`` and ``two``, and return its outcome."""

    def end(run, *prepare, options, **rules):
        spec = {**chdir_spec(), "one": {"type": "str"}, "two": {"type": "str"}}
        return call(SimpleNamespace(MODULE=ModuleDefinition(spec, run, prepare, rules)), **options)

    return end


def test_a_module_returns_its_result_and_each_problem_once(end):
    def run(module, result, problems):
        result["seen"] = module.params["one"]
        for _number in range(2):
            problems.warning("a-code", "one", "is odd")

    outcome = end(run, options={"one": "1"})
    assert (outcome["changed"], outcome["seen"]) == (False, "1")
    assert [item["code"] for item in outcome["problems"]] == ["a-code"]


def test_a_module_that_fails_returns_what_it_has(end):
    def run(_module, result, problems):
        result.update(changed=True, written=1)
        problems.error("a-code", "one", "is wrong", "Correct it")
        problems.raise_errors(InvalidOptionError)

    outcome = end(run, options={})
    assert outcome.faults == [("a-code", "one")]
    assert (outcome["changed"], outcome["written"]) == (True, 1)


def test_a_module_enters_its_directory_after_it_is_prepared(end, tmp_path):
    places = []

    def here(*_args):
        places.append(Path.cwd())

    start = Path.cwd()
    end(here, here, options={"chdir": tmp_path})
    assert places == [start, tmp_path]


def test_rules_for_options_are_checked(end):
    outcome = end(lambda *_: None, options={"one": "1", "two": "2"}, mutually_exclusive=[("one", "two")])
    assert "one" in outcome.message
    assert "two" in outcome.message


_PROGRAM = f"""
from {main.__name__} import end_without_reader

end_without_reader()
print("begun", flush=True)
input()
print("done")
"""


def started(stdout: int) -> subprocess.Popen[str]:
    """A process that waits for a line of its standard input."""
    return subprocess.Popen([sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=stdout, text=True)


def test_process_without_a_reader_ends() -> None:
    with started(subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.stdout.close()
        assert process.wait(30) == 1


def test_process_with_a_reader_continues() -> None:
    with started(subprocess.PIPE) as process:
        assert process.communicate("go on\n", 30)[0] == "begun\ndone\n"
    assert process.returncode == 0


def test_process_that_writes_to_a_file_continues(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as file, started(file.fileno()) as process:
        process.communicate("go on\n", 30)
    assert process.returncode == 0
