# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What `make check` chooses for changed files, and what it leaves to the gate."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import choice
import pytest
from choice import Choices, changed_files, choose, explained
from users import Users

DOMAIN = "plugins/module_utils/_version.py"
MODULE = "plugins/modules/release_info.py"
NEAR = "tests/unit/plugins/module_utils/test_version.py"
FAR = "tests/unit/plugins/modules/test_release_info.py"
CLUSTER = "tests/cluster/test_rollout.py"
TARGET = "tests/integration/targets/module_release_info"
SCENARIO = "extensions/molecule/role_plan"
ROLE = "roles/plan"
TEXTS = {
    DOMAIN: "",
    MODULE: "from ..module_utils import _version",
    NEAR: 'DATA = "capabilities.json"',
    FAR: "",
    CLUSTER: 'INSTALLS = Path("install_configs")',
    TARGET: "capability.openshift.release_info",
    SCENARIO: "capability.openshift.plan",
    ROLE: "capability.openshift.release_info",
    "tests/tools/test_lanes.py": "",
    "tests/execution_environment/test_image.py": "",
}
GRAPH = Users({DOMAIN: [NEAR, MODULE], MODULE: [FAR, CLUSTER]}).with_names(TEXTS)


def chosen(*changed: str, budget: float = 1000.0, seconds: dict[str, float] | None = None) -> Choices:
    return choose(changed, GRAPH, TEXTS, seconds or {}, budget)


def named(found: Choices) -> list[str]:
    return [item.on for item in found.run if item.on]


def steps_of(found: Choices) -> set[str]:
    return {item.step for item in found.run}


def test_the_nearest_come_first() -> None:
    found = chosen(DOMAIN)
    assert named(found) == [NEAR, FAR, TARGET, CLUSTER, SCENARIO]
    assert steps_of(found) == {"ruff", "mypy", "imports", "unit", "integration", "cluster", "molecule"}
    assert (found.left, found.unchecked) == ([], [])
    assert {item.on: item.why for item in found.run if item.on}[NEAR] == f"1 away from {DOMAIN}"


def test_what_costs_too_much_is_left_and_something_cheaper_still_runs() -> None:
    found = chosen(DOMAIN, budget=20.0, seconds={NEAR: 10.0, FAR: 15.0, TARGET: 5.0})
    assert named(found) == [NEAR, TARGET]
    assert [item.on for item in found.left] == [CLUSTER, FAR, SCENARIO]


def test_what_was_changed_itself_runs_at_any_cost() -> None:
    assert named(chosen(CLUSTER, budget=1.0, seconds={CLUSTER: 500.0})) == [CLUSTER]
    assert named(chosen(f"{SCENARIO}/verify.yml", budget=1.0)) == [SCENARIO]


def test_of_those_as_near_the_one_of_the_same_name_is_first() -> None:
    graph = Users({DOMAIN: [FAR, NEAR]})
    found = choose([DOMAIN], graph, TEXTS, {NEAR: 9.0, FAR: 1.0}, 9.5)
    assert named(found) == [NEAR]


@pytest.mark.parametrize(
    ("changed", "steps", "tests"),
    [
        ("roles/plan/tasks/main.yml", {"ansible-lint", "molecule"}, [SCENARIO]),
        ("roles/plan/meta/argument_specs.yml", {"ansible-lint", "docs", "molecule"}, [SCENARIO]),
        ("changelogs/fragments/1.yml", {"changelog", "site"}, []),
        ("docs/rules.md", {"docs", "site"}, []),
        ("tests/unit/data/capabilities.json", {"unit"}, [NEAR]),
        ("tests/unit/install_configs/aws.json", {"cluster"}, [CLUSTER]),
        ("tools/lanes.py", {"ruff", "mypy", "unit"}, ["tests/tools/test_lanes.py"]),
        ("tests/execution_environment/test_image.py", {"ruff", "mypy"}, []),
        ("requirements/test.txt", {"unit"}, ["tests/tools/test_lanes.py"]),
    ],
)
def test_files_that_nothing_imports(changed: str, steps: set[str], tests: Sequence[str]) -> None:
    found = chosen(changed)
    assert steps_of(found) == steps
    assert named(found) == tests
    assert found.unchecked == []


def test_what_nothing_checks_is_said() -> None:
    found = chosen("galaxy.yml", "Makefile", DOMAIN)
    assert found.unchecked == ["galaxy.yml", "Makefile"]
    lines = explained(found, "v1", 3)
    assert lines[0].startswith("check: 3 files changed since v1; about ")
    assert lines[-1] == "check: nothing here checks galaxy.yml, Makefile; `make test` does"


def test_what_is_left_is_said() -> None:
    lines = explained(chosen(DOMAIN, budget=0.0), "v1", 1)
    assert (
        "check: these depend on them as well and are left to `make test`: "
        "1 of cluster, 1 of integration, 1 of molecule, 2 of unit; the nearest:" in lines
    )


def test_a_deleted_file_is_checked_by_types_and_imports() -> None:
    assert steps_of(chosen("plugins/module_utils/_gone.py")) == {"ruff", "mypy", "imports"}


def test_nothing_changed() -> None:
    assert chosen() == Choices([], [], [])


# Git


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("GIT_DIR", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(choice, "ROOT", tmp_path)
    git(tmp_path, "init", "-q", "-b", "main")
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text("1\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("ignored\n", encoding="utf-8")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "x")


def test_files_that_differ_from_the_last_commit(checkout: Path) -> None:
    assert changed_files()[1] == []
    (checkout / "a.py").write_text("2\n", encoding="utf-8")
    (checkout / "b.py").unlink()
    for name in ("new.py", "ignored"):
        (checkout / name).write_text("", encoding="utf-8")
    git(checkout, "add", "new.py")
    (checkout / "newer.py").write_text("", encoding="utf-8")
    assert changed_files()[1] == ["a.py", "b.py", "new.py", "newer.py"]


def test_a_branch_is_compared_with_where_it_left_main(checkout: Path) -> None:
    git(checkout, "checkout", "-q", "-b", "work")
    (checkout / "a.py").write_text("2\n", encoding="utf-8")
    commit(checkout)
    git(checkout, "checkout", "-q", "main")
    (checkout / "c.py").write_text("2\n", encoding="utf-8")
    commit(checkout)
    git(checkout, "checkout", "-q", "work")
    (checkout / "b.py").write_text("2\n", encoding="utf-8")
    assert changed_files()[1] == ["a.py", "b.py"]
    assert changed_files("HEAD")[1] == ["b.py"]
