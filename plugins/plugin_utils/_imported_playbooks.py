# Copyright: Contributors to the capability.openshift collection
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Note that this plugin util is **PRIVATE** to the collection. It can have breaking changes at any time.

"""The playbooks of this collection that a run of ``ansible-playbook`` has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError

_COLLECTION = "capability.openshift"
_FOLDER = Path(__file__).resolve().parents[2] / "playbooks"
_ACTIONS = ("import_playbook", "ansible.builtin.import_playbook")

Load = Callable[[str], Any]
"""Reads a YAML file as Ansible does, and raises an ``AnsibleError`` if it cannot."""


def imported_playbooks(arguments: Iterable[str], load: Load) -> frozenset[str]:
    """The names of the playbooks of this collection among ``arguments``, and among those that they import.

    ``arguments``: of ``ansible-playbook``, paths and full names. An import by a template or through another
    collection is not followed.
    """
    return frozenset(name for argument in arguments for name in _names(argument, Path.cwd(), load))


def _names(playbook: str, folder: Path, load: Load) -> Iterator[str]:
    collection, _dot, name = playbook.rpartition(".")
    path = (folder / playbook).resolve()
    if collection == _COLLECTION:
        yield name
    elif path.parent == _FOLDER:
        yield path.stem
    else:
        with suppress(AnsibleError):
            for play in load(str(path)):
                for action in _ACTIONS:
                    if action in play:
                        yield from _names(play[action], path.parent, load)
