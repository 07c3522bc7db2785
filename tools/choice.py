# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What `make check` runs: the checks that the changed files can fail, the nearest first, in two minutes at most."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from environment import CACHE, ROOT
from users import PLAYBOOKS, ROLES, SCENARIOS, TARGETS, Users, unit

BUDGET = 110.0
"""Seconds of one CPU core for tests: with two cores, and with what they need to begin, that is a minute and a half."""

_ANSIBLE = (f"{ROLES}/", f"{PLAYBOOKS}/", "examples/", "extensions/", f"{TARGETS}/")
_DOCUMENTED = ("plugins/modules/", "plugins/filter/", "plugins/test/", "plugins/doc_fragments/", "docs/", "README.md")
_SITE = (
    *("docs/", "changelogs/"),
    *("tools/architecture.py", "tools/docsite.py", "tools/flowchart.py", "tools/generated.py"),
)
_GENERIC = {
    *("data", "defaults", "docs", "examples", "extensions", "facts", "files", "go", "handlers", "meta", "molecule"),
    *("parity", "playbooks", "plugins", "releases", "roles", "tasks", "templates", "tests", "unit", "vars"),
    *("manifests", "release-manifests", "integration", "targets"),
}
"""Names of folders that say nothing about what is in them."""


class Choice(NamedTuple):
    """A check: a step of the gate, on what, how many seconds of a core that takes, and why it is chosen."""

    step: str
    on: str
    seconds: float
    why: str


class Choices(NamedTuple):
    """What is run, what would take too long, and the changed files that nothing here checks."""

    run: list[Choice]
    left: list[Choice]
    unchecked: list[str]


def changed_files(base: str = "") -> tuple[str, list[str]]:
    """Return with which commit the checkout is compared, and the files that are not as there, new ones as well.

    Without a ``base`` it is the commit where the branch left its upstream or the main branch.
    """
    if not base:
        roots = ("@{upstream}", "origin/HEAD", "origin/main", "main")
        base = next((found for name in roots if (found := _git("merge-base", "HEAD", name))), "HEAD")
    names = (
        _git("diff", "--name-only", "--no-renames", base, "--") + "\n" + _git("ls-files", "-o", "--exclude-standard")
    )
    return _git("describe", "--always", base) or base, sorted({name for name in names.split("\n") if name})


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def known_seconds() -> dict[str, float]:
    """Return how long the tests of each file took when they last ran."""
    try:
        found: dict[str, float] = json.loads((CACHE / "seconds.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def choose(
    changed: Sequence[str],
    graph: Users,
    texts: Mapping[str, str],
    seconds: Mapping[str, float],
    budget: float = BUDGET,
) -> Choices:
    """Return what to run for the ``changed`` files.

    Changed tests always run. Tests that depend on a changed file run in the order of their distance, within ``budget``.
    """
    fixed = list(_fixed(changed))
    starts = {start: name for name in changed for start in _starts(name, texts)}
    ranked = sorted(_ranked(graph, starts, texts, seconds))
    run, left = [], []
    spent = 0.0
    for distance, _mirror, _cost, choice in ranked:
        if distance == 0 or spent + choice.seconds <= budget:
            run.append(choice)
            spent += choice.seconds
        else:
            left.append(choice)
    covered = {name for name in changed if _steps_of(name)} | set(starts.values())
    return Choices([*fixed, *run], left, [name for name in changed if name not in covered])


def explained(choices: Choices, base: str, changed: int) -> list[str]:
    """Return lines that say what is run and why."""
    seconds = sum(choice.seconds for choice in choices.run)
    lines = [f"check: {changed} files changed since {base}; about {seconds:.0f} s of one core:"]
    lines += [f"  {choice.step:<13} {choice.on:<60} {choice.why}" for choice in choices.run]
    if choices.left:
        kinds = Counter(choice.step for choice in choices.left)
        more = ", ".join(f"{number} of {step}" for step, number in sorted(kinds.items()))
        lines.append(f"check: these depend on them as well and are left to `make test`: {more}; the nearest:")
        lines += [f"  {choice.step:<13} {choice.on:<60} {choice.why}" for choice in choices.left[:5]]
    if choices.unchecked:
        lines.append(f"check: nothing here checks {', '.join(choices.unchecked)}; `make test` does")
    return lines


def _ranked(
    graph: Users, starts: Mapping[str, str], texts: Mapping[str, str], seconds: Mapping[str, float]
) -> Iterable[tuple[int, bool, float, Choice]]:
    stems = {PurePosixPath(name).stem.strip("_") for name in starts}
    for name, (distance, start) in graph.nearest(starts).items():
        step = _step_of(name)
        if step and (name in texts):
            cost = seconds.get(name, _DEFAULTS[step])
            mirror = PurePosixPath(name).stem.removeprefix("test_") in stems
            why = "changed" if distance == 0 else f"{distance} away from {starts[start]}"
            yield distance, not mirror, cost, Choice(step, name, cost, why)


_DEFAULTS = {"unit": 1.5, "cluster": 15.0, "registry": 2.0, "browser": 15.0, "integration": 12.0, "molecule": 30.0}


def _step_of(name: str) -> str:
    """Return the step of the gate that runs a file of tests, a target or a scenario; empty for all else."""
    if name.startswith(f"{TARGETS}/") and unit(name) == name and not name.startswith(f"{TARGETS}/setup_"):
        return "integration"
    if name.startswith(f"{SCENARIOS}/role_") and unit(name) == name:
        return "molecule"
    if PurePosixPath(name).name.startswith("test_") and name.endswith(".py"):
        folder = PurePosixPath(name).parts[1]
        if folder == "execution_environment":
            return ""
        return folder if folder in ("cluster", "registry", "browser") else "unit"
    return ""


def _steps_of(name: str) -> dict[str, tuple[float, str]]:
    """Return the steps of the gate that check a file whatever it contains: seconds and why."""
    found: dict[str, tuple[float, str]] = {}
    if name.endswith(".py") or name in ("tools/gate", "tools/matrix", "pyproject.toml"):
        found["ruff"] = (0.5, "Python")
        found["mypy"] = (12.0, "Python")
    if name.startswith("plugins/") or name == "pyproject.toml":
        found["imports"] = (1.0, "plugins")
    if name.startswith("changelogs/"):
        found["changelog"] = (2.0, "the changelog")
    if name.startswith(_DOCUMENTED) or (name.startswith(f"{ROLES}/") and "/meta/" in name):
        found["docs"] = (20.0, "documentation")
    if name.startswith(_SITE) or name.endswith(".md"):
        found["site"] = (20.0, "the documentation site")
    if name.startswith(_ANSIBLE) and name.endswith((".yml", ".yaml")) and "/release-manifests/" not in name:
        found["ansible-lint"] = (20.0, "playbooks and roles")
    return found


def _fixed(changed: Iterable[str]) -> Iterable[Choice]:
    found: dict[str, Choice] = {}
    for name in changed:
        for step, (seconds, why) in _steps_of(name).items():
            found.setdefault(step, Choice(step, "", seconds, f"{why}: {name}"))
    return found.values()


def _starts(name: str, texts: Mapping[str, str]) -> Collection[str]:
    """Return where a changed file is in the graph: itself, the folder that counts, or what names it as its data."""
    if name.startswith(("tools/", "requirements/")):
        return [other for other in texts if other.startswith("tests/tools/test_")]
    if unit(name) != name or (name in texts and name.endswith(".py")):
        return [unit(name)]
    if name.startswith(f"{PLAYBOOKS}/"):
        return [name]
    path = PurePosixPath(name)
    if not name.startswith(("tests/", "examples/", "plugins/", "extensions/")):
        return []
    words = [word for word in (path.name, *path.parts[:-1]) if word not in _GENERIC]
    pattern = re.compile("|".join(rf"[\"/]{re.escape(word)}" for word in words) or "$^")
    return [
        name for name, text in texts.items() if name.startswith("tests/") and ".py" in name and pattern.search(text)
    ]
