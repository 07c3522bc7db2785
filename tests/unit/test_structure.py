# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules of the code that no linter checks: unique names of classes, codes of problems, files in its description."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from ansible_collections.capability.openshift.tests.unit.sources import ROOT, trees

PLUGINS = ROOT / "plugins"
MODULE_UTILS = PLUGINS / "module_utils"
# Ansible finds plugins by these names.
ANSIBLE_NAMES = ("ActionModule", "FilterModule", "LookupModule", "ModuleDocFragment", "TestModule")
TREES = trees("plugins")

KEBAB_CASE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
REPORTING = {"error", "warning", "info"}
TEXTS = {"message", "hint"}
READS_THE_SERVERS_ENGLISH = MODULE_UTILS / "_kubernetes" / "api_errors.py"


def test_there_is_something_to_look_at():
    assert len(TREES) > 100


def test_no_package_has_a_face():
    assert not list(MODULE_UTILS.rglob("__init__.py"))


def test_no_two_classes_share_a_name():
    places = defaultdict(list)
    for path, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name not in ANSIBLE_NAMES:
                places[node.name.lstrip("_")].append(str(path.relative_to(PLUGINS)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_no_variable_is_named_with_an_underscore_alone():
    """The linters of ansible-test reserve it for translations. Pylint finds it in the deep tier."""
    places = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, tree in {**TREES, **trees("tests")}.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id == "_"
    ]
    assert places == []


def test_no_test_limits_the_time_that_something_takes():
    """On a busy machine, it would fail."""
    places = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, tree in trees("tests").items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) and limits_time(node.test)
    ]
    assert places == []


def limits_time(condition: ast.expr) -> bool:
    """Whether a condition is that the time since a reading of a clock is below a limit."""
    if not isinstance(condition, ast.Compare) or not isinstance(condition.ops[-1], ast.Lt | ast.LtE):
        return False
    left = (condition.left, *condition.comparators)[-2]
    return any(getattr(node, "attr", "") in ("monotonic", "process_time", "perf_counter") for node in ast.walk(left))


def test_the_architecture_describes_each_package_and_names_files_that_exist():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    packages = {path.relative_to(MODULE_UTILS).parts[0].removesuffix(".py") for path in MODULE_UTILS.rglob("*.py")}
    assert packages == set(re.findall(r"(?m)^\| `(_\w+)` \|", text.partition("## Packages")[2].partition("\n## ")[0]))
    assert [name for name in re.findall(r"`(_\w+/\w+\.py)`", text) if not (MODULE_UTILS / name).exists()] == []


def codes() -> Iterator[tuple[str, str]]:
    """Yield each code that the product gives to a problem, with its file."""
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            position = 1 if name == "Problem" else 0 if name in REPORTING else None
            if position is None or len(node.args) <= position:
                continue
            for item in ast.walk(node.args[position]):
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield item.value, str(path.relative_to(PLUGINS))


def test_each_code_is_in_kebab_case():
    found = list(codes())
    assert len(found) > 200
    assert [(code, file) for code, file in found if not KEBAB_CASE.fullmatch(code) or code == "todo"] == []


def branches_on_texts() -> Iterator[str]:
    """Yield each condition that looks into the text of a problem."""
    for path, tree in TREES.items():
        for node in ast.walk(tree) if path != READS_THE_SERVERS_ENGLISH else ():
            if isinstance(node, ast.Compare):
                parts = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("startswith", "endswith"):
                parts = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            else:
                continue
            if any(isinstance(part, ast.Attribute) and part.attr in TEXTS for part in parts):
                yield f"{path.relative_to(PLUGINS)}:{node.lineno}: {ast.unparse(node)}"


def test_nothing_branches_on_the_text_of_a_problem():
    assert list(branches_on_texts()) == []


def reads_of_locations() -> Iterator[str]:
    """Yield where the text of a location is compared or taken apart. mypy finds the same for a location itself."""
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                parts = [node.left, *node.comparators]
            elif isinstance(node, ast.Attribute):
                parts = [node.value]
            elif isinstance(node, ast.Call) and not is_text(node):
                parts = [*node.args] if getattr(getattr(node.func, "value", None), "id", "") == "re" else []
            else:
                continue
            if any(is_text(part) for part in parts):
                yield f"{path.relative_to(PLUGINS)}:{node.lineno}: {ast.unparse(node)}"


def is_text(node: ast.AST) -> bool:
    """Whether a node is ``str(PROBLEM.where)``."""
    if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "str" or not node.args:
        return False
    return getattr(node.args[0], "attr", "") == "where"


def test_no_location_is_read_back_from_its_text():
    assert list(reads_of_locations()) == []
