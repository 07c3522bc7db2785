# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who uses what: of a small graph, and of this checkout."""

from __future__ import annotations

from pathlib import Path

import pytest
from users import Users, collected, imports, texts, unit

GRAPH = Users({"version.py": ["release.py", "test_version.py"], "release.py": ["test_release.py"], "ryml": ["yaml.py"]})


def test_distances_count_what_is_in_between() -> None:
    assert GRAPH.distances(["version.py"]) == {
        "version.py": 0,
        "release.py": 1,
        "test_version.py": 1,
        "test_release.py": 2,
    }
    assert GRAPH.distances(["version.py", "release.py"])["test_release.py"] == 1
    assert GRAPH.distances(["unknown.py"]) == {"unknown.py": 0}
    assert GRAPH.distances([]) == {}


def test_a_circle_ends() -> None:
    assert Users({"a.py": ["b.py"], "b.py": ["a.py"]}).distances(["a.py"]) == {"a.py": 0, "b.py": 1}


@pytest.mark.parametrize(
    ("path", "counts_as"),
    [
        ("roles/update_plan/tasks/main.yml", "roles/update_plan"),
        (
            "tests/integration/targets/module_release_info/tasks/main.yml",
            "tests/integration/targets/module_release_info",
        ),
        ("extensions/molecule/role_update_plan/verify.yml", "extensions/molecule/role_update_plan"),
        ("extensions/molecule/config.yml", "extensions/molecule/config.yml"),
        ("plugins/modules/update_plan.py", "plugins/modules/update_plan.py"),
        ("README.md", "README.md"),
    ],
)
def test_a_folder_counts_as_one(path: str, counts_as: str) -> None:
    assert unit(path) == counts_as


def test_what_runs_a_plugin_by_its_name_uses_it() -> None:
    found = Users({}).with_names(
        {
            "plugins/modules/update_plan.py": "seealso: capability.openshift.release_info",
            "plugins/modules/release_info.py": "extends_documentation_fragment: capability.openshift._release",
            "plugins/doc_fragments/_release.py": "",
            "plugins/filter/included.py": "",
            "roles/plan": "capability.openshift.update_plan: in a task",
            "extensions/molecule/role_plan": "name: capability.openshift.plan",
            "tests/cluster/test_playbooks.py": "capability.openshift.plans",
        }
    )
    assert found.of("plugins/modules/update_plan.py") == {"roles/plan"}
    assert found.of("roles/plan") == {"extensions/molecule/role_plan"}
    assert found.of("plugins/modules/release_info.py") == set(), "documentation refers to it, and runs nothing"
    assert found.of("plugins/doc_fragments/_release.py") == {"plugins/modules/release_info.py"}
    assert found.distances(["plugins/modules/update_plan.py"])["extensions/molecule/role_plan"] == 2


def test_texts_of_a_folder_are_put_together(tmp_path: Path) -> None:
    for name, text in {"roles/a/tasks/main.yml": "one", "roles/a/meta/main.yml": "two", "b.py": "three"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\xff\xfe\xfd")
    names = ["roles/a/tasks/main.yml", "roles/a/meta/main.yml", "b.py", "picture.png", "deleted.py"]
    assert texts(names, tmp_path) == {"roles/a": "one\ntwo", "b.py": "three"}


# This checkout


@pytest.fixture(scope="module")
def here() -> Users:
    return imports()


def test_a_conftest_is_used_by_the_tests_below_it(here: Users) -> None:
    below = {name for name in collected() if name.startswith("tests/cluster/")}
    assert below <= here.of("tests/cluster/conftest.py")
    assert below <= set(here.distances(["tests/control_plane/control_plane.py"]))


def test_every_file_of_tests_is_in_the_graph(here: Users) -> None:
    lonely = {name for name in collected() if name not in here.distances(["pytest", "tests/conftest.py"])}
    assert lonely == set()
