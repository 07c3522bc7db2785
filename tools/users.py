# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What depends on what: plugins and tests by their imports, roles, playbooks and what tests those by names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

import grimp
from environment import NAME, NAMESPACE, ROOT

_PACKAGE = f"ansible_collections.{NAMESPACE}.{NAME}."
_FOLDERS = ("plugins", "tests")
_NAMED = re.compile(rf"\b{NAMESPACE}\.{NAME}\.([a-z_]+)")
TARGETS, SCENARIOS, ROLES, PLAYBOOKS = "tests/integration/targets", "extensions/molecule", "roles", "playbooks"


class Users:
    """Who uses what, as a graph of files; a role, an integration target and a molecule scenario is its folder."""

    def __init__(self, users: Mapping[str, Iterable[str]]) -> None:
        self._users = {name: set(found) for name, found in users.items()}

    def of(self, name: str) -> set[str]:
        """Return what uses a file itself. Packages of others have names as well."""
        return self._users.get(name, set())

    def distances(self, starts: Iterable[str]) -> dict[str, int]:
        """Return the distance of each user to the nearest of ``starts``, which have 0."""
        return {name: distance for name, (distance, _start) in self.nearest(starts).items()}

    def nearest(self, starts: Iterable[str]) -> dict[str, tuple[int, str]]:
        """Return the distance of each user to the nearest of ``starts``, and that start: the first one of several."""
        edge = {name: name for name in starts}
        found = {name: (0, name) for name in edge}
        distance = 0
        while edge:
            distance += 1
            after: dict[str, str] = {}
            for name, start in edge.items():
                for user in self.of(name) - found.keys():
                    after[user] = min(start, after.get(user, start))
            edge = dict(sorted(after.items()))
            found.update({name: (distance, start) for name, start in edge.items()})
        return found

    def with_names(self, texts: Mapping[str, str]) -> Users:
        """Return the graph in which what names a plugin, role or playbook of the collection uses it, too.

        ``texts`` are the texts of all files and folders by their path.
        """
        found: dict[str, set[str]] = {}
        for path in texts:
            if _can_be_named(path):
                found.setdefault(PurePosixPath(path).stem, set()).add(path)
        users = {name: set(others) for name, others in self._users.items()}
        for path, text in texts.items():
            for name in set(_NAMED.findall(text)):
                for named in found.get(name, set()) - {path}:
                    if _runs(path) or "/doc_fragments/" in named:
                        users.setdefault(named, set()).add(path)
        return Users(users)


def imports(root: Path = ROOT) -> Users:
    """Return the imports of plugins and tests.

    A test imports the conftest.py of its folder and of those above, because pytest does that for it.
    """
    graph = grimp.build_graph(
        *(f"{_PACKAGE}{name}" for name in _FOLDERS), include_external_packages=True, cache_dir=None
    )
    users = {_file(name): set(map(_file, graph.find_modules_that_directly_import(name))) for name in graph.modules}
    for test in collected(root):
        for folder in PurePosixPath(test).parents:
            conftest = str(folder / "conftest.py")
            if (root / conftest).is_file():
                users.setdefault(conftest, set()).add(test)
    return Users(users)


def collected(root: Path = ROOT) -> list[str]:
    """Return all files that pytest collects."""
    return sorted(path.relative_to(root).as_posix() for path in (root / "tests").rglob("test_*.py"))


def texts(files: Iterable[str], root: Path = ROOT) -> dict[str, str]:
    """Return the texts of files by path, those of a folder that counts as one together."""
    found: dict[str, str] = {}
    for name in files:
        try:
            text = (root / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue  # deleted, or no text
        whole = unit(name)
        found[whole] = f"{found[whole]}\n{text}" if whole in found else text
    return found


def unit(path: str) -> str:
    """Return what a file counts as: the folder of its role, target or scenario, or itself."""
    parts = PurePosixPath(path).parts
    for folder in (TARGETS, SCENARIOS, ROLES):
        size = len(PurePosixPath(folder).parts) + 1
        if len(parts) > size and "/".join(parts[: size - 1]) == folder:
            return "/".join(parts[:size])
    return path


def _can_be_named(path: str) -> bool:
    parts = PurePosixPath(path).parts
    kinds = ("modules", "action", "filter", "lookup", "test", "doc_fragments")
    if parts[0] == "plugins":
        return len(parts) == 3 and parts[1] in kinds
    return len(parts) == 2 and parts[0] in (ROLES, PLAYBOOKS)


def _runs(path: str) -> bool:
    """Whether what is named in a file is run by it; the documentation of a plugin only refers to it."""
    return path.startswith((f"{ROLES}/", f"{PLAYBOOKS}/", "extensions/", "tests/", "plugins/action/"))


def _file(module: str) -> str:
    if not module.startswith(_PACKAGE):
        return module
    return f"{module.removeprefix(_PACKAGE).replace('.', '/')}.py"
